"""The matching on cards made by hand: floats, colour limits beyond the window, overflow."""

from tournaments.formats import matching
from tournaments.formats.cards import FIRST, SECOND, Card
from tournaments.formats.matching import Rules, best_round

RULES = Rules(round=4, lots="seed")


def pairs(cards, rules=RULES):
    return {(upper.number, lower.number) for upper, lower in best_round(cards, rules)}


def three_and_one(**floats):
    """Three of one score and one below: one of the three has to go down."""
    return [
        Card(number=number, score=2 if number < 4 else 1, downfloats=floats.get(f"of_{number}", []))
        for number in range(1, 5)
    ]


def test_the_last_of_an_odd_group_floats_down():
    assert pairs(three_and_one()) == {(1, 2), (3, 4)}


def test_who_has_just_floated_down_does_not_float_again():
    assert pairs(three_and_one(of_3=[3])) == {(1, 3), (2, 4)}
    assert pairs(three_and_one(of_3=[2])) == {(1, 3), (2, 4)}


def test_a_float_of_long_ago_is_forgotten():
    assert pairs(three_and_one(of_3=[1])) == {(1, 2), (3, 4)}


def test_the_latest_float_weighs_most():
    assert pairs(three_and_one(of_1=[2], of_2=[3], of_3=[3])) == {(2, 3), (1, 4)}


def test_who_has_just_met_a_better_one_does_not_again():
    one = Card(number=1, score=2)
    below = [
        Card(number=2, score=1, upfloats=[3]),
        Card(number=3, score=1),
        Card(number=4, score=1),
    ]
    assert pairs([one, *below]) == {(1, 3), (2, 4)}


def test_colour_limits_are_kept_even_if_that_takes_farther_opponents(monkeypatch):
    """Around the fold everybody must have the same colour; farther off one must have the other."""
    monkeypatch.setattr(matching, "ALL_PAIRS", 10)
    monkeypatch.setattr(matching, "FIRST_PAIRS", 20)
    assert matching.first_window(40) == matching.LEAST_WINDOW
    cards = [
        Card(number=place + 1, colours=[FIRST if place % 20 < 10 else SECOND] * 2)
        for place in range(40)
    ]
    found = best_round(cards, RULES)
    assert len(found) == 20
    assert all(upper.colours != lower.colours for upper, lower in found)


def test_squares_of_differences_prefer_two_small_floats_to_a_wide_one():
    """Of 3, 2, 2 and 1 points: twice a point apart is better than the two with 2 and two apart."""
    cards = [
        Card(number=number, score=score, barred=barred)
        for number, score, barred in ((1, 3, set()), (2, 2, set()), (3, 2, set()), (4, 1, set()))
    ]
    assert pairs(cards) == {(1, 2), (3, 4)}
    cards[0].barred, cards[1].barred = {2}, {1}
    assert pairs(cards) == {(1, 3), (2, 4)}


def test_a_pair_that_may_not_meet_is_never_made():
    cards = [Card(number=1, barred={2}), Card(number=2, barred={1})]
    assert best_round(cards, RULES) is None
    assert best_round(cards, Rules(round=4, lots="seed", bits=10)) is None


def test_nobody_is_a_round_of_nobody():
    assert best_round([], RULES) == []
