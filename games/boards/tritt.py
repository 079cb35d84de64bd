"""The board of both editions of Tritt: a hexagon of wood, and trittons of bone upon it."""

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from math import atan2, degrees, hypot, sin, sqrt

from games.boards import hexagon
from games.boards.hexagon import CENTRE, Point, turned
from games.boards.svg import (
    Markup,
    element,
    gradient,
    label,
    number,
    picture,
    spot,
    spots_of,
)
from games.boards.tritt_words import (
    Position,
    Side,
    describe,
    dots_told,
    name_of,
    sides_of,
    state_of,
    text,
    title_of,
)
from games.rules.position import Choice, Translate
from games.rules.tritt_board import (
    AREA,
    AXES,
    BLUE,
    BOARD,
    CANONICAL,
    COLOURS,
    DOT_NAMES,
    DOTS,
    ORANGE,
    ROWS,
    SPOTS,
    line_in,
)

__all__ = ["describe", "draw", "text"]

Points = dict[str, Point]

STEP = 62.0
RISE = STEP * sqrt(3) / 2
DIRECTIONS = ((STEP, 0.0), (-STEP / 2, -RISE), (STEP / 2, -RISE))
"""The way from a tritton's middle to one of its ends, by axis."""

TO_COORDINATE = 58
"""From the last dot of a line, along the line, to the middle of the frame."""
REACH = 25
"""How far from its centre a dot can be hit."""
DOT = 15
RING = 6.5
BAR = 47
SMALL = 0.31
PYRAMID = [(51.0 + 58 * column, 30.0 + 25 * row) for row in range(4) for column in range(4 - row)]
"""Where the trittons in hand lie, measured from the corner."""


def _points_of_dots() -> Points:
    """Where each dot is when seat 0 sits at the bottom."""
    places = {}
    for name in DOTS:
        row = ROWS.index(name[0]) - 5
        middle = (12 - abs(row)) / 2
        places[name] = (CENTRE + STEP * (int(name[1:]) - middle), CENTRE - RISE * row)
    return places


LAST_IN_ROW = {f"{row}{11 - abs(number_of - 5)}" for number_of, row in enumerate(ROWS)}
POINTS = _points_of_dots()
POINTS_BY_SEAT = (POINTS, {name: turned(point) for name, point in POINTS.items()})


# What is there before the first move. Turned by half, a hexagon is the same.


def _line_from(dot: int, axis: int) -> str:
    end = dot
    while end << axis & BOARD:
        end <<= axis
    return _path(DOT_NAMES[at.bit_length() - 1] for at in (dot, end))


def _path(names: Iterable[str], at: Points = POINTS) -> str:
    return "M" + "L".join(f"{number(at[name][0])} {number(at[name][1])}" for name in names)


def _discs(names: Iterable[str], at: Points = POINTS) -> str:
    """Lines of hardly any length: with round caps they are discs, and any number is one path."""
    return "".join(f"{_path([name], at)}h.01" for name in names)


def _grain() -> str:
    """Wavy lines across the field, close where the wood grew slowly."""
    lines = []
    for ring in range(34):
        y = 92 + 18.5 * ring + 7 * sin(ring * 1.7)
        wave = 9 * sin(ring * 0.9) + 5 * sin(ring * 2.3)
        lines.append(f"M40 {number(y)}q90 {number(wave)} 180 0t180 0 180 0 180 0")
    return "".join(lines)


LINES = "".join(
    _line_from(dot, axis) for axis in AXES for dot in DOTS.values() if not dot >> axis & BOARD
)
ALL_DOTS = _discs(DOTS)
GRAIN = element("path", class_="grain", d=_grain())
GROOVES = (
    element("path", class_="groove-light", d=LINES, transform="translate(.8 1.2)"),
    element("path", class_="groove", d=LINES),
)
HOLES = (
    element("path", class_="hole-light", d=ALL_DOTS, transform="translate(.8 1.4)"),
    element("path", class_="hole", d=ALL_DOTS),
)


def draw(
    position: Position,
    *,
    seat: int = 0,
    last: str = "",
    choices: Sequence[Choice] = (),
    ids: str = "",
    coordinates: bool = True,
    translate: Translate = str,
) -> str:
    at = POINTS_BY_SEAT[seat]
    sides = sides_of(position)
    live = spots_of(choices)
    return picture(
        "hexagon tritt",
        _definitions(_looks(sides), ids),
        *hexagon.BOARD,
        hexagon.shaded(ids, GRAIN),
        *(_coordinates(seat) if coordinates else ()),
        *GROOVES,
        element("path", class_="open", d=_discs(sorted(live), at)) if live else "",
        *HOLES,
        *_last_move(last, at),
        *_trittons(sides, at, ids),
        *_lines_made(position, at),
        *(thing for side in sides for thing in _player(position, side, seat, ids, translate)),
        *_spots(position, seat, live, ids, translate),
        title=title_of(position),
        description=describe(position, translate=translate),
        ids=ids,
        live=bool(live),
    )


def _looks(sides: Sequence[Side]) -> frozenset[tuple[int, int]]:
    """Middle and axis of the trittons to be seen, in hand or on the board."""
    lying = {(side.middle, place // AREA) for side in sides for place in side.trittons}
    return frozenset(lying | {(side.middle, 0) for side in sides})


@lru_cache(64)
def _definitions(looks: frozenset[tuple[int, int]], ids: str) -> Markup:
    return element(
        "defs",
        *hexagon.definitions(ids),
        *(_dot(colour, ids) for colour in (ORANGE, BLUE)),
        *(_tritton(middle, axis, ids) for middle, axis in sorted(looks)),
    )


def _dot(colour: int, ids: str) -> Markup:
    """A blue dot has a ring in it, so that no one needs to see the colours."""
    name = COLOURS[colour]
    shade = f"{ids}{name}-shade"
    ring = element("circle", class_="tritt-ring", r=RING) if colour == BLUE else ""
    stops = ((0.0, f"{name}-light"), (0.55, name), (1.0, f"{name}-deep"))
    return Markup(
        gradient("radial", shade, *stops, cx="38%", cy="32%", r="75%")
        + element(
            "g",
            element("circle", class_="tritt-rim", r=DOT + 1.5),
            element("circle", fill=f"url(#{shade})", r=DOT),
            ring,
            id=f"{ids}{name}-dot",
        )
    )


def _tritton(middle: int, axis: int, ids: str) -> Markup:
    x, y = DIRECTIONS[axis]
    bar = {"x1": -x, "y1": -y, "x2": x, "y2": y}
    end = f"#{ids}{COLOURS[1 - middle]}-dot"
    return element(
        "g",
        element("line", class_="tritt-bone-edge", **bar),
        element("line", class_="tritt-bone", **bar),
        element("line", class_="tritt-bone-light", **bar, transform="translate(-.6 -1.8)"),
        element("use", href=end, x=-x, y=-y),
        element("use", href=f"#{ids}{COLOURS[middle]}-dot"),
        element("use", href=end, x=x, y=y),
        id=f"{ids}tritton-{middle}{axis}",
    )


@cache
def _coordinates(seat: int) -> tuple[Markup, ...]:
    """Letters where the rows begin, numbers where the lines of equal numbers end."""
    letters = [_coordinate(row, f"{row}1", (-1.0, 0.0), seat) for row in ROWS]
    down, up = (0.5, sqrt(3) / 2), (0.5, -sqrt(3) / 2)
    numbers = [
        _coordinate(dot[1:], dot, down if dot[0] <= "f" else up, seat)
        for dot in DOTS
        if dot[0] in "ak" or dot in LAST_IN_ROW
    ]
    return (*letters, *numbers)


def _coordinate(words: str, dot: str, way: Point, seat: int) -> Markup:
    x, y = (at + TO_COORDINATE * part for at, part in zip(POINTS[dot], way, strict=True))
    x, y = turned((x, y)) if seat else (x, y)
    return label(words, x, y + 6.2, "coordinate")


def _trittons(sides: Sequence[Side], at: Points, ids: str) -> Iterable[Markup]:
    lying = [(place, side.middle) for side in sides for place in side.trittons]
    shadows = "".join(_path(SPOTS[place], at) for place, _ in lying)
    if lying:
        yield element(
            "path",
            class_="shadow",
            d=shadows,
            stroke_width=BAR,
            filter=f"url(#{ids}soft)",
            transform="translate(2 6)",
        )
    for place, middle in lying:
        x, y = at[SPOTS[place][1]]
        yield element("use", href=f"#{ids}tritton-{middle}{place // AREA}", x=x, y=y)


def _last_move(last: str, at: Points) -> Iterable[Markup]:
    """A halo under each tritton that was touched, and an outline where one slid away from."""
    for word in last.split():
        start, _, end = word.partition(">")
        if start in CANONICAL:
            yield element("path", class_="halo", d=_path(SPOTS[CANONICAL[end or start]], at))
            if end:
                yield _outline(SPOTS[CANONICAL[start]], at, BAR, "left")


def _lines_made(position: Position, at: Points) -> Iterable[Markup]:
    for line in map(line_in, position.dots):
        if line:
            yield _outline(line, at, BAR - 4, "line-edge")
            yield _outline(line, at, BAR - 4, "line")


def _outline(names: Sequence[str], at: Points, breadth: float, class_: str) -> Markup:
    """Around adjacent dots on one axis."""
    (x, y), (end_x, end_y) = at[names[0]], at[names[-1]]
    turn = number(degrees(atan2(end_y - y, end_x - x)))
    return element(
        "rect",
        class_=class_,
        x=-breadth / 2,
        y=-breadth / 2,
        width=hypot(end_x - x, end_y - y) + breadth,
        height=breadth,
        rx=breadth / 2,
        transform=f"translate({number(x)} {number(y)}) rotate({turn})",
    )


def _hand(side: Side, is_near: bool, ids: str) -> Iterable[Markup]:
    for count, at in enumerate(PYRAMID[: side.in_hand + len(side.trittons)]):
        there = _in_corner(at, is_near)
        if count < side.in_hand:
            yield element("use", href=f"#{ids}tritton-{side.middle}0", transform=there)
        else:
            yield element("path", class_="entered", d=f"M{-STEP} 0H{STEP}", transform=there)


def _in_corner(at: Point, is_near: bool) -> str:
    x, y = turned(at) if is_near else at
    return f"translate({number(x)} {number(y)}) scale({SMALL})"


def _player(
    position: Position, side: Side, seat: int, ids: str, translate: Translate
) -> Iterable[Markup]:
    is_near = side.seat == seat
    lines = name_of(side.colour, translate), *state_of(position, side, translate)
    yield from hexagon.player(*lines, is_near=is_near)
    yield from _hand(side, is_near, ids)


def _spots(
    position: Position, seat: int, live: frozenset[str], ids: str, translate: Translate
) -> Iterable[Markup]:
    told, taken = dots_told(position, translate), position.dots[0] | position.dots[1]
    for name, dot in DOTS.items():
        class_ = "taken" if dot & taken else ""
        yield _spot(name, seat, class_, name in live, told[name], ids)


@lru_cache(4096)
def _spot(name: str, seat: int, class_: str, live: bool, told: str, ids: str) -> Markup:
    circle = dict(zip(("cx", "cy"), POINTS_BY_SEAT[seat][name], strict=True), r=REACH)
    return spot("circle", name, ids=ids, live=live, label=told, class_=class_, **circle)
