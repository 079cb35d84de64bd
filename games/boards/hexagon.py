"""A hexagonal board as a joiner makes it, and where its two players have their corners."""

from collections.abc import Iterable
from math import sqrt

from games.boards.svg import SIDE, Markup, element, label, points

Point = tuple[float, float]

CENTRE = SIDE / 2
FRAME, INLAY, FIELD = 390.0, 350.0, 346.0
"""How far the corners are from the centre."""

NEAR_NAME, FAR_NAME = (28.0, 720.0), (SIDE - 28.0, 42.0)


def turned(point: Point) -> Point:
    """Where a point is for those who sit on the other side."""
    return SIDE - point[0], SIDE - point[1]


def corners(radius: float) -> list[Point]:
    """From the left one, clockwise."""
    half, height = radius / 2, radius * sqrt(3) / 2
    upper = [(-radius, 0.0), (-half, -height), (half, -height)]
    return [(CENTRE + sign * x, CENTRE + sign * y) for sign in (1, -1) for x, y in upper]


def hexagon(radius: float, class_: str, **attributes: object) -> Markup:
    return element("polygon", class_=class_, points=points(corners(radius)), **attributes)


def _planks() -> Iterable[Markup]:
    """Six mitred planks; each catches the light from above on the left in its own way."""
    outer, inner = corners(FRAME), corners(INLAY)
    for side, shade in enumerate((1, 2, 3, 5, 4, 3)):
        plank = (outer[side], outer[side - 5], inner[side - 5], inner[side])
        yield element("polygon", class_=f"plank-{shade}", points=points(plank))


BOARD = (
    hexagon(FRAME, "frame"),
    *_planks(),
    hexagon(INLAY, "inlay"),
    hexagon(FIELD, "field"),
)


def definitions(ids: str) -> tuple[Markup, Markup]:
    """The field to clip to, and what makes a shadow soft."""
    room = {"x": "-10%", "y": "-10%", "width": "120%", "height": "120%"}
    blur = element("feGaussianBlur", stdDeviation=4)
    return (
        element("clipPath", hexagon(FIELD, "clip"), id=f"{ids}field"),
        element("filter", blur, id=f"{ids}soft", color_interpolation_filters="sRGB", **room),
    )


def shaded(ids: str, *ground: Markup) -> Markup:
    """What the field is made of, and the shadow that the frame throws on it."""
    shadow = hexagon(
        INLAY + 4, "frame-shadow", filter=f"url(#{ids}soft)", transform="translate(3 6)"
    )
    return element("g", *ground, shadow, clip_path=f"url(#{ids}field)")


def player(name: str, in_hand: str, state: str, *, is_near: bool) -> Iterable[Markup]:
    """Below on the left for who sits at the bottom, above on the right for the other."""
    (x, y), anchor = (NEAR_NAME, "start") if is_near else (FAR_NAME, "end")
    yield label(name, x, y, "player", anchor)
    yield label(in_hand, x, y + 25, "in-hand", anchor)
    if state:
        yield label(state, x, y + 50, "state", anchor)
