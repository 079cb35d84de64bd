"""A day has room for so many challenges, messages and invitations, to one player and in all."""

import contextlib
from datetime import timedelta

import pytest

from accounts import daily
from accounts.models import DailyCount
from accounts.tasks import forget_old_counts
from games import budgets, lobby, talk
from games.budgets import BUDGETS, Act, OverBudget
from games.clock import PerMove
from games.lobby import Terms
from games.models import Challenge, ChatLine
from tests.conftest import NOW, make_player
from tests.games.threads import at_once

TERMS = Terms(ruleset="tritt-classic", clock=PerMove(3))
TOMORROW = NOW + timedelta(days=1)


def challenge(challenger, opponent, now=NOW):
    """And takes it back at once, so that only the day's budget is used up."""
    offer = lobby.challenge(challenger=challenger, opponent=opponent, terms=TERMS, now=now)
    lobby.withdraw(challenge_id=offer.pk, player=challenger, now=now)


def invite(challenger, email, now=NOW):
    offer = lobby.invite_by_email(challenger=challenger, email=email, terms=TERMS, now=now)
    lobby.withdraw(challenge_id=offer.pk, player=challenger, now=now)


def refusal_of(act, *given, **named) -> OverBudget:
    with pytest.raises(OverBudget) as refused:
        act(*given, **named)
    return refused.value


def tried(act, times: int) -> tuple[int, set[str]]:
    """How often it was done, and what the others were told."""
    sentences = []
    for number in range(times):
        with contextlib.suppress(OverBudget):
            act(number)
            continue
        sentences.append(str(refusal_of(act, number)))
    return times - len(sentences), set(sentences)


def test_nobody_gets_forty_challenges_in_a_minute(alice, bob):
    made, told = tried(lambda second: challenge(alice, bob, NOW + timedelta(seconds=second)), 40)
    assert made == Challenge.objects.count() == BUDGETS[Act.CHALLENGE].to_one
    assert told == {"You can challenge bob 6 times a day. Try again in 12 h."}
    challenge(bob, alice)
    challenge(alice, bob, TOMORROW)


def test_nobody_writes_to_two_hundred_strangers_in_five_minutes(alice, bob):
    def write(number):
        invite(alice, f"stranger{number}@example.net", NOW + timedelta(seconds=1.5 * number))

    made, told = tried(write, 200)
    assert made == Challenge.objects.count() == BUDGETS[Act.EMAIL_INVITATION].in_all
    assert told == {"You can invite 10 people a day by e-mail. Try again in 12 h."}
    invite(bob, "stranger199@example.net")
    invite(alice, "stranger200@example.net", TOMORROW)


def test_a_stranger_is_invited_once_a_day_however_the_address_is_spelt(alice, bob):
    invite(alice, "emil@example.net")
    refusal = refusal_of(invite, bob, "Emil+games@Example.net")
    assert str(refusal) == "We already e-mailed this address today. Try again in 12 h."


def test_challenges_in_all_are_limited(alice, monkeypatch):
    monkeypatch.setitem(BUDGETS, Act.CHALLENGE, _smaller(Act.CHALLENGE, in_all=3))
    others = [make_player(f"other{at}") for at in range(4)]
    for other in others[:3]:
        challenge(alice, other)
    refusal = refusal_of(challenge, alice, others[3])
    assert str(refusal) == "You can challenge players 3 times a day. Try again in 12 h."


def test_bots_and_everyone_cost_nothing(alice, monkeypatch):
    monkeypatch.setitem(BUDGETS, Act.CHALLENGE, _smaller(Act.CHALLENGE, in_all=1, to_one=1))
    dew = make_player("Dewy", bot_level=0, is_bot=True)
    for _ in range(2):
        lobby.challenge(challenger=alice, opponent=dew, terms=TERMS, now=NOW)
        lobby.seek(challenger=alice, terms=TERMS, now=NOW)
    assert not DailyCount.objects.exists()


def test_chat_has_a_daily_limit(start, alice, bob, charlie):
    game, other = start(), start("tritoc", alice, charlie)
    most = BUDGETS[Act.CHAT].to_one

    def say(at, number):
        now = NOW + timedelta(minutes=number / 9)
        return talk.say(game_id=at.pk, player_id=alice.pk, text="hello", now=now)

    for number in range(most):
        say(game, number)
    refusal = refusal_of(say, game, most)
    assert str(refusal) == f"You can send bob {most} messages a day. Try again in 12 h."
    say(other, most + 9)
    talk.say(game_id=game.pk, player_id=bob.pk, text="hello", now=NOW)
    assert ChatLine.objects.filter(author=alice).count() == most + 1


def test_what_is_refused_counts_nothing(alice, bob, monkeypatch):
    monkeypatch.setitem(BUDGETS, Act.CHALLENGE, _smaller(Act.CHALLENGE, to_one=1))
    challenge(alice, bob)
    for _ in range(3):
        refusal_of(challenge, alice, bob)
    assert set(DailyCount.objects.values_list("key", "count")) == {
        (f"p{alice.pk}", 1),
        (f"p{alice.pk}>p{bob.pk}", 1),
    }


def test_every_act_has_a_budget_and_both_sentences():
    assert set(BUDGETS) == set(Act)
    for budget in BUDGETS.values():
        assert 0 < budget.to_one <= budget.in_all
        assert "{most}" in budget.in_all_reached
        assert "{hours}" in budget.to_one_reached
        assert "{hours}" in budget.in_all_reached


@pytest.mark.django_db(transaction=True)
def test_two_requests_at_once_cannot_both_be_the_last(alice, bob):
    def count():
        return daily.count_once(kind="test", key="p1", most=3, now=NOW)

    assert sorted(at_once(*[count] * 8)) == [False] * 5 + [True] * 3


def test_by_api_it_is_a_429_that_says_how_long_to_wait(alice, bob, api_of, monkeypatch):
    monkeypatch.setitem(BUDGETS, Act.CHALLENGE, _smaller(Act.CHALLENGE, to_one=1))
    program = api_of(alice)

    def post():
        offer = {"ruleset": "tritoc", "opponent": "bob"}
        return program.post("/api/v1/challenges", offer, format="json")

    assert post().status_code == 201
    answer = post()
    assert answer.status_code == 429
    assert 0 < int(answer["Retry-After"]) <= 24 * 3600
    assert answer.json()["detail"].startswith("You can challenge bob 1 times a day.")


def test_the_counts_of_days_that_are_over_are_forgotten(alice, bob):
    challenge(alice, bob)
    assert daily.forget_old(now=NOW + timedelta(hours=11)) == 0
    forget_old_counts()
    assert not DailyCount.objects.exists()


def _smaller(act: Act, **limits: int) -> budgets.Budget:
    usual = BUDGETS[act]
    sentences = {
        "to_one_reached": usual.to_one_reached,
        "in_all_reached": usual.in_all_reached,
    }
    return budgets.Budget(**{"to_one": 1000, "in_all": 1000} | sentences | limits)
