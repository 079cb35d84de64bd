"""The board of TrioTrio: green lacquer with golden lines, and pieces round or eight-sided."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from games.boards import dice
from games.boards.svg import Markup, element, joined, label, picture, spot
from games.boards.triotrio_ground import (
    HALF,
    PIECE,
    SEATS,
    SEEN_FROM,
    STEP,
    Point,
    at,
    outline,
    table,
    tile,
)
from games.boards.triotrio_shapes import KIND_SHAPES
from games.boards.triotrio_words import (
    KIND_LETTERS,
    describe,
    kind_name,
    name_of,
    text,
    thrown_for,
    turn_number,
    verdict,
)
from games.rules.position import Choice, Outcome, Roll, Translate
from games.rules.triotrio import COW_COUNT, RULESET, Position
from games.rules.triotrio_moves import (
    CENTRES,
    COW,
    KINDS,
    NAMES,
    PERMANENTS,
    SQUARES,
    holder_of,
    squares_in,
)

__all__ = ["describe", "draw", "text"]

HEIGHT = 906
STRIP = 848.0
"""The middle line of what lies below the board: the die, the turn and whose it is."""


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
    centres = SEEN_FROM[seat]
    return picture(
        RULESET.key,
        table(seat, ids, coordinates),
        *_last(position, last, centres),
        *_pieces(position, centres, ids),
        *_count(position, centres),
        *_throw(position, ids, translate),
        *_turn(position, ids, translate),
        *_spots(position, choices, centres, ids, translate),
        title=RULESET.name,
        description=describe(position, translate=translate),
        ids=ids,
        live=bool(choices),
        height=HEIGHT,
    )


def _last(position: Position, last: str, centres: dict[int, Point]) -> Iterator[Markup]:
    """A broken frame where the last move began, a whole one where it ended."""
    start, _, target = last.removeprefix("change ").partition("-")
    if last.startswith("reclaim"):
        start = NAMES[CENTRES[1 - position.seat]]
    for name, class_ in ((start, "last left" if target else "last"), (target, "last")):
        if name in SQUARES:
            yield tile(*centres[SQUARES[name]], STEP - 6, 6, class_=class_)


def _pieces(position: Position, centres: dict[int, Point], ids: str) -> Iterator[Markup]:
    for index, mask in enumerate(position.pieces):
        for square in squares_in(mask):
            yield at(*centres[square], _piece(index, ids), class_=SEATS[index // 3])


@lru_cache(maxsize=256)
def _piece(index: int, ids: str) -> Markup:
    """A picture and a letter tell the kind."""
    seat, kind = divmod(index, 3)
    return joined(
        (
            outline(seat, 0, 5, PIECE, class_="piece-shadow"),
            outline(seat, 0, 0, PIECE, class_="rim", fill=f"url(#{ids}{SEATS[seat]}-rim)"),
            outline(seat, 0, 0, PIECE - 6, class_="face", fill=f"url(#{ids}{SEATS[seat]})"),
            at(-2, -3, KIND_SHAPES[kind](), class_="kind"),
            element("circle", class_="badge", cx=27, cy=25, r=15),
            label(KIND_LETTERS[kind], 27, 33, "letter"),
        )
    )


def _count(position: Position, centres: dict[int, Point]) -> Iterator[Markup]:
    """How long the Cow has been held: studs along the edge of her square."""
    if not COW & sum(position.pieces):
        return
    x, y = centres[COW]
    for place in range(COW_COUNT):
        class_ = "stud counted" if place < position.cow else "stud"
        yield element("circle", class_=class_, cx=x - HALF + 14, cy=y + 34 - 18 * place, r=7)


def _throw(position: Position, ids: str, translate: Translate) -> Iterator[Markup]:
    """The last throw, or the one to come, and what it is for."""
    awaited = position.awaiting
    count = awaited.dice if isinstance(awaited, Roll) else len(position.dice)
    for place in range(count):
        x = 56 + 77.0 * place
        if place < len(position.dice):
            yield dice.cube(position.dice[place], x, STRIP, 68, ids=ids)
            if count == 2:
                yield _token(place, x + 30, STRIP - 28, 10, ids)
        else:
            yield dice.unthrown(x, STRIP, 68)
    if count:
        x = 30 + 77.0 * count
        yield label(thrown_for(position, translate), x, STRIP + 10, "caption", "start")


def _turn(position: Position, ids: str, translate: Translate) -> Iterator[Markup]:
    """Which turn it is and whose, or who has won."""
    outcome = position.awaiting
    seat: int | None = position.seat
    if isinstance(outcome, Outcome):
        words = verdict(outcome, translate)
        seat = outcome.scores.index(1.0) if 1.0 in outcome.scores else None
    else:
        words = translate("Turn {turn} of {limit}").format(
            turn=turn_number(position), limit=position.turn_limit
        )
    yield label(words, 722, STRIP + 10, "caption", "end")
    if seat is not None:
        yield _token(seat, 757, STRIP, 23, ids)


def _token(seat: int, x: float, y: float, radius: float, ids: str) -> Markup:
    """The shape and colour of a seat."""
    shape = outline(seat, x, y, radius, class_="rim", fill=f"url(#{ids}{SEATS[seat]})")
    return element("g", shape, class_=SEATS[seat])


def _spots(
    position: Position,
    choices: Sequence[Choice],
    centres: dict[int, Point],
    ids: str,
    translate: Translate,
) -> Iterator[Markup]:
    acts = {name: choice.token for choice in choices for name in choice.spots}
    contents = _contents(position, translate)
    for name, square in SQUARES.items():
        words = ": ".join((name, *contents.get(square, ())))
        if name in acts:
            words = f"{words}: {_act(acts[name], translate)}"
        vacant = not square & sum(position.pieces)
        yield _spot(name, centres[square], words, name in acts, vacant, ids)


@lru_cache(maxsize=8192)
def _spot(name: str, centre: Point, words: str, live: bool, vacant: bool, ids: str) -> Markup:
    x, y = centre
    return spot(
        "rect",
        name,
        ids=ids,
        live=live,
        label=words,
        class_="vacant" if vacant else "",
        x=x - HALF + 3,
        y=y - HALF + 3,
        width=STEP - 6,
        height=STEP - 6,
        rx=8,
    )


def _act(token: str, translate: Translate) -> str:
    if token.startswith("change"):
        return translate("change it")
    if token.startswith("reclaim"):
        return translate("reclaim a piece here")
    if token.startswith("-"):
        return translate("move here")
    return translate("move it")


def _contents(position: Position, translate: Translate) -> dict[int, tuple[str, ...]]:
    """What stands on squares and what is inlaid there, as words."""
    kinds = [kind_name(kind, translate) for kind in KINDS]
    contents: dict[int, tuple[str, ...]] = {COW: (translate("the Golden Cow"),)}
    for kind, square in PERMANENTS.items():
        contents[square] = (translate("permanent {kind}").format(kind=kinds[kind]),)
    for square in squares_in(sum(position.pieces)):
        seat, kind = divmod(holder_of(position.pieces, square), 3)
        piece = f"{name_of(seat, translate)}, {kinds[kind]}"
        contents[square] = (*contents.get(square, ()), piece)
    return contents
