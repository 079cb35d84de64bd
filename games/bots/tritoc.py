"""What is good in Tritoc: the odds of each field, and of three fields in a line."""

import random
from collections.abc import Sequence
from functools import lru_cache
from math import exp

from games.bots.knowledge import Plain, Throw, every_throw
from games.rules.position import Roll
from games.rules.tritoc import (
    ALL_NINE,
    COLUMNS,
    DIAGONALS,
    FIELDS,
    HAS_LINE,
    ROWS,
    Tritoc,
    total_of,
)

LINES = [
    tuple(field for field in FIELDS if line >> field & 1) for line in ROWS + COLUMNS + DIAGONALS
]
ODDS_OF_A_HOLE = (2, 3, 4, 5, 6, 5, 4, 3, 2)
"""How often two dice allow each hole of a field, in 36 throws."""


class TritocKnowledge(Plain):
    spread = 9.0
    daring = 0.25

    steepness = 2.0
    """How quickly better odds of lines turn into better odds of the game."""

    def value(self, position: Tritoc, chance: random.Random) -> float:
        red, yellow = position.pieces
        odds = [odds_of(red >> 9 * at & ALL_NINE, yellow >> 9 * at & ALL_NINE) for at in FIELDS]
        lead = 0.0
        for first, second, third in LINES:
            (a, x), (b, y), (c, z) = odds[first], odds[second], odds[third]
            lead += a * b * c - x * y * z
        return 1 / (1 + exp(-self.steepness * lead))

    def likely(self, roll: Roll) -> Sequence[tuple[Throw, float]]:
        """One throw for each total, as nothing else of a throw counts."""
        by_total: dict[int, tuple[Throw, float]] = {}
        for throw, weight in every_throw(roll):
            _, so_far = by_total.get(total_of(throw), (throw, 0.0))
            by_total[total_of(throw)] = throw, so_far + weight
        return list(by_total.values())


@lru_cache(maxsize=3**9)
def odds_of(red: int, yellow: int) -> tuple[float, float]:
    """How likely each colour is to win a field if the dice alone filled it, with either colour."""
    if HAS_LINE[red]:
        return 1.0, 0.0
    if HAS_LINE[yellow]:
        return 0.0, 1.0
    for_red = for_yellow = whole = 0.0
    for hole, weight in enumerate(ODDS_OF_A_HOLE):
        bit = 1 << hole
        if not (red | yellow) & bit:
            then_red, then_yellow = odds_of(red | bit, yellow), odds_of(red, yellow | bit)
            for_red += weight * (then_red[0] + then_yellow[0])
            for_yellow += weight * (then_red[1] + then_yellow[1])
            whole += 2 * weight
    return (for_red / whole, for_yellow / whole) if whole else (0.0, 0.0)
