"""How late each background duty is: the age of the oldest thing that is due and not done."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

from django.db.models import QuerySet, Value
from django.utils import timezone

from accounts.models import Closing, TaskRun
from games.models import BotErrand, Game, OutboxMessage, Review, Status
from games.outbox import MOST_ATTEMPTS
from games.sweeps import GRACE
from notifications.models import Channel, InboundMail, Letter
from notifications.models import State as LetterState
from tournaments.models import Errand, Event

Due = Callable[[datetime], QuerySet[Any]]


def _games(now: datetime) -> QuerySet[Game]:
    return Game.objects.filter(status=Status.RUNNING, deadline_at__lte=now - GRACE)


def _facts(now: datetime) -> QuerySet[OutboxMessage]:
    return OutboxMessage.objects.filter(due_at__lte=now, attempts__lt=MOST_ATTEMPTS)


def _inbound_mail(now: datetime) -> QuerySet[InboundMail]:
    return InboundMail.objects.filter(state=InboundMail.State.NEW, due_at__lte=now)


def _letters(now: datetime) -> QuerySet[Letter]:
    """Without those that wait for a digest, or go out with another."""
    pending = [LetterState.WAITING, LetterState.SENDING]
    due = Letter.objects.filter(state__in=pending, due_at__lte=now)
    return due.filter(digest=False, carried_by=None)


def _mail_and_push(now: datetime) -> QuerySet[Letter]:
    return _letters(now).exclude(channel=Channel.WEBHOOK)


def _webhooks(now: datetime) -> QuerySet[Letter]:
    return _letters(now).filter(channel=Channel.WEBHOOK)


def _errands(now: datetime) -> QuerySet[Errand]:
    return Errand.objects.filter(noted_at__lte=now)


def _events(now: datetime) -> QuerySet[Event]:
    return Event.objects.filter(due_at__lte=now)


def _closings(now: datetime) -> QuerySet[Closing]:
    return Closing.objects.filter(due_at__lte=now)


def _reviews(now: datetime) -> QuerySet[Review]:
    return Review.objects.filter(done_at=None, asked_at__lte=now)


def _bots(now: datetime) -> QuerySet[BotErrand]:
    return BotErrand.objects.filter(game__clock_from__lte=now)


DUTIES: dict[str, tuple[Due, str]] = {
    "clocks": (_games, "deadline_at"),
    "facts": (_facts, "due_at"),
    "inbound_mail": (_inbound_mail, "due_at"),
    "letters": (_mail_and_push, "due_at"),
    "webhooks": (_webhooks, "due_at"),
    "pairings": (_errands, "noted_at"),
    "events": (_events, "due_at"),
    "closings": (_closings, "due_at"),
    "reviews": (_reviews, "asked_at"),
    "bots": (_bots, "game__clock_from"),
}
"""What each duty has to do by a moment, and the field that says since when."""


TASKS = {
    "clocks": "games.end_games_on_time",
    "facts": "games.relay",
    "inbound_mail": "notifications.read_new_mail",
    "letters": "notifications.send_letters",
    "webhooks": "notifications.call_webhooks",
    "pairings": "tournaments.catch_up",
    "events": "tournaments.look_at_due_events",
    "closings": "accounts.settle_closed_accounts",
    "reviews": "games.serve_bots",
    "bots": "games.serve_bots",
}
"""The task that does each duty."""


def last_runs() -> dict[str, datetime | None]:
    """When the task of each duty last came to an end, on any machine."""
    ran = dict(TaskRun.objects.values_list("name", "ran_at"))
    return {duty: ran.get(task) for duty, task in TASKS.items()}


def lags(now: datetime | None = None) -> dict[str, float]:
    """Seconds by duty; 0 where nothing is due."""
    now = now or timezone.now()
    first, *others = [_oldest(name, due(now), since) for name, (due, since) in DUTIES.items()]
    oldest = dict(first.union(*others, all=True))
    return {
        name: (now - oldest[name]).total_seconds() if name in oldest else 0.0 for name in DUTIES
    }


def _oldest(name: str, due: QuerySet[Any], since: str) -> QuerySet[Any]:
    """One row at most; all duties are asked in one statement."""
    named = due.order_by(since).annotate(duty=Value(name))
    return named.values_list("duty", since)[:1]
