"""The board of Tri-Trac: felt in a hexagon of wood, and lacquered triangles with rails of brass."""

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache

from games.boards import hexagon
from games.boards.hexagon import Point, turned
from games.boards.svg import (
    Markup,
    element,
    gradient,
    joined,
    label,
    number,
    picture,
    points,
    spot,
    spots_of,
)
from games.boards.tri_trac_shapes import EDGE, RISE, SAMPLE, SHAPES, Shape
from games.boards.tri_trac_words import (
    describe,
    lays_of,
    name_of,
    spaces_told,
    state_of,
    text,
    tracks_told,
)
from games.rules.position import Choice, Translate
from games.rules.tri_trac import IN_HAND, NEUTRAL, RULESET, TriTrac
from games.rules.tri_trac_board import (
    ARROWS,
    BEHIND,
    CENTRE_SPACES,
    DARK_ARROWS,
    LAYS,
    SPACES,
    Door,
    Lay,
)

__all__ = ["describe", "draw", "text"]

OWNERS = ("orange", "yellow", "white")
BARRED = 3
"""The white triangle while it may not be touched."""

PIECE = 0.93
"""How much of its space a triangle fills."""
TO_NAME, TO_MARK = EDGE * 0.235, EDGE * 0.735
"""From the corner that a track goes around, to either side of the track."""
ARROW_TIP, ARROW_BASE, ARROW_HALF = RISE + 10, RISE + 35, 21.0

SMALL = 0.265
PYRAMID = [(47 + 51 * column, 32 + 44 * row) for row in (0, 1) for column in range(4 - row)]
BESIDE_PYRAMID = (47, 120)
"""Where the triangles in hand lie, measured from the corner, and where at first the white one."""

MARKS = (
    element("circle", r=9),
    element("path", d="M0-11L11 0 0 11-11 0z"),
    element("circle", class_="open-mark", r=8),
    joined(
        (
            element("path", d="M-9-1H9V11H-9z"),
            element("path", class_="open-mark", d="M-5.5-1V-5a5.5 5.5 0 0 1 11 0v4"),
        )
    ),
)
"""A sign for each colour, and a lock for the white triangle that is barred."""


def draw(
    position: TriTrac,
    *,
    seat: int = 0,
    last: str = "",
    choices: Sequence[Choice] = (),
    ids: str = "",
    coordinates: bool = True,
    translate: Translate = str,
) -> str:
    live = spots_of(choices)
    return picture(
        f"hexagon {RULESET.key}",
        _definitions(ids),
        *hexagon.BOARD,
        hexagon.shaded(ids, *_spaces(seat, coordinates)),
        *_arrows(seat),
        *_triangles(position, seat, coordinates, ids),
        *_last_move(last, seat),
        *_winning_track(position, seat),
        *_player(position, 0, seat, ids, translate),
        *_player(position, 1, seat, ids, translate),
        *_spots(position, seat, live, ids, translate),
        title=RULESET.name,
        description=describe(position, translate=translate),
        ids=ids,
        live=bool(live),
    )


@lru_cache(64)
def _definitions(ids: str) -> Markup:
    lacquers = (
        gradient(
            "linear",
            f"{ids}{name}-lacquer",
            (0.0, f"{name}-light"),
            (1.0, name),
            x1=0.1,
            y1=0,
            x2=0.7,
            y2=1,
        )
        for name in OWNERS
    )
    return element("defs", *hexagon.definitions(ids), *lacquers)


@cache
def _spaces(seat: int, coordinates: bool) -> tuple[Markup, ...]:
    """The felt with its seams, and the names of the spaces."""
    names = [_name(space, SHAPES[seat][space]["we"].middle, "space-name") for space in SPACES]
    return (*(_felt(space, seat) for space in SPACES), *(names if coordinates else ()))


def _felt(space: str, seat: int) -> Markup:
    shape = SHAPES[seat][space]["we"]
    part = "centre" if space in CENTRE_SPACES else "outer"
    way = "up" if shape.corner[1] < shape.foot[1] else "down"
    return element("polygon", class_=f"felt {part}-{way}", points=points(shape))


def _name(space: str, at: Point, class_: str) -> Markup:
    return label(space, at[0], at[1] + 6, class_)


@cache
def _arrows(seat: int) -> tuple[Markup, ...]:
    return tuple(_arrow(space, side, seat) for space, side in ARROWS.items())


def _arrow(space: str, side: str, seat: int) -> Markup:
    """In the frame, pointing inwards at the side by which a track comes in."""
    shade = "dark" if space in DARK_ARROWS else "light"
    across = next(track for track in SHAPES[seat][space] if side not in track)
    shape = SHAPES[seat][space][across]
    base, part = shape.from_corner(ARROW_BASE), ARROW_HALF / EDGE
    x, y = (part * (end - start) for start, end in zip(shape.second, shape.third, strict=True))
    wings = (base[0] - x, base[1] - y), (base[0] + x, base[1] + y)
    outline = points((shape.from_corner(ARROW_TIP), *wings))
    return element("polygon", class_=f"arrow {shade}-arrow", points=outline)


def _triangles(position: TriTrac, seat: int, coordinates: bool, ids: str) -> Iterable[Markup]:
    laid = [(lay, owner) for owner in range(3) for lay in lays_of(position, owner)]
    if laid:
        yield element(
            "g",
            *(_shadow(lay.space, seat) for lay, _ in laid),
            class_="shadow",
            filter=f"url(#{ids}soft)",
            transform="translate(2 6)",
        )
    for lay, owner in laid:
        look = BARRED if owner == NEUTRAL and position.barred else owner
        yield _laid(lay, look, seat, coordinates, ids)


@cache
def _shadow(space: str, seat: int) -> Markup:
    return element("polygon", points=SHAPES[seat][space]["we"].scaled(PIECE))


@lru_cache(1024)
def _laid(lay: Lay, look: int, seat: int, coordinates: bool, ids: str) -> Markup:
    shape = SHAPES[seat][lay.space][lay.track]
    name = _name(lay.space, shape.from_corner(TO_NAME), "triangle-name") if coordinates else ""
    return joined((*_triangle(shape, look, ids), name))


def _triangle(shape: Shape, look: int, ids: str) -> Iterable[Markup]:
    name, outline = OWNERS[min(look, NEUTRAL)], shape.scaled(PIECE)
    yield element("polygon", class_=f"edge {name}-edge", points=outline)
    yield element("polygon", fill=f"url(#{ids}{name}-lacquer)", points=outline)
    yield element("polygon", class_="gloss", points=shape.scaled(PIECE - 0.04))
    yield from _track(shape)
    yield element("g", MARKS[look], class_="mark", transform=_moved(shape.from_corner(TO_MARK)))


def _track(shape: Shape) -> Iterable[Markup]:
    for class_ in ("bed", "rails", "between-rails"):
        yield element("path", class_=class_, d=shape.track())


def _moved(at: Point) -> str:
    return f"translate({number(at[0])} {number(at[1])})"


def _last_move(last: str, seat: int) -> Iterable[Markup]:
    """An outline of the triangle that was touched, and a broken one where it came from."""
    if not last:
        return
    _verb, *left, space, track = last.split()
    for origin in left:
        outline = SHAPES[seat][origin]["we"].scaled(0.86)
        yield element("polygon", class_="left", points=outline)
    shape = SHAPES[seat][space][track]
    yield element("polygon", class_="last-edge", points=shape.scaled(PIECE))
    yield element("polygon", class_="last", points=shape.scaled(PIECE))
    yield from _track(shape)


def _winning_track(position: TriTrac, seat: int) -> Iterable[Markup]:
    for lay in _complete_track(position):
        yield element("path", class_="won", d=SHAPES[seat][lay.space][lay.track].track())


def _complete_track(position: TriTrac) -> list[Lay]:
    """The triangles that lead from one arrow to another, if some do."""
    lying = {lay.bit: lay for owner in range(3) for lay in lays_of(position, owner)}
    return next(filter(None, (_way_from(arrow, lying) for arrow in ARROWS.items())), [])


def _way_from(arrow: Door, lying: dict[int, Lay]) -> list[Lay]:
    way: list[Lay] = []
    door: Door | None = arrow
    while door:
        onward = [(lying[bit], beyond) for bit, beyond in BEHIND[door] if bit in lying]
        if not onward:
            return []
        lay, door = onward[0]
        way.append(lay)
    return way


def _player(
    position: TriTrac, owner: int, seat: int, ids: str, translate: Translate
) -> Iterable[Markup]:
    is_near = owner == seat
    lines = name_of(owner, translate), *state_of(position, owner, translate)
    yield from hexagon.player(*lines, is_near=is_near)
    yield _hand(owner, position.in_hand(owner), is_near, ids)
    if owner == 0 and position.ply == 0:
        yield _in_hand(NEUTRAL, BESIDE_PYRAMID, is_near, ids)


@lru_cache(256)
def _hand(owner: int, count: int, is_near: bool, ids: str) -> Markup:
    here = [_in_hand(owner, at, is_near, ids) for at in PYRAMID[:count]]
    gone = [_gone(at, is_near) for at in PYRAMID[count:IN_HAND]]
    return joined((*here, *gone))


def _in_hand(owner: int, at: Point, is_near: bool, ids: str) -> Markup:
    return element("g", *_triangle(SAMPLE, owner, ids), transform=_in_corner(at, is_near))


def _gone(at: Point, is_near: bool) -> Markup:
    outline = SAMPLE.scaled(PIECE)
    return element("polygon", class_="gone", points=outline, transform=_in_corner(at, is_near))


def _in_corner(at: Point, is_near: bool) -> str:
    return f"{_moved(turned(at) if is_near else at)} scale({SMALL})"


def _spots(
    position: TriTrac, seat: int, live: frozenset[str], ids: str, translate: Translate
) -> Iterable[Markup]:
    told = spaces_told(position, translate)
    for space in SPACES:
        yield _space_spot(space, seat, space in live, told[space], ids)
    tracks = tracks_told(translate)
    for lay in LAYS:
        name = f"{lay.space}.{lay.track}"
        if name in live:
            yield from _track_spot(lay, name, seat, tracks[name], ids)


@lru_cache(1024)
def _space_spot(space: str, seat: int, live: bool, told: str, ids: str) -> Markup:
    outline = SHAPES[seat][space]["we"].scaled(0.9)
    return spot("polygon", space, ids=ids, live=live, label=told, points=outline)


def _track_spot(lay: Lay, name: str, seat: int, told: str, ids: str) -> Iterable[Markup]:
    shape = SHAPES[seat][lay.space][lay.track]
    outline = shape.kite(0.92)
    yield spot("polygon", name, ids=ids, live=True, label=told, class_="track", points=outline)
    yield element("path", class_="preview", d=shape.track())
