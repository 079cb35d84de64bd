"""Whatever decides a game reads it under its lock: a move that comes first is seen."""

import re
from collections.abc import Callable
from datetime import timedelta

import pytest
from django.db import connection, transaction
from django.test.utils import CaptureQueriesContext

from accounts.models import Player
from games import play
from games.models import Game, Status, Via
from games.table import lock
from tests.conftest import make_player
from tests.games.acts import as_stored, both_move, position_of, to_move
from tests.games.test_nothing_unplayed_is_rated import WAYS, Way, late_move
from tests.games.threads import Meanwhile
from tests.tournaments.life import Stage, entry
from tournaments import directing, leaving, sweeps
from tournaments.models import Event

pytestmark = pytest.mark.django_db(transaction=True)


def pair() -> list[Player]:
    return [make_player("player01"), make_player("player02")]


def begun(stage: Stage, **fields: object) -> tuple[Event, Game]:
    event = stage.started(*pair(), **fields)
    game = event.meetings.get().game
    assert game is not None
    both_move(game, now=stage.now)
    return event, game


def move_within(game: Game, stage: Stage) -> None:
    """In the transaction that holds the game."""
    play.play_move(
        game_id=game.pk, player_id=to_move(game).pk, ply=as_stored(game).ply, via=Via.WEB,
        text=str(position_of(game).legal_moves()[0]), now=stage.now,
    )  # fmt: skip


def reach_the_deadline(stage: Stage, event: Event) -> None:
    sweeps.look_at(event_id=event.pk, now=stage.now + timedelta(days=2))


def finish_now(stage: Stage, event: Event) -> None:
    directing.finish_now(event_id=event.pk, by=stage.organiser, now=stage.now)


@pytest.mark.parametrize("way", [reach_the_deadline, finish_now])
def test_a_move_that_came_first_is_not_forfeited(
    stage: Stage, way: Callable[[Stage, Event], None]
) -> None:
    """The mover moves while the deadline waits for the game: then the opponent is to move."""
    event, game = begun(stage, round_end="forfeit", round_days=2)
    mover = Game.objects.get(pk=game.pk).seat_to_move
    with transaction.atomic():
        lock(game.pk)
        deadline = Meanwhile(lambda: way(stage, event)).begin().wait_until_it_waits()
        move_within(game, stage)
    assert deadline.end() is None
    ended = Game.objects.get(pk=game.pk)
    assert ended.status == Status.FINISHED
    assert ended.score == (2 if mover == 0 else 0)


@pytest.mark.parametrize("way", [reach_the_deadline, finish_now])
def test_a_game_that_ends_meanwhile_keeps_its_result(
    stage: Stage, way: Callable[[Stage, Event], None]
) -> None:
    event, game = begun(stage, round_end="draw", round_days=2)
    loser = game.seats.get(number=0).player_id
    with transaction.atomic():
        lock(game.pk)
        deadline = Meanwhile(lambda: way(stage, event)).begin().wait_until_it_waits()
        play.resign(game_id=game.pk, player_id=loser, now=stage.now)
    assert deadline.end() is None
    stage.work()
    assert Game.objects.get(pk=game.pk).score == 0
    assert event.meetings.get().score == 0


def test_a_game_that_ends_while_somebody_leaves_counts_as_played(stage: Stage) -> None:
    """With it half of his games are played, so that nothing is struck."""
    players = [*pair(), make_player("player03")]
    event = stage.started(*players)
    game = event.meetings.filter(first__player__in=players[:2], second__player__in=players[:2])
    played = game.select_related("game").get().game
    assert played is not None
    both_move(played, now=stage.now)
    with transaction.atomic():
        lock(played.pk)
        leave = Meanwhile(
            lambda: leaving.leave(event_id=event.pk, player=players[0], now=stage.now)
        )
        leave.begin().wait_until_it_waits()
        play.resign(game_id=played.pk, player_id=players[1].pk, now=stage.now)
    leave.end()
    stage.work()
    assert not entry(event, players[0]).struck
    assert Game.objects.get(pk=played.pk).reason == "resignation"


def is_read(sql: str) -> bool:
    return sql.startswith(("SELECT", "\nSELECT")) and bool(re.search(r"\bposition\b", sql))


@pytest.mark.parametrize(
    "way", [way for way in WAYS if way is not late_move], ids=lambda way: way.__name__
)
def test_every_way_to_end_a_game_reads_it_first_under_its_lock(stage: Stage, way: Way) -> None:
    """Walks the ways of `test_nothing_unplayed_is_rated`, which fails for a new one."""
    event, game = begun(stage)
    with CaptureQueriesContext(connection) as captured:
        way(stage, event, game)
    read = [query["sql"] for query in captured if is_read(query["sql"])]
    assert Game.objects.get(pk=game.pk).status != Status.RUNNING
    assert read
    assert re.search("FOR (NO KEY )?UPDATE", read[0]), read[0]
