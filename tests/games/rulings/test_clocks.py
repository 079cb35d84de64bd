"""A clock is given time or corrected, and nothing else happens to the game."""

import pytest

from games import rulings
from games.clock import Fischer
from games.models import Ruling, Seat
from games.refusals import BadRequest, TooLate
from tests.conftest import NOW, days
from tests.games.acts import as_stored, move
from tests.games.rulings.ground import HOUR, LATER, all_is_well


def test_time_is_given_to_the_seat_to_move(rule, undo, running):
    ruling = rule(rulings.give_time, running, seat=0, hours=48)
    assert as_stored(running).deadline_at == NOW + days(5)
    all_is_well()
    undo(ruling)
    assert as_stored(running).deadline_at == NOW + days(3)
    all_is_well()


def test_time_is_given_to_the_seat_that_waits(rule, undo, running):
    ruling = rule(rulings.give_time, running, seat=1, hours=24)
    assert Seat.objects.get(game=running, number=1).bank == days(4)
    assert as_stored(running).deadline_at == NOW + days(3)
    undo(ruling)
    assert Seat.objects.get(game=running, number=1).bank == days(3)


def test_time_that_was_given_is_there_at_the_next_turn(rule, running):
    rule(rulings.give_time, running, seat=1, hours=24)
    move(running, now=LATER)
    assert as_stored(running).deadline_at == LATER + days(4)


@pytest.mark.parametrize("hours", [1, 200])
def test_a_clock_is_corrected(rule, undo, running, hours):
    ruling = rule(rulings.correct_clock, running, seat=0, hours=hours)
    assert as_stored(running).deadline_at == LATER + hours * HOUR
    assert as_stored(running).clock_from == NOW
    waiting = rule(rulings.correct_clock, running, seat=1, hours=hours)
    assert Seat.objects.get(game=running, number=1).bank == hours * HOUR
    all_is_well()
    undo(ruling)
    undo(waiting)
    assert as_stored(running).deadline_at == NOW + days(3)
    assert Seat.objects.get(game=running, number=1).bank == days(3)


def test_a_flag_that_fell_unseen_stands_again(rule, running):
    rule(rulings.correct_clock, running, seat=0, hours=10, now=NOW + days(4))
    assert as_stored(running).deadline_at == NOW + days(4) + 10 * HOUR


def test_gifts_add_up_and_a_correction_replaces_them(rule, undo, running):
    gift = rule(rulings.give_time, running, seat=0, hours=24)
    correction = rule(rulings.correct_clock, running, seat=0, hours=10)
    rule(rulings.give_time, running, seat=0, hours=5)
    assert as_stored(running).deadline_at == LATER + 15 * HOUR
    undo(gift)
    assert as_stored(running).deadline_at == LATER + 15 * HOUR
    undo(correction)
    assert as_stored(running).deadline_at == NOW + days(3) + 5 * HOUR


def test_time_that_has_been_used_is_not_taken_back(rule, undo, running):
    ruling = rule(rulings.give_time, running, seat=0, hours=48)
    with pytest.raises(TooLate, match="would have run out"):
        undo(ruling, now=NOW + days(4))
    assert as_stored(running).deadline_at == NOW + days(5)
    assert Ruling.objects.get().undone_at is None


def test_the_clocks_of_a_game_that_is_over_stand_still(rule, lost_by_alice):
    for act in (rulings.give_time, rulings.correct_clock):
        with pytest.raises(TooLate, match="stand still"):
            rule(act, lost_by_alice, seat=0, hours=3)


@pytest.mark.parametrize("hours", [0, -1, 1441])
def test_hours_have_limits(rule, running, hours):
    for act in (rulings.give_time, rulings.correct_clock):
        with pytest.raises(BadRequest, match="from 1 to 1440"):
            rule(act, running, seat=0, hours=hours)


def test_a_bank_keeps_what_it_was_given(rule, start):
    game = start(clock=Fischer(bank_hours=100, increment_hours=10, cap_hours=100))
    rule(rulings.give_time, game, seat=0, hours=50, now=NOW)
    move(game, now=NOW)
    assert Seat.objects.get(game=game, number=0).bank == 150 * HOUR
