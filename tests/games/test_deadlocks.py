"""Actions at the same time never wait for each other in a circle; a victim is repeated once.

Every pair here has deadlocked before.
"""

import threading
from contextlib import suppress

import pytest
from django.db import OperationalError, connection, transaction

from accounts import locks
from games import plans, play, reviews, rulings, talk
from games.models import ChatLine, Game, Participant, Review
from games.refusals import TimeRanOut
from games.table import lock
from tests import deadlocks
from tests.conftest import NOW, days, make_player
from tests.games.acts import as_stored, both_move, position_of, resigned_by, submit
from tests.games.threads import Meanwhile, at_once

pytestmark = pytest.mark.django_db(transaction=True)
LATER = NOW + days(1)


@pytest.fixture
def running(start):
    game = start()
    both_move(game)
    return game


def test_chat_and_the_end_of_a_game(running, alice, bob):
    with transaction.atomic():
        lock(running.pk)
        chat = Meanwhile(
            lambda: talk.say(game_id=running.pk, player_id=alice.pk, text="well played", now=LATER)
        ).begin()
        chat.wait_until_it_waits_or_ends()
        play.resign(game_id=running.pk, player_id=bob.pk, now=LATER)
    assert isinstance(chat.end(), ChatLine)
    assert not as_stored(running).is_running


def test_a_review_and_the_reopening_of_a_game(start, alice):
    over = resigned_by(alice, start())
    staff = make_player("dora", is_staff=True)
    with transaction.atomic():
        lock(over.pk)
        asked = Meanwhile(lambda: reviews.ask(game=over, player=alice, now=LATER)).begin()
        asked.wait_until_it_waits_or_ends()
        rulings.reopen(game_id=over.pk, by=staff, reason="A mistake.", hours=24, now=LATER)
    assert type(asked.end()).__name__ == "NotAllowed"
    assert as_stored(over).is_running
    assert not Review.objects.exists()


def test_conditional_moves_of_two_players_in_two_games(start, alice, bob, monkeypatch):
    """Each of two moves is answered by the other player, and both players were absent."""
    first, second = start("tritt-classic", alice, bob), start("tritt-classic", bob, alice)
    for game in (first, second):
        both_move(game)
    for game, owner in ((first, bob), (second, alice)):
        _answer_anything(game, owner)
    Participant.objects.update(absent_since=NOW)
    both_have_moved = threading.Barrier(2)
    follow = play._follow_plans

    def meet_and_follow(*args):
        with suppress(threading.BrokenBarrierError):
            both_have_moved.wait(1)
        follow(*args)

    monkeypatch.setattr(play, "_follow_plans", meet_and_follow)
    answers = at_once(
        lambda: submit(first, alice, _any_move(first), ply=2),
        lambda: submit(second, bob, _any_move(second), ply=2),
    )
    assert [type(answer).__name__ for answer in answers] == ["Played", "Played"]
    assert [as_stored(game).ply for game in (first, second)] == [4, 4]
    assert not Participant.objects.exclude(absent_since=None).exists()


def _any_move(game: Game) -> str:
    return str(position_of(game).legal_moves()[0])


def _answer_anything(game, owner):
    after = position_of(game).play(position_of(game).legal_moves()[0])
    branch = {"move": None, "dice": None, "then": str(after.legal_moves()[0]), "next": []}
    plans.write(game_id=game.pk, player_id=owner.pk, tree=[branch])


# Victims


def deadlocking(first, second, *, gate, runs):
    """Locks two players one after the other, and is there when another does so in reverse."""

    @locks.action
    def act():
        runs.append(first)
        _lock_player(first)
        with suppress(threading.BrokenBarrierError):
            gate.wait(0.5)
        _lock_player(second)
        return "done"

    locks.ACTIONS.remove(act)
    return act


def _lock_player(player):
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM accounts_player WHERE id = %s FOR NO KEY UPDATE", [player.pk])


def test_a_victim_is_repeated_once(alice, bob):
    gate, runs = threading.Barrier(2), []
    answers = at_once(
        deadlocking(alice, bob, gate=gate, runs=runs),
        deadlocking(bob, alice, gate=gate, runs=runs),
    )
    assert answers == ["done", "done"]
    assert len(runs) == 3


def test_a_victim_that_was_repeated_is_counted_all_the_same(alice, bob):
    gate = threading.Barrier(2)
    with pytest.raises(AssertionError, match="there was a deadlock"), deadlocks.none():
        at_once(
            deadlocking(alice, bob, gate=gate, runs=[]),
            deadlocking(bob, alice, gate=gate, runs=[]),
        )
    with deadlocks.none():
        at_once(deadlocking(alice, bob, gate=gate, runs=[]))


def test_a_victim_that_fails_again_fails(alice):
    runs = []

    @locks.action
    def act():
        runs.append(1)
        with connection.cursor() as cursor:
            cursor.execute("DO $$ BEGIN RAISE EXCEPTION 'again' USING ERRCODE = '40P01'; END $$")

    locks.ACTIONS.remove(act)
    with pytest.raises(OperationalError, match="again"):
        act()
    assert len(runs) == 2


@pytest.mark.parametrize(("code", "times"), [("40001", 2), ("55P03", 1)])
def test_only_who_lost_a_conflict_is_repeated(alice, code, times):
    """A lock that was waited for too long is no deadlock."""
    runs = []

    @locks.action
    def act():
        runs.append(1)
        with connection.cursor() as cursor:
            cursor.execute(f"DO $$ BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{code}'; END $$")

    locks.ACTIONS.remove(act)
    with pytest.raises(OperationalError):
        act()
    assert len(runs) == times


def test_the_outermost_alone_repeats(alice):
    runs = []

    @locks.action
    def inner():
        runs.append("inner")
        if len(runs) < 3:
            with connection.cursor() as cursor:
                cursor.execute("DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '40P01'; END $$")

    @locks.action
    def outer():
        runs.append("outer")
        inner()

    locks.ACTIONS.remove(inner)
    locks.ACTIONS.remove(outer)
    outer()
    assert runs == ["outer", "inner", "outer", "inner"]


# Outermost


def test_a_move_submitted_inside_a_transaction_is_refused(running, alice):
    """A time-out that it noticed would be rolled back with everything else."""
    with transaction.atomic(), pytest.raises(RuntimeError):
        submit(running, alice, _any_move(running), ply=2)


def test_a_time_out_stays_whatever_the_mover_is_told(running, alice):
    with pytest.raises(TimeRanOut):
        submit(running, alice, _any_move(running), ply=2, now=NOW + days(4))
    assert as_stored(running).reason == "time"
