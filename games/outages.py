"""The outage ledger: spans in which no move could get in, measured where moves come in.

Each way in (web, mail) beats while it is known to take moves; a gap between two beats is an
outage of that way. A clock is credited with the outages of its player's way in: mail for players
who last moved by mail in the game, the web for everybody else, whatever the other way did
meanwhile. While no mail server of ours takes mail (it has never beaten, or not for
LONGEST_BY_MAIL), mail can only come in through the web, and an outage of the web is entered as one
of mail as well, if anybody moves by mail. Late workers are not part of this.

Every beat brings the whole ledger up to date, so it is complete up to `served_until`, and a
time-out is decided in that time only.
"""

import logging
import time
from collections.abc import Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.conf import settings
from django.db import connection
from django.db.models import Q

from accounts import locks
from games.models import (
    EntryNode,
    EntryPoint,
    Heartbeat,
    Outage,
    Seat,
    Status,
    Via,
    WayIn,
)

logger = logging.getLogger(__name__)

OUTAGE_AFTER = timedelta(seconds=settings.OUTAGE_AFTER)
"""A shorter gap between beats is none."""
BEAT_EVERY = settings.OUTAGE_AFTER / 6
LONGEST_BY_MAIL = timedelta(days=3)
"""A mail server that has not beaten for longer takes none any more: mail comes in by the web."""
NODES_KEPT_FOR = timedelta(days=1)
WORKER_IS_LATE_AFTER = timedelta(minutes=2)
WAY_IN_OF = {Via.WEB: WayIn.WEB, Via.API: WayIn.WEB}

_beaten_here_at: dict[str, float] = {}
"""When this process last beat, by its monotonic clock."""


def database_now() -> datetime:
    """By the one clock that all processes share: one that runs ahead must enter no outage."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clock_timestamp()")
        now: datetime = cursor.fetchone()[0]
        return now


# Beats


@locks.action
def beat(*, way_in: str, node: str = "", now: datetime | None = None) -> None:
    """Note that this way in takes moves; after a long gap, also the outage that just ended.

    By the clock of the database, unless told otherwise.
    """
    _beaten_here_at[way_in] = time.monotonic()
    beats = _locked_beats()
    # Under the lock, so that beats follow each other in time.
    now = now or database_now()
    if way_in not in beats or now > beats[way_in]:
        _enter_silences(beats, now, ended_by=way_in)
        if not EntryPoint.objects.filter(pk=way_in).update(beat_at=now):
            EntryPoint.objects.get_or_create(way_in=way_in, defaults={"beat_at": now})
    if node:
        EntryNode.objects.update_or_create(way_in=way_in, name=node, defaults={"beat_at": now})
        EntryNode.objects.filter(way_in=way_in, beat_at__lt=now - NODES_KEPT_FOR).delete()


def way_in_of(via: str) -> str | None:
    """What a move that comes now shows to work; mail may have waited long for being read."""
    return WAY_IN_OF.get(Via(via))


def note_use(way_in: str | None) -> None:
    """What comes in shows that its way in works, whatever became of its beats; it never fails."""
    if way_in is None or not settings.BEATS:
        return
    if time.monotonic() - _beaten_here_at.get(way_in, float("-inf")) <= BEAT_EVERY:
        return
    try:
        beat(way_in=way_in)
    except Exception:
        logger.exception("the use of %s could not be noted", way_in)


def bring_up_to_date(via: str) -> None:
    """Before a move is judged too late: enter the gap that it ends, or else what is silent."""
    way_in = way_in_of(via)
    if way_in and settings.BEATS:
        beat(way_in=way_in)
    else:
        note_silence()


def note_silence(*, now: datetime | None = None) -> None:
    """Enter the outages that go on; by the clock of the database, unless told otherwise."""
    now = now or database_now()
    if EntryPoint.objects.filter(beat_at__lt=now - OUTAGE_AFTER).exists():
        _note_silence(now)


@locks.action
def _note_silence(now: datetime) -> None:
    _enter_silences(_locked_beats(), now)


def _locked_beats() -> dict[str, datetime]:
    """By way in; of two nodes that come back at once, the second finds the outage entered."""
    points = EntryPoint.objects.select_for_update(no_key=True).order_by("pk")
    return {point.way_in: point.beat_at for point in points}


# What is entered


class Silence(NamedTuple):
    way_in: str
    began_at: datetime
    ended_at: datetime
    ended_by: tuple[str, ...]
    """The ways in a beat of which ends it; none if it is over by itself."""


def _silences(beats: Mapping[str, datetime], now: datetime) -> Iterator[Silence]:
    web = beats.get(WayIn.WEB, now)
    mail_comes_by_web_since = web
    if mail := beats.get(WayIn.MAIL):
        given_up_at = mail + LONGEST_BY_MAIL
        mail_comes_by_web_since = max(web, given_up_at)
        if now - mail > LONGEST_BY_MAIL:
            yield Silence(WayIn.MAIL, mail, given_up_at, ())
        elif now - mail > OUTAGE_AFTER:
            yield Silence(WayIn.MAIL, mail, now, (WayIn.MAIL,))
    if now - web > OUTAGE_AFTER:
        yield Silence(WayIn.WEB, web, now, (WayIn.WEB,))
        if mail_comes_by_web_since < now and _somebody_moves_by_mail():
            yield Silence(WayIn.MAIL, mail_comes_by_web_since, now, (WayIn.WEB, WayIn.MAIL))


def _somebody_moves_by_mail() -> bool:
    """Where nobody does, the status page need not tell of mail."""
    return Seat.objects.filter(game__status=Status.RUNNING, moves_by_mail=True).exists()


def _enter_silences(beats: Mapping[str, datetime], now: datetime, *, ended_by: str = "") -> None:
    """The same row for as long as a silence lasts: its beginning stays.

    A beat takes back what was entered before it as if there were a silence that there was not.
    """
    go_on = Q()
    for silence in _silences(beats, now):
        is_over = not silence.ended_by or ended_by in silence.ended_by
        there: dict[str, Any] = {"way_in": silence.way_in, "began_at": silence.began_at}
        if not Outage.objects.filter(**there, is_over=True).exists():
            Outage.objects.update_or_create(
                **there, defaults={"ended_at": silence.ended_at, "is_over": is_over}
            )
        go_on |= Q(**there)
    if ended_by:
        Outage.objects.filter(is_over=False).exclude(go_on).delete()


# What is known


def served_until(*, now: datetime) -> Mapping[str, datetime]:
    """By way in: the moment up to which it is known whether it took moves.

    A way that has never beaten, as in a simulation, holds nobody up.
    """
    beats = {point.way_in: point.beat_at for point in EntryPoint.objects.all()}
    web = min(beats.get(WayIn.WEB, now), now)
    mail = beats.get(WayIn.MAIL)
    if mail is None or now - mail > LONGEST_BY_MAIL:
        mail = web
    return {WayIn.WEB: web, WayIn.MAIL: min(mail, now)}


# The worker, whose lateness is shown but is no outage


def note_worker(*, now: datetime) -> None:
    Heartbeat.objects.update_or_create(pk=1, defaults={"beat_at": now})


def worker_beat_at() -> datetime | None:
    return Heartbeat.objects.values_list("beat_at", flat=True).first()


def worker_is_alive(*, now: datetime) -> bool:
    return not is_late(worker_beat_at(), now=now)


def is_late(beat_at: datetime | None, *, now: datetime) -> bool:
    return beat_at is None or now - beat_at >= WORKER_IS_LATE_AFTER
