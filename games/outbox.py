"""Facts go up: written with what caused them, carried to each subscriber by a worker."""

import json
import logging
from collections.abc import Callable, Iterable
from dataclasses import asdict
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import connection, transaction
from django.db.models import QuerySet
from django.utils.module_loading import import_string

from accounts import locks
from games import bell
from games.events import Fact, fact_named
from games.models import OutboxMessage

logger = logging.getLogger(__name__)

BATCH = 200
MOST_ATTEMPTS = 12
FIRST_PAUSE = timedelta(seconds=10)
LONGEST_PAUSE = timedelta(hours=6)
CLAIMED_FOR = timedelta(minutes=2)
STUCK_AFTER = 5
BELL = "bell:relay"


@cache
def subscriptions() -> dict[type[Fact], tuple[str, ...]]:
    """Who hears what; the map itself is on the top floor."""
    return import_string(settings.SUBSCRIPTIONS)


@cache
def heard_at_once() -> dict[type[Fact], tuple[str, ...]]:
    """Who is told in the transaction of what happened, and can undo it by failing."""
    return import_string(settings.HEARD_AT_ONCE)


@cache
def heard_alone() -> tuple[str, ...]:
    """Subscribers with transactions of their own, which may be heard twice."""
    return import_string(settings.HEARD_ALONE)


@cache
def _subscriber(path: str) -> Callable[[Fact], None]:
    return import_string(path)


ROWS = """
INSERT INTO games_outboxmessage (fact, subscriber, payload, recorded_at, due_at, attempts, error)
SELECT fact, subscriber, payload, %s, %s, 0, ''
FROM unnest(%s::text[], %s::text[], %s::jsonb[]) AS e(fact, subscriber, payload)
"""


def rows_for(facts: Iterable[Fact]) -> list[tuple[str, str, str]]:
    """What is to be written: the fact, its subscriber and its payload."""
    return [
        (type(fact).__name__, subscriber, json.dumps(asdict(fact)))
        for fact in facts
        for subscriber in subscriptions().get(type(fact), ())
    ]


def record(*facts: Fact, now: datetime) -> None:
    """One row for each subscriber, in the transaction of what happened; then the bell.

    It is the last that is done there: who hears at once locks after everybody else.
    """
    rows = rows_for(facts)
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(ROWS, [now, now, *(list(column) for column in zip(*rows, strict=True))])
        ring_after_commit()
    _tell_at_once(facts, now)


def _tell_at_once(facts: Iterable[Fact], now: datetime) -> None:
    for kind, paths in heard_at_once().items():
        heard = [fact for fact in facts if isinstance(fact, kind)]
        for path in paths if heard else ():
            import_string(path)(heard, now=now)


def ring_after_commit() -> None:
    transaction.on_commit(ring)


def ring() -> None:
    from games.tasks import relay

    bell.ring(BELL, relay)


def relay(*, now: datetime) -> int:
    """Delivers everything that is due, a batch at a time; the number delivered."""
    bell.heard(BELL)
    delivered = 0
    while claimed := _relay_batch(now):
        delivered += claimed
    while message := _claim_alone(now):
        delivered += 1
        _deliver_alone(message, now)
    return delivered


@locks.action
def _relay_batch(now: datetime) -> int:
    """Delivers what it can claim; each message in a transaction of its own inside the claim's.

    A message that fails is rolled back alone and waits longer each time.
    """
    waiting = _due(now).exclude(subscriber__in=heard_alone())
    batch = list(waiting.order_by("due_at", "id")[:BATCH])
    done = [message.pk for message in batch if _deliver(message, now)]
    OutboxMessage.objects.filter(pk__in=done).delete()
    return len(batch)


def _due(now: datetime) -> QuerySet[OutboxMessage]:
    free = OutboxMessage.objects.select_for_update(skip_locked=True, no_key=True)
    return free.filter(due_at__lte=now, attempts__lt=MOST_ATTEMPTS)


@locks.action
def _claim_alone(now: datetime) -> OutboxMessage | None:
    """Puts the next one off, so that a worker that dies with it leaves it to another."""
    message = _due(now).filter(subscriber__in=heard_alone()).order_by("due_at", "id").first()
    if message:
        message.due_at = now + CLAIMED_FOR
        message.save(update_fields=["due_at"])
    return message


def _deliver_alone(message: OutboxMessage, now: datetime) -> None:
    try:
        _subscriber(message.subscriber)(_fact_of(message))
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:
        logger.exception("%s failed", message)
        _put_off(message, error, now)
    else:
        message.delete()


def _deliver(message: OutboxMessage, now: datetime) -> bool:
    try:
        with locks.savepoint():
            _subscriber(message.subscriber)(_fact_of(message))
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:
        logger.exception("%s failed", message)
        _put_off(message, error, now)
        return False
    return True


def _fact_of(message: OutboxMessage) -> Fact:
    return fact_named(message.fact)(**message.payload)


def _put_off(message: OutboxMessage, error: Exception, now: datetime) -> None:
    message.attempts += 1
    message.error = f"{type(error).__name__}: {error}"[:2000]
    message.due_at = now + min(FIRST_PAUSE * 2 ** (message.attempts - 1), LONGEST_PAUSE)
    message.save(update_fields=["attempts", "error", "due_at"])


def stuck() -> Any:
    """What has failed so often that a person should look."""
    return OutboxMessage.objects.filter(attempts__gte=STUCK_AFTER).order_by("recorded_at")
