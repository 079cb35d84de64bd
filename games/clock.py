"""Time as the players have it: what a clock gives, when it stands still, when its flag falls.

Every instant is an aware datetime, answered in UTC; a naive one raises ValueError. Time left
grows by nothing but what is named here: a move, a vacation, a weekend, an outage.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, fields
from datetime import UTC, date, datetime, time, timedelta
from heapq import merge
from itertools import count, pairwise, takewhile
from zoneinfo import ZoneInfo

from games.rules.position import JSON, Refusal

NOTHING = timedelta()
DAY = timedelta(days=1)
MOST_DAYS = 100
SATURDAY = 5

VACATION_SHARE = 8
"""A day earns three hours of vacation, an eighth."""
VACATION_MOST = timedelta(days=30)


class InvalidClock(Refusal):
    """A game was to be started with a clock that there is not."""


# Kinds of clock


@dataclass(frozen=True, slots=True)
class PerMove:
    """The same number of days for each move, whatever was left of the last ones."""

    days: int

    def __post_init__(self) -> None:
        _check_range("days", self.days, 1, MOST_DAYS)

    def initial(self) -> timedelta:
        """The time for a seat's first turn."""
        return timedelta(days=self.days)

    def after_move(self, left: timedelta) -> timedelta:
        """The time for the next turn of a seat that has moved with `left` to spare."""
        return self.initial()

    def after_takeback(self, left: timedelta) -> timedelta:
        """The time for the next turn of a seat that consented with `left` to spare."""
        return self.initial()


@dataclass(frozen=True, slots=True)
class Fischer:
    """A bank for the whole game, to which each own move adds, up to a cap."""

    bank_hours: int
    increment_hours: int
    cap_hours: int

    def __post_init__(self) -> None:
        _check_range("cap_hours", self.cap_hours, 1, MOST_DAYS * 24)
        _check_range("bank_hours", self.bank_hours, 1, self.cap_hours)
        _check_range("increment_hours", self.increment_hours, 0, self.cap_hours)

    def initial(self) -> timedelta:
        return timedelta(hours=self.bank_hours)

    def after_move(self, left: timedelta) -> timedelta:
        """A move brings a bank up to the cap at most; one that is above the cap stays there."""
        cap = timedelta(hours=self.cap_hours)
        return max(left, min(left + timedelta(hours=self.increment_hours), cap))

    def after_takeback(self, left: timedelta) -> timedelta:
        """What was thought before consenting is spent."""
        return left


def _check_range(name: str, value: object, least: int, most: int) -> None:
    if type(value) is not int or not least <= value <= most:
        raise InvalidClock(
            "{name} cannot be {value}; it is a whole number from {least} to {most}.",
            name=name,
            value=repr(value),
            least=least,
            most=most,
        )


Clock = PerMove | Fischer

KINDS: dict[str, type[Clock]] = {"per-move": PerMove, "fischer": Fischer}

PRESETS: dict[str, Clock] = {
    **{f"{days}d": PerMove(days) for days in (1, 2, 3, 5, 7, 14)},
    "10d+1d": Fischer(bank_hours=10 * 24, increment_hours=24, cap_hours=21 * 24),
}


def to_json(clock: Clock) -> JSON:
    """{"kind": "per-move", "days": 3}, or "fischer" with its three numbers of hours."""
    kind = next(name for name, made in KINDS.items() if isinstance(clock, made))
    return {"kind": kind, **asdict(clock)}


def from_json(data: object) -> Clock:
    """Raises InvalidClock."""
    settings = dict(data) if isinstance(data, Mapping) else {}
    kind = settings.pop("kind", None)
    made = KINDS.get(kind) if isinstance(kind, str) else None
    if made is None:
        raise InvalidClock(
            "There is no clock of kind {kind}; there are: {kinds}.",
            kind=repr(kind),
            kinds=", ".join(KINDS),
        )
    names = [field.name for field in fields(made)]
    if set(settings) != set(names):
        raise InvalidClock(
            "A clock of kind {kind} is set by: {names}.", kind=kind, names=", ".join(names)
        )
    return made(**settings)


# When a clock stands still


@dataclass(frozen=True, slots=True, order=True)
class Interval:
    """From `start` until just before `end`."""

    start: datetime
    end: datetime

    def __post_init__(self) -> None:
        object.__setattr__(self, "start", _utc(self.start))
        object.__setattr__(self, "end", _utc(self.end))
        if self.end < self.start:
            raise ValueError("an interval cannot end before it starts")

    @property
    def length(self) -> timedelta:
        return self.end - self.start


@dataclass(frozen=True, slots=True)
class Pauses:
    """When one player's clock in one game stands still.

    `weekends` is the player's zone if the game rests on Saturdays and Sundays. A vacation that
    is still going on ends, for this reckoning, when it will be used up.
    """

    vacations: tuple[Interval, ...] = ()
    weekends: ZoneInfo | None = None
    outages: tuple[Interval, ...] = ()

    def since(self, start: datetime) -> Iterator[Interval]:
        """All pauses from `start` on, in order and without overlap; endless with weekends."""
        weekends = _weekends(self.weekends, start) if self.weekends else ()
        paused_until = start
        for pause in merge(sorted(self.vacations), weekends, sorted(self.outages)):
            if pause.end > paused_until:
                yield Interval(max(pause.start, paused_until), pause.end)
                paused_until = pause.end


NO_PAUSES = Pauses()


def _weekends(zone: ZoneInfo, start: datetime) -> Iterator[Interval]:
    today = start.astimezone(zone).date()
    last_saturday = today - timedelta(days=(today.weekday() - SATURDAY) % 7)
    for week in count():
        saturday = last_saturday + timedelta(weeks=week)
        yield Interval(_beginning(saturday, zone), _beginning(saturday + 2 * DAY, zone))


def _beginning(day: date, zone: ZoneInfo) -> datetime:
    """The first instant at which the zone's calendar shows the day, or a later one.

    Of two midnights (clocks set back) the default fold means the first; a midnight that is left
    out (clocks set forward) it reads with the old offset, and that is the instant of the change.
    """
    return datetime.combine(day, time(), zone).astimezone(UTC)


# Running time


def used(start: datetime, end: datetime, pauses: Pauses = NO_PAUSES) -> timedelta:
    """The time for which the clock ran from `start` to `end`; none if `end` is earlier."""
    start, end = _utc(start), _utc(end)
    begun = takewhile(lambda pause: pause.start < end, pauses.since(start))
    paused = sum((min(pause.end, end) - pause.start for pause in begun), NOTHING)
    return max(end - start, NOTHING) - paused


def deadline(start: datetime, left: timedelta, pauses: Pauses = NO_PAUSES) -> datetime:
    """When the flag of a clock falls that is started with `left`; a move at that instant is late.

    It is the last instant by which no more than `left` has been used. So a flag falls only on
    a running clock: time that runs out just as a pause begins lasts until the pause is over.
    """
    if left < NOTHING:
        raise ValueError("a clock cannot be started with less than no time")
    start = _utc(start)
    falls = start + left
    for pause in pauses.since(start):
        if pause.start > falls:
            break
        falls += pause.length
    return falls


def time_left(
    start: datetime, left: timedelta, now: datetime, pauses: Pauses = NO_PAUSES
) -> timedelta:
    """What a clock that was started with `left` still shows; never less than nothing."""
    return max(left - used(start, now, pauses), NOTHING)


# Vacation


def vacation_balance(signed_up_at: datetime, taken: Iterable[Interval], now: datetime) -> timedelta:
    """The vacation that a player has saved at `now`.

    It accrues from nothing at sign-up, except while a vacation is going on, up to
    VACATION_MOST; `taken` are the vacations that have begun, which do not overlap.
    """
    at, now = _utc(signed_up_at), _utc(now)
    # In shares, of which a day earns one day and costs eight: no fraction is ever rounded away.
    shares, most = NOTHING, VACATION_SHARE * VACATION_MOST
    for vacation in sorted(taken):
        start, end = min(vacation.start, now), min(vacation.end, now)
        shares = min(shares + max(start - at, NOTHING), most)
        shares = max(shares - VACATION_SHARE * (end - start), NOTHING)
        at = max(at, end)
    return min(shares + max(now - at, NOTHING), most) // VACATION_SHARE


def vacation_end(start: datetime, balance: timedelta) -> datetime:
    """When a vacation that nobody ends has used up the balance that it began with."""
    return _utc(start) + balance


def automatic_vacation(flag_at: datetime, balance: timedelta) -> Interval | None:
    """The vacation that keeps a flag from falling, from the instant at which it would fall.

    `balance` is that of the same instant, however late somebody looks.
    """
    return Interval(flag_at, vacation_end(flag_at, balance)) if balance > NOTHING else None


# Outages


def outages_from_heartbeats(beats: Iterable[datetime], tolerance: timedelta) -> list[Interval]:
    """The gaps between heartbeats that are longer than `tolerance`, each from beat to beat.

    The whole gap is credited: the service may have gone down right after the beat before it.
    """
    ordered = sorted(_utc(beat) for beat in beats)
    gaps = (Interval(before, after) for before, after in pairwise(ordered))
    return [gap for gap in gaps if gap.length > tolerance]


def _utc(instant: datetime) -> datetime:
    """Python reckons by the wall clock between datetimes of one zone; only UTC has none."""
    if instant.utcoffset() is None:
        raise ValueError("a naive datetime is no instant")
    return instant.astimezone(UTC)
