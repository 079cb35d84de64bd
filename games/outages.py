"""The outage ledger: a gap between two heartbeats is a time in which nobody could move."""

from datetime import datetime, timedelta

from accounts import locks
from games.models import Heartbeat, Outage

STALE_AFTER = timedelta(minutes=2)


@locks.action
def beat(*, now: datetime) -> Outage | None:
    """Notes that the service lives; after a long silence, also the outage that just ended."""
    Heartbeat.objects.get_or_create(pk=1, defaults={"beat_at": now})
    last = Heartbeat.objects.select_for_update(no_key=True).get(pk=1)
    if now <= last.beat_at:
        return None
    silence = now - last.beat_at
    Heartbeat.objects.filter(pk=1).update(beat_at=now)
    if silence <= STALE_AFTER:
        return None
    return Outage.objects.create(began_at=last.beat_at, ended_at=now)


def break_silence(*, now: datetime) -> bool:
    """Whether an outage has just come to light: no flag may fall by one that is not entered yet."""
    silent = Heartbeat.objects.filter(beat_at__lt=now - STALE_AFTER).exists()
    return silent and beat(now=now) is not None


def worker_is_alive(*, now: datetime) -> bool:
    return Heartbeat.objects.filter(beat_at__gt=now - STALE_AFTER).exists()
