"""A season of every format: real doors, a clock that runs, drop-outs, and the tables are right."""

import random
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from fractions import Fraction

import pytest

from accounts.models import Player
from games.models import Game, OutboxMessage, Participant, Status
from games.rules.position import Refusal
from notifications.models import Kind, Letter
from tests.tournaments.life import Stage, fresh
from tournaments import advancing, ladders, leaving
from tournaments.models import EntryState, Errand, Event, Meeting, State
from tournaments.results import seat_awaited
from tournaments.simulation import play_on
from tournaments.tables import board_of

Crowd = Callable[[int], list[Player]]
SEASONS: list[tuple[str, dict[str, object], dict[str, object]]] = [
    ("round-robin", {"section_size": 4, "double": True, "at_once": 3}, {}),
    ("league", {"size": 4, "up": 1, "down": 1}, {"renews": True, "round_end": "draw"}),
    ("swiss", {"rounds": 4}, {"round_days": 20, "round_end": "draw"}),
    ("swiss", {"rounds": 3, "games": 2, "acceleration": "baku"}, {}),
    ("knockout", {"drawn": "second player"}, {}),
    ("knockout", {"double": True, "reset": True, "drawn": "replay"}, {}),
    ("stages", {"section_size": 4, "qualify": 2}, {}),
    ("stages", {"section_size": 4, "qualify": 2, "final": "knockout", "games": 2}, {}),
]
DAYS = 400


@pytest.mark.parametrize(("format", "settings", "fields"), SEASONS)
def test_a_season_plays_itself_from_the_opening_to_the_end(
    stage: Stage,
    crowd: Crowd,
    format: str,
    settings: dict[str, object],
    fields: dict[str, object],
) -> None:
    chance = random.Random(f"{format} {settings}")
    players = crowd(8)
    if fields.get("renews"):
        fields = fields | {"ends_at": stage.now + timedelta(days=40)}
    event = stage.open(
        format=format, settings=settings, starts_at=stage.now + timedelta(days=2), **fields
    )
    stage.enter(event, *players)
    stage.later(days=2)
    vanishing = {players[7].pk}
    _play_until_the_end(stage, event, chance, vanishing, leaver=players[5])
    _everything_is_right(event)
    if fields.get("renews"):
        _the_next_season_is_right(stage, event)


def _play_until_the_end(
    stage: Stage, event: Event, chance: random.Random, vanishing: set[int], leaver: Player
) -> None:
    for day in range(DAYS):
        if fresh(event).state != State.RUNNING:
            return
        play_on(
            event=event,
            chance=chance,
            now=stage.now,
            absent=vanishing if day > 4 else (),
            moves=0.9,
        )
        if day == 6:
            _leave_if_there(event, leaver, stage)
        stage.later(hours=14)
        _no_round_is_paired_twice(event)
    raise AssertionError("the season has no end")


def _leave_if_there(event: Event, leaver: Player, stage: Stage) -> None:
    try:
        leaving.leave(event_id=event.pk, player=leaver, now=stage.now)
    except Refusal:
        assert fresh(event).state != State.RUNNING


def _no_round_is_paired_twice(event: Event) -> None:
    if event.format == "swiss":
        rows = event.meetings.filter(leg=1).values_list("round", "first", "second")
        seats = Counter((round, one) for round, *pair in rows for one in pair)
        assert set(seats.values()) <= {1}


def _everything_is_right(event: Event) -> None:
    ended = fresh(event)
    assert ended.state == State.FINISHED
    assert not Errand.objects.exists()
    assert not OutboxMessage.objects.exists()
    assert not Meeting.objects.filter(event=event, settled_at=None).exists()
    games = Game.objects.filter(event_id=event.pk)
    assert not games.filter(status=Status.RUNNING).exists()
    assert games.count() == event.meetings.count()
    assert not Participant.objects.exclude(running_games=0).exists()
    gone = event.entries.exclude(state=EntryState.ENTERED)
    assert {one.state for one in gone} <= {EntryState.WITHDRAWN, EntryState.VANISHED}
    assert event.entries.filter(rank=1).exists()
    assert Letter.objects.filter(kind=Kind.EVENT, about=event.pk).exists()
    assert Letter.objects.filter(kind=Kind.ROUND_PAIRED, about=event.pk).exists()
    _tables_are_right(ended)


def _tables_are_right(event: Event) -> None:
    """Points once more, from nothing but the games, who left when, and who rested."""
    if event.format == "knockout":
        return
    board = board_of(event)
    last = board.format.section_rounds(board.told.history.entrants) if board.final else None  # type: ignore[attr-defined]
    for part in board.sections:
        shown = {line.entry.pk: line.row.points for line in part.lines}
        assert shown == _folded(event, set(shown), up_to=last)
    if board.final:
        shown = {line.entry.pk: line.row.points for line in board.final.lines}
        assert shown == _folded(event, set(shown), after=last)


def _folded(
    event: Event, inside: set[int], *, up_to: int | None = None, after: int | None = None
) -> dict[int, Fraction]:
    points = dict.fromkeys(inside, Fraction(0))
    rows = event.meetings.filter(first__in=inside, second__in=inside).select_related("game")
    if event.format == "stages" and up_to is None and after is None:
        up_to = 3
    for row in rows:
        if (up_to and row.round > up_to) or (after and row.round <= after):
            continue
        first, second = _worth(event, row)
        points[row.first_id] += first
        points[row.second_id] += second
    for rest in event.rests.filter(kind="U", entry__in=inside):
        points[rest.entry_id] += int(event.settings.get("games", 1))
    return points


def _worth(event: Event, row: Meeting) -> tuple[Fraction, Fraction]:
    game = row.game
    assert game is not None
    if game.status == Status.FINISHED:
        assert game.score is not None
        return Fraction(game.score, 2), 1 - Fraction(game.score, 2)
    if game.reason == "time":
        return (Fraction(0), Fraction(1)) if seat_awaited(game) == 0 else (Fraction(1), Fraction(0))
    left = [entry for entry in (row.first, row.second) if entry.state != EntryState.ENTERED]
    reason = game.rulings.order_by("pk")[0].reason
    if "left the event" in reason:
        loser = next(entry for entry in left if entry.player.name in reason)
        return (Fraction(0), Fraction(1)) if loser == row.first else (Fraction(1), Fraction(0))
    return Fraction(1, 2), Fraction(1, 2)


def _the_next_season_is_right(stage: Stage, event: Event) -> None:
    after = Event.objects.get(series=event)
    tables = [[line.entry for line in part.lines] for part in board_of(event).sections]
    stays = {one.player_id for one in event.entries.filter(state=EntryState.ENTERED)}
    assert {one.player_id for one in after.entries.all()} == stays
    top, below = ([one for one in table if one.player_id in stays] for table in tables)
    division = dict(after.entries.values_list("player", "section"))
    assert division[top[0].player_id] == 1
    assert division[below[0].player_id] == 1
    stage.now = after.starts_at or stage.now
    stage.work()
    assert fresh(after).state == State.RUNNING


def test_a_ladder_season_keeps_every_place_taken_once(stage: Stage, crowd: Crowd) -> None:
    chance = random.Random(5)
    players = crowd(7)
    event = stage.open(
        format="ladder", settings={"rest_days": 2}, late_entry=True,
        starts_at=stage.now + timedelta(days=1), ends_at=stage.now + timedelta(days=60),
    )  # fmt: skip
    stage.enter(event, *players[:6])
    stage.later(days=1)
    stage.enter(event, players[6])
    for day in range(DAYS):
        if fresh(event).state != State.RUNNING:
            break
        one, other = chance.sample(players, 2)
        with suppress(Refusal):
            ladders.challenge(event_id=event.pk, challenger=one, challenged=other, now=stage.now)
        play_on(
            event=event, chance=chance, now=stage.now, absent={players[6].pk} if day > 9 else ()
        )
        if day == 20:
            leaving.leave(event_id=event.pk, player=players[2], now=stage.now)
        stage.later(hours=14)
        places = sorted(event.entries.exclude(place=None).values_list("place", flat=True))
        there = event.entries.filter(state=EntryState.ENTERED).count()
        assert places == list(range(1, there + 1))
    assert fresh(event).state == State.FINISHED
    assert event.meetings.count() > 5
    ranks = dict(event.entries.exclude(place=None).values_list("place", "rank"))
    assert all(place == rank for place, rank in ranks.items())
    advancing.advance(event_id=event.pk, now=stage.now)
    assert fresh(event).state == State.FINISHED
