"""The outage ledger: spans in which no move could get in, measured where moves come in.

Each way in (web, mail) beats while it is known to take moves; a gap between two beats is an
outage of that way. A clock is credited with the outages of its player's way in: mail for whoever
last moved by mail in the game, the web for everybody else. Late workers are not part of this.
"""

import time
from collections.abc import Mapping
from datetime import datetime, timedelta

from django.conf import settings
from django.db import connection

from accounts import locks
from games.models import EntryNode, EntryPoint, Heartbeat, Outage, Via, WayIn

OUTAGE_AFTER = timedelta(seconds=settings.OUTAGE_AFTER)
"""A shorter gap between beats is none."""
BEAT_EVERY = settings.OUTAGE_AFTER / 6
LONGEST_BY_MAIL = timedelta(days=3)
"""A site whose mail has not beaten for longer takes none any more: everybody uses the web."""
NODES_KEPT_FOR = timedelta(days=1)
WORKER_IS_LATE_AFTER = timedelta(minutes=2)
WAY_IN_OF = {Via.WEB: WayIn.WEB, Via.API: WayIn.WEB}

_beaten_here_at: dict[str, float] = {}
"""When this process last beat, by its monotonic clock."""


# Beats


@locks.action
def beat(*, way_in: str, node: str = "", now: datetime | None = None) -> None:
    """Note that this way in takes moves; after a long gap, also the outage that just ended.

    By the clock of the database, which all nodes share, unless told otherwise.
    """
    now = now or _database_now()
    _beaten_here_at[way_in] = time.monotonic()
    EntryPoint.objects.get_or_create(way_in=way_in, defaults={"beat_at": now})
    # Of two nodes that come back at once, the second finds that the outage is entered.
    point = EntryPoint.objects.select_for_update(no_key=True).get(pk=way_in)
    if now > point.beat_at:
        _enter_gap(point, now, is_over=True)
        EntryPoint.objects.filter(pk=way_in).update(beat_at=now)
    if node:
        EntryNode.objects.update_or_create(way_in=way_in, name=node, defaults={"beat_at": now})
        EntryNode.objects.filter(way_in=way_in, beat_at__lt=now - NODES_KEPT_FOR).delete()


def beat_for_move(via: str) -> None:
    """A move that was committed shows that its way in works, whatever became of its beats."""
    way_in = WAY_IN_OF.get(Via(via))
    if way_in is None or not settings.BEATS:
        return
    if time.monotonic() - _beaten_here_at.get(way_in, float("-inf")) > BEAT_EVERY:
        beat(way_in=way_in)


def note_silence(*, now: datetime) -> None:
    """Enter the outages that go on: no time-out may be decided by an incomplete ledger."""
    if EntryPoint.objects.filter(beat_at__lt=now - OUTAGE_AFTER).exists():
        _note_silence(now)


@locks.action
def _note_silence(now: datetime) -> None:
    for point in EntryPoint.objects.select_for_update(no_key=True).order_by("pk"):
        _enter_gap(point, now, is_over=False)


def _enter_gap(point: EntryPoint, now: datetime, *, is_over: bool) -> None:
    """The same row for as long as the outage goes on: its beginning is the last beat."""
    if now - point.beat_at <= OUTAGE_AFTER:
        return
    ended_at = now
    if point.way_in == WayIn.MAIL:
        ended_at = min(now, point.beat_at + LONGEST_BY_MAIL)
    Outage.objects.update_or_create(
        way_in=point.way_in,
        began_at=point.beat_at,
        defaults={"ended_at": ended_at, "is_over": is_over or ended_at < now},
    )


def _database_now() -> datetime:
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
        return now


# What is known


def served_until(*, now: datetime) -> Mapping[str, datetime]:
    """By way in: the moment up to which it is known whether it took moves.

    A way that has never beaten, as in a simulation, or no longer does, holds nobody up.
    """
    known = {point.way_in: point.beat_at for point in EntryPoint.objects.all()}
    if now - known.get(WayIn.MAIL, now) > LONGEST_BY_MAIL:
        known[WayIn.MAIL] = now
    return {way_in: min(known.get(way_in, now), now) for way_in in WayIn.values}


# The worker, whose lateness is shown but is no outage


def note_worker(*, now: datetime) -> None:
    Heartbeat.objects.update_or_create(pk=1, defaults={"beat_at": now})


def worker_beat_at() -> datetime | None:
    return Heartbeat.objects.values_list("beat_at", flat=True).first()


def worker_is_alive(*, now: datetime) -> bool:
    return not is_late(worker_beat_at(), now=now)


def is_late(beat_at: datetime | None, *, now: datetime) -> bool:
    return beat_at is None or now - beat_at >= WORKER_IS_LATE_AFTER
