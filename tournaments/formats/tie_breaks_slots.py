"""An event as the tie-breaks see it: what every entrant had in every round, in whole numbers.

Points are counted in the event's smallest step, so that sums are exact and quick; only results
are made fractions.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import lcm
from typing import Literal, NamedTuple

from tournaments.formats.history import History, Idle, Meeting, Values

Format = Literal["swiss", "round-robin"]
Kind = Literal["game", "running", "forfeit", "H", "F", "U", "Z"]


class Slot(NamedTuple):
    """What one entrant had in one game of one round; rests have no opponent (0)."""

    round: int
    kind: Kind
    opponent: int = 0
    points: int = 0
    theirs: int = 0
    """The opponent's points from the same game."""
    second: bool = False
    lost_by_default: bool = False
    game_points: int = 0

    @property
    def requested(self) -> bool:
        """16.1.1: byes that were asked for; every round after leaving is one."""
        return self.kind in ("H", "Z")

    @property
    def voluntary(self) -> bool:
        """16.1.2: unplayed by his own will."""
        return self.requested or self.lost_by_default

    @property
    def result(self) -> int:
        """In halves of a standard point, whatever a win is worth in this event."""
        return 2 if self.points > self.theirs else 1 if self.points == self.theirs else 0


@dataclass(frozen=True, kw_only=True)
class Table:
    """Everybody's slots in the order of play, up to the last round that has begun."""

    slots: Mapping[int, Sequence[Slot]]
    ratings: Mapping[int, int]
    format: Format
    unit: int
    """How many of the smallest steps make a point."""
    win: int
    draw: int
    last: int
    rounds: int
    """All rounds of the event; `last` if it does not say."""
    legs: int

    @cached_property
    def points(self) -> dict[int, int]:
        return {number: sum(slot.points for slot in slots) for number, slots in self.slots.items()}

    @cached_property
    def adjusted(self) -> dict[int, int]:
        """16.3: the scores that opponents count."""
        if self.format == "round-robin":
            return self.points
        return {number: self._adjusted(slots) for number, slots in self.slots.items()}

    def _adjusted(self, slots: Sequence[Slot]) -> int:
        """Requested byes that only voluntary rounds follow, or none, count as draws."""
        total, nothing_follows = 0, True
        for slot in reversed(slots):
            nothing_follows = nothing_follows and slot.voluntary
            total += self.draw if nothing_follows and slot.requested else slot.points
        return total

    def counts_as_game(self, slot: Slot) -> bool:
        """15.2: where everybody's opponents are fixed, forfeits are treated as games."""
        return slot.kind == "game" or (slot.kind == "forfeit" and self.format == "round-robin")

    @cached_property
    def with_final_games_drawn(self) -> "Table":
        """8.3: as if all paired games of the final round had ended in draws."""
        return replace(
            self, slots={number: self._drawn(slots) for number, slots in self.slots.items()}
        )

    def _drawn(self, slots: Sequence[Slot]) -> list[Slot]:
        return [
            slot._replace(kind="game", points=self.draw, theirs=self.draw, lost_by_default=False)
            if slot.round == self.rounds and slot.opponent
            else slot
            for slot in slots
        ]

    def fraction(self, steps: int, per: int = 1) -> Fraction:
        return Fraction(steps, self.unit * per)


def table(history: History, format: Format) -> Table:
    """In a Swiss event, a round for which an entrant has nothing is one he was absent from."""
    unit = _unit(history)
    legs = max((meeting.leg for meeting in history.meetings), default=1)
    last = _last_round(history)
    slots = _slots(history, unit, legs, last)
    if format == "swiss":
        _fill(slots, last, [Slot(0, "Z", points=_steps(history.values.absent, unit))] * legs)
    for own in slots.values():
        own.sort(key=lambda slot: slot.round)
    return Table(
        slots=slots,
        ratings={entrant.number: entrant.rating for entrant in history.entrants},
        format=format,
        unit=unit,
        win=_steps(history.values.win, unit),
        draw=_steps(history.values.draw, unit),
        last=last,
        rounds=max(history.rounds, last),
        legs=legs,
    )


def _unit(history: History) -> int:
    values = history.values
    worths = values.win, values.draw, values.loss, values.bye, values.absent
    scores = (score for meeting in history.meetings for score in meeting.scores)
    return lcm(*{worth.denominator for worth in (*worths, *scores)})


def _steps(worth: Fraction, unit: int) -> int:
    return worth.numerator * (unit // worth.denominator)


def _last_round(history: History) -> int:
    """Byes for a round that is not paired yet do not begin it."""
    rounds = {meeting.round for meeting in history.meetings}
    return max(rounds or {idle.round for idle in history.idles}, default=0)


def _slots(history: History, unit: int, legs: int, last: int) -> dict[int, list[Slot]]:
    slots: dict[int, list[Slot]] = {entrant.number: [] for entrant in history.entrants}
    for meeting in sorted(history.meetings, key=lambda one: one.leg):
        for own, slot in _sides(meeting, history.values, unit):
            slots[own].append(slot)
    for idle in history.idles:
        if idle.round <= last:
            rest = Slot(idle.round, idle.kind, points=_steps(worth(idle, history.values), unit))
            slots[idle.number] += [rest] * legs
    return slots


def worth(idle: Idle, values: Values) -> Fraction:
    """The points for each game that a round sat out would have had."""
    return {"F": values.win, "U": values.bye, "H": values.draw, "Z": values.absent}[idle.kind]


def _sides(meeting: Meeting, values: Values, unit: int) -> Iterable[tuple[int, Slot]]:
    pair = meeting.first, meeting.second
    if not meeting.scores:
        for side in (0, 1):
            yield pair[side], Slot(meeting.round, "running", pair[1 - side], second=side == 1)
        return
    scores = [_steps(score, unit) for score in meeting.scores]
    most_of_a_loss = max(values.loss, values.absent)
    for side in (0, 1):
        yield (
            pair[side],
            Slot(
                meeting.round,
                "forfeit" if meeting.forfeit else "game",
                pair[1 - side],
                scores[side],
                scores[1 - side],
                side == 1,
                meeting.forfeit and meeting.scores[side] <= most_of_a_loss,
                meeting.points[side] if meeting.points else 0,
            ),
        )


def _fill(slots: Mapping[int, list[Slot]], last: int, absence: Sequence[Slot]) -> None:
    for own in slots.values():
        known = {slot.round for slot in own}
        for number in range(1, last + 1):
            if number not in known:
                own += [slot._replace(round=number) for slot in absence]
