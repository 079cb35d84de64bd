"""Rulings, moves, sweeps and endings at one moment happen one after the other."""

from datetime import timedelta

import pytest
from django.db import transaction

from games import play, rulings, sweeps
from games.models import RatingEntry, Ruling
from games.refusals import GameIsOver
from tests.conftest import days
from tests.games.acts import as_stored, both_move, position_of, resigned_by, submit, submit_within
from tests.games.rulings.ground import LATER, all_is_well, counts
from tests.games.threads import Meanwhile, at_once

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_move_that_waited_for_a_ruling_is_refused(rule, running, alice):
    text = str(position_of(running).legal_moves()[0])
    with transaction.atomic():
        rule(rulings.make_void, running)
        other = Meanwhile(lambda: submit(running, alice, text, ply=2, now=LATER)).begin()
        other.wait_until_it_waits()
    assert isinstance(other.end(), GameIsOver)
    assert as_stored(running).ply == 2


def test_a_ruling_that_waited_for_a_move_rules_on_what_it_led_to(rule, running, undo, alice):
    with transaction.atomic():
        submit_within(running, alice, str(position_of(running).legal_moves()[0]), ply=2, now=LATER)
        other = Meanwhile(lambda: rule(rulings.make_void, running)).begin()
        other.wait_until_it_waits()
    undo(other.end())
    game = as_stored(running)
    assert (game.ply, game.seat_to_move, game.deadline_at) == (3, 1, LATER + days(3))


def test_a_sweep_and_a_gift_of_time_leave_one_or_the_other(rule, running):
    for _attempt in range(5):
        now = as_stored(running).deadline_at + timedelta(minutes=1)
        given, ended = at_once(
            lambda now=now: rule(rulings.give_time, running, seat=0, hours=24, now=now),
            lambda now=now: sweeps.end_games_on_time(now=now),
        )
        game = as_stored(running)
        assert game.is_running == isinstance(given, Ruling) == (ended == 0)
        if not game.is_running:
            rule(rulings.reopen, running, hours=24, now=now)
    all_is_well(now=now)


def test_rulings_and_endings_in_one_pool_wait_for_each_other(
    start, rule, dora, alice, bob, charlie
):
    over = [resigned_by(alice, start("tritt-classic", alice, bob)) for _ in range(4)]
    going = [start("tritt-classic", bob, charlie) for _ in range(4)]
    for game in going:
        both_move(game)
    answers = at_once(
        *[lambda game=game: rule(rulings.make_void, game) for game in over[:2]],
        *[lambda game=game: rule(rulings.set_result, game, score=1) for game in over[2:]],
        *[
            lambda game=game: play.resign(game_id=game.pk, player_id=bob.pk, now=LATER)
            for game in going
        ],
    )
    assert not [answer for answer in answers if isinstance(answer, Exception)]
    assert RatingEntry.objects.filter(is_void=False).count() == 6
    all_is_well()


def test_a_ruling_undone_twice_at_once_is_undone_once(rule, undo, running):
    ruling = rule(rulings.make_void, running)
    assert at_once(*[lambda: undo(ruling)] * 3) == [ruling] * 3
    assert counts() == {"alice": 1, "bob": 1}
