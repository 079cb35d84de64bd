"""Entrants of an event as they play: random, through the real doors, at a clock that is given."""

import random
from collections.abc import Collection
from datetime import datetime
from typing import Any

from games import outbox, play
from games.models import Game, Seat, Status, Via
from games.rules.position import Position, Turn
from games.rules.registry import ruleset
from games.sweeps import end_games_on_time
from tournaments import results, sweeps
from tournaments.models import Event

LEAST_PLIES = 4
"""Before so many nobody gives up, so that most games count as played."""


def play_on(
    *,
    event: Event,
    chance: random.Random,
    now: datetime,
    absent: Collection[int] = (),
    ends: float = 0.3,
    moves: float = 1.0,
) -> int:
    """In each game that runs, whoever is to move acts, unless he is absent; how many acted."""
    games = Game.objects.filter(event_id=event.pk, status=Status.RUNNING)
    running = games.prefetch_related("seats").order_by("pk")
    acted = 0
    for game in running:
        seats = sorted(game.seats.all(), key=lambda seat: seat.number)
        mover = seats[game.seat_to_move or 0]
        if mover.player_id not in absent and chance.random() < moves:
            _act(game, seats, mover, chance, now, ends)
            acted += 1
    return acted


def _act(
    game: Game, seats: list[Seat], mover: Seat, chance: random.Random, now: datetime, ends: float
) -> None:
    who: dict[str, Any] = {"game_id": game.pk, "player_id": mover.player_id, "now": now}
    if game.ply >= LEAST_PLIES and game.seats_moved == 3 and chance.random() < ends:
        if chance.random() < 0.75:
            play.resign(**who)
            return
        for seat in seats:
            play.offer_draw(game_id=game.pk, player_id=seat.player_id, now=now)
        return
    position = ruleset(game.ruleset, game.version).load(game.position)
    play.play_move(text=random_move(position, chance), ply=game.ply, via=Via.WEB, **who)


def random_move(position: Position, chance: random.Random) -> str:
    """Token by token; where a move may end or go on, either is as likely."""
    assert isinstance(position.awaiting, Turn)
    text = ""
    while choices := position.choices(text):
        choice = chance.choice(choices)
        text += choice.token
        if choice.whole and chance.random() < 0.5:
            break
    return text


def work(*, now: datetime) -> None:
    """As the workers do, until there is nothing left to do."""
    while (
        end_games_on_time(now=now)
        + sweeps.look_at_due_events(now=now)
        + outbox.relay(now=now)
        + results.catch_up_all(now=now)
    ):
        pass
