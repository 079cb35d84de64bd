"""Tie-breaks by the scores of the opponents: Buchholz, Sonneborn-Berger, Koya."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, NamedTuple

from tournaments.formats.tie_breaks_slots import Slot, Table

Edition = Literal["2023", "2026"]
"""Of FIDE's tie-break regulations; 2023 stands for all texts before 1 March 2026."""


@dataclass(frozen=True, slots=True)
class Cut:
    """How many of the least and of the most significant values are left out."""

    low: int = 0
    high: int = 0


NO_CUT = Cut()


class Contribution(NamedTuple):
    """What one game, played or not, adds to a sum; the fields are in the order they are cut by."""

    score: int
    """The opponent's, or the dummy's."""
    value: int
    voluntary: bool


Contributions = Mapping[int, Sequence[Contribution]]
"""By number, from the least significant to the most."""


@dataclass(frozen=True, kw_only=True)
class Opposition:
    """The scores that everybody met, reckoned once for all tie-breaks that add them up."""

    table: Table
    edition: Edition

    @cached_property
    def scores(self) -> Contributions:
        return _contributions(self.table, self.edition)

    @cached_property
    def fore(self) -> Contributions:
        """8.3: as if the final round had been drawn."""
        return _contributions(self.table.with_final_games_drawn, self.edition)

    @cached_property
    def products(self) -> Contributions:
        """9.1: each score times the points against it."""
        return _contributions(self.table, self.edition, weighted=True)

    def buchholz(self, cut: Cut) -> dict[int, Fraction]:
        return self._sums(self.scores, cut, self.table.unit)

    def fore_buchholz(self, cut: Cut) -> dict[int, Fraction]:
        return self._sums(self.fore, cut, self.table.unit)

    def sonneborn_berger(self, cut: Cut) -> dict[int, Fraction]:
        return self._sums(self.products, cut, self.table.unit**2)

    def average_of_buchholz(self) -> dict[int, Fraction | None]:
        """8.2: of the opponents actually played, once for each game."""
        sums = {number: _sum(parts, NO_CUT) for number, parts in self.scores.items()}
        averages: dict[int, Fraction | None] = {}
        for number, slots in self.table.slots.items():
            met = [sums[slot.opponent] for slot in slots if self.table.counts_as_game(slot)]
            averages[number] = Fraction(sum(met), self.table.unit * len(met)) if met else None
        return averages

    def _sums(self, parts: Contributions, cut: Cut, unit: int) -> dict[int, Fraction]:
        return {number: Fraction(_sum(own, cut), unit) for number, own in parts.items()}


def koya(table: Table, limit: int) -> dict[int, Fraction]:
    """9.2: points against those with half of the most there is, give or take `limit` halves."""
    least = table.win * _most_games(table) + limit * table.unit
    strong = {number for number, points in table.points.items() if 2 * points >= least}
    return {
        number: table.fraction(sum(slot.points for slot in slots if slot.opponent in strong))
        for number, slots in table.slots.items()
    }


def _most_games(table: Table) -> int:
    if table.format == "swiss":
        return table.last * table.legs
    return max(
        (sum(1 for slot in slots if slot.opponent) for slots in table.slots.values()), default=0
    )


def _contributions(table: Table, edition: Edition, *, weighted: bool = False) -> Contributions:
    return {
        number: sorted(
            Contribution(score, score * slot.points if weighted else score, voluntary)
            for slot, score, voluntary in _opposing_scores(table, number, edition)
        )
        for number in table.slots
    }


def _opposing_scores(
    table: Table, number: int, edition: Edition
) -> Iterator[tuple[Slot, int, bool]]:
    """Each slot with the score to count for it, and whether it was unplayed by his own will."""
    for slot in table.slots[number]:
        if table.counts_as_game(slot):
            yield slot, table.adjusted[slot.opponent], False
        elif slot.kind != "running" and table.format == "swiss":
            yield slot, _dummy(table, number, slot, edition), slot.voluntary


def _dummy(table: Table, number: int, slot: Slot, edition: Edition) -> int:
    """16.4: an own unplayed round is a game against somebody with the same score."""
    own = table.points[number]
    if edition == "2023":
        return own
    if slot.opponent:
        return min(own, table.adjusted[slot.opponent])
    return min(own, table.draw * table.last * table.legs)


def _sum(contributions: Sequence[Contribution], cut: Cut) -> int:
    """Of contributions from the least significant to the most."""
    left = list(contributions)
    for _ in range(min(cut.low, len(left))):
        del left[_least_significant(left)]
    del left[max(0, len(left) - cut.high) :]
    return sum([one.value for one in left])


def _least_significant(left: Sequence[Contribution]) -> int:
    """14.1 and 16.5: a voluntary round goes first, unless it contributes less than the least."""
    voluntary = [place for place, one in enumerate(left) if one.voluntary]
    if voluntary:
        place = min(voluntary, key=lambda place: left[place].value)
        if left[place].value >= left[0].value:
            return place
    return 0
