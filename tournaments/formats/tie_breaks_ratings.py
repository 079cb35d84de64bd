"""Tie-breaks by the ratings of the opponents, with FIDE's tables of expected scores."""

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property

from games.elo import LARGEST_DIFFERENCES
from tournaments.formats.tie_breaks_slots import Slot, Table

DIFFERENCES = (
    0, 7, 14, 21, 29, 36, 43, 50, 57, 65,
    72, 80, 87, 95, 102, 110, 117, 125, 133, 141,
    149, 158, 166, 175, 184, 193, 202, 211, 220, 230,
    240, 251, 262, 273, 284, 296, 309, 322, 336, 351,
    366, 383, 401, 422, 444, 470, 501, 538, 589, 677,
    800,
)  # fmt: skip
"""FIDE Rating Regulations, table 8.1.1: the difference in rating that a score of 50, 51… 100
per cent stands for."""

FARTHEST = 800

Whole = Mapping[int, int | None]
"""By number; None for who met nobody with a rating."""


def difference(percent: int) -> int:
    """dp: how far above his opponents somebody is who scores so many per cent against them."""
    return DIFFERENCES[percent - 50] if percent >= 50 else -DIFFERENCES[50 - percent]


@cache
def expected_percent(above: int) -> int:
    """PD: by table 8.1.2 on its full scale, with no difference cut."""
    higher = 50 + bisect_left(LARGEST_DIFFERENCES, abs(above))
    return higher if above >= 0 else 100 - higher


def average(ratings: Sequence[int]) -> int | None:
    """A half is rounded up."""
    return _half_up(sum(ratings), len(ratings)) if ratings else None


def performance(ratings: Sequence[int], halves: int) -> int | None:
    """10.2: the average rating of the opponents and what the score against them stands for."""
    mean = average(ratings)
    if mean is None:
        return None
    return mean + difference(_half_up(50 * halves, len(ratings)))


def perfect_performance(ratings: Sequence[int], halves: int) -> int | None:
    """10.3: the lowest rating from which no more than the score was to be expected."""
    if not ratings:
        return None
    if not halves:
        return min(ratings) - FARTHEST
    too_low, enough = min(ratings) - FARTHEST, max(ratings) + FARTHEST
    while enough - too_low > 1:
        middle = (too_low + enough) // 2
        if sum(expected_percent(middle - rating) for rating in ratings) >= 50 * halves:
            enough = middle
        else:
            too_low = middle
    return enough


@dataclass(frozen=True, kw_only=True)
class Ratings:
    """Everybody's rated games, and the performances that several tie-breaks need."""

    table: Table

    @cached_property
    def games(self) -> dict[int, list[Slot]]:
        """15.2: forfeits are unplayed for ratings everywhere; who has no rating is passed over."""
        rating = self.table.ratings
        return {
            number: [slot for slot in slots if slot.kind == "game" and rating[slot.opponent]]
            for number, slots in self.table.slots.items()
        }

    @cached_property
    def performances(self) -> Whole:
        return self._each(performance)

    @cached_property
    def perfect_performances(self) -> Whole:
        return self._each(perfect_performance)

    def averages(self, cut: int) -> Whole:
        """10.1: of the opponents played; the lowest may be cut."""
        return {
            number: average(sorted(self.table.ratings[slot.opponent] for slot in games)[cut:])
            for number, games in self.games.items()
        }

    def averages_of_opponents(self, theirs: Whole) -> Whole:
        """10.4 and 10.5: once for each game."""
        averages: dict[int, int | None] = {}
        for number, slots in self.table.slots.items():
            values = [theirs[slot.opponent] for slot in slots if slot.kind == "game"]
            averages[number] = average([value for value in values if value is not None])
        return averages

    def _each(self, reckon: Callable[[Sequence[int], int], int | None]) -> Whole:
        rating = self.table.ratings
        return {
            number: reckon(
                [rating[slot.opponent] for slot in games], sum(slot.result for slot in games)
            )
            for number, games in self.games.items()
        }


def fractions(ratings: Whole) -> dict[int, Fraction | None]:
    return {
        number: None if rating is None else Fraction(rating) for number, rating in ratings.items()
    }


def _half_up(total: int, count: int) -> int:
    return (2 * total + count) // (2 * count)
