"""Each duty's lag is the age of the oldest thing that is due and not done."""

from datetime import timedelta

import pytest

from accounts.models import Closing, TaskRun
from config import duties
from config.celery import QUEUE_OF
from games import outbox
from games.models import BotErrand, Game, OutboxMessage, Review
from notifications.models import Channel, InboundMail, Letter, State
from tests.conftest import NOW
from tests.tournaments.life import Stage
from tournaments.models import Errand, Event

AGO = timedelta(seconds=90)
LATER = timedelta(seconds=1)


def letter(channel, **fields):
    return Letter.objects.create(key=f"k.{channel}", kind="turn", channel=channel, **fields)


@pytest.fixture
def idle(start):
    """A game that is not due, and nothing else."""
    game = start(now=NOW)
    OutboxMessage.objects.all().delete()
    return game


def late_clock(game, at):
    Game.objects.update(deadline_at=at)


def late_fact(game, at):
    OutboxMessage.objects.create(fact="game_started", payload={"game_id": game.pk}, due_at=at)


def late_inbound_mail(game, at):
    InboundMail.objects.create(recipient="r@example.org", peer="", raw=b"", due_at=at)


def late_letter(game, at):
    letter(Channel.MAIL, due_at=at)


def late_webhook(game, at):
    letter(Channel.WEBHOOK, due_at=at)


def late_errand(game, at):
    Errand.objects.create(event=an_event(game), noted_at=at)


def late_event(game, at):
    Event.objects.filter(pk=an_event(game).pk).update(due_at=at)


def an_event(game):
    event = Stage(game.seats.first().player).open()
    Event.objects.update(due_at=None)
    OutboxMessage.objects.all().delete()
    return event


def late_closing(game, at):
    player = game.seats.first().player
    Closing.objects.create(player=player, name=player.name, asked_at=at, due_at=at)


def late_review(game, at):
    player = game.seats.first().player
    Review.objects.create(game=game, asked_by=player, asked_at=at, last_ply=0, turns=1)


def late_bot(game, at):
    Game.objects.update(clock_from=at)
    BotErrand.objects.create(game=game)


LATE = {
    "clocks": late_clock,
    "facts": late_fact,
    "inbound_mail": late_inbound_mail,
    "letters": late_letter,
    "webhooks": late_webhook,
    "pairings": late_errand,
    "events": late_event,
    "closings": late_closing,
    "reviews": late_review,
    "bots": late_bot,
}


def test_nothing_is_late_where_nothing_is_due(idle):
    assert duties.lags(NOW) == dict.fromkeys(LATE, 0.0)


@pytest.mark.parametrize("duty", LATE)
def test_what_is_due_and_not_done_is_late(idle, duty):
    LATE[duty](idle, NOW - AGO)
    lags = duties.lags(NOW)
    assert lags.pop(duty) == AGO.total_seconds()
    assert set(lags.values()) == {0.0}


@pytest.mark.parametrize("duty", LATE)
def test_what_is_not_due_yet_is_not_late(idle, duty):
    LATE[duty](idle, NOW + LATER)
    assert duties.lags(NOW)[duty] == 0.0


def test_each_duty_has_a_task_that_notes_its_runs(idle):
    assert set(duties.TASKS) == set(duties.DUTIES)
    assert set(duties.TASKS.values()) <= set(QUEUE_OF)
    assert set(duties.last_runs().values()) == {None}
    TaskRun.objects.create(name="games.relay", ran_at=NOW)
    assert duties.last_runs()["facts"] == NOW


def test_what_was_given_up_or_is_done_is_not_late(idle):
    late_fact(idle, NOW - AGO)
    OutboxMessage.objects.update(attempts=outbox.MOST_ATTEMPTS)
    letter(Channel.MAIL, due_at=NOW - AGO, state=State.SENT)
    letter(Channel.PUSH, due_at=NOW - AGO, digest=True)
    assert set(duties.lags(NOW).values()) == {0.0}
