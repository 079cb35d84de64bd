import re
from collections.abc import Iterator, Sequence
from xml.etree import ElementTree

import pytest

from games import pictures
from games.boards.triotrio import describe, draw, text
from games.rules.position import Choice, Translate
from games.rules.triotrio import Position, load, start
from games.rules.triotrio_moves import KIND_NAMES, NAMES, SQUARES, holder_of, squares_in
from tests.boards.random_games import gone_through

SVG = "{http://www.w3.org/2000/svg}"
SEATS = ("yellow", "blue")
YELLOW = "rb1 pd1 sf1"
BLUE = "rf7 pd7 sb7"

Element = ElementTree.Element
Point = tuple[float, float]


def set_up(
    phase: str = "turn",
    *,
    yellow: str = YELLOW,
    blue: str = BLUE,
    seat: int = 0,
    cow: int = 0,
    owes: bool = False,
    thrown_for: str = "roll",
    dice: Sequence[int] = (4,),
    turns: int = 41,
) -> Position:
    return load(
        {
            "turn_limit": 200,
            "turns": turns,
            "seat": seat,
            "phase": phase,
            "yellow": yellow,
            "blue": blue,
            "cow": cow,
            "owes": owes,
            "thrown_for": thrown_for,
            "dice": dice,
        }
    )


def drawn(
    position: Position,
    *,
    seat: int = 0,
    last: str = "",
    choices: Sequence[Choice] = (),
    coordinates: bool = True,
    translate: Translate = str,
) -> Element:
    return ElementTree.fromstring(
        draw(
            position,
            seat=seat,
            last=last,
            choices=choices,
            coordinates=coordinates,
            translate=translate,
        )
    )


def classed(root: Element, name: str) -> list[Element]:
    return [at for at in root.iter() if name in (at.get("class") or "").split()]


def labels(root: Element, class_: str) -> list[str | None]:
    return [at.text for at in classed(root, class_)]


def spot(root: Element, name: str) -> Element:
    return next(at for at in root.iter() if at.get("data-spot") == name)


def middle(at: Element) -> Point:
    """Of a rectangle."""
    x, y, width, height = (float(at.get(name) or 0) for name in ("x", "y", "width", "height"))
    return x + width / 2, y + height / 2


def pieces_in(root: Element) -> dict[Point, tuple[str, str | None]]:
    """Where pieces are drawn: their colours and their letters."""
    found = {}
    for colour in SEATS:
        for piece in classed(root, colour):
            if place := re.fullmatch(r"translate\((\S+) (\S+)\)", piece.get("transform") or ""):
                (letter,) = labels(piece, "letter")
                found[float(place[1]), float(place[2])] = (colour, letter)
    return found


def pieces_of(position: Position) -> dict[str, str]:
    """`b1: yR`: the owner's letter and the kind's."""
    pieces = {}
    for square in squares_in(sum(position.pieces)):
        seat, kind = divmod(holder_of(position.pieces, square), 3)
        pieces[NAMES[square]] = "yb"[seat] + KIND_NAMES[kind][0].upper()
    return pieces


def games() -> Iterator[Position]:
    for seed in range(3):
        for position, _last in gone_through("triotrio", seed, plies=150):
            assert isinstance(position, Position)
            yield position


def pieces_read(written: str) -> dict[str, str]:
    """The pieces, read back from text by their columns."""
    lines = written.splitlines()
    header = next(line for line in lines if line.split() == list("abcdefg"))
    pieces = {}
    for line in lines:
        if re.match(r" [1-7] ", line):
            for column in "abcdefg":
                at = header.index(column)
                piece = line[at - 1 : at + 1]
                if piece.strip(" .PSC"):
                    pieces[column + line[1]] = piece
    return pieces


def test_the_pieces_can_be_read_back_from_text() -> None:
    for position in games():
        assert pieces_read(text(position)) == pieces_of(position)


@pytest.mark.parametrize("seat", [0, 1])
def test_the_pieces_drawn_are_the_pieces(seat: int) -> None:
    for position in list(games())[::5]:
        root = drawn(position, seat=seat)
        places = {middle(at): at.get("data-spot") or "" for at in classed(root, "spot")}
        found = {
            places[place]: colour[0] + (letter or "")
            for place, (colour, letter) in pieces_in(root).items()
        }
        assert found == pieces_of(position)


def test_all_squares_are_spots() -> None:
    spots = [at.get("data-spot") for at in classed(drawn(start({})), "spot")]
    assert spots == list(SQUARES)


@pytest.mark.parametrize("seat", [0, 1])
def test_a_player_sits_below_his_pieces(seat: int) -> None:
    root = drawn(start({}), seat=seat)
    rows = {name: middle(spot(root, name))[1] for name in ("d1", "d7")}
    columns = {name: middle(spot(root, name))[0] for name in ("a4", "g4")}
    assert max(rows, key=rows.__getitem__) == ("d1", "d7")[seat]
    assert min(columns, key=columns.__getitem__) == ("a4", "g4")[seat]


@pytest.mark.parametrize("seat", [0, 1])
def test_the_coordinates_stand_beside_their_rows_and_columns(seat: int) -> None:
    root = drawn(start({}), seat=seat)
    for at in classed(root, "coordinate"):
        x, y, words = float(at.get("x") or 0), float(at.get("y") or 0), at.text or ""
        if words.isdigit():
            assert abs(y - middle(spot(root, f"d{words}"))[1]) < 20
        else:
            assert x == middle(spot(root, f"{words}4"))[0]
    assert sorted(labels(root, "coordinate"), key=str) == sorted("abcdefg1234567" * 2)


def test_there_are_no_coordinates_where_none_are_wanted() -> None:
    assert not classed(drawn(start({}), coordinates=False), "coordinate")


def test_the_shapes_tell_the_owners_apart_without_their_colour() -> None:
    root = drawn(set_up(dice=()))
    shapes = {
        colour: {at.tag for piece in classed(root, colour) for at in classed(piece, "rim")}
        for colour in SEATS
    }
    assert shapes == {"yellow": {f"{SVG}circle"}, "blue": {f"{SVG}polygon"}}


def test_the_cow_and_the_permanents_are_always_there() -> None:
    root = drawn(set_up(yellow="pd4 rb4", blue="rf4"))
    assert middle(classed(root, "cow-tile")[0]) == middle(spot(root, "d4"))
    places = [middle(at) for at in classed(root, "permanent-tile")]
    assert places == [middle(spot(root, "b4")), middle(spot(root, "f4"))]
    assert labels(root, "permanent-letter") == ["P", "S"]


@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_studs_count_how_long_the_cow_is_held(count: int) -> None:
    root = drawn(set_up(yellow="pd4", cow=count))
    assert len(classed(root, "stud")) == 3
    assert len(classed(root, "counted")) == count


def test_a_free_cow_has_no_studs() -> None:
    assert not classed(drawn(set_up()), "stud")


def test_the_last_move_is_framed_at_both_ends() -> None:
    root = drawn(set_up(), last="b1-c4")
    left, reached = classed(root, "last")
    assert (left.get("class"), reached.get("class")) == ("last left", "last")
    assert middle(left) == middle(spot(root, "b1"))
    assert middle(reached) == middle(spot(root, "c4"))


@pytest.mark.parametrize(
    ("last", "square"), [("change f1", "f1"), ("reclaim rock", "d7")], ids=["change", "reclaim"]
)
def test_a_change_and_a_reclaim_are_framed(last: str, square: str) -> None:
    root = drawn(set_up(seat=0), last=last)
    (framed,) = classed(root, "last")
    assert middle(framed) == middle(spot(root, square))
    assert framed.get("class") == "last"


@pytest.mark.parametrize("last", ["roll", "pass", "decline", ""])
def test_nothing_is_framed_where_nothing_moved(last: str) -> None:
    assert not classed(drawn(set_up(), last=last), "last")


@pytest.mark.parametrize(
    ("position", "faces", "caption"),
    [
        (set_up("moving", dice=(5,)), [5], "for a move"),
        (set_up("changed", thrown_for="change b1", dice=(2,)), [2], "to change b1"),
        (set_up(thrown_for="", dice=(6, 1)), [6, 1], "for who begins"),
    ],
)
def test_dice_show_their_faces_and_what_they_were_thrown_for(
    position: Position, faces: list[int], caption: str
) -> None:
    root = drawn(position)
    assert [(at.get("d") or "").count("M") for at in classed(root, "pips")] == faces
    assert labels(root, "caption")[0] == caption


@pytest.mark.parametrize(
    ("position", "dice"),
    [(start({}), 2), (set_up("rolling", dice=()), 1), (set_up("changing", dice=()), 1)],
)
def test_dice_that_are_to_be_thrown_have_their_places(position: Position, dice: int) -> None:
    assert len(classed(drawn(position), "die-awaited")) == dice


def test_equal_dice_stay_until_they_are_thrown_again() -> None:
    root = drawn(start({}).rolled((3, 3)))
    assert len(classed(root, "pips")) == 2
    assert not classed(root, "die-awaited")


@pytest.mark.parametrize(
    ("position", "words", "tokens"),
    [
        (set_up(turns=0), "Turn 1 of 200", ["yellow"]),
        (set_up(turns=41, seat=1), "Turn 42 of 200", ["blue"]),
        (set_up("over", blue="", seat=1), "Yellow has won", ["yellow"]),
        (set_up("over", yellow=""), "Blue has won", ["blue"]),
        (set_up("over", turns=200), "A draw", []),
    ],
)
def test_the_turn_and_whose_it_is_stand_below_the_board(
    position: Position, words: str, tokens: list[str]
) -> None:
    root = drawn(position)
    assert labels(root, "caption")[-1] == words
    groups = [at for colour in SEATS for at in classed(root, colour)]
    assert [at.get("class") for at in groups if not at.get("transform")] == tokens


def test_a_choice_says_what_it_does() -> None:
    turn, moving = set_up(), set_up("moving", yellow="rb1", dice=(1,))
    reclaiming = set_up("reclaiming", yellow="pd4 rb4", cow=3)
    changed = spot(drawn(turn, choices=turn.choices()), "b1")
    started = spot(drawn(moving, choices=moving.choices()), "b1")
    reached = spot(drawn(moving, choices=moving.choices("b1")), "b2")
    reclaimed = spot(drawn(reclaiming, choices=reclaiming.choices()), "d1")
    assert changed.get("aria-label") == "b1: Yellow, rock: change it"
    assert started.get("aria-label") == "b1: Yellow, rock: move it"
    assert reached.get("aria-label") == "b2: move here"
    assert reclaimed.get("aria-label") == "d1: reclaim a piece here"


def test_a_square_tells_what_stands_and_what_is_inlaid_there() -> None:
    root = drawn(set_up(yellow="pd4 sa1", blue="rf4"))
    told = [spot(root, name).findtext(f"{SVG}title") for name in ("a1", "b4", "d4", "f4", "g7")]
    assert told == [
        "a1: Yellow, scissors",
        "b4: permanent paper",
        "d4: the Golden Cow: Yellow, paper",
        "f4: permanent scissors: Blue, rock",
        "g7",
    ]


@pytest.mark.parametrize(
    ("position", "sentence"),
    [
        (start({}), "The dice are to be thrown for who begins."),
        (set_up(seat=1), "Blue may roll, pass or first change a piece."),
        (set_up(yellow="pd4", owes=True), "Yellow must roll, but may first change a piece."),
        (
            set_up("changing", thrown_for="change b1", dice=()),
            "Yellow is to throw to change b1.",
        ),
        (set_up("rolling", dice=()), "Yellow is to throw for a move."),
        (
            set_up("changed", thrown_for="change b1", dice=(2,)),
            "Yellow threw 2 to change b1, and may roll or pass.",
        ),
        (
            set_up("changed", yellow="pd4", owes=True, thrown_for="change d4", dice=(3,)),
            "Yellow threw 3 to change d4, and must roll.",
        ),
        (set_up("moving", dice=(5,)), "Yellow threw 5 and must move a piece so far."),
        (
            set_up("reclaiming", yellow="pd4 rb4", cow=3),
            "Yellow may reclaim a piece, or decline.",
        ),
        (set_up("over", blue=""), "Yellow has won: Blue has no piece left."),
        (set_up("over", turns=200), "A draw: the last turn has been played."),
    ],
)
def test_what_is_next_is_the_last_thing_told(position: Position, sentence: str) -> None:
    assert describe(position).endswith(f". {sentence}")
    assert text(position).endswith(f"\n{sentence}\n")


def test_a_description_says_what_stands_where() -> None:
    assert describe(set_up(yellow="ra1 rg1 se3", blue="")).startswith(
        "Yellow: rock a1, rock g1, scissors e3; Blue: no piece."
    )


@pytest.mark.parametrize(
    ("position", "sentence"),
    [
        (
            set_up(yellow="pd4", cow=2),
            "Yellow is on the Golden Cow, with a count of 2 of 3.",
        ),
        (
            set_up(blue="sd4", owes=True),
            "Blue on the Golden Cow has reclaimed a piece and must leave it.",
        ),
    ],
)
def test_who_holds_the_cow_is_told(position: Position, sentence: str) -> None:
    assert sentence in describe(position)
    assert sentence in text(position).splitlines()


def test_text_tells_the_turn_and_a_throw_that_is_past() -> None:
    written = text(set_up(thrown_for="", dice=(6, 1), turns=0)).splitlines()
    assert "Turn 1 of 200." in written
    assert "Thrown last, for who begins: 6, 1." in written
    assert "Thrown last" not in text(set_up("moving"))


def test_words_on_the_drawing_are_translated() -> None:
    position = set_up()
    root = drawn(position, choices=position.choices(), translate=lambda words: f"<{words}>")
    assert spot(root, "b1").get("aria-label") == "b1: <Yellow>, <rock>: <change it>"
    assert spot(root, "f4").findtext(f"{SVG}title") == "f4: <permanent <scissors>>"
    assert labels(root, "caption") == ["<for a move>", "<Turn 42 of 200>"]


def test_a_picture_has_the_width_asked_for_and_the_drawings_shape() -> None:
    picture = pictures.png(draw(set_up()), width=400, theme="dark")
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = (int.from_bytes(picture[at : at + 4], "big") for at in (16, 20))
    assert (width, height) == (400, 453)
