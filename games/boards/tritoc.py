"""The board of Tritoc: nine plaques of maple set in walnut, drilled for pegs of red and yellow."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from games.boards import dice
from games.boards.svg import Markup, element, label, picture, spot
from games.boards.tritoc_ground import (
    CENTRES,
    CLOSED_LABELS,
    EMPTY_HOLES,
    HOLE,
    OPEN_LABELS,
    PLAQUE,
    SEATS,
    TACKS,
    Point,
    cross,
    field_centre,
    square,
    table,
)
from games.boards.tritoc_words import describe, name_of, text, verdict
from games.rules.position import Choice, Outcome, Roll, Translate, Turn
from games.rules.tritoc import (
    ALL_NINE,
    COLUMNS,
    DIAGONALS,
    FIELDS,
    HOLES,
    OPEN_HOLES,
    ROWS,
    RULESET,
    Tritoc,
    each_bit,
)

__all__ = ["describe", "draw", "text"]

HEIGHT = 906
STRIP = 848.0
"""The middle line of what lies below the board: the dice and who has won how many fields."""

PEG = 27.0
INLAY = PLAQUE / 2 - 22
LINES = ROWS + COLUMNS + DIAGONALS


def draw(
    position: Tritoc,
    *,
    seat: int = 0,
    last: str = "",
    choices: Sequence[Choice] = (),
    ids: str = "",
    coordinates: bool = True,
    translate: Translate = str,
) -> str:
    """The board lies the same way for both, as its labels do; a seat's own score comes first."""
    return picture(
        RULESET.key,
        table(ids),
        *(_plaque(field, *_wood(position, field), ids) for field in FIELDS),
        element("g", EMPTY_HOLES, class_="holes", fill=f"url(#{ids}hole)"),
        *_rods(position),
        *_labels(position),
        *([TACKS] if coordinates else ()),
        *(_pegs(position, owner, ids) for owner in (0, 1)),
        *_last(last),
        *_throws(position, ids),
        *_verdict(position, translate),
        *_scores(position, seat, ids),
        *_spots(position, choices, ids, translate),
        title=RULESET.name,
        description=describe(position, translate=translate),
        ids=ids,
        live=bool(choices),
        height=HEIGHT,
    )


def _wood(position: Tritoc, field: int) -> tuple[str, str]:
    """What a field is made of, and whose it is."""
    for seat, colour in enumerate(SEATS):
        if position.won[seat] >> field & 1:
            return f"{colour}-field", colour
    return "ash" if position.closed >> field & 1 else "maple", ""


@lru_cache(maxsize=1024)
def _plaque(field: int, wood: str, owner: str, ids: str) -> Markup:
    x, y = field_centre(field)
    return element(
        "g",
        square(x, y, PLAQUE, 16, class_="plaque", fill=f"url(#{ids}{wood})"),
        square(x, y, PLAQUE - 4, 14, fill=f"url(#{ids}grain)"),
        *_inlay(owner, x, y),
        square(x, y - 1, PLAQUE - 5, 14, class_="bevel"),
    )


def _inlay(owner: str, x: float, y: float) -> Iterator[Markup]:
    """The winner's mark, as wide as the field, under its holes."""
    if owner == "red":
        yield element("path", class_="red-inlay", d=cross(x, y, INLAY))
    if owner == "yellow":
        yield element("circle", class_="yellow-inlay", cx=x, cy=y, r=INLAY - 11)


def _rods(position: Tritoc) -> Iterator[Markup]:
    """Brass under the threes that won a field, and around the fields that won the game."""
    for owner in (0, 1):
        for field in each_bit(position.won[owner]):
            shift = 9 * (field.bit_length() - 1)
            for line in _lines_in(position.pieces[owner] >> shift & ALL_NINE):
                ends = each_bit(line)
                yield from _rod(CENTRES[ends[0] << shift], CENTRES[ends[-1] << shift])
        for line in _lines_in(position.won[owner]):
            for field in each_bit(line):
                centre = field_centre(field.bit_length() - 1)
                yield square(*centre, PLAQUE + 5, 18, class_="victory")


def _lines_in(nine: int) -> list[int]:
    return [line for line in LINES if nine & line == line]


def _rod(start: Point, end: Point) -> Iterator[Markup]:
    for class_ in ("rod-edge", "rod"):
        yield element("line", class_=class_, x1=start[0], y1=start[1], x2=end[0], y2=end[1])


def _labels(position: Tritoc) -> Iterator[Markup]:
    taken = position.pieces[0] | position.pieces[1]
    open_holes = OPEN_HOLES[position.closed]
    for hole in CENTRES:
        if not hole & taken:
            yield (OPEN_LABELS if hole & open_holes else CLOSED_LABELS)[hole]


def _peg(owner: int, x: float, y: float) -> Markup:
    """A cross marks Red's, a ring Yellow's; the group around it lends the paint."""
    if owner == 0:
        mark = element("path", class_="mark", d=cross(x, y, 9))
    else:
        mark = element("circle", class_="mark", cx=x, cy=y, r=11)
    return Markup(element("circle", class_="peg", cx=x, cy=y, r=PEG) + mark)


PEGS = [{hole: _peg(owner, *centre) for hole, centre in CENTRES.items()} for owner in (0, 1)]


def _pegs(position: Tritoc, owner: int, ids: str) -> Markup:
    return _painted(owner, ids, *(PEGS[owner][hole] for hole in each_bit(position.pieces[owner])))


def _painted(owner: int, ids: str, *pegs: Markup) -> Markup:
    return element("g", *pegs, class_=SEATS[owner], fill=f"url(#{ids}{SEATS[owner]})")


def _last(last: str) -> Iterator[Markup]:
    """A bright ring around the hole that was filled, a broken one around an emptied one."""
    hole = HOLES.get(last.removeprefix("x"))
    if hole:
        x, y = CENTRES[hole]
        class_ = "last emptied" if last.startswith("x") else "last"
        yield element("circle", class_=class_, cx=x, cy=y, r=HOLE + 3)


def _throws(position: Tritoc, ids: str) -> Iterator[Markup]:
    """This turn's throws from the left: the fruitless ones small, then the one that counts."""
    x = 22.0
    is_turn = isinstance(position.awaiting, Turn)
    for throw in position.throws[:-1] if is_turn else position.throws:
        for face in throw:
            yield _die(throw, face, x, 42, ids, "fruitless")
            x += 47
        x += 12
    if is_turn:
        throw = position.throws[-1]
        for face in throw:
            yield _die(throw, face, x, 68, ids)
            x += 77
        yield label(f"= {position.total}", x + 4, STRIP + 15, "total", "start")
    elif isinstance(position.awaiting, Roll):
        for place in range(position.awaiting.dice):
            yield dice.unthrown(x + 34 + 77 * place, STRIP, 68)


def _die(
    throw: tuple[int, ...], face: int, left: float, size: float, ids: str, class_: str = ""
) -> Markup:
    shape = dice.cube if len(throw) == 2 else dice.gem
    return shape(face, left + size / 2, STRIP, size, ids=ids, class_=class_)


def _verdict(position: Tritoc, translate: Translate) -> Iterator[Markup]:
    """In the place of the dice, once there are no more."""
    if isinstance(position.awaiting, Outcome):
        yield label(verdict(position.awaiting, translate), 22, STRIP + 13, "verdict", "start")


def _scores(position: Tritoc, seat: int, ids: str) -> Iterator[Markup]:
    """A peg and the number of fields won for each seat; a line under who is to move or has won."""
    for x, owner in ((600.0, seat), (712.0, 1 - seat)):
        yield _painted(owner, ids, _peg(owner, x, STRIP))
        yield label(str(position.won[owner].bit_count()), x + 40, STRIP + 15, "total", "start")
        if _is_marked(position, owner):
            line = STRIP + 42
            yield element("line", class_="marked", x1=x - 27, y1=line, x2=x + 66, y2=line)


def _is_marked(position: Tritoc, owner: int) -> bool:
    if isinstance(position.awaiting, Outcome):
        return position.awaiting.scores[owner] == 1.0
    return position.seat == owner


def _spots(
    position: Tritoc, choices: Sequence[Choice], ids: str, translate: Translate
) -> Iterator[Markup]:
    acts = {name: choice.token for choice in choices for name in choice.spots}
    owners = (f": {name_of(0, translate)}", f": {name_of(1, translate)}")
    red, yellow = position.pieces
    for name, hole in HOLES.items():
        if name in acts:
            yield _spot(name, _act(acts[name], translate).format(hole=name), True, ids)
        else:
            owner = owners[0] if hole & red else owners[1] if hole & yellow else ""
            yield _spot(name, name + owner, False, ids)


@lru_cache(maxsize=8192)
def _spot(name: str, words: str, live: bool, ids: str) -> Markup:
    x, y = CENTRES[HOLES[name]]
    return spot("circle", name, ids=ids, live=live, label=words, cx=x, cy=y, r=HOLE + 4)


def _act(token: str, translate: Translate) -> str:
    if token.startswith("x"):
        return translate("{hole}: remove the piece")
    return translate("{hole}: put a piece here")
