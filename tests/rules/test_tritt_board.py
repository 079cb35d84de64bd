import random

import pytest

from games.rules import tritt_board as board
from games.rules.position import IllegalMove
from tests.rules import tritt_reference as reference


def dots(names: str) -> int:
    return sum(board.DOTS[name] for name in names.split())


def places(names: str) -> list[int]:
    return [board.CANONICAL[name] for name in names.split()]


def random_dots(chance: random.Random, share: float) -> set[reference.Dot]:
    return {dot for dot in reference.DOTS if chance.random() < share}


def as_bits(some: set[reference.Dot]) -> int:
    return sum(board.DOTS[reference.name(dot)] for dot in some)


def test_the_board_has_91_dots_in_rows_of_six_to_eleven_and_back() -> None:
    rows = [sum(name[0] == row for name in board.DOTS) for row in "abcdefghijk"]
    assert rows == [6, 7, 8, 9, 10, 11, 10, 9, 8, 7, 6]
    assert len(set(board.DOTS.values())) == 91


@pytest.mark.parametrize(
    ("dot", "above"),
    [("a1", "b1 b2"), ("e10", "f10 f11"), ("f2", "g1 g2"), ("f1", "g1"), ("j7", "k6")],
)
def test_two_diagonals_lead_up_from_a_dot(dot: str, above: str) -> None:
    up = board.DOTS[dot] << 11 | board.DOTS[dot] << 12
    assert up & board.BOARD == dots(above)


def test_a_shift_leads_to_the_neighbour_or_off_the_board() -> None:
    for dot in reference.DOTS:
        for shift, axis in zip(board.AXES, reference.AXES, strict=True):
            neighbour = {axis(dot)} & reference.DOTS
            assert as_bits({dot}) << shift & board.BOARD == as_bits(neighbour)


def test_a_shift_back_leads_to_the_neighbour_or_off_the_board() -> None:
    for dot in reference.DOTS:
        for shift, axis in zip(board.AXES, reference.AXES, strict=True):
            neighbour = {other for other in reference.DOTS if axis(other) == dot}
            assert as_bits({dot}) >> shift & board.BOARD == as_bits(neighbour)


def test_there_are_207_places_for_a_tritton() -> None:
    assert len(board.all_places()) == 207
    assert set(board.CANONICAL) == set(reference.PLACES)


def test_a_tritton_is_named_by_the_lower_end_first_and_in_a_row_by_the_smaller_number() -> None:
    assert {"a1-a3", "c3-e5", "g9-i7", "f9-f11"} < set(board.CANONICAL)
    assert not {"a3-a1", "e5-c3", "i7-g9", "f11-f9"} & set(board.CANONICAL)


def test_a_tritton_covers_two_ends_and_a_middle() -> None:
    (place,) = places("c3-e5")
    assert board.SPOTS[place] == ("c3", "d4", "e5")
    assert board.MIDDLES[place] == dots("d4")
    assert board.ENDS[place] == dots("c3 e5")
    assert board.COVERS[place] == dots("c3 d4 e5")


def test_a_tritton_may_be_named_from_either_end() -> None:
    assert board.place_named("e5-c3") == board.place_named("c3-e5") == places("c3-e5")[0]


def test_two_dots_that_are_no_ends_are_refused() -> None:
    with pytest.raises(IllegalMove, match=r"^a1-a4 is no place for a tritton: it covers three"):
        board.place_named("a1-a4")


@pytest.mark.parametrize("text", ["", "a1", "a7-a9", "a1-a3-a5", "l1-l3", "a01-a3", "a1-a٣", "-"])
def test_what_names_no_two_dots_names_no_place(text: str) -> None:
    assert board.place_named(text) is None


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 1.0])
def test_three_adjacent_dots_on_an_axis_are_a_line(share: float) -> None:
    chance = random.Random(share)
    for _ in range(50):
        some = random_dots(chance, share)
        expected = any(set(three) <= some for three in reference.THREES)
        assert board.has_line(as_bits(some)) == expected


def test_completing_dots_are_those_that_would_make_a_line() -> None:
    chance = random.Random(2009)
    for _ in range(50):
        some = random_dots(chance, 0.2)
        expected = {
            dot
            for dot in reference.DOTS - some
            if any(dot in three and set(three) <= some | {dot} for three in reference.THREES)
        }
        free = board.BOARD & ~as_bits(some)
        assert board.completing(as_bits(some)) & free == as_bits(expected)


@pytest.mark.parametrize(
    ("some", "line"),
    [
        ("d4 e5 f6 a1", "d4 e5 f6"),
        ("a1 a2 a3 a4 a5 k1", "a1 a2 a3 a4 a5"),
        ("f11 g10 h9 i8 a1", "f11 g10 h9 i8"),
        ("a1 a2 b3", ""),
    ],
)
def test_a_line_is_named_as_long_as_it_is(some: str, line: str) -> None:
    assert board.line_in(dots(some)) == line.split()


def test_places_are_found_by_what_their_middle_and_ends_may_be() -> None:
    found = board.places_for(dots("d4"), dots("c3 e5 d3 d5 c4"))
    assert board.names_of(board.picked(board.PLACE_NUMBERS, found)) == ["d3-d5", "c3-e5"]


def test_every_slide_of_an_empty_board_is_in_the_rays() -> None:
    steps = [step for at in board.all_places() for step in board.open_steps(board.RAYS[at], 0)]
    short = [s for at in board.all_places() for s in board.open_steps(board.SHORT_RAYS[at], 0)]
    assert len({step.slide for step in steps}) == len(steps) == 1176
    assert len({step.slide for step in short}) == len(short) == 2 * len(reference.NEXT)


def test_a_slide_ends_before_an_occupied_dot() -> None:
    (place,) = places("f4-f6")
    goals = [step.slide.end for step in board.open_steps(board.RAYS[place], dots("f1 f9"))]
    assert board.names_of(goals) == ["f5-f7", "f6-f8", "f3-f5", "f2-f4"]


def test_trittons_stay_in_order_whatever_slides() -> None:
    trittons = tuple(places("f1-f3 f4-f6"))
    assert board.slid(trittons, board.Slide(*places("f1-f3 f7-f9"))) == tuple(places("f4-f6 f7-f9"))


def test_a_slide_prints_as_from_and_to() -> None:
    assert str(board.Slide(*places("d6-f8 e7-g8"))) == "d6-f8>e7-g8"


@pytest.mark.parametrize(
    ("start", "end", "sentence"),
    [
        ("a1-a3", "a2-a4", "a1-a3 is your own tritton; only your opponent's may be slid."),
        ("b1-b3", "b2-b4", "There is no tritton on b1-b3 that could slide."),
        ("k1-k3", "k1-k3", "A slide must end elsewhere than it began, not on k1-k3."),
        ("k1-k3", "k4-k6", "k1-k3 cannot slide to k4-k6: it is blocked at k5."),
        (
            "k1-k3",
            "j1-j3",
            "k1-k3 slides only along the line of dots it lies on, and j1-j3 is not on that line.",
        ),
    ],
)
def test_a_refused_slide_says_why_and_where(start: str, end: str, sentence: str) -> None:
    slide = board.Slide(*places(f"{start} {end}"))
    own, theirs = tuple(places("a1-a3")), tuple(places("k1-k3"))
    with pytest.raises(IllegalMove) as refused:
        board.refuse_slide(slide, own, theirs, dots("a1 a2 a3 k1 k2 k3 k5"))
    assert str(refused.value) == sentence


def test_a_taken_place_is_refused_with_the_dots_that_are_taken() -> None:
    with pytest.raises(IllegalMove) as refused:
        board.refuse_taken(places("c3-e5")[0], dots("d4 e5 f6"))
    assert str(refused.value) == (
        "c3-e5 cannot be entered: a tritton needs three free dots; taken already: d4 e5."
    )
