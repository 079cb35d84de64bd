"""TrioTrio's empty board: where everything is, and what is inlaid before the first piece."""

from collections.abc import Iterator
from functools import lru_cache
from math import cos, pi, sin

from games.boards import dice
from games.boards.svg import SIDE, Markup, element, gradient, joined, label, number, points
from games.boards.triotrio_shapes import KIND_SHAPES, cow
from games.boards.triotrio_words import COLUMNS, KIND_LETTERS
from games.rules.triotrio_moves import CENTRES, COW, PERMANENTS, SQUARES

Point = tuple[float, float]

STEP = 98.0
HALF = STEP / 2
INSIDE = 7 * STEP
EDGE = (SIDE - INSIDE) / 2
MIDDLE = SIDE / 2
PIECE = 41.0
SEATS = ("yellow", "blue")
PAINTS = ("lacquer", "gold", *SEATS, "yellow-rim", "blue-rim")
OCTAGON = tuple((sin((side + 0.5) * pi / 4), cos((side + 0.5) * pi / 4)) for side in range(8))


def _centres(seat: int) -> dict[int, Point]:
    """Where each square's middle is when this seat sits at the bottom."""
    centres = {}
    for name, square in SQUARES.items():
        column, row = COLUMNS.index(name[0]), 7 - int(name[1])
        if seat == 1:
            column, row = 6 - column, 6 - row
        centres[square] = EDGE + STEP * (column + 0.5), EDGE + STEP * (row + 0.5)
    return centres


SEEN_FROM = (_centres(0), _centres(1))


@lru_cache(maxsize=64)
def table(seat: int, ids: str, coordinates: bool) -> Markup:
    """All that lies there whatever the position is."""
    centres = SEEN_FROM[seat]
    return joined(
        (
            _paints(ids),
            _frame(ids),
            _squares(centres),
            _grid(),
            *_inlaid(centres, ids),
            *(_coordinates(seat) if coordinates else ()),
        )
    )


def outline(seat: int, x: float, y: float, radius: float, **attributes: object) -> Markup:
    """The shape that tells the seats apart: round, or eight-sided."""
    if seat == 0:
        return element("circle", cx=x, cy=y, r=radius, **attributes)
    reach = radius * 1.06
    corners = points((x + reach * across, y + reach * down) for across, down in OCTAGON)
    return element("polygon", points=corners, **attributes)


def at(x: float, y: float, *children: Markup, class_: str) -> Markup:
    return element("g", *children, class_=class_, transform=f"translate({number(x)} {number(y)})")


def tile(x: float, y: float, side: float, rx: float, **attributes: object) -> Markup:
    half = side / 2
    return element("rect", x=x - half, y=y - half, width=side, height=side, rx=rx, **attributes)


def _paints(ids: str) -> Markup:
    slant = {"x1": 0, "y1": 0, "x2": 1, "y2": 1}
    return element(
        "defs",
        dice.paints(ids),
        *(
            gradient(
                "linear", ids + paint, (0.0, f"{paint}-lit"), (1.0, f"{paint}-shaded"), **slant
            )
            for paint in PAINTS
        ),
    )


def _frame(ids: str) -> Markup:
    return element(
        "g",
        tile(MIDDLE, MIDDLE + 5, 780, 30, class_="frame-shadow"),
        tile(MIDDLE, MIDDLE, 780, 30, class_="frame", fill=f"url(#{ids}lacquer)"),
        tile(MIDDLE, MIDDLE, INSIDE + 16, 6, class_="golden-line"),
    )


def _squares(centres: dict[int, Point]) -> Markup:
    """Light and dark by turns: scissors never leave their shade."""
    return element(
        "g",
        tile(MIDDLE, MIDDLE, INSIDE, 2, class_="dark-square"),
        element(
            "path",
            class_="light-square",
            d="".join(
                f"M{number(x - HALF)} {number(y - HALF)}h{STEP:g}v{STEP:g}h-{STEP:g}z"
                for x, y in list(centres.values())[::2]
            ),
        ),
    )


def _grid() -> Markup:
    """Golden lines between the squares, and the step down from the frame."""
    lines = [EDGE + STEP * place for place in range(1, 7)]
    far = number(INSIDE)
    across = "".join(f"M{number(EDGE)} {number(line)}h{far}" for line in lines)
    down = "".join(f"M{number(line)} {number(EDGE)}v{far}" for line in lines)
    return element(
        "g",
        element("path", class_="hairline", d=across + down),
        tile(MIDDLE, MIDDLE, INSIDE + 2, 3, class_="recess"),
    )


def _inlaid(centres: dict[int, Point], ids: str) -> Iterator[Markup]:
    """What is always there: the Cow, the permanents, and where pieces are reclaimed."""
    x, y = centres[COW]
    yield tile(x, y, STEP - 6, 10, class_="cow-tile", fill=f"url(#{ids}gold)")
    yield at(x, y, cow(), class_="cow")
    for kind, permanent in PERMANENTS.items():
        x, y = centres[permanent]
        yield tile(x, y, STEP - 10, 8, class_="permanent-tile")
        yield tile(x, y, STEP - 20, 5, class_="golden-line")
        yield at(x, y, KIND_SHAPES[kind](), class_="permanent")
        yield label(KIND_LETTERS[kind], x - 29, y - 21, "permanent-letter")
    for seat, home in enumerate(CENTRES):
        yield outline(seat, *centres[home], PIECE - 6, class_="home")


def _coordinates(seat: int) -> Iterator[Markup]:
    columns = COLUMNS if seat == 0 else COLUMNS[::-1]
    rows = "7654321" if seat == 0 else "1234567"
    for place, (column, row) in enumerate(zip(columns, rows, strict=True)):
        middle = EDGE + STEP * (place + 0.5)
        for line in (38, SIDE - 22):
            yield label(column, middle, line, "coordinate")
        for line in (29, SIDE - 29):
            yield label(row, line, middle + 10, "coordinate")
