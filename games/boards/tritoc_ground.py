"""Tritoc's empty board: where everything is, and what is there before the first peg."""

from collections.abc import Iterator
from functools import lru_cache

from games.boards import dice
from games.boards.svg import SIDE, Markup, element, gradient, joined, label, number
from games.rules.tritoc import FIELDS, HOLES

Point = tuple[float, float]

PLAQUE = 236.0
FIELD_STEP = 250.0
FIRST_FIELD = 150.0
HOLE_STEP = 71.0
HOLE = 29.0
SEATS = ("red", "yellow")
WOODS = ("walnut", "maple", "ash", "red-field", "yellow-field")

GRAIN = (
    (9, 14, -9),
    (26, -8, 12),
    (38, 10, 4),
    (61, 20, -16),
    (74, -6, 9),
    (97, 12, 14),
    (109, -14, -6),
    (131, 8, -12),
    (147, 16, 10),
    (166, -10, 8),
    (181, 6, -14),
)
"""The grain of the wood: how high a line begins and ends, and how far it sways between."""


def field_centre(field: int) -> Point:
    return FIRST_FIELD + FIELD_STEP * (field % 3), FIRST_FIELD + FIELD_STEP * (field // 3)


def _hole_centre(name: str) -> Point:
    field, place = int(name[0]) - 1, int(name[2:]) - 3
    x, y = field_centre(field)
    return x + HOLE_STEP * (place % 3 - 1), y + HOLE_STEP * (place // 3 - 1)


def square(x: float, y: float, side: float, rx: float, **attributes: object) -> Markup:
    half = side / 2
    return element("rect", x=x - half, y=y - half, width=side, height=side, rx=rx, **attributes)


def cross(x: float, y: float, reach: float) -> str:
    across = number(2 * reach)
    return (
        f"M{number(x - reach)} {number(y - reach)}l{across} {across}"
        f"M{number(x - reach)} {number(y + reach)}l{across} -{across}"
    )


def _tack(field: int) -> Iterator[Markup]:
    x, y = (middle - PLAQUE / 2 + 11 for middle in field_centre(field))
    yield element("circle", class_="tack", cx=x, cy=y, r=16)
    yield label(str(field + 1), x, y + 7.5, "field-label")


CENTRES = {hole: _hole_centre(name) for name, hole in HOLES.items()}
EMPTY_HOLES = joined(element("circle", cx=x, cy=y, r=HOLE) for x, y in CENTRES.values())
TACKS = joined(part for field in FIELDS for part in _tack(field))
"""The numbers of the fields, each on a tack in its corner."""


def _floor(hole: int, class_: str) -> Markup:
    """A hole's label, on the floor of it."""
    x, y = CENTRES[hole]
    return label(NAMES[hole][2:], x, y + 9.5, class_)


NAMES = {hole: name for name, hole in HOLES.items()}
OPEN_LABELS = {hole: _floor(hole, "hole-label") for hole in CENTRES}
CLOSED_LABELS = {hole: _floor(hole, "closed-label") for hole in CENTRES}


@lru_cache(maxsize=64)
def table(ids: str) -> Markup:
    """The paints, and the frame that they begin with."""
    return joined((_paints(ids), _frame(ids)))


def _paints(ids: str) -> Markup:
    """Light falls from the upper left, on flat wood as on round pegs."""
    slant = {"x1": 0, "y1": 0, "x2": 1, "y2": 1}
    return element(
        "defs",
        dice.paints(ids),
        *(
            gradient("linear", ids + wood, (0.0, f"{wood}-lit"), (1.0, f"{wood}-shaded"), **slant)
            for wood in WOODS
        ),
        *(_lacquer(colour, ids) for colour in SEATS),
        _grain(ids),
        gradient("radial", f"{ids}hole", (0.55, "hole-floor"), (1.0, "hole-wall"), cx=0.5, cy=0.62),
    )


def _lacquer(colour: str, ids: str) -> Markup:
    stops = ((0.0, f"{colour}-glint"), (0.35, f"{colour}-lit"), (1.0, f"{colour}-shaded"))
    return gradient("radial", ids + colour, *stops, cx=0.5, cy=0.5, r=0.6, fx=0.34, fy=0.28)


def _grain(ids: str) -> Markup:
    lines = "".join(f"M0 {y}C100 {y + rise} 210 {y + fall} 330 {y}" for y, rise, fall in GRAIN)
    return element(
        "pattern",
        element("path", class_="grain", d=lines),
        id=f"{ids}grain",
        patternUnits="userSpaceOnUse",
        width=330,
        height=192,
    )


def _frame(ids: str) -> Markup:
    middle = SIDE / 2
    return element(
        "g",
        square(middle, middle + 5, 780, 36, class_="frame-shadow"),
        square(middle, middle, 780, 36, class_="frame", fill=f"url(#{ids}walnut)"),
        square(middle, middle, 776, 34, fill=f"url(#{ids}grain)"),
        square(middle, middle, 762, 28, class_="inlay"),
    )
