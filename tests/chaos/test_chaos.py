"""Two minutes of chaos break no bound; and a bound that is broken is noticed."""

import json
import os
import subprocess
import sys
import time
from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from games import play
from games.models import Game, Move, Outage, Status, Via
from notifications.message import message_id
from notifications.models import Channel, Kind, Letter, State
from tests.chaos import faults, verdict
from tests.chaos.faults import Occurrence
from tests.chaos.ledger import Ledger, Sent
from tests.chaos.peers import MailPeer, WebhookPeer
from tests.chaos.players import Pair
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


def test_a_move_by_mail_that_is_lost_is_noticed(played):
    game, ledger = played
    Move.objects.filter(ply=1).update(via=Via.MAIL)
    first = Sent(game.pk, 0, Move.objects.get(ply=1).text)
    ledger.mailed = {first}
    lost = "moves by mail that were taken and are lost or are another"
    assert lost not in broken(verdict.of_mail(ledger, 0))
    ledger.mailed |= {Sent(game.pk, 1, "a1")}
    assert lost in broken(verdict.of_mail(ledger, 0))


# Outages


def outage(began: float, ended: float) -> Outage:
    """Between two moments that are so many seconds from now."""
    now = timezone.now()
    at = [now + timedelta(seconds=seconds) for seconds in (began, ended)]
    return Outage.objects.create(began_at=at[0], ended_at=at[1], is_credited=True)


def away(began: float, ended: float) -> Occurrence:
    now = time.monotonic()
    return Occurrence(verdict.ABSENCE, now + began, now + ended)


@pytest.mark.parametrize(
    ("sent", "known", "is_false"), [(-50, -40, True), (-70, -55, False), (-40, -20, False)]
)
def test_an_outage_in_which_moves_were_taken_is_noticed(db, sent, known, is_false):
    now, ledger = time.monotonic(), Ledger()
    ledger.taken_within.append((now + sent, now + known))
    outage(-60, -30)
    found = broken(verdict.of_outages([], ledger))
    assert ("outages during which a move was taken" in found) == is_false


def test_an_absence_without_an_outage_is_noticed(db):
    outage(-60, -40)
    assert broken(verdict.of_outages([away(-59, -45)], Ledger())) == []
    assert broken(verdict.of_outages([away(-39, -25)], Ledger())) == [
        "absences of PostgreSQL that are no outage"
    ]


def test_without_any_outage_the_class_of_faults_did_not_occur(db):
    assert "outages of the web" in broken(verdict.of_outages([away(-39, -25)], Ledger()))


@pytest.mark.parametrize(
    ("ended", "is_early", "is_late"),
    [(-1, False, False), (-6, True, False), (80, False, True)],
)
def test_a_game_that_ended_too_early_or_too_late_is_noticed(played, ended, is_early, is_late):
    """Its time was over 15 seconds ago; 12 of them are made up for."""
    game, _ledger = played
    now = timezone.now()
    outage(-60, -48)
    Game.objects.filter(pk=game.pk).update(
        status=Status.FINISHED,
        reason="time",
        ended_at=now + timedelta(seconds=ended),
        deadline_at=None,
        score=1,
    )
    found = broken(verdict.of_time_outs({game.pk: now - timedelta(seconds=15)}, []))
    assert ("games that ended too early" in found) == is_early
    assert ("seconds from a time-out to the game's end" in found) == is_late


def test_a_game_that_still_runs_after_its_time_is_noticed(played):
    game, _ledger = played
    assert broken(verdict.of_time_outs({game.pk: timezone.now()}, [])) == [
        "games that ran out of time"
    ]


# Players


@pytest.mark.parametrize(("in_the_log", "contradictions"), [(True, 1), (False, 0)])
def test_a_refusal_after_a_reply_that_was_lost_is_held_against_the_log(
    monkeypatch, in_the_log, contradictions
):
    replies = [OSError(), (409, {}, b"{}"), (200, {}, log_of(5 if in_the_log else 4))]

    def reply(*_request):
        if isinstance(replies[0], OSError):
            raise replies.pop(0)
        return replies.pop(0)

    monkeypatch.setattr("tests.chaos.players.ask", reply)
    ledger = Ledger()
    pair = Pair(0, [], 0, ledger, 1)
    assert not pair._submit(Sent(1, 4, "a1"), "secret")
    assert (len(ledger.contradictions), replies) == (contradictions, [])


def log_of(plies: int) -> bytes:
    return json.dumps({"moves": [{"ply": ply} for ply in range(plies + 1)]}).encode()


# Letters and lags


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


def test_a_delivery_that_never_came_and_one_that_came_again_are_noticed(alice):
    for key in ("one", "two"):
        Letter.objects.create(
            key=key, kind=Kind.TURN, player=alice, state=State.SENT, channel=Channel.WEBHOOK
        )
    peer = WebhookPeer()
    assert "deliveries to webhooks" in broken(verdict.of_webhooks(peer, [], 120))
    peer.received.update({"one": 2, "three": 1})
    assert broken(verdict.of_webhooks(peer, [], 1)) == [
        "deliveries noted as made that never came",
        "deliveries of what nobody wrote",
        "deliveries that came again",
    ]


def test_a_duty_that_is_late_between_faults_or_usually_is_noticed():
    now = time.monotonic()
    samples = [(now + at, {"facts": 0.0}) for at in range(40)]
    assert broken(verdict.of_samples(samples, [])) == []
    samples[7] = now + 7, {"facts": 100.0}
    assert broken(verdict.of_samples(samples, [away(6, 8)])) == []
    assert broken(verdict.of_samples(samples, [])) == ["    most between faults"]
    late = [(at, {"facts": 11.0}) for at, _lags in samples]
    assert broken(verdict.of_samples(late, [])) == ["  facts: seconds late, median"]
    assert broken(verdict.of_samples([], [])) == ["times that the lags were read"]


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
        (Row("exactly", 0, least=0, most=0), False),
        (Row("killed by a signal", -9, least=0, most=0), True),
    ],
)
def test_a_row_knows_its_bound(row, is_broken):
    assert row.is_broken is is_broken
