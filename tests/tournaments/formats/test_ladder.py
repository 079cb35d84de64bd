"""The ladder: who may challenge whom, and how places change."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.formats.history import History
from tournaments.formats.ladder import (
    Challenge,
    Ladder,
    NotOnLadder,
    OutOfReach,
    TooManyChallenges,
    TooSoon,
)

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
PLACES = (1, 2, 3, 4, 5, 6, 7)
LADDER = Ladder(reach=3, outgoing=2, incoming=2, rest_days=7, fall=2)


def check(challenger, challenged, *challenges, places=PLACES):
    LADDER.check_challenge(
        places, challenges, challenger=challenger, challenged=challenged, now=NOW
    )


def after(places=PLACES, **game):
    return LADDER.after(places, **game)


@pytest.mark.parametrize("challenged", [3, 4, 5])
def test_one_may_challenge_up_to_three_places_up(challenged):
    check(6, challenged)


@pytest.mark.parametrize("challenged", [1, 2, 6, 7])
def test_one_may_not_challenge_farther_up_nor_down(challenged):
    with pytest.raises(OutOfReach) as refused:
        check(6, challenged)
    assert str(refused.value) == (
        f"From place 6 you can challenge the places 3 to 5, not place {challenged}."
    )


def test_the_first_has_nobody_to_challenge():
    with pytest.raises(OutOfReach, match="nobody above you"):
        check(1, 2)


def test_who_is_within_reach_is_told():
    assert LADDER.within_reach(PLACES, 6) == (3, 4, 5)
    assert LADDER.within_reach(PLACES, 2) == (1,)
    assert LADDER.within_reach(PLACES, 1) == ()


def test_only_those_on_the_ladder_play():
    with pytest.raises(NotOnLadder):
        check(8, 1)
    with pytest.raises(NotOnLadder):
        check(1, 8)


def test_challenges_of_ones_own_are_limited():
    one = Challenge(challenger=6, challenged=3)
    check(6, 5, one)
    with pytest.raises(TooManyChallenges, match="You have 2 challenges running"):
        check(6, 5, one, Challenge(challenger=6, challenged=4))
    check(6, 5, one, Challenge(challenger=6, challenged=4, ended_at=NOW))


def test_challenges_by_others_are_limited():
    one = Challenge(challenger=7, challenged=5)
    check(6, 5, one)
    with pytest.raises(TooManyChallenges, match="by 2 others"):
        check(6, 5, one, Challenge(challenger=4, challenged=5))


@pytest.mark.parametrize(("challenger", "challenged"), [(6, 5), (5, 6)])
def test_the_same_two_wait_a_while(challenger, challenged):
    def past(**ago):
        return Challenge(
            challenger=challenger, challenged=challenged, ended_at=NOW - timedelta(**ago)
        )

    check(6, 5, past(days=7))
    with pytest.raises(TooSoon, match="again from 2026-03-02 12:01 UTC"):
        check(6, 5, past(days=6, hours=23, minutes=59))
    with pytest.raises(TooSoon, match="have a game on this ladder already"):
        check(6, 5, Challenge(challenger=challenger, challenged=challenged))


def test_the_winner_takes_the_place_and_those_between_go_down():
    assert after(challenger=6, challenged=3, winner=6) == (1, 2, 6, 3, 4, 5, 7)


@pytest.mark.parametrize("winner", [3, None])
def test_a_challenge_that_failed_changes_nothing(winner):
    assert after(challenger=6, challenged=3, winner=winner) == PLACES


def test_who_is_above_already_when_he_wins_stays_there():
    assert after((6, 1, 3, 2), challenger=6, challenged=3, winner=6) == (6, 1, 3, 2)


def test_who_loses_on_time_falls_besides():
    won = after(challenger=6, challenged=3, winner=6, on_time=True)
    assert won == (1, 2, 6, 4, 5, 3, 7)
    held = after(challenger=4, challenged=3, winner=3, on_time=True)
    assert held == (1, 2, 3, 5, 6, 4, 7)
    assert after(challenger=7, challenged=6, winner=6, on_time=True) == PLACES


def test_nothing_is_taken_from_who_left_the_ladder():
    assert after((1, 2, 4), challenger=4, challenged=3, winner=4) == (1, 2, 4)
    assert after((1, 2, 3), challenger=4, challenged=3, winner=4) == (1, 2, 3)


@given(st.permutations(range(6)), st.data())
def test_nobody_gets_lost_or_doubled(places, data):
    challenger, challenged = data.draw(st.permutations(range(8)))[:2]
    winner = data.draw(st.sampled_from([challenger, challenged, None]))
    new = after(
        places,
        challenger=challenger,
        challenged=challenged,
        winner=winner,
        on_time=data.draw(st.booleans()),
    )
    assert sorted(new) == sorted(places)


def test_a_ladder_never_pairs_anybody():
    draw = LADDER.next(History(entrants=[]), seed="")
    assert not draw.pairings
    assert not draw.over
