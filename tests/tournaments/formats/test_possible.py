"""Possible final places, against every way in which an event can go on."""

import random
from dataclasses import replace
from fractions import Fraction
from itertools import combinations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.formats.playing import DRAWN, LOST, NOBODY_CAME, WON, entrants
from tournaments.formats.history import HALF, History, Idle, Meeting, Values
from tournaments.formats.possible import points_so_far, possible_places

CHANCE = st.integers(0, 2**32).map(random.Random)
THREE_ONE = Values(win=Fraction(3), draw=Fraction(1), bye=Fraction(3))


def outcomes(values):
    return (
        (values.win, values.loss),
        (values.loss, values.win),
        (values.draw, values.draw),
        NOBODY_CAME,
    )


def round_robin(players, values, chance, left):
    """All games of a round robin, all but `left` of them decided."""
    games = [
        Meeting(round=1, first=one, second=other)
        for one, other in combinations(range(1, players + 1), 2)
    ]
    chance.shuffle(games)
    games = [
        game if place < left else replace(game, scores=chance.choice(outcomes(values)))
        for place, game in enumerate(games)
    ]
    return History(entrants=entrants(players), meetings=games, values=values)


def every_end(history):
    """Each way in which the running games can end."""
    open_games = [place for place, game in enumerate(history.meetings) if not game.scores]
    for scores in product(outcomes(history.values), repeat=len(open_games)):
        games = list(history.meetings)
        for place, result in zip(open_games, scores, strict=True):
            games[place] = replace(games[place], scores=result)
        yield replace(history, meetings=games)


def places_in(history):
    """Best and worst place of each in a final table by points, ties broken either way."""
    points = points_so_far(history)
    return {
        number: (
            1 + sum(other > own for other in points.values()),
            sum(other >= own for other in points.values()),
        )
        for number, own in points.items()
    }


@settings(max_examples=40)
@given(st.integers(2, 5), st.integers(0, 4), st.sampled_from([Values(), THREE_ONE]), CHANCE)
def test_no_place_that_comes_about_was_called_impossible(players, left, values, chance):
    history = round_robin(players, values, chance, left)
    bounds = possible_places(history)
    for end in every_end(history):
        for number, (best, worst) in places_in(end).items():
            assert bounds[number][0] <= best
            assert worst <= bounds[number][1]


@settings(max_examples=60)
@given(st.integers(2, 9), st.sampled_from([Values(), THREE_ONE]), CHANCE)
def test_with_every_result_the_places_only_close_in(players, values, chance):
    history = round_robin(players, values, chance, 100)
    before = dict.fromkeys(range(1, players + 1), (1, players))
    for place in chance.sample(range(len(history.meetings)), len(history.meetings)):
        games = list(history.meetings)
        games[place] = replace(games[place], scores=chance.choice(outcomes(values)))
        history = replace(history, meetings=games)
        after = possible_places(history)
        for number, (best, worst) in after.items():
            assert before[number][0] <= best <= worst <= before[number][1]
        before = after
    assert before == places_in(history)


def test_games_to_come_count_like_those_that_run():
    history = round_robin(5, Values(), random.Random(1), 4)
    running = [game for game in history.meetings if not game.scores]
    done = [game for game in history.meetings if game.scores]
    to_come = [(game.first, game.second) for game in running]
    assert possible_places(replace(history, meetings=done), to_come=to_come) == possible_places(
        history
    )


def test_a_leader_who_cannot_be_caught_is_first():
    history = History(
        entrants=entrants(3),
        meetings=[
            Meeting(round=1, first=1, second=2, scores=WON),
            Meeting(round=2, first=1, second=3, scores=WON),
            Meeting(round=3, first=2, second=3),
        ],
    )
    assert possible_places(history) == {1: (1, 1), 2: (2, 3), 3: (2, 3)}


def test_not_everybody_can_still_pass_when_there_are_too_few_points_left():
    """2, 3 and 4 are a point behind 1, but of two games left only two of them can win."""
    history = History(
        entrants=entrants(4),
        meetings=[
            Meeting(round=1, first=1, second=2, scores=WON),
            Meeting(round=2, first=2, second=3),
            Meeting(round=3, first=4, second=3),
        ],
    )
    assert possible_places(history)[1] == (1, 3)


def test_rounds_not_drawn_yet_can_bring_everybody_a_win_or_a_bye():
    history = History(
        entrants=[replace(each, left=each.number == 3) for each in entrants(4)],
        meetings=[
            Meeting(round=1, first=1, second=2, scores=WON),
            Meeting(round=1, first=3, second=4, scores=DRAWN),
        ],
    )
    one_more = possible_places(history, undrawn_rounds=1)
    assert one_more == {1: (1, 3), 2: (1, 4), 3: (2, 4), 4: (1, 4)}
    assert possible_places(history, undrawn_rounds=1, games=2)[2] == (1, 4)


def test_a_bye_can_be_worth_more_than_a_win():
    """2 is two points behind, which a bye makes up for and a win does not."""
    meetings = [Meeting(round=1, first=1, second=2, scores=WON, leg=leg) for leg in (1, 2)]
    values = Values(bye=Fraction(2))
    history = History(entrants=entrants(2), meetings=meetings, values=values)
    assert possible_places(history, undrawn_rounds=1)[2] == (1, 2)
    plain = replace(history, values=Values())
    assert possible_places(plain, undrawn_rounds=1)[2] == (2, 2)


@pytest.mark.parametrize(("kind", "points"), [("H", HALF), ("F", 1), ("U", 1), ("Z", 0)])
def test_rounds_sat_out_count(kind, points):
    history = History(
        entrants=entrants(2),
        meetings=[Meeting(round=1, first=1, second=2, scores=LOST)],
        idles=[Idle(round=2, number=1, kind=kind)],
    )
    assert points_so_far(history) == {1: points, 2: 1}
