"""Who has the first move, case by case."""

import pytest

from tournaments.formats.cards import ABSOLUTE, FIRST, MILD, NEITHER, SECOND, STRONG, Card
from tournaments.formats.colours import sides

COLOURS = {"1": FIRST, "2": SECOND}


def card(number, colours=""):
    return Card(number=number, colours=[COLOURS[each] for each in colours])


def first_of(upper, lower, initial=FIRST):
    return sides(upper, lower, initial=initial)[0].number


@pytest.mark.parametrize(
    ("colours", "wish"),
    [
        ("", (NEITHER, 0)),
        ("1", (SECOND, STRONG)),
        ("12", (FIRST, MILD)),
        ("21", (SECOND, MILD)),
        ("121", (SECOND, STRONG)),
        ("11", (SECOND, ABSOLUTE)),
        ("1221", (SECOND, MILD)),
        ("1122", (FIRST, ABSOLUTE)),
        ("1211", (SECOND, ABSOLUTE)),
        ("12121", (SECOND, STRONG)),
    ],
)
def test_a_wish_comes_from_the_colours_one_had(colours, wish):
    assert card(1, colours).wish == wish


def test_different_wishes_are_both_granted():
    assert first_of(card(1, "1"), card(2, "2")) == 2
    assert first_of(card(1, "2"), card(2, "1")) == 1


def test_the_only_wish_is_granted():
    assert first_of(card(1), card(2, "2")) == 2
    assert first_of(card(1), card(2, "1")) == 1
    assert first_of(card(1, "1"), card(2)) == 2


def test_the_stronger_wish_is_granted():
    assert first_of(card(1, "12"), card(2, "122")) == 2
    assert first_of(card(1, "21"), card(2, "121")) == 1
    assert first_of(card(1, "2121"), card(2, "1211")) == 1


def test_of_two_that_must_be_granted_the_greater_imbalance_is():
    assert first_of(card(1, "1122"), card(2, "222")) == 2
    assert first_of(card(1, "122"), card(2, "22")) == 2
    assert first_of(card(1, "22"), card(2, "122")) == 1


def test_equal_wishes_alternate_from_the_last_round_in_which_colours_differed():
    assert first_of(card(1, "2112"), card(2, "1212")) == 2
    assert first_of(card(1, "1212"), card(2, "2112")) == 1


def test_else_the_higher_ranked_is_granted_his_wish():
    assert first_of(card(1, "12"), card(2, "12")) == 1
    assert first_of(card(1, "21"), card(2, "21")) == 2


def test_without_any_wish_the_initial_colour_alternates_by_number():
    assert first_of(card(1), card(5)) == 1
    assert first_of(card(2), card(6)) == 6
    assert first_of(card(1), card(5), initial=SECOND) == 5
    assert first_of(card(2), card(6), initial=SECOND) == 2
