"""Knockouts: who goes on, by which rule, and when a match begins."""

import random
from collections import Counter
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.formats.playing import (
    DRAWN,
    LOST,
    NOBODY_CAME,
    RESULTS,
    WON,
    at_random,
    decided,
    entrants,
    play_out,
    smaller_number_wins,
    started,
)
from tournaments.formats.history import History, Meeting
from tournaments.formats.knockout import Knockout

CHANCE = st.integers(0, 2**32).map(random.Random)


def pairs(draw):
    return {frozenset({game.first, game.second}) for game in draw.pairings}


def begun(format, players, **changes):
    history = History(entrants=entrants(players), **changes)
    return started(history, format.next(history, seed="seed"))


def with_result(history, scores, place=-1, **changes):
    return decided(history, place, lambda game: replace(game, scores=scores, **changes))


SIZES = [*range(2, 18), 31, 32, 33, 47, 48, 63, 64]


@pytest.mark.parametrize("players", SIZES)
def test_the_favourites_win_in_order_of_seeds(players):
    format = Knockout()
    history = History(entrants=entrants(players))
    end = play_out(format, history, by=smaller_number_wins, chance=random.Random(players))
    assert len(end.meetings) == players - 1
    places = format.places(end)
    assert places[1] == (1, 1)
    assert places[2] == (2, 2)
    assert all(best <= number <= worst for number, (best, worst) in places.items())
    assert len(places) == players


@pytest.mark.parametrize("reset", [False, True])
@pytest.mark.parametrize("players", SIZES)
def test_in_a_double_elimination_every_loser_has_lost_twice(players, reset):
    format = Knockout(double=True, reset=reset)
    chance = random.Random(players)
    history = History(entrants=entrants(players))
    end = play_out(format, history, by=at_random(chance, (WON, LOST)), chance=chance)
    lost = Counter(game.second if game.scores == WON else game.first for game in end.meetings)
    winner = format.bracket(end)[-1].winner
    final = max(game.round for game in end.meetings)
    for number in range(1, players + 1):
        if number == winner:
            assert lost[number] <= 1
        else:
            assert lost[number] == 2 or (not reset and final_loser(end, final) == number)
    places = format.places(end)
    assert sorted(places) == list(range(1, players + 1))
    assert places[winner] == (1, 1)
    assert Counter(places.values()) == {
        (best, worst): worst - best + 1 for best, worst in places.values()
    }


@pytest.mark.parametrize("reset", [False, True])
def test_every_number_from_2_to_64_plays_to_an_end(reset):
    """Whoever moves second wins, so the shape alone decides how many games there are."""
    format = Knockout(double=True, reset=reset)
    for players in range(2, 65):
        history = History(entrants=entrants(players))
        while not (draw := format.next(history, seed="seed")).over:
            games = [
                Meeting(round=game.round, first=game.first, second=game.second, scores=LOST)
                for game in draw.pairings
            ]
            history = replace(history, meetings=[*history.meetings, *games])
        assert 2 * players - 2 <= len(history.meetings) <= 2 * players - 2 + reset


def final_loser(history, stage):
    (game,) = (game for game in history.meetings if game.round == stage)
    return game.second if game.scores == WON else game.first


def test_a_grand_final_is_played_again_only_if_the_unbeaten_one_lost_it():
    format = Knockout(double=True, reset=True)
    history = begun(format, 2)
    history = with_result(history, WON)
    history = started(history, format.next(history, seed="seed"))
    one_up = format.bracket(history)[0].winner
    final = history.meetings[-1]
    unbeaten_wins = WON if final.first == one_up else LOST
    assert format.next(with_result(history, unbeaten_wins), seed="seed").over
    beaten_wins = LOST if final.first == one_up else WON
    again = format.next(with_result(history, beaten_wins), seed="seed")
    assert pairs(again) == {frozenset({1, 2})}
    assert not again.over


def test_a_match_begins_when_its_own_feeders_are_decided():
    format = Knockout()
    history = begun(format, 8)
    by_pair = {frozenset({game.first, game.second}): at for at, game in enumerate(history.meetings)}
    history = decided(history, by_pair[frozenset({1, 8})], smaller_number_wins)
    assert not format.next(history, seed="seed").pairings
    history = decided(history, by_pair[frozenset({4, 5})], smaller_number_wins)
    assert pairs(format.next(history, seed="seed")) == {frozenset({1, 4})}


def test_top_seeds_with_byes_wait_for_the_first_round():
    draw = Knockout().next(History(entrants=entrants(5)), seed="")
    assert pairs(draw) == {frozenset({4, 5}), frozenset({2, 3})}


def test_of_two_games_each_has_the_first_move_once():
    draw = Knockout(games=2).next(History(entrants=entrants(2)), seed="")
    one, other = draw.pairings
    assert (one.first, one.second, one.leg, other.leg) == (other.second, other.first, 1, 2)


def test_a_match_goes_to_who_scored_more_in_both_games():
    format = Knockout(games=2)
    history = begun(format, 2)
    history = with_result(history, DRAWN, 0)
    assert not format.next(history, seed="seed").over
    history = with_result(history, WON, 1)
    assert format.next(history, seed="seed").over
    assert format.bracket(history)[-1].winner == history.meetings[1].first


def test_after_a_draw_the_higher_seed_goes_on():
    history = with_result(begun(Knockout(), 2), DRAWN)
    assert Knockout().bracket(history)[-1].winner == 1


def test_after_a_draw_the_second_player_goes_on():
    format = Knockout(drawn="second player")
    history = with_result(begun(format, 2), DRAWN)
    assert format.bracket(history)[-1].winner == history.meetings[0].second


@pytest.mark.parametrize("games", [1, 2])
def test_a_draw_is_replayed_with_colours_exchanged_and_then_the_higher_seed_goes_on(games):
    format = Knockout(drawn="replay", replays=2, games=games)
    history = History(entrants=entrants(2))
    for expected in range(1, 4):
        history = started(history, format.next(history, seed="seed"))
        assert len(history.meetings) == expected * games
        for place in range(len(history.meetings) - games, len(history.meetings)):
            history = with_result(history, DRAWN, place)
    firsts = [game.first for game in history.meetings]
    assert all(one != other for one, other in pairwise(firsts))
    assert format.next(history, seed="seed").over
    assert format.bracket(history)[-1].winner == 1


def test_a_match_to_which_nobody_came_is_not_replayed():
    format = Knockout(drawn="replay")
    history = with_result(begun(format, 2), NOBODY_CAME, forfeit=True)
    assert format.next(history, seed="seed").over


def test_who_left_gives_his_next_match_away():
    format = Knockout()
    history = begun(format, 4)
    history = decided(decided(history, 0, smaller_number_wins), 1, smaller_number_wins)
    left = [replace(each, left=each.number == 1) for each in history.entrants]
    history = replace(history, entrants=left)
    assert format.next(history, seed="seed").over
    assert format.bracket(history)[-1].winner == 2
    assert format.places(history) == {1: (2, 2), 2: (1, 1), 3: (3, 4), 4: (3, 4)}


def test_leaving_later_does_not_undo_what_was_played():
    """4 left before he met 1; 1 then beat 2, and left himself afterwards."""
    format = Knockout()
    final = Meeting(round=2, first=1, second=2, scores=WON)
    other = Meeting(round=1, first=2, second=3, scores=WON)
    field = [replace(each, left=each.number in (1, 4)) for each in entrants(4)]
    history = History(entrants=field, meetings=[other, final])
    assert format.bracket(history)[-1].winner == 1
    reverse = replace(final, first=4)
    history = History(entrants=field, meetings=[other, reverse])
    assert format.bracket(history)[-1].winner == 4


def test_the_first_move_goes_to_who_had_it_less():
    format = Knockout()
    history = History(
        entrants=entrants(4),
        meetings=[
            Meeting(round=1, first=1, second=4, scores=WON),
            Meeting(round=1, first=3, second=2, scores=LOST),
        ],
    )
    (game,) = format.next(history, seed="seed").pairings
    assert (game.first, game.second) == (2, 1)


def test_a_lost_leg_is_asked_for_again():
    format = Knockout(games=2)
    history = History(entrants=entrants(4))
    draw = format.next(history, seed="seed")
    part = replace(draw, pairings=draw.pairings[1:])
    assert format.next(started(history, part), seed="seed").pairings == draw.pairings[:1]


@settings(max_examples=50)
@given(
    players=st.integers(2, 17),
    double=st.booleans(),
    games=st.sampled_from([1, 2]),
    drawn=st.sampled_from(["higher seed", "second player", "replay"]),
    reset=st.booleans(),
    chance=CHANCE,
)
def test_every_knockout_ends_whoever_leaves(players, double, games, drawn, reset, chance):
    format = Knockout(double=double, games=games, drawn=drawn, reset=reset)

    def some_leave(history):
        return replace(
            history,
            entrants=[
                replace(each, left=each.left or chance.random() < 0.01) for each in history.entrants
            ],
        )

    history = History(entrants=entrants(players))
    by = at_random(chance, (*RESULTS, NOBODY_CAME))
    end = play_out(format, history, by=by, chance=chance, changed=some_leave)
    places = format.places(end)
    assert sorted(places) == list(range(1, players + 1))
    assert list(places.values()).count((1, 1)) == 1
    started_games = {(game.round, frozenset({game.first, game.second})) for game in end.meetings}
    shown = {
        (state.match.stage, frozenset(state.players))
        for state in format.bracket(end)
        if state.games
    }
    assert shown == started_games
