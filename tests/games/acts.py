"""What players do in the tests, in a word each."""

import random
from datetime import datetime

from accounts.models import Player
from games import play, replay
from games.models import Game, Seat, Via
from games.play import Played
from games.rules.position import Position
from games.rules.registry import RULESETS
from tests.conftest import NOW


def as_stored(game: Game) -> Game:
    return Game.objects.get(pk=game.pk)


def position_of(game: Game) -> Position:
    return RULESETS[game.ruleset].load(as_stored(game).position)


def to_move(game: Game) -> Player:
    return Seat.objects.get(game=game, number=as_stored(game).seat_to_move).player


def submit(
    game: Game, player: Player, text: str, *, ply: int | None = None, now: datetime = NOW
) -> Played:
    return play.submit_move(
        game_id=game.pk,
        player_id=player.pk,
        text=text,
        ply=as_stored(game).ply if ply is None else ply,
        now=now,
        via=Via.WEB,
    )


def submit_within(
    game: Game, player: Player, text: str, *, ply: int, now: datetime = NOW
) -> Played:
    """In the transaction of the test."""
    return play.play_move(
        game_id=game.pk, player_id=player.pk, text=text, ply=ply, now=now, via=Via.WEB
    )


def move(game: Game, text: str = "", *, now: datetime = NOW) -> Played:
    """Whoever is to move plays the text, or else the first move that there is."""
    return submit(game, to_move(game), text or str(position_of(game).legal_moves()[0]), now=now)


def both_move(game: Game, *, now: datetime = NOW) -> None:
    while as_stored(game).seats_moved != 0b11:
        move(game, now=now)


def play_to_the_end(game: Game, *, seed: int = 0, now: datetime = NOW) -> Game:
    chance = random.Random(seed)
    while as_stored(game).is_running:
        move(game, str(chance.choice(position_of(game).legal_moves())), now=now)
    return as_stored(game)


def resigned_by(player: Player, game: Game, *, now: datetime = NOW) -> Game:
    """The game, decided: both have moved, then the player gave up."""
    both_move(game, now=now)
    play.resign(game_id=game.pk, player_id=player.pk, now=now)
    return as_stored(game)


def replayed(game: Game) -> Position:
    return replay.positions(as_stored(game), replay.standing_lines(game.pk))[-1]
