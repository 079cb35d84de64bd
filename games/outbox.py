"""Facts go up: written with what caused them, carried to each subscriber by a worker."""

import json
import logging
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime, timedelta
from functools import cache
from hashlib import blake2b
from secrets import randbelow
from time import monotonic
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import connection, transaction
from django.utils.module_loading import import_string

from accounts import locks
from games import bell, prepared
from games.events import FACTS, Fact
from games.models import OutboxMessage

logger = logging.getLogger(__name__)

MOST_ATTEMPTS = 12
"""The index `outbox_retries` has it too."""
FIRST_PAUSE = timedelta(seconds=10)
LONGEST_PAUSE = timedelta(hours=6)
STUCK_AFTER = 5
QUEUES = 2**56
MOST_SUBSCRIBERS = 16
FRESH_PER_RETRY = 10
"""So that neither a backlog nor many failures hold up the other."""
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
def _subscriber(name: str) -> Callable[..., None]:
    """By its registered name, or by the dotted path of a function that only tests know."""
    return import_string(import_string(settings.SUBSCRIBERS).get(name, name))


# Recording


ROWS = """
INSERT INTO games_outboxmessage
    (fact, subscriber, payload, queue, recorded_at, due_at, attempts, error)
SELECT fact, subscriber, payload, queue, %s, %s, 0, ''
FROM unnest(%s::text[], %s::text[], %s::jsonb[], %s::bigint[])
    AS e(fact, subscriber, payload, queue)
"""


def queue_of(fact: Fact) -> int:
    """A number for what the fact is about: the game, challenge, event or player it names first.

    It is a hash, so that a worker can start anywhere among them; should two games share one,
    they only wait for each other.
    """
    about = fields(fact)[0].name
    name = f"{about} {getattr(fact, about)}"
    return int.from_bytes(blake2b(name.encode(), digest_size=7).digest())


def rows_for(facts: Iterable[Fact]) -> list[tuple[str, str, str, int]]:
    """What is to be written: the fact, its subscriber, its payload and its queue."""
    return [
        (fact.name, subscriber, json.dumps(asdict(fact)), queue_of(fact))
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
    for kind, names in heard_at_once().items():
        heard = [fact for fact in facts if isinstance(fact, kind)]
        for name in names if heard else ():
            _subscriber(name)(heard, now=now)


def ring_after_commit() -> None:
    transaction.on_commit(ring)


def ring() -> None:
    from games.tasks import relay

    bell.ring(BELL, relay)


# Carrying


def relay(*, now: datetime, seconds: float = math.inf) -> bool:
    """Carries what is due, for some seconds at most; whether anything is left to carry.

    Each fact has a transaction of its own: its rows are claimed, its subscribers called and the
    rows deleted in it. Facts of one queue are carried in order and by one worker at a time. One
    that failed waits outside of its queue: later facts about the same game pass it.
    """
    bell.heard(BELL)
    give_up_at = monotonic() + seconds
    for _ in _steps(now):
        if monotonic() >= give_up_at:
            return _is_any_due(now)
    return False


def _steps(now: datetime) -> Iterator[None]:
    """Looks until nothing is left: what others hold at one moment may be free at the next."""
    carried = True
    while carried:
        carried = False
        retries = _carry_retries(now)
        for number, done in enumerate(_carry_fresh(now)):
            carried |= done
            yield
            if number % FRESH_PER_RETRY == 0:
                carried |= next(retries, False)
        for done in retries:
            carried |= done
            yield


def _carry_fresh(now: datetime) -> Iterator[bool]:
    """One fact of each queue in turn, until all that are left are held by other workers.

    It begins anywhere, so that workers seldom meet and no queue is always the last.
    """
    queue = randbelow(QUEUES)
    held: set[int] = set()
    while (claim := _carry(FRESH, {"now": now, "queue": queue})) is not None:
        if claim.messages:
            held.clear()
        elif claim.queue in held:
            return
        else:
            held.add(claim.queue)
        queue = claim.queue + 1
        yield bool(claim.messages)


def _carry_retries(now: datetime) -> Iterator[bool]:
    """Each row that failed before and is due again, once."""
    after = {"due_at": datetime.min.replace(tzinfo=UTC), "id": 0}
    while (claim := _carry(RETRY, {"now": now, **after})) is not None:
        after = {"due_at": claim.due_at, "id": claim.id}
        yield bool(claim.messages)


def _is_any_due(now: datetime) -> bool:
    due = OutboxMessage.objects.filter(due_at__lte=now)
    fresh, retries = due.filter(attempts=0), due.filter(attempts__range=(1, MOST_ATTEMPTS - 1))
    return fresh.exists() or retries.exists()


# One fact


# Both statements first find a row by an index, then try for its queue, and only then lock rows:
# whoever has the queue sees what its last holder has deleted or put off, as locking a row reads it
# anew. PostgreSQL gives the queue back with the end of the transaction. Whatever others hold is
# passed by, a whole queue at a step.
CLAIM = """
WITH next AS MATERIALIZED ({next}), held AS MATERIALIZED (
    SELECT *, pg_try_advisory_xact_lock(queue) AS is_ours FROM next
)
SELECT held.queue, held.due_at, held.id, m.id, m.fact, m.subscriber, m.payload, m.attempts
FROM held LEFT JOIN LATERAL (
    SELECT * FROM games_outboxmessage AS row
    WHERE held.is_ours AND {rows}
    ORDER BY row.id LIMIT {most}
    FOR NO KEY UPDATE SKIP LOCKED
) AS m ON true
"""
SAME_ROW = "row.id = held.id AND row.attempts = held.attempts"
# The first row of the next queue, all around, and with it the other rows of the same fact.
FRESH = CLAIM.format(
    next="""
    (SELECT * FROM games_outboxmessage
     WHERE attempts = 0 AND due_at <= %(now)s AND queue >= %(queue)s ORDER BY queue, id LIMIT 1)
    UNION ALL
    (SELECT * FROM games_outboxmessage
     WHERE attempts = 0 AND due_at <= %(now)s AND queue < %(queue)s ORDER BY queue, id LIMIT 1)
    LIMIT 1""",
    rows="""row.queue = held.queue AND row.attempts = 0 AND row.fact = held.fact
        AND row.payload = held.payload AND row.recorded_at = held.recorded_at""",
    most=MOST_SUBSCRIBERS,
)
RETRY = CLAIM.format(
    next=f"""
    SELECT * FROM games_outboxmessage
    WHERE attempts > 0 AND attempts < {MOST_ATTEMPTS} AND due_at <= %(now)s
      AND (due_at, id) > (%(due_at)s, %(id)s)
    ORDER BY due_at, id LIMIT 1""",  # noqa: S608 - a number of ours, for the index to match
    rows=SAME_ROW,
    most=1,
)
# One row of a fact of which some row has failed, unless another worker has seen to it meanwhile.
ALONE = CLAIM.format(
    next="SELECT * FROM games_outboxmessage WHERE id = %(id)s AND attempts = %(attempts)s",
    rows=SAME_ROW,
    most=1,
)


@dataclass(kw_only=True)
class Claim:
    """Where the worker looked; without messages if another holds the queue."""

    queue: int
    due_at: datetime
    id: int
    messages: list[OutboxMessage]


def _carry(statement: str, params: dict[str, Any]) -> Claim | None:
    """Carries one fact to all its subscribers, or to each alone if one of them fails."""
    claims: list[Claim] = []
    try:
        return _deliver(statement, params, claims)
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:
        if not claims:
            raise
        failure = error
    _carry_each(claims[-1].messages, failure, params["now"])
    return claims[-1]


def _carry_each(messages: list[OutboxMessage], error: Exception, now: datetime) -> None:
    if len(messages) == 1:
        _put_off(messages[0], error, now)
        return
    for message in messages:
        _carry(ALONE, {"id": message.pk, "attempts": message.attempts, "now": now})


@locks.action
def _deliver(statement: str, params: dict[str, Any], claims: list[Claim]) -> Claim | None:
    """Claims rows, calls their subscribers and deletes them; all of it or nothing.

    What was claimed is added to `claims`, for whoever has to deal with a failure.
    """
    claim = _claim(statement, params)
    if claim is not None and claim.messages:
        claims.append(claim)
        for message in claim.messages:
            _subscriber(message.subscriber)(_fact_of(message))
        with prepared.cursor() as cursor:
            # Past the ORM, which would look for rows that refer to these.
            delete = "DELETE FROM games_outboxmessage WHERE id = ANY(%s)"
            cursor.execute(delete, [[message.pk for message in claim.messages]])
    return claim


def _claim(statement: str, params: dict[str, Any]) -> Claim | None:
    with prepared.cursor() as cursor:
        cursor.execute(statement, params)
        rows = cursor.fetchall()
    if not rows:
        return None
    queue, due_at, first, *_ = rows[0]
    messages = [
        OutboxMessage(
            id=pk, fact=fact, subscriber=subscriber, payload=json.loads(payload), attempts=attempts
        )
        for _queue, _due_at, _first, pk, fact, subscriber, payload, attempts in rows
        if pk is not None
    ]
    return Claim(queue=queue, due_at=due_at, id=first, messages=messages)


def _fact_of(message: OutboxMessage) -> Fact:
    return FACTS[message.fact](**message.payload)


def _put_off(message: OutboxMessage, error: Exception, now: datetime) -> None:
    """In a transaction after the one that failed, so that even a lost connection is noted.

    Whoever has carried or put off the row meanwhile has the last word.
    """
    logger.error("%s failed", message, exc_info=error)
    # The longest pause is reached long before the doubling overflows.
    pause = min(FIRST_PAUSE * 2**message.attempts, LONGEST_PAUSE)
    OutboxMessage.objects.filter(pk=message.pk, attempts=message.attempts).update(
        attempts=message.attempts + 1,
        error=f"{type(error).__name__}: {error}"[:2000],
        due_at=now + pause,
    )


# What has failed


def stuck() -> Any:
    """What has failed so often that a person should look."""
    return OutboxMessage.objects.filter(attempts__gte=STUCK_AFTER).order_by("recorded_at")
