"""Whether the times in a game file are those that its clock and its pauses give."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, time, timedelta
from itertools import pairwise
from typing import Any
from zoneinfo import ZoneInfo

from games import clock
from games.clock import Clock, Interval, Pauses
from games.rules.position import Position, Turn

YEARS = range(2000, 2200)
"""A turn of a thousand years would have fifty thousand weekends."""
CROSSING = timedelta(minutes=1)
"""By how much the clocks of two servers, or two requests at once, may disagree."""
WAYS_IN = {"mail": True, "web": False, "api": False}
"""Whether a move came by mail; what the service played says nothing of its player's way in."""
MICROSECOND = timedelta(microseconds=1)

Record = Mapping[str, Any]


def problems_of_time(record: Record, positions: Sequence[Position]) -> list[str]:
    """The first thing that is wrong; what comes after it would be wrong too."""
    try:
        problem = next(_problems(record, positions), None)
    except (ArithmeticError, LookupError, OSError, ValueError) as error:
        return [f"The times cannot be reckoned: {str(error).rstrip('.')}."]
    return [problem] if problem else []


@dataclass(slots=True)
class Reckoning:
    """The clocks of both seats, followed through the file."""

    settings: Clock
    zones: Sequence[ZoneInfo | None]
    rests_somewhere: bool
    """Weekends are off, but the file does not tell where the players live."""
    vacations: Sequence[Sequence[Interval]]
    outages: Mapping[bool, Sequence[Interval]]
    """Of those who move by mail, and of those who do not."""
    by_mail: list[bool]
    ruled_at: Sequence[datetime]
    banks: list[timedelta]
    mover: int
    began_at: datetime

    def used_by(self, now: datetime) -> tuple[timedelta, timedelta]:
        """The least and the most that a turn can have taken.

        They differ where a pause touched it, for one that came to light only after the move
        was not counted, and where a ruling fell into it, for that may start the clock anew.
        """
        least = clock.used(self.began_at, now, self._pauses(until=now))
        most = clock.used(self.began_at, now, Pauses(weekends=self.zones[self.mover]))
        if self.rests_somewhere:
            least = clock.used(self.began_at, now, self._pauses(until=now, with_weekends=True))
        if any(self.began_at <= at <= now for at in self.ruled_at):
            return clock.NOTHING, most
        return (least if least == most else max(least - CROSSING, clock.NOTHING)), most

    def flag_has_fallen(self, now: datetime) -> bool:
        pauses = self._pauses(until=now)
        return clock.deadline(self.began_at, self.banks[self.mover], pauses) <= now

    def _pauses(self, *, until: datetime, with_weekends: bool = False) -> Pauses:
        """Those that can touch the turn: a file may tell of many, and of many turns."""
        outages = _between(self.outages[self.by_mail[self.mover]], self.began_at, until)
        if with_weekends:
            outages += tuple(_weekends_anywhere(self.began_at, until))
        return Pauses(
            vacations=_between(self.vacations[self.mover], self.began_at, until),
            weekends=self.zones[self.mover],
            outages=outages,
        )

    def moved(self, used: timedelta, via: str) -> None:
        left = max(self.banks[self.mover] - used, clock.NOTHING)
        self.banks[self.mover] = self.settings.after_move(left)
        self.by_mail[self.mover] = WAYS_IN.get(via, self.by_mail[self.mover])

    def taken_back(self, now: datetime, next_mover: int) -> None:
        left = max(self.banks[self.mover] - self.used_by(now)[0], clock.NOTHING)
        kept = left if next_mover == self.mover else self.settings.after_takeback(left)
        self.banks[self.mover] = kept

    def turn_of(self, position: Position, now: datetime) -> None:
        self.began_at = now
        if isinstance(position.awaiting, Turn):
            self.mover = position.awaiting.seat


def _problems(record: Record, positions: Sequence[Position]) -> Iterator[str]:
    reckoning = _begun(record, positions[0])
    for line, position in zip(record["moves"], positions, strict=True):
        now = instant(line["at"])
        if now < reckoning.began_at - CROSSING:
            yield f"Ply {line['ply']} was played before the one that precedes it."
        if line["back_to"] is not None:
            reckoning.taken_back(now, getattr(position.awaiting, "seat", reckoning.mover))
        elif line["ply"]:
            yield from _problems_of_turn(record, reckoning, line, now)
        if (line["used"] is None) != (not line["ply"] or line["back_to"] is not None):
            yield f"Ply {line['ply']} tells a time that it cannot have taken."
        reckoning.turn_of(position, now)
    yield from _problems_of_end(record, reckoning)


def _problems_of_turn(
    record: Record, reckoning: Reckoning, line: Record, now: datetime
) -> Iterator[str]:
    used = (line["used"] or 0) * MICROSECOND
    least, most = reckoning.used_by(now)
    if line["via"] == "mail":
        # It took its sender's time until it arrived, and may have been read long after.
        least = clock.NOTHING
    if not least <= used <= most:
        yield f"Ply {line['ply']} took {used} by the file, but {least} by the clock."
    if used > reckoning.banks[reckoning.mover] and not record["rulings"]:
        yield f"At ply {line['ply']} the time of seat {line['seat']} had run out."
    reckoning.moved(used, line["via"])


def _problems_of_end(record: Record, reckoning: Reckoning) -> Iterator[str]:
    result = record["result"]
    if (result["ended_at"] is None) != (result["status"] == "running"):
        yield "A game has an end if it is over, and only then."
    if result["ended_at"] is None:
        return
    ended_at = instant(result["ended_at"])
    if ended_at < reckoning.began_at - CROSSING:
        yield "The game ended before its last move."
    on_time = result["reason"] == "time" and not record["rulings"]
    if on_time and not reckoning.flag_has_fallen(ended_at):
        yield "The game was ended on time before its flag fell."


# What the file says


def _begun(record: Record, start: Position) -> Reckoning:
    settings = clock.from_json(record["clock"])
    assert isinstance(start.awaiting, Turn)
    return Reckoning(
        settings=settings,
        zones=_zones(record),
        rests_somewhere=record["weekends"] and "zones" not in record,
        vacations=[_intervals(pairs) for pairs in record["pauses"]["vacations"]],
        outages=_outages(record["pauses"]["outages"]),
        by_mail=list(record["pauses"].get("began_by_mail", [False, False])),
        ruled_at=list(_ruled_at(record)),
        banks=[settings.initial(), settings.initial()],
        mover=start.awaiting.seat,
        began_at=instant(record["started_at"]),
    )


def _zones(record: Record) -> list[ZoneInfo | None]:
    """Files of the first format told the players' zones."""
    told = record.get("zones", ["", ""])
    return [ZoneInfo(zone) if record["weekends"] and zone else None for zone in told]


def _outages(told: Any) -> dict[bool, tuple[Interval, ...]]:
    """Files of the first format tell one list for all."""
    if isinstance(told, list):
        return dict.fromkeys((True, False), _intervals(told))
    return {True: _intervals(told["mail"]), False: _intervals(told["web"])}


def _weekends_anywhere(start: datetime, end: datetime) -> Iterator[Interval]:
    """From the first Saturday on earth to the last Sunday: UTC+14 to UTC−12."""
    monday = datetime.combine(start.date() - timedelta(days=start.weekday() + 7), time(), UTC)
    while monday < end:
        yield Interval(monday + timedelta(days=4, hours=10), monday + timedelta(days=7, hours=12))
        monday += timedelta(days=7)


def _intervals(pairs: Sequence[Sequence[str]]) -> tuple[Interval, ...]:
    intervals = tuple(Interval(instant(start), instant(end)) for start, end in pairs)
    if any(later.start < earlier.end for earlier, later in pairwise(intervals)):
        raise ValueError("the pauses are not in order")
    return intervals


def _between(intervals: Sequence[Interval], start: datetime, end: datetime) -> tuple[Interval, ...]:
    first = bisect_right(intervals, start, key=lambda interval: interval.end)
    last = bisect_left(intervals, end, key=lambda interval: interval.start)
    return tuple(intervals[first:last])


def _ruled_at(record: Record) -> Iterator[datetime]:
    for ruling in record["rulings"]:
        yield instant(ruling["made_at"])
        if ruling["undone_at"] is not None:
            yield instant(ruling["undone_at"])


def instant(text: str) -> datetime:
    """An instant in its one spelling; raises ValueError."""
    found = datetime.fromisoformat(text)
    if found.utcoffset() is None or found.astimezone(UTC).isoformat() != text:
        raise ValueError(f"{text!r} is not an instant as it is written here")
    if found.year not in YEARS:
        raise ValueError(f"{text!r} is in another age")
    return found
