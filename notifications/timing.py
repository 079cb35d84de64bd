"""When a letter leaves: quiet hours, the hour of the digest and the moments of reminders."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from zoneinfo import ZoneInfo

LEAST_NOTICE = timedelta(hours=1)
"""What must be left before a deadline when a letter about it was held back."""
BEFORE_QUIET = timedelta(minutes=5)
APART = timedelta(hours=1)
"""Two reminders closer than this, or one so soon after the turn began, tell nothing new."""
DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rhythm:
    """A player's day, in his zone; quiet hours may pass midnight."""

    zone: ZoneInfo
    digest_hour: int = 7
    quiet_from: int | None = None
    quiet_until: int | None = None


def leaves_at(
    wanted: datetime, rhythm: Rhythm, *, now: datetime, deadline: datetime | None = None
) -> datetime:
    """After the quiet hours; if that is too late for the deadline, just before them, or now."""
    wanted = max(now, min(wanted, deadline or wanted))
    quiet = quiet_around(wanted, rhythm)
    if quiet is None:
        return wanted
    began, over = quiet
    if deadline is None or over + LEAST_NOTICE <= deadline:
        return over
    return max(now, began - BEFORE_QUIET)


# Quiet hours


def quiet_around(at: datetime, rhythm: Rhythm) -> tuple[datetime, datetime] | None:
    """From when to when it is quiet, if it is quiet at that instant."""
    for began, over in _quiet_times(at, rhythm):
        if began <= at < over:
            return began, over
    return None


def _quiet_times(at: datetime, rhythm: Rhythm) -> list[tuple[datetime, datetime]]:
    """Those near an instant, in order; where clocks are set forward, two can become one."""
    start, end = rhythm.quiet_from, rhythm.quiet_until
    if start is None or end is None or start == end:
        return []
    joined: list[tuple[datetime, datetime]] = []
    for day in _days_around(at, rhythm.zone):
        last_day = day if start < end else day + DAY
        began, over = _instant(day, start, rhythm.zone), _instant(last_day, end, rhythm.zone)
        if joined and began <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(over, joined[-1][1]))
        else:
            joined.append((began, over))
    return joined


def _days_around(at: datetime, zone: ZoneInfo) -> Iterator[date]:
    today = at.astimezone(zone).date()
    return (today + days * DAY for days in range(-3, 4))


def _instant(day: date, hour: int, zone: ZoneInfo) -> datetime:
    """Of two such hours (clocks set back) the first; one that is left out is the change itself."""
    return datetime.combine(day, time(hour), zone).astimezone(UTC)


# The digest


def next_digest(after: datetime, rhythm: Rhythm) -> datetime:
    """The first hour of the digest that is still to come."""
    days = _days_around(after, rhythm.zone)
    hours = (_instant(day, rhythm.digest_hour, rhythm.zone) for day in days)
    return next(hour for hour in hours if hour > after)


def digest_day(at: datetime, rhythm: Rhythm) -> date:
    """The day that a digest is of, as the player's calendar shows it."""
    return at.astimezone(rhythm.zone).date()


# Reminders


def reminder_moments(
    names: Iterable[str], *, began: datetime, deadline: datetime, now: datetime
) -> dict[str, datetime]:
    """Those that are still to come, each with its name; of several close together, the last."""
    moments = [(reminder_moment(name, began=began, deadline=deadline), name) for name in names]
    telling = [(at, name) for at, name in sorted(moments) if at > now and at > began + APART]
    beyond = (deadline + APART, "")
    return {
        name: at
        for (at, name), (following, _name) in pairwise([*telling, beyond])
        if following - at >= APART
    }


def reminder_moment(name: str, *, began: datetime, deadline: datetime) -> datetime:
    """`half` of the turn's time, or so many hours before its end, such as `24h`."""
    if name == "half":
        return began + (deadline - began) / 2
    return deadline - timedelta(hours=int(name.removesuffix("h")))
