import re
from collections import Counter
from collections.abc import Iterator
from xml.etree import ElementTree

import pytest

from games import pictures
from games.boards.tritoc import describe, draw, text
from games.rules.position import Choice, Translate
from games.rules.tritoc import HOLES, Tritoc, load, pictured, start
from tests.boards.random_games import gone_through

SVG = "{http://www.w3.org/2000/svg}"
EMPTY = "........."
FULL = "ryrryyyry"
RED_ROW = "rrr......"
YELLOW_ROW = "yyy......"

Element = ElementTree.Element


def laid_out(
    *fields: str, seat: int = 0, throws: tuple[tuple[int, ...], ...] = (), passes: int = 0
) -> Tritoc:
    """These fields, and empty ones after them."""
    board = " ".join(fields + (EMPTY,) * (9 - len(fields)))
    dice = "equal" if throws and len(throws[0]) == 1 else "standard"
    return load({"dice": dice, "board": board, "seat": seat, "throws": throws, "passes": passes})


def drawn(
    position: Tritoc,
    *,
    seat: int = 0,
    last: str = "",
    choices: tuple[Choice, ...] | list[Choice] = (),
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


def where(at: Element) -> tuple[str | None, str | None]:
    return at.get("cx"), at.get("cy")


def spot(root: Element, name: str) -> Element:
    return next(at for at in root.iter() if at.get("data-spot") == name)


def games() -> Iterator[Tritoc]:
    for seed in range(3):
        for position, _last in gone_through("tritoc", seed, plies=200):
            assert isinstance(position, Tritoc)
            yield position


def holes_in(written: str) -> str:
    """The board as it is stored, read back from text."""
    rows = [line for line in written.splitlines() if re.fullmatch(r"[\dRY |]+", line)]
    rows = [line for line in rows if len(line.replace("|", " ").split()) == 9]
    fields = [""] * 9
    for number, row in enumerate(rows):
        for place, holes in enumerate(row.split("|")):
            field = 3 * (number // 3) + place
            for hole in holes.split():
                label = len(fields[field]) + 3
                assert hole in ("R", "Y", str(label))
                fields[field] += {"R": "r", "Y": "y"}.get(hole, ".")
    return " ".join(fields)


def test_the_pieces_can_be_read_back_from_text() -> None:
    for position in games():
        assert holes_in(text(position)) == pictured(position.pieces)


def test_the_pegs_drawn_are_the_pieces() -> None:
    for position in list(games())[::9]:
        root = drawn(position)
        for seat, colour in enumerate(("red", "yellow")):
            on_board = classed(root, colour)[0]
            holes = {where(at) for at in classed(on_board, "peg")}
            mask = position.pieces[seat]
            spots = {where(spot(root, name)) for name, hole in HOLES.items() if hole & mask}
            assert holes == spots


def test_all_eighty_one_holes_are_spots() -> None:
    spots = [at.get("data-spot") for at in classed(drawn(start({})), "spot")]
    assert spots == list(HOLES)


def test_a_free_hole_shows_its_label_and_a_taken_one_does_not() -> None:
    shown = Counter(labels(drawn(laid_out("r........")), "hole-label"))
    assert shown == Counter({"3": 8} | {str(label): 9 for label in range(4, 12)})


def test_a_closed_field_shows_its_labels_faintly() -> None:
    root = drawn(laid_out(RED_ROW))
    assert labels(root, "closed-label") == ["6", "7", "8", "9", "10", "11"]


def test_the_marks_tell_the_pegs_apart_without_their_colour() -> None:
    root = drawn(laid_out("ry......."))
    red, yellow = classed(root, "red")[0], classed(root, "yellow")[0]
    assert [at.tag for at in classed(red, "mark")] == [f"{SVG}path"]
    assert [at.tag for at in classed(yellow, "mark")] == [f"{SVG}circle"]


def test_a_won_field_bears_the_winners_mark() -> None:
    root = drawn(laid_out(RED_ROW, YELLOW_ROW))
    assert len(classed(root, "red-inlay")) == 1
    assert len(classed(root, "yellow-inlay")) == 1
    assert len(classed(root, "rod")) == 2


def test_a_field_says_by_its_wood_whether_it_is_open_full_or_won() -> None:
    root = drawn(laid_out(FULL, RED_ROW, YELLOW_ROW))
    woods = [at.get("fill") for at in classed(root, "plaque")]
    assert woods == ["url(#ash)", "url(#red-field)", "url(#yellow-field)"] + ["url(#maple)"] * 6


def test_the_fields_that_won_the_game_are_framed() -> None:
    assert len(classed(drawn(laid_out(*[YELLOW_ROW] * 3)), "victory")) == 3
    assert not classed(drawn(laid_out(*[YELLOW_ROW] * 2)), "victory")


def test_the_fields_have_numbers_unless_they_are_not_wanted() -> None:
    assert labels(drawn(start({})), "field-label") == list("123456789")
    assert not classed(drawn(start({}), coordinates=False), "field-label")


@pytest.mark.parametrize(
    ("last", "classes"), [("5.7", "last"), ("x5.7", "last emptied")], ids=["put", "removed"]
)
def test_the_last_move_is_ringed(last: str, classes: str) -> None:
    root = drawn(start({}), last=last)
    (ring,) = classed(root, "last")
    assert where(ring) == where(spot(root, "5.7"))
    assert ring.get("class") == classes


def test_nothing_is_ringed_after_keep() -> None:
    assert not classed(drawn(start({}), last="keep"), "last")


def test_dice_show_their_faces_and_the_total() -> None:
    root = drawn(laid_out(throws=((3, 6),)))
    faces = [(at.get("d") or "").count("M") for at in classed(root, "pips")]
    assert faces == [3, 6]
    assert labels(root, "total")[0] == "= 9"


def test_fruitless_throws_stay_beside_the_one_that_counts() -> None:
    root = drawn(laid_out(throws=((1, 1), (6, 6), (2, 3))))
    assert [len(classed(die, "pips")) for die in classed(root, "fruitless")] == [1] * 4
    assert len(classed(root, "pips")) == 6


def test_dice_that_are_to_be_thrown_have_their_places() -> None:
    assert len(classed(drawn(start({})), "die-awaited")) == 2
    assert len(classed(drawn(start({"dice": "equal"})), "die-awaited")) == 1


def test_a_die_of_29_sides_shows_its_number() -> None:
    root = drawn(laid_out(throws=((23,),)))
    assert labels(root, "gem-face") == ["23"]
    assert labels(root, "total")[0] == "= 10"


@pytest.mark.parametrize("seat", [0, 1])
def test_a_seats_own_score_comes_first(seat: int) -> None:
    root = drawn(laid_out(RED_ROW, YELLOW_ROW, YELLOW_ROW), seat=seat)
    assert labels(root, "total") == [["1", "2"], ["2", "1"]][seat]


def test_the_scores_mark_who_is_to_move_and_then_who_has_won() -> None:
    (to_move,) = classed(drawn(laid_out(seat=1)), "marked")
    (winner,) = classed(drawn(laid_out(*[RED_ROW] * 3, seat=1)), "marked")
    assert float(winner.get("x1") or 0) < float(to_move.get("x1") or 0)
    assert not classed(drawn(laid_out(*[FULL] * 9)), "marked")


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [([RED_ROW] * 3, "Red has won"), ([YELLOW_ROW] * 3, "Yellow has won"), ([FULL] * 9, "A draw")],
)
def test_the_verdict_stands_where_the_dice_were(fields: list[str], verdict: str) -> None:
    assert labels(drawn(laid_out(*fields)), "verdict") == [verdict]


def test_a_choice_says_what_it_does() -> None:
    puts = laid_out(throws=((3, 4),))
    takes = laid_out("y........", throws=((6, 6),))
    put = spot(drawn(puts, choices=puts.choices()), "5.7")
    taken = spot(drawn(takes, choices=takes.choices()), "1.3")
    assert put.get("aria-label") == "5.7: put a piece here"
    assert taken.get("aria-label") == "1.3: remove the piece"


def test_a_hole_tells_whose_piece_is_in_it() -> None:
    root = drawn(laid_out("ry......."))
    told = [spot(root, name).findtext(f"{SVG}title") for name in ("1.3", "1.4", "1.5")]
    assert told == ["1.3: Red", "1.4: Yellow", "1.5"]


def test_text_marks_won_and_full_fields() -> None:
    heads = text(laid_out(RED_ROW, YELLOW_ROW, FULL)).splitlines()[2]
    assert heads.split() == ["1", "[R]", "|", "2", "[Y]", "|", "3", "[=]"]


@pytest.mark.parametrize(
    ("position", "sentence"),
    [
        (laid_out(), "Red is to throw."),
        (
            laid_out(seat=1, throws=((3, 4),)),
            "Yellow threw 3 + 4 = 7 and must put a piece into a free hole 7.",
        ),
        (
            laid_out("r........", throws=((1, 1),)),
            "Red threw 1 + 1 = 2 and must remove an own piece from an open field.",
        ),
        (
            laid_out("y........", throws=((29,),)),
            "Red threw 29 -> 12 and may remove an opposing piece from an open field, or keep.",
        ),
        (
            laid_out(*[YELLOW_ROW] * 3, RED_ROW),
            "Yellow has won with three fields in a line. Points: Red 1, Yellow 8.",
        ),
        (
            laid_out(RED_ROW, passes=4),
            "A draw: four turns in a row passed without a move. Points: Red 1, Yellow 0.",
        ),
        (
            laid_out(*[FULL] * 9),
            "A draw: no open field has a free hole. Points: Red 0, Yellow 0.",
        ),
    ],
)
def test_what_is_next_is_the_last_thing_told(position: Tritoc, sentence: str) -> None:
    assert describe(position).endswith(f". {sentence}")
    assert sentence in text(position).replace("\n", " ")


def test_a_description_says_who_has_what() -> None:
    assert describe(laid_out("rrr.yy...", EMPTY, RED_ROW)).startswith(
        "Pieces on the board: Red 6, Yellow 2. Fields won: Red 1, 3; Yellow none."
    )


def test_text_tells_of_fruitless_throws_and_of_passes() -> None:
    written = text(laid_out(throws=((1, 1), (6, 6)), passes=3)).splitlines()
    assert "Thrown without fruit in this turn: 1 + 1 = 2, 6 + 6 = 12." in written
    assert "Turns in a row that passed without a move: 3; 4 make a draw." in written


def test_a_throw_that_counts_is_not_told_as_fruitless() -> None:
    assert "without fruit" not in text(laid_out(throws=((3, 4),)))


def test_words_on_the_drawing_are_translated() -> None:
    position = laid_out("ry.......", throws=((2, 3),))
    root = drawn(position, choices=position.choices(), translate=lambda words: f"<{words}>")
    assert spot(root, "1.3").findtext(f"{SVG}title") == "1.3: <Red>"
    assert spot(root, "5.5").get("aria-label") == "<5.5: put a piece here>"


def test_a_picture_has_the_width_asked_for_and_the_drawings_shape() -> None:
    picture = pictures.png(draw(laid_out(RED_ROW)), width=400)
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = (int.from_bytes(picture[at : at + 4], "big") for at in (16, 20))
    assert (width, height) == (400, 453)
