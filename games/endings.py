"""Every ending goes through here: the result, the players' counts, the ratings and the facts."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import connection

from games import elo, outbox, plans, ratings
from games.events import GameFinished
from games.models import Status
from games.ratings import RatedGame, columns
from games.rules.position import Outcome
from games.table import Table


@dataclass(frozen=True, slots=True, kw_only=True)
class Ending:
    """How one game ends; by the move of a seat, or by the fall of its flag, or neither."""

    table: Table
    status: str
    reason: str
    halves: int | None = None
    points: tuple[int, ...] = ()
    rated: bool = False
    lost_on_time_by: int | None = None
    ended_by: int | None = None


def void(table: Table, reason: str) -> Ending:
    return Ending(table=table, status=Status.VOID, reason=reason)


def decided(
    table: Table,
    outcome: Outcome,
    *,
    lost_on_time_by: int | None = None,
    ended_by: int | None = None,
) -> Ending:
    return Ending(
        table=table,
        status=Status.FINISHED,
        reason=outcome.reason,
        halves=elo.halves(outcome.scores[0]),
        points=outcome.points,
        rated=ratings.is_ratable(rated=table.rated, seats_moved=table.seats_moved),
        lost_on_time_by=lost_on_time_by,
        ended_by=ended_by,
    )


def finish(endings: Sequence[Ending], *, now: datetime) -> list[Ending]:
    """Ends the locked games, all in the transaction that holds them."""
    if not endings:
        return []
    absent = _lock_participants(endings)
    settled = _rate_only_the_first_of_a_disappearance(endings, absent)
    _write_games(settled, now)
    _write_participants(settled, now)
    plans.drop([ending.table for ending in settled])
    ratings.enter([_rated_game(ending, now) for ending in settled if ending.rated])
    facts = (GameFinished(game_id=e.table.id, reason=e.reason) for e in settled)
    outbox.record(*facts, now=now)
    return settled


def _players(ending: Ending) -> tuple[int, int]:
    first, second = ending.table.seats
    return first.player_id, second.player_id


def _loser_on_time(ending: Ending) -> int | None:
    seat = ending.lost_on_time_by
    return None if seat is None else ending.table.seats[seat].player_id


def _lock_participants(endings: Sequence[Ending]) -> set[int]:
    """Who is already absent; locked in one order, so that two endings never block each other."""
    players = sorted({player for ending in endings for player in _players(ending)})
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT player_id, absent_since FROM games_participant"
            " WHERE player_id = ANY(%s) ORDER BY player_id FOR NO KEY UPDATE",
            [players],
        )
        return {player for player, since in cursor.fetchall() if since is not None}


def _rate_only_the_first_of_a_disappearance(
    endings: Sequence[Ending], absent: set[int]
) -> list[Ending]:
    settled = []
    for ending in endings:
        loser = _loser_on_time(ending)
        if loser is not None and ending.rated:
            ending = replace(ending, rated=loser not in absent)
            absent.add(loser)
        settled.append(ending)
    return settled


def _rated_game(ending: Ending, now: datetime) -> RatedGame:
    assert ending.halves is not None
    first, second = _players(ending)
    return RatedGame(
        game_id=ending.table.id,
        pool=ratings.pool_key(ending.table.ruleset_key, ending.table.options),
        first=first,
        second=second,
        first_halves=ending.halves,
        ended_at=now,
    )


GAMES = """
UPDATE games_game g
SET status = e.status, score = e.score, points = e.points::int[], reason = e.reason,
    rated = e.rated, ended_at = %s, deadline_at = NULL, seat_to_move = NULL,
    draw_offered_by = NULL, takeback_asked_by = NULL
FROM unnest(%s::bigint[], %s::text[], %s::int[], %s::text[], %s::text[], %s::bool[])
     AS e(id, status, score, points, reason, rated)
WHERE g.id = e.id
"""
PARTICIPANTS = """
UPDATE games_participant p
SET running_games = p.running_games - e.ended,
    absent_since = CASE WHEN e.absent THEN coalesce(p.absent_since, %s)
                        WHEN e.present THEN NULL ELSE p.absent_since END
FROM unnest(%s::bigint[], %s::int[], %s::bool[], %s::bool[]) AS e(id, ended, absent, present)
WHERE p.player_id = e.id
"""


def _write_games(endings: Sequence[Ending], now: datetime) -> None:
    rows: list[tuple[Any, ...]] = [
        (
            ending.table.id,
            ending.status,
            ending.halves,
            "{" + ",".join(map(str, ending.points)) + "}",
            ending.reason,
            ending.rated or (ending.table.rated and ending.status == Status.VOID),
        )
        for ending in endings
    ]
    with connection.cursor() as cursor:
        cursor.execute(GAMES, [now, *columns(rows)])


def _write_participants(endings: Sequence[Ending], now: datetime) -> None:
    ended = Counter(player for ending in endings for player in _players(ending))
    absent = {_loser_on_time(ending) for ending in endings if ending.rated}
    present = {
        ending.table.seats[ending.ended_by].player_id
        for ending in endings
        if ending.ended_by is not None
    }
    rows = [
        (player, ended[player], player in absent, player in present) for player in sorted(ended)
    ]
    with connection.cursor() as cursor:
        cursor.execute(PARTICIPANTS, [now, *columns(rows)])
