"""The course of a rating as a line; the template draws it, a table beside it says the same."""

from dataclasses import dataclass

WIDTH, HEIGHT = 640, 200
LEFT, RIGHT, EDGE = 60, 12, 16
LEAST_SPAN = 40
"""Points that the height stands for at least, so that a small change looks small."""


@dataclass(frozen=True)
class Chart:
    """`ratings` in order; coordinates are those of a drawing of WIDTH by HEIGHT."""

    ratings: list[int]

    @property
    def _bounds(self) -> tuple[int, int]:
        low, high = min(self.ratings), max(self.ratings)
        missing = max(LEAST_SPAN - (high - low), 0)
        return low - missing // 2, high + (missing + 1) // 2

    def _y(self, rating: float) -> float:
        low, high = self._bounds
        return round(EDGE + (high - rating) / (high - low) * (HEIGHT - 2 * EDGE), 1)

    def _x(self, at: int) -> float:
        steps = max(len(self.ratings) - 1, 1)
        return round(LEFT + at / steps * (WIDTH - LEFT - RIGHT), 1)

    @property
    def points(self) -> str:
        return " ".join(f"{self._x(at)},{self._y(r)}" for at, r in enumerate(self.ratings))

    @property
    def end(self) -> tuple[float, float]:
        return self._x(len(self.ratings) - 1), self._y(self.ratings[-1])

    @property
    def rules(self) -> list[tuple[int, float]]:
        """Horizontal lines: the rating that each stands for, and its height."""
        low, high = self._bounds
        return [(rating, self._y(rating)) for rating in (low, (low + high) // 2, high)]

    @property
    def box(self) -> str:
        return f"0 0 {WIDTH} {HEIGHT}"
