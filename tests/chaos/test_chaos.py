"""Two minutes of chaos break no bound; and a bound that is broken is noticed."""

import os
import subprocess
import sys
from datetime import timedelta

import pytest
from django.conf import settings

from games import play
from games.models import Move, Outage, Via
from notifications.message import message_id
from notifications.models import Kind, Letter, State
from tests.chaos import faults, verdict
from tests.chaos.ledger import Ledger, Sent
from tests.chaos.peers import MailPeer
from tests.chaos.verdict import Row
from tests.conftest import NOW
from tests.games.acts import both_move
from tests.servers import NOT_FOR_TESTS, SETTINGS

NOT_FOR_CHAOS = {*NOT_FOR_TESTS, *SETTINGS, "DATABASE_URL", "REDIS_URL"}


@pytest.mark.long
def test_two_minutes_of_chaos_break_no_bound():
    environment = {name: text for name, text in os.environ.items() if name not in NOT_FOR_CHAOS}
    done = subprocess.run(
        [sys.executable, "-m", "tests.chaos", "120", "1"],
        cwd=settings.BASE_DIR,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    print(done.stdout)
    assert done.returncode == 0, done.stdout


def test_a_plan_follows_from_its_seed_and_has_every_fault_once_before_any_twice():
    def first(seed: int) -> list[str]:
        plan = faults.plan(seed, with_clock=True)
        return [next(plan)[1].name for _ in range(len(faults.FAULTS) + 1)]

    assert first(1) == first(1) != first(2)
    assert set(first(1)) == {*faults.FAULTS, *faults.CLOCK_JUMP}


@pytest.fixture
def played(start):
    """A game of three lines by API, and a ledger that knows of them all."""
    game = start()
    both_move(game)
    Move.objects.filter(ply__gt=0).update(via=Via.API)
    ledger = Ledger()
    for line in Move.objects.filter(ply__gt=0):
        move = Sent(game.pk, line.ply - 1, line.text)
        ledger.note_sent(move)
        ledger.note_acknowledged(move, line.text, 0.0)
    return game, ledger


def broken(rows) -> list[str]:
    return [row.what for row in rows if row.is_broken]


def test_a_true_ledger_breaks_nothing(played):
    assert [one for one in broken(verdict.of_moves(played[1])) if one != "invariants broken"] == []


def test_an_acknowledged_move_that_is_lost_or_another_is_noticed(played):
    game, ledger = played
    ledger.acknowledged[Sent(game.pk, 17, "a1")] = "a1"
    assert "acknowledged moves that are lost or are another" in broken(verdict.of_moves(ledger))


def test_a_move_that_nobody_sent_is_noticed(played):
    _game, ledger = played
    ledger.sent.clear()
    assert "moves that nobody sent" in broken(verdict.of_moves(ledger))


def test_an_outage_in_which_moves_were_taken_is_noticed(played):
    _game, ledger = played
    hour = timedelta(hours=1)
    Outage.objects.create(began_at=NOW - hour, ended_at=NOW + hour)
    assert "outages credited while moves were taken" in broken(verdict.of_moves(ledger))


def test_a_letter_that_never_arrived_and_one_that_came_thrice_are_noticed(alice):
    for key in ("one", "two", "three"):
        Letter.objects.create(key=key, kind=Kind.TURN, player=alice, state=State.SENT)
    peer = MailPeer()
    peer.received.update({message_id("one"): 1, message_id("two"): 3})
    assert broken(verdict.of_letters(peer, [])) == [
        "e-mails noted as sent that never arrived",
        "e-mails that arrived twice",
        "e-mails that arrived more than twice",
    ]


def test_a_game_that_ended_unheard_is_noticed(played):
    game, _ledger = played
    play.resign(game_id=game.pk, player_id=game.seats.get(number=0).player_id, now=NOW)
    peer = MailPeer()
    peer.received["<x>"] = 1
    assert "games over without a notification to a player" in broken(verdict.of_letters(peer, []))


@pytest.mark.parametrize(
    ("row", "is_broken"),
    [
        (Row("most", 3, most=3), False),
        (Row("most", 4, most=3), True),
        (Row("least", 2, least=3), True),
        (Row("told", 9), False),
    ],
)
def test_a_row_knows_its_bound(row, is_broken):
    assert row.is_broken is is_broken
