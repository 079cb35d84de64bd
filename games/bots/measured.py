"""How well each level does against the one below it: figures of `make bench-bots`."""

from math import log10
from typing import NamedTuple

RANDOM = "random"
"""The opponent of the lowest level: one that plays any legal move."""

MOST_ELO = 800


class Measured(NamedTuple):
    """The score of `level` in a match, a draw as half a point, with its 95 % interval."""

    ruleset: str
    level: str
    opponent: str
    games: int
    score: float
    low: float
    high: float

    @property
    def elo(self) -> tuple[int, int, int]:
        """By how much the level is the stronger one, and the ends of the interval."""
        return elo_of(self.score), elo_of(self.low), elo_of(self.high)


def elo_of(score: float) -> int:
    """The difference at which such a score is expected; beyond the largest all are one."""
    least = 1 / (1 + 10 ** (MOST_ELO / 400))
    kept = min(max(score, least), 1 - least)
    return round(400 * log10(kept / (1 - kept)))


MEASURED: tuple[Measured, ...] = (
    Measured("tritt-classic", "dew", "random", 28, 1.000, 0.879, 1.000),
    Measured("tritt-classic", "brook", "dew", 82, 0.793, 0.693, 0.866),
    Measured("tritt-classic", "river", "brook", 100, 0.720, 0.625, 0.799),
    Measured("tritt-classic", "ocean", "river", 14, 1.000, 0.785, 1.000),
    Measured("tritt-reloaded", "dew", "random", 20, 1.000, 0.839, 1.000),
    Measured("tritt-reloaded", "brook", "dew", 14, 1.000, 0.785, 1.000),
    Measured("tritt-reloaded", "river", "brook", 20, 0.900, 0.699, 0.972),
    Measured("tritt-reloaded", "ocean", "river", 14, 1.000, 0.785, 1.000),
    Measured("triotrio", "dew", "random", 82, 0.915, 0.834, 0.958),
    Measured("triotrio", "brook", "dew", 62, 0.806, 0.691, 0.886),
    Measured("triotrio", "river", "brook", 100, 0.760, 0.668, 0.833),
    Measured("triotrio", "ocean", "river", 28, 0.893, 0.728, 0.963),
    Measured("tritoc", "dew", "random", 100, 0.810, 0.722, 0.875),
    Measured("tritoc", "brook", "dew", 100, 0.680, 0.583, 0.763),
    Measured("tritoc", "river", "brook", 100, 0.695, 0.599, 0.777),
    Measured("tritoc", "ocean", "river", 100, 0.630, 0.532, 0.718),
    Measured("tri-trac", "dew", "random", 100, 0.865, 0.784, 0.919),
    Measured("tri-trac", "brook", "dew", 100, 0.760, 0.668, 0.833),
    Measured("tri-trac", "river", "brook", 100, 0.690, 0.594, 0.772),
    Measured("tri-trac", "ocean", "river", 20, 0.925, 0.731, 0.982),
)
