"""Round robins: Berger's tables, sections, waves."""

import random
from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.formats.playing import (
    RESULTS,
    at_random,
    decided,
    entrants,
    play_out,
    running,
    smaller_number_wins,
    started,
)
from tournaments.formats.format import TooFew
from tournaments.formats.history import Entrant, History
from tournaments.formats.round_robin import RoundRobin, berger

CHANCE = st.integers(0, 2**32).map(random.Random)

TABLES = {
    4: """
        1-4 2-3
        4-3 1-2
        2-4 3-1""",
    6: """
        1-6 2-5 3-4
        6-4 5-3 1-2
        2-6 3-1 4-5
        6-5 1-4 2-3
        3-6 4-2 5-1""",
    8: """
        1-8 2-7 3-6 4-5
        8-5 6-4 7-3 1-2
        2-8 3-1 4-7 5-6
        8-6 7-5 1-4 2-3
        3-8 4-2 5-1 6-7
        8-7 1-6 2-5 3-4
        4-8 5-3 6-2 7-1""",
    10: """
        1-10 2-9 3-8 4-7 5-6
        10-6 7-5 8-4 9-3 1-2
        2-10 3-1 4-9 5-8 6-7
        10-7 8-6 9-5 1-4 2-3
        3-10 4-2 5-1 6-9 7-8
        10-8 9-7 1-6 2-5 3-4
        4-10 5-3 6-2 7-1 8-9
        10-9 1-8 2-7 3-6 4-5
        5-10 6-4 7-3 8-2 9-1""",
}


@pytest.mark.parametrize("players", TABLES)
def test_the_tables_are_as_printed(players):
    printed = [
        {tuple(map(int, pair.split("-"))) for pair in line.split()}
        for line in TABLES[players].strip().splitlines()
    ]
    assert [set(pairs) for pairs in berger(players)] == printed


@pytest.mark.parametrize("players", range(3, 17))
def test_every_table_follows_bergers_rule(players):
    """The round is that of the sum of the two numbers, the colour that of its parity."""
    seats = players + players % 2
    expected = [set() for _ in range(seats - 1)]
    for low, high in combinations(range(1, players + 1), 2):
        if high == seats:
            number = (2 * low - 1) % (seats - 1)
            low_begins = low <= seats // 2
        else:
            number = (low + high - 1) % (seats - 1)
            low_begins = (low + high) % 2 == 1
        expected[number - 1].add((low, high) if low_begins else (high, low))
    assert [set(pairs) for pairs in berger(players)] == expected


@pytest.mark.parametrize("players", range(3, 17))
def test_colours_differ_by_one_at_most(players):
    firsts = Counter(first for pairs in berger(players) for first, _ in pairs)
    games = players - 1
    assert {firsts[number] for number in range(1, players + 1)} <= {games // 2, (games + 1) // 2}


@pytest.mark.parametrize("players", range(3, 17, 2))
def test_of_an_odd_number_everybody_rests_once(players):
    rests = [
        number
        for pairs in berger(players)
        for number in range(1, players + 1)
        if not any(number in pair for pair in pairs)
    ]
    assert sorted(rests) == list(range(1, players + 1))


def test_all_games_begin_at_once():
    draw = RoundRobin().next(History(entrants=entrants(7)), seed="")
    assert {frozenset({game.first, game.second}) for game in draw.pairings} == {
        frozenset(pair) for pair in combinations(range(1, 8), 2)
    }
    assert len(draw.pairings) == 21
    assert not draw.idles


def test_a_double_round_robin_exchanges_colours():
    draw = RoundRobin(double=True).next(History(entrants=entrants(5)), seed="")
    games = Counter((game.first, game.second) for game in draw.pairings)
    assert games == Counter((one, two) for one in range(1, 6) for two in range(1, 6) if one != two)
    assert max(game.round for game in draw.pairings) == 10


def test_sections_are_seeded_in_a_snake():
    field = [Entrant(number=number, rating=1000 + number) for number in range(1, 9)]
    assert RoundRobin(section_size=3).sections(field) == ((2, 3, 8), (1, 4, 7), (5, 6))


def test_sections_that_were_assigned_are_kept():
    field = [replace(each, section=1 + each.number % 2) for each in entrants(6)]
    assert RoundRobin(section_size=2).sections(field) == ((2, 4, 6), (1, 3, 5))


def test_nobody_plays_outside_his_section():
    format = RoundRobin(section_size=4)
    field = entrants(11)
    home = {number: at for at, section in enumerate(format.sections(field)) for number in section}
    draw = format.next(History(entrants=field), seed="")
    assert all(home[game.first] == home[game.second] for game in draw.pairings)
    assert sorted(Counter(home.values()).values()) == [3, 4, 4]


@settings(max_examples=30)
@given(st.integers(2, 9), st.integers(1, 4), st.booleans(), CHANCE)
def test_in_waves_nobody_has_too_many_games(players, at_once, double, chance):
    format = RoundRobin(at_once=at_once, double=double)

    def checked(history):
        live = Counter(
            number
            for place in running(history)
            for number in (history.meetings[place].first, history.meetings[place].second)
        )
        assert max(live.values(), default=0) <= at_once
        return history

    end = play_out(
        format,
        History(entrants=entrants(players)),
        by=at_random(chance, RESULTS),
        chance=chance,
        changed=checked,
    )
    assert len(end.meetings) == players * (players - 1) // 2 * (1 + double)


def test_the_next_wave_waits_for_both_players():
    format = RoundRobin(at_once=1)
    history = History(entrants=entrants(4))
    history = started(history, format.next(history, seed=""))
    assert [(game.first, game.second) for game in history.meetings] == [(1, 4), (2, 3)]
    history = decided(history, 0, smaller_number_wins)
    assert not format.next(history, seed="").pairings
    history = decided(history, 1, smaller_number_wins)
    assert [(game.first, game.second) for game in format.next(history, seed="").pairings] == [
        (4, 3),
        (1, 2),
    ]


def test_who_left_gets_no_new_game():
    field = [replace(each, left=each.number == 2) for each in entrants(5)]
    draw = RoundRobin().next(History(entrants=field), seed="")
    assert len(draw.pairings) == 6
    assert not any(2 in (game.first, game.second) for game in draw.pairings)


def test_a_round_robin_needs_two():
    with pytest.raises(TooFew, match="at least 2 entrants; it has 1"):
        RoundRobin().check(1)


def test_games_that_were_lost_on_the_way_are_asked_for_again():
    format = RoundRobin()
    history = History(entrants=entrants(6))
    draw = format.next(history, seed="")
    part = replace(draw, pairings=tuple(random.Random(1).sample(draw.pairings, 7)))
    rest = format.next(started(history, part), seed="")
    assert {*part.pairings, *rest.pairings} == set(draw.pairings)
    assert len(rest.pairings) == 8
