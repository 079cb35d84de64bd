"""Random Swiss events with everything that goes wrong in one: each round is legal and the best."""

import random
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.formats.playing import entrants, started
from tests.tournaments.formats.swiss_events import (
    Book,
    after_round,
    assert_legal,
    assert_limits,
    complete,
    expected_bye,
    present,
)
from tournaments.formats import matching
from tournaments.formats.history import History, Unpairable
from tournaments.formats.swiss import Swiss

FIELDS = st.integers(2, 22)
ROUNDS = st.integers(3, 9)
CHANCE = st.integers(0, 2**32).map(random.Random)


def drawn(swiss: Swiss, history: History):
    try:
        return swiss.next(history, seed="seed")
    except Unpairable:
        return None


def forbidden(chance: random.Random, players: int) -> list[tuple[int, int]]:
    return [
        pair
        for pair in pairwise(chance.sample(range(1, players + 1), players))
        if chance.random() < 0.2
    ]


@given(FIELDS, ROUNDS, st.sampled_from([1, 2]), st.sampled_from(["none", "baku"]), CHANCE)
def test_every_round_is_legal_and_exists_if_it_can(players, rounds, games, acceleration, chance):
    swiss = Swiss(rounds=rounds, games=games, acceleration=acceleration)
    history = History(entrants=entrants(players), forbidden=forbidden(chance, players))
    for number in range(1, rounds + 1):
        field = present(history, number)
        draw = drawn(swiss, history)
        if draw is None:
            book = Book(history)
            if len(field) % 2:
                assert expected_bye(book, field) is None
            else:
                assert not complete(field, book.may_meet)
            return
        if draw.over:
            assert len(field) < 2
            return
        assert_legal(history, draw, number, games, by_points=acceleration == "none")
        history = after_round(history, draw, chance)
    assert swiss.next(history, seed="seed").over


@given(FIELDS, ROUNDS, CHANCE)
def test_colour_limits_hold_wherever_they_can(players, rounds, chance):
    swiss = Swiss(rounds=rounds + 1)
    history = History(entrants=entrants(players))
    for _ in range(rounds):
        draw = drawn(swiss, history)
        if draw is None or draw.over:
            return
        assert_limits(history, draw)
        history = after_round(history, draw, chance)


@given(FIELDS, ROUNDS, CHANCE)
def test_a_round_does_not_depend_on_the_order_of_anything(players, rounds, chance):
    swiss = Swiss(rounds=rounds)
    history = History(entrants=entrants(players))
    for _ in range(rounds):
        draw = drawn(swiss, history)
        shuffled = replace(
            history,
            entrants=chance.sample(history.entrants, len(history.entrants)),
            meetings=chance.sample(history.meetings, len(history.meetings)),
            idles=chance.sample(history.idles, len(history.idles)),
        )
        assert drawn(swiss, shuffled) == draw
        if draw is None or draw.over:
            return
        history = after_round(history, draw, chance)


@given(FIELDS, ROUNDS, st.sampled_from([1, 2]), CHANCE)
def test_a_round_half_begun_is_completed_and_nothing_is_asked_twice(players, rounds, games, chance):
    swiss = Swiss(rounds=rounds, games=games)
    history = History(entrants=entrants(players))
    for _ in range(rounds):
        draw = drawn(swiss, history)
        if draw is None or draw.over:
            return
        some = chance.sample(draw.pairings, chance.randint(1, len(draw.pairings)))
        part = replace(draw, pairings=tuple(some), idles=draw.idles[: chance.randint(0, 1)])
        rest = swiss.next(started(history, part), seed="seed")
        assert {*part.pairings, *rest.pairings} == set(draw.pairings)
        assert len(part.pairings) + len(rest.pairings) == len(draw.pairings)
        assert part.idles + rest.idles == draw.idles
        assert not swiss.next(started(history, draw), seed="seed").pairings
        history = after_round(history, draw, chance)


@settings(max_examples=6)
@given(st.integers(101, 130), CHANCE)
def test_a_large_field_is_paired_by_neighbours_and_just_as_legally(players, chance):
    swiss = Swiss(rounds=9)
    history = History(entrants=entrants(players), forbidden=forbidden(chance, players))
    for number in range(1, 5):
        draw = swiss.next(history, seed="seed")
        assert_legal(history, draw, number)
        assert_limits(history, draw)
        history = after_round(history, draw, chance)


def test_the_window_widens_until_there_is_a_round(monkeypatch):
    """Twenty friends from the top half may not meet the twenty that are near their fold."""
    windows = []
    one_matching = matching.Field.matching
    monkeypatch.setattr(
        matching.Field,
        "matching",
        lambda field, window: windows.append(window) or one_matching(field, window),
    )
    monkeypatch.setattr(matching, "ALL_PAIRS", 10)
    monkeypatch.setattr(matching, "FIRST_PAIRS", 100)
    apart = [(one, other) for one in range(1, 21) for other in range(21, 61)]
    history = History(entrants=entrants(80), forbidden=apart)
    assert_legal(history, Swiss(rounds=5).next(history, seed=""), 1)
    assert windows == [6, 12, 24, 48]


@pytest.mark.parametrize("bits", [20, 70])
@given(players=FIELDS, rounds=ROUNDS, chance=CHANCE)
def test_where_a_weight_would_overflow_groups_are_paired_one_by_one(bits, players, rounds, chance):
    swiss = Swiss(rounds=rounds)
    history = History(entrants=entrants(players), forbidden=forbidden(chance, players))
    narrow = matching.Rules.__init__.__kwdefaults__
    for number in range(1, rounds + 1):
        with pytest.MonkeyPatch.context() as patch:
            patch.setitem(narrow, "bits", bits)
            draw = drawn(swiss, history)
        assert (draw is None) == (drawn(swiss, history) is None)
        if draw is None or draw.over:
            return
        assert_legal(history, draw, number)
        history = after_round(history, draw, chance)
