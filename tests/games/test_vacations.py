"""Vacation is saved up, begun, ended, and never more than was saved."""

from datetime import timedelta

import pytest

from games import vacations
from games.models import Participant, Vacation
from games.refusals import NotAllowed, NothingToAnswer
from tests.conftest import NOW, days
from tests.games.hearing import facts


@pytest.fixture
def rested(alice):
    """Alice has four days."""
    type(alice).objects.filter(pk=alice.pk).update(joined_at=NOW - days(32))
    Participant.objects.create(player=alice)
    return alice


def test_a_day_earns_three_hours(rested):
    assert vacations.balance(rested.pk, now=NOW) == days(4)
    assert vacations.balance(rested.pk, now=NOW + days(1)) == days(4) + timedelta(hours=3)


def test_a_vacation_lasts_until_all_is_used_up(rested, everything_is_heard):
    taken = vacations.begin(player_id=rested.pk, now=NOW)
    assert taken.ends_at == NOW + days(4)
    assert vacations.balance(rested.pk, now=NOW + days(4)) == days(0)
    told = {"player_id": rested.pk, "began": True, "automatic": False}
    assert facts() == [("vacation_changed", told)]


def test_a_vacation_ends_when_the_player_said_so(rested):
    assert vacations.begin(player_id=rested.pk, until=NOW + days(1), now=NOW).ends_at == NOW + days(
        1
    )
    assert vacations.balance(rested.pk, now=NOW + days(1)) == days(3)


def test_a_vacation_is_never_longer_than_what_was_saved(rested):
    assert vacations.begin(player_id=rested.pk, until=NOW + days(9), now=NOW).ends_at == NOW + days(
        4
    )


def test_coming_back_early_saves_the_rest(rested, everything_is_heard):
    vacations.begin(player_id=rested.pk, now=NOW)
    vacations.end(player_id=rested.pk, now=NOW + days(1))
    assert Vacation.objects.get().ends_at == NOW + days(1)
    assert vacations.balance(rested.pk, now=NOW + days(1)) == days(3)
    told = {"player_id": rested.pk, "began": False, "automatic": False}
    assert facts()[-1] == ("vacation_changed", told)


def test_one_vacation_at_a_time(rested):
    vacations.begin(player_id=rested.pk, now=NOW)
    with pytest.raises(NotAllowed) as refused:
        vacations.begin(player_id=rested.pk, now=NOW + days(1))
    assert str(refused.value) == "You are on vacation already."


def test_there_is_none_at_sign_up(rested):
    type(rested).objects.update(joined_at=NOW)
    with pytest.raises(NotAllowed) as refused:
        vacations.begin(player_id=rested.pk, now=NOW)
    assert str(refused.value) == "You have no vacation saved yet; each day earns three hours."


def test_a_vacation_cannot_end_before_it_begins(rested):
    with pytest.raises(NotAllowed) as refused:
        vacations.begin(player_id=rested.pk, until=NOW, now=NOW)
    assert str(refused.value) == "A vacation ends after it has begun."


def test_whoever_is_not_away_cannot_come_back(rested):
    with pytest.raises(NothingToAnswer) as refused:
        vacations.end(player_id=rested.pk, now=NOW)
    assert str(refused.value) == "You are not on vacation."
