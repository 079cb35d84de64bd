"""Where the spaces and tracks of Tri-Trac lie on paper."""

from math import sqrt
from typing import NamedTuple

from games.boards.hexagon import CENTRE, Point, turned
from games.boards.svg import number, points
from games.rules.tri_trac_board import LENGTHS, SPACES, sides_of

EDGE = 169.0
RISE = EDGE * sqrt(3) / 2
OVERLAP = 1.02
"""Tracks reach a little beyond their space, so that no hair of light is seen between two."""


class Shape(NamedTuple):
    """A triangle; the corner that its track goes around comes first."""

    corner: Point
    second: Point
    third: Point

    @property
    def middle(self) -> Point:
        return mean(*self)

    @property
    def foot(self) -> Point:
        """The middle of the side across from the corner."""
        return mean(self.second, self.third)

    def from_corner(self, length: float) -> Point:
        """So far from the corner, straight towards the side across and beyond."""
        return between(self.corner, self.foot, length / RISE)

    def scaled(self, part: float) -> str:
        return points(between(self.middle, corner, part) for corner in self)

    def kite(self, part: float) -> str:
        """The third of the triangle that lies around the corner."""
        sides = mean(self.corner, self.second), mean(self.corner, self.third)
        inner = mean(self.corner, self.middle)
        outline = (self.corner, sides[0], self.middle, sides[1])
        return points(between(inner, corner, part) for corner in outline)

    def track(self) -> str:
        """A sixth of a circle around the corner: it meets both sides in their middle, squarely."""
        start, end = mean(self.corner, self.second), mean(self.corner, self.third)
        before, after = (between(self.middle, at, OVERLAP) for at in (start, end))
        half, sweep = number(EDGE / 2), int(_is_clockwise(self.corner, start, end))
        arc = f"A{half} {half} 0 0 {sweep} {_written(end)}"
        return f"M{_written(before)}L{_written(start)}{arc}L{_written(after)}"


def mean(*places: Point) -> Point:
    return sum(x for x, _ in places) / len(places), sum(y for _, y in places) / len(places)


def between(start: Point, end: Point, part: float) -> Point:
    return start[0] + (end[0] - start[0]) * part, start[1] + (end[1] - start[1]) * part


def _is_clockwise(centre: Point, start: Point, end: Point) -> bool:
    (x, y), (x1, y1), (x2, y2) = centre, start, end
    return (x1 - x) * (y2 - y) > (y1 - y) * (x2 - x)


def _written(point: Point) -> str:
    return f"{number(point[0])} {number(point[1])}"


def _corners_of(space: str) -> dict[str, Point]:
    """The corners of a space, each by the track that goes around it."""
    row, length = "abcd".index(space[0]), LENGTHS[space[0]]
    x = CENTRE + EDGE / 2 * (int(space[1]) - (length + 1) / 2)
    bottom = CENTRE + RISE * (2 - row)
    side = sides_of(space)[2]
    point, base = (bottom - RISE, bottom) if side == "s" else (bottom, bottom - RISE)
    return {
        "we": (x, point),
        f"w{side}": (x - EDGE / 2, base),
        f"e{side}": (x + EDGE / 2, base),
    }


def _shapes(space: str, seat: int) -> dict[str, Shape]:
    corners = {track: turned(at) if seat else at for track, at in _corners_of(space).items()}
    return {
        track: Shape(corner, *(at for other, at in corners.items() if other != track))
        for track, corner in corners.items()
    }


SHAPES = [{space: _shapes(space, seat) for space in SPACES} for seat in (0, 1)]
"""By the seat that sits at the bottom, the space and the track in it."""

SAMPLE = Shape((0.0, -RISE * 2 / 3), (-EDGE / 2, RISE / 3), (EDGE / 2, RISE / 3))
"""One that lies in no space."""
