"""Move stored deadlines after an outage; time-outs and moves ask the ledger itself and never wait.

Slices of running games are read without a lock, calculated, and written by one statement that
passes over games that have changed meanwhile, which know the outage already, and stops before the
first game that somebody holds. Each slice notes how far it has come, so that a killed worker is
followed by another, and so is one that met a game which was held for too long.
"""

import logging
import math
import time
from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import NamedTuple

from django.db import connection

from accounts import locks
from accounts.background import TimeBox
from games import clock, table
from games.clock import Interval, Pauses
from games.models import Outage, WayIn
from games.ratings import columns

logger = logging.getLogger(__name__)

SLICE = 1_000
TRIES = 5
PAUSE = 0.1
"""Seconds between two tries of a slice that met a game which somebody holds: a move is sooner done.

After the last, the outages that follow have their turn, and the timetable tries this one again.
"""


class Turn(NamedTuple):
    """A running clock as far as crediting needs it."""

    game_id: int
    clock_from: datetime
    time_left: timedelta
    deadline_at: datetime
    is_simple: bool
    """Nothing but outages stops this clock."""


# Running games in the order of their ids, by a partial index: finished ones cost nothing.
TURNS = """
SELECT g.id, g.clock_from, g.time_left, g.deadline_at,
       NOT g.weekends AND NOT (g.vacation_allowed AND EXISTS (
           SELECT FROM games_vacation v
           WHERE v.player_id = s.player_id AND v.ends_at > g.clock_from))
FROM games_game g
JOIN games_seat s ON s.game_id = g.id AND s.number = g.seat_to_move
WHERE g.status = 'running' AND g.id > %s
  AND g.clock_from < %s AND s.moves_by_mail = %s
ORDER BY g.id LIMIT %s
"""
# Not even for a moment does the worker wait for a game that somebody holds: it has other duties.
FREE = """
SELECT g.id FROM games_game g WHERE g.id = ANY(%s)
ORDER BY g.id FOR NO KEY UPDATE OF g SKIP LOCKED
"""
# A game that was moved in, ended or recalculated since it was read has another deadline.
MOVE = """
UPDATE games_game g SET deadline_at = e.new
FROM unnest(%s::bigint[], %s::timestamptz[], %s::timestamptz[]) AS e(id, old, new)
WHERE g.id = e.id AND g.deadline_at = e.old
"""


def credit_outages(*, now: datetime, seconds: float = math.inf) -> int:
    """Stores deadlines anew for every outage that is over, for some seconds; the number moved."""
    box = TimeBox(seconds)
    moved = 0
    for outage in Outage.objects.filter(is_credited=False, is_over=True).order_by("pk"):
        try:
            moved += _credit(outage, box)
        except Exception:
            # Tried again by the timetable; the outages after it are credited meanwhile.
            logger.exception("outage %s could not be credited", outage.pk)
    return moved


def _credit(outage: Outage, box: TimeBox) -> int:
    moved = tries = 0
    while not outage.is_credited and not box.is_over:
        done, is_held_up = _move_deadlines(outage)
        moved += done
        tries = tries + 1 if is_held_up else 0
        if tries == TRIES:
            break
        if is_held_up:
            time.sleep(min(PAUSE, box.left))
    return moved


@locks.action
def _move_deadlines(outage: Outage) -> tuple[int, bool]:
    """How many of the next slice were moved, and whether a game that somebody holds was met."""
    turns = _turns_after(outage)
    deadlines = {**_simple(turns, outage), **_others(turns)}
    wanted = [
        (turn.game_id, turn.deadline_at, deadlines[turn.game_id])
        for turn in turns
        if deadlines.get(turn.game_id, turn.deadline_at) != turn.deadline_at
    ]
    free = _lock_free([game_id for game_id, _old, _new in wanted])
    if free:
        with connection.cursor() as cursor:
            cursor.execute(MOVE, columns([row for row in wanted if row[0] in free]))
    held = [game_id for game_id, _old, _new in wanted if game_id not in free]
    if held:
        outage.credited_to = held[0] - 1
    elif turns:
        outage.credited_to = turns[-1].game_id
    outage.is_credited = not held and len(turns) < SLICE
    outage.save(update_fields=["credited_to", "is_credited"])
    return len(free), bool(held)


def _lock_free(game_ids: list[int]) -> set[int]:
    with connection.cursor() as cursor:
        cursor.execute(FREE, [game_ids])
        return {game_id for (game_id,) in cursor.fetchall()}


def _turns_after(outage: Outage) -> list[Turn]:
    by_mail = outage.way_in == WayIn.MAIL
    with connection.cursor() as cursor:
        cursor.execute(TURNS, [outage.credited_to, outage.ended_at, by_mail, SLICE])
        return [Turn(*row) for row in cursor.fetchall()]


def _simple(turns: Iterable[Turn], outage: Outage) -> dict[int, datetime]:
    """By all outages of the way in, not this one alone: a deadline is never counted twice."""
    simple = [turn for turn in turns if turn.is_simple]
    if not simple:
        return {}
    earliest = min(turn.clock_from for turn in simple)
    ledger = Outage.objects.filter(way_in=outage.way_in, ended_at__gt=earliest)
    pauses = Pauses(outages=tuple(Interval(one.began_at, one.ended_at) for one in ledger))
    return {
        turn.game_id: clock.deadline(turn.clock_from, turn.time_left, pauses) for turn in simple
    }


def _others(turns: Iterable[Turn]) -> dict[int, datetime]:
    found = table.look([turn.game_id for turn in turns if not turn.is_simple])
    return {one.id: one.flag_falls_at() for one in found if one.is_running}
