"""Swiss rounds that can be checked by hand."""

from dataclasses import replace
from fractions import Fraction

import pytest

from tests.tournaments.formats.playing import DRAWN, LOST, WON, entrants, started
from tournaments.formats.format import InvalidSetting
from tournaments.formats.history import HALF, Entrant, History, Idle, Meeting, Unpairable
from tournaments.formats.swiss import Swiss, baku

SWISS = Swiss(rounds=5, first_colour="first")


def pairs(draw):
    return [(game.first, game.second) for game in draw.pairings]


def games(number, *results):
    return [
        Meeting(round=number, first=first, second=second, scores=scores)
        for first, second, scores in results
    ]


@pytest.mark.parametrize("players", [*range(2, 40), 99, 100, 101, 102, 160, 201])
def test_the_first_round_is_the_fold(players):
    draw = SWISS.next(History(entrants=entrants(players)), seed="")
    half = players // 2
    assert {frozenset(pair) for pair in pairs(draw)} == {
        frozenset({number, number + half}) for number in range(1, half + 1)
    }
    assert [idle.number for idle in draw.idles] == [players] * (players % 2)


def test_colours_of_the_first_round_alternate_by_board():
    draw = SWISS.next(History(entrants=entrants(8)), seed="")
    assert pairs(draw) == [(1, 5), (6, 2), (3, 7), (8, 4)]
    second = replace(SWISS, first_colour="second").next(History(entrants=entrants(8)), seed="")
    assert pairs(second) == [(5, 1), (2, 6), (7, 3), (4, 8)]


def test_the_first_colour_is_drawn_by_lot():
    lots = {
        pairs(Swiss(rounds=5).next(History(entrants=entrants(2)), seed=str(seed)))[0]
        for seed in range(20)
    }
    assert lots == {(1, 2), (2, 1)}


def test_winners_meet_winners():
    history = History(
        entrants=entrants(8),
        meetings=games(1, (1, 5, WON), (6, 2, LOST), (3, 7, WON), (8, 4, LOST)),
    )
    draw = SWISS.next(history, seed="")
    assert pairs(draw) == [(4, 1), (2, 3), (5, 8), (7, 6)]


def test_nobody_is_paired_while_a_game_runs():
    history = History(entrants=entrants(4))
    history = started(history, SWISS.next(history, seed=""))
    history = replace(
        history, meetings=[replace(history.meetings[0], scores=WON), history.meetings[1]]
    )
    draw = SWISS.next(history, seed="")
    assert (draw.pairings, draw.idles, draw.over) == ((), (), False)


def test_a_round_that_was_paired_otherwise_is_left_alone():
    """Somebody stands beside a round that runs: it is not drawn again for him."""
    history = History(
        entrants=entrants(5),
        meetings=[Meeting(round=1, first=1, second=2), Meeting(round=1, first=3, second=4)],
    )
    draw = SWISS.next(history, seed="")
    assert (draw.pairings, draw.idles, draw.over) == ((), (), False)


def test_a_forfeited_game_is_no_meeting_and_has_no_colour():
    history = History(
        entrants=entrants(2),
        meetings=[Meeting(round=1, first=1, second=2, scores=WON, forfeit=True)],
    )
    assert pairs(SWISS.next(history, seed="")) == [(1, 2)]


def test_those_who_met_do_not_meet_again():
    history = History(entrants=entrants(2), meetings=games(1, (1, 2, DRAWN)))
    with pytest.raises(Unpairable, match=r"Round 2 cannot be paired: .* have met already"):
        SWISS.next(history, seed="")


def test_those_kept_apart_do_not_meet():
    history = History(entrants=entrants(4), forbidden=[(1, 3)])
    assert {frozenset(pair) for pair in pairs(SWISS.next(history, seed=""))} == {
        frozenset({1, 4}),
        frozenset({2, 3}),
    }


def test_the_bye_is_for_the_lowest_score_then_the_fewest_rests_then_the_lowest_rank():
    history = History(entrants=entrants(7), meetings=games(1, (1, 4, WON), (5, 2, LOST)))
    history = replace(
        history,
        meetings=[*history.meetings, *games(1, (3, 6, WON))],
        idles=[Idle(round=1, number=7, kind="Z")],
    )
    assert [idle.number for idle in SWISS.next(history, seed="").idles] == [6]


def test_a_bye_or_a_win_without_playing_excludes_from_the_bye():
    free = Meeting(round=1, first=4, second=3, scores=WON, forfeit=True)
    history = History(
        entrants=[replace(each, left=each.number == 3) for each in entrants(6)],
        meetings=[free, *games(1, (1, 2, DRAWN))],
        idles=[Idle(round=1, number=5, kind="U"), Idle(round=1, number=6, kind="F")],
    )
    assert [idle.number for idle in SWISS.next(history, seed="").idles] == [2]


def test_who_asked_for_a_rest_is_not_paired():
    history = History(entrants=entrants(5), idles=[Idle(round=1, number=2, kind="H")])
    draw = SWISS.next(history, seed="")
    assert {number for pair in pairs(draw) for number in pair} == {1, 3, 4, 5}
    assert not draw.idles


def test_who_comes_late_is_paired_from_his_round_on():
    field = [*entrants(4), Entrant(number=5, joined=2), Entrant(number=6, joined=2)]
    first = SWISS.next(History(entrants=field), seed="")
    assert {number for pair in pairs(first) for number in pair} == {1, 2, 3, 4}
    history = History(entrants=field, meetings=games(1, (1, 3, WON), (4, 2, LOST)))
    second = SWISS.next(history, seed="")
    assert {number for pair in pairs(second) for number in pair} == {1, 2, 3, 4, 5, 6}


def test_nobody_has_the_same_colour_three_times_where_it_can_be_avoided():
    """1 and 2 had the first move twice, so they do not meet, though alone at the top."""
    history = History(
        entrants=entrants(6),
        meetings=[
            *games(1, (1, 4, WON), (2, 5, WON), (6, 3, DRAWN)),
            *games(2, (1, 5, WON), (2, 6, WON), (3, 4, DRAWN)),
        ],
    )
    draw = SWISS.next(history, seed="")
    assert frozenset({1, 2}) not in {frozenset(pair) for pair in pairs(draw)}
    assert {1, 2} <= {second for _, second in pairs(draw)}
    last = replace(SWISS, rounds=3).next(history, seed="")
    assert frozenset({1, 2}) in {frozenset(pair) for pair in pairs(last)}


def test_two_game_matches_have_both_colours():
    draw = replace(SWISS, games=2).next(History(entrants=entrants(4)), seed="")
    assert [(game.first, game.second, game.leg) for game in draw.pairings] == [
        (1, 3, 1),
        (3, 1, 2),
        (4, 2, 1),
        (2, 4, 2),
    ]


def test_accelerated_the_upper_half_begins_among_itself():
    draw = replace(SWISS, acceleration="baku").next(History(entrants=entrants(8)), seed="")
    assert {frozenset(pair) for pair in pairs(draw)} == {
        frozenset(pair) for pair in ((1, 3), (2, 4), (5, 7), (6, 8))
    }


def test_acceleration_gives_a_point_then_half_of_one_then_none():
    points = baku(entrants(10), 9, Fraction(1))
    assert points == dict.fromkeys(range(1, 7), (1, 1, 1, HALF, HALF))


def test_points_for_pairing_can_be_given_one_by_one():
    field = [replace(each, offset=Fraction(each.number in (1, 4))) for each in entrants(4)]
    given = History(entrants=entrants(4), accelerations={1: [Fraction(1)], 4: [Fraction(1)]})
    for history in (History(entrants=field), given):
        assert {frozenset(pair) for pair in pairs(SWISS.next(history, seed=""))} == {
            frozenset({1, 4}),
            frozenset({2, 3}),
        }


def test_after_the_last_round_nothing_follows():
    history = History(
        entrants=entrants(4),
        meetings=[
            *games(1, (1, 3, WON), (4, 2, LOST)),
            *games(2, (2, 1, LOST), (3, 4, WON)),
            *games(3, (1, 4, WON), (2, 3, WON)),
        ],
    )
    assert replace(SWISS, rounds=3).next(history, seed="").over


@pytest.mark.parametrize(("players", "most"), [(4, 3), (5, 5), (6, 5), (9, 9), (12, 11)])
def test_no_more_rounds_are_promised_than_can_be_played(players, most):
    Swiss(rounds=most).check(players)
    with pytest.raises(InvalidSetting, match=f"{players} entrants can play at most {most} rounds"):
        Swiss(rounds=most + 1).check(players)


def test_lots_decide_what_nothing_else_does():
    """Three pairs who drew: the halves can be turned either way, and either is as good."""
    history = History(
        entrants=entrants(6), meetings=games(1, (1, 4, DRAWN), (2, 5, DRAWN), (3, 6, DRAWN))
    )
    rounds = {frozenset(pairs(SWISS.next(history, seed=str(seed)))) for seed in range(12)}
    assert rounds == {frozenset({(5, 1), (6, 2), (4, 3)}), frozenset({(6, 1), (4, 2), (5, 3)})}
