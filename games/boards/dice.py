"""Dice as one sees them on a table: ivory cubes with pips, and a gem for a die of many sides."""

from math import cos, pi, sin

from games.boards.svg import Markup, element, gradient, label, number, points

PIPS: dict[int, tuple[tuple[int, int], ...]] = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (1, -1), (-1, 1), (1, 1)),
    5: ((-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)),
    6: ((-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)),
}
HEXAGON = tuple((sin(side * pi / 3), -cos(side * pi / 3)) for side in range(6))


def paints(ids: str) -> Markup:
    """What the dice of a drawing are painted with; it belongs into its `defs`."""
    ivory = ((0.0, "ivory-lit"), (1.0, "ivory-shaded"))
    return gradient("linear", f"{ids}ivory", *ivory, x1=0, y1=0, x2=1, y2=1)


def cube(face: int, x: float, y: float, size: float, *, ids: str, class_: str = "") -> Markup:
    """A six-sided die around a point, showing this face."""
    corner, pip = size / 2, size / 11
    reach = size * 0.26
    return element(
        "g",
        _block(x, y + size / 16, size, class_="die-shadow"),
        _block(x, y, size, class_="die", fill=f"url(#{ids}ivory)"),
        element(
            "path",
            class_="pips",
            d="".join(_dot(x + reach * px, y + reach * py, pip) for px, py in PIPS[face]),
        ),
        element(
            "path",
            class_="die-glint",
            d=f"M{number(x - corner * 0.72)} {number(y - corner * 0.88)}h{number(corner * 1.44)}",
        ),
        class_=class_ or None,
    )


def gem(face: int, x: float, y: float, size: float, *, ids: str, class_: str = "") -> Markup:
    """A die of so many sides that it shows a number: seen from above, with its top facet."""
    outline = [(x + size / 2 * across, y + size / 2 * down) for across, down in HEXAGON]
    top = [(x + size * 0.36 * across, y + size * 0.36 * down) for across, down in HEXAGON[::2]]
    facets = "".join(
        f"M{points([corner])}L{points([top[side // 2 % 3]])}"
        f"M{points([corner])}L{points([top[(side + 1) // 2 % 3]])}"
        for side, corner in enumerate(outline)
    )
    return element(
        "g",
        element("polygon", class_="die", points=points(outline), fill=f"url(#{ids}ivory)"),
        element("path", class_="facets", d=f"M{points(top)}Z{facets}"),
        element(
            "text",
            str(face),
            x=x,
            y=y + size * 0.14,
            class_="gem-face",
            text_anchor="middle",
            font_size=size * 0.34,
        ),
        class_=class_ or None,
    )


def unthrown(x: float, y: float, size: float) -> Markup:
    """The place of a die that is still to be thrown."""
    return element(
        "g",
        _block(x, y, size, class_="die-awaited"),
        label("?", x, y + size * 0.16, "die-question"),
    )


def _block(x: float, y: float, size: float, **attributes: object) -> Markup:
    half = size / 2
    return element(
        "rect", x=x - half, y=y - half, width=size, height=size, rx=size / 5, **attributes
    )


def _dot(x: float, y: float, radius: float) -> str:
    """A disc as a part of a path, from its left end and back to it."""
    across = number(2 * radius)
    arc = f"a{number(radius)} {number(radius)} 0 1 "
    return f"M{number(x - radius)} {number(y)}{arc}0 {across} 0{arc}0 -{across} 0"
