"""The only caller of SMTP: claims what is due, sends it once and notes what became of it."""

import logging
from collections import deque
from collections.abc import Iterable
from datetime import datetime, timedelta
from time import monotonic

from celery.exceptions import SoftTimeLimitExceeded
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db import transaction
from django.db.models import F, Q, QuerySet

from notifications import bounces, channels, digests, letters, preferences, reminders, topical
from notifications.channels import NobodyThere
from notifications.models import Channel, Kind, Letter, State
from notifications.timing import LEAST_NOTICE
from notifications.verdicts import Verdict, verdict

logger = logging.getLogger(__name__)

PENDING = (State.WAITING, State.SENDING)
BATCH = 20
CLAIM = timedelta(minutes=10)
LONGEST_BATCH = 120.0
"""Seconds; what has not been reached by then is handed back long before the claim ends."""
MOST_ATTEMPTS = 12
MOST_DOUBTS = 2
"""A letter that may have arrived is sent once more, under the same Message-ID, and then no more."""
FIRST_PAUSE = timedelta(minutes=1)
LONGEST_PAUSE = timedelta(hours=4)


class Line:
    """The way out, opened when the first letter needs it and kept for the others."""

    def __init__(self) -> None:
        self._connection: BaseEmailBackend | None = None

    def send(self, message: EmailMessage) -> None:
        assert self._connection is not None, "the line must be opened first"
        self._connection.send_messages([message])

    def open(self) -> None:
        if self._connection is None:
            connection = get_connection()
            connection.open()
            self._connection = connection

    def close(self) -> None:
        """A line that is broken already must not hide what broke it."""
        connection, self._connection = self._connection, None
        if connection is not None:
            try:
                connection.close()
            except Exception as error:
                logger.info("the line did not close: %s", error)


def send_due(*, now: datetime) -> bool:
    """Sends one batch of what is due; whether it is worth asking for another at once."""
    digests.gather(now=now)
    claimed = _claim(now)
    more = len(claimed) == BATCH
    line, began = Line(), monotonic()
    try:
        while claimed and monotonic() - began < LONGEST_BATCH:
            if not _deal_with(claimed.popleft(), line, now):
                return False
        return more
    finally:
        line.close()
        _hand_back(claimed)


# Claiming


def due(now: datetime) -> QuerySet[Letter]:
    """What is to be sent and nobody else has; a claim ends by itself if its worker died."""
    free = Q(state=State.WAITING) | Q(claimed_until__lte=now)
    pending = Letter.objects.filter(free, state__in=PENDING, due_at__lte=now)
    return pending.filter(carried_by=None, digest=False).order_by("due_at", "id")


def _claim(now: datetime) -> deque[Letter]:
    with transaction.atomic():
        ids = list(
            due(now).select_for_update(skip_locked=True).values_list("pk", flat=True)[:BATCH]
        )
        Letter.objects.filter(pk__in=ids).update(state=State.SENDING, claimed_until=now + CLAIM)
    rows = Letter.objects.filter(pk__in=ids).select_related("player", "game")
    return deque(rows.order_by("due_at", "id"))


def _mine(letter: Letter) -> QuerySet[Letter]:
    """Only while the claim holds: what another worker has taken over is his to settle."""
    return Letter.objects.filter(
        pk=letter.pk, state=State.SENDING, claimed_until=letter.claimed_until
    )


def _hand_back(untouched: Iterable[Letter]) -> None:
    for letter in untouched:
        _mine(letter).update(state=State.WAITING, claimed_until=None)


# One letter


def _deal_with(letter: Letter, line: Line, now: datetime) -> bool:
    """Sends it, cancels it or puts it off; whether the line is still good for others."""
    try:
        return _send(letter, line, now)
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:
        logger.exception("letter %s could not be written", letter)
        letter.attempts += 1
        _put_off(letter, verdict(error), now, was_sent=False)
        return True


def _send(letter: Letter, line: Line, now: datetime) -> bool:
    if _is_put_off_or_needless(letter, now):
        return True
    if letter.doubts >= MOST_DOUBTS:
        _settle(letter, State.REFUSED, "unanswered", now)
        return True
    if letter.channel != Channel.MAIL:
        return _carry(letter, now)
    letter.address = letter.address or _address(letter)
    if not letter.address:
        _settle(letter, State.CANCELLED, "no-address", now)
        return True
    if bounces.is_suppressed(letter.address):
        _settle(letter, State.REFUSED, "suppressed", now)
        return True
    return _mail(letter, letters.compose(letter, now=now), line, now)


def _is_put_off_or_needless(letter: Letter, now: datetime) -> bool:
    if letter.kind == Kind.REMINDER and (moved := reminders.moved_to(letter, now=now)):
        at, deadline = moved
        with transaction.atomic():
            if _mine(letter).update(state=State.WAITING, claimed_until=None):
                reminders.move(letter, at=at, deadline=deadline, now=now)
        return True
    why = topical.why_not(letter, now=now)
    if letter.kind == Kind.DIGEST and not why and not digests.repack(letter, now=now):
        why = "nothing-left"
    if why:
        _settle(letter, State.CANCELLED, why, now)
    return bool(why)


def _address(letter: Letter) -> str:
    return preferences.address_of(letter.player) if letter.player else ""


def _mail(letter: Letter, message: EmailMessage, line: Line, now: datetime) -> bool:
    """Noted as on its way before it goes: if we die now, it is known that it may have arrived."""
    message.to = [letter.address]
    try:
        line.open()
    except Exception as error:
        return _line_is_down(letter, error, now)
    if not _mine(letter).update(attempts=F("attempts") + 1, doubts=F("doubts") + 1):
        return True
    letter.attempts += 1
    try:
        line.send(message)
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:
        return _failed(letter, verdict(error), line, now, was_sent=True)
    _settle(letter, State.SENT, "", now, doubts=F("doubts") - 1)
    return True


def _carry(letter: Letter, now: datetime) -> bool:
    """By another channel; those that were told are noted one by one, so nothing is in doubt."""
    if not _mine(letter).update(attempts=F("attempts") + 1):
        return True
    letter.attempts += 1
    try:
        channels.deliver(letter, now=now)
    except NobodyThere:
        _settle(letter, State.CANCELLED, "nobody-there", now)
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:
        _put_off(letter, verdict(error), now, was_sent=False)
    else:
        _settle(letter, State.SENT, "", now)
    return True


# What became of it


def _line_is_down(letter: Letter, error: Exception, now: datetime) -> bool:
    """Not the letter's fault, so it is no attempt; the others are not even tried."""
    logger.warning("no way out for letters: %s", error)
    _mine(letter).update(
        state=State.WAITING,
        claimed_until=None,
        why="line-down",
        error=verdict(error).error,
        due_at=now + FIRST_PAUSE,
    )
    return False


def _failed(letter: Letter, what: Verdict, line: Line, now: datetime, *, was_sent: bool) -> bool:
    line.close()
    if was_sent and what.for_good:
        with transaction.atomic():
            _settle(letter, State.REFUSED, "refused", now, error=what.error, doubts=F("doubts") - 1)
            if what.bounced:
                bounces.note_bounce(letter.address, True, what.error, now)
    else:
        _put_off(letter, what, now, was_sent=was_sent)
    return not what.line_is_down


def _put_off(letter: Letter, what: Verdict, now: datetime, *, was_sent: bool) -> None:
    """Longer each time; after the last, it is given up with the last error."""
    if letter.attempts >= MOST_ATTEMPTS:
        _settle(letter, State.REFUSED, "gave-up", now, error=what.error, attempts=letter.attempts)
        return
    settled_doubt = 1 if was_sent and not what.doubtful else 0
    _mine(letter).update(
        state=State.WAITING,
        claimed_until=None,
        why="retrying",
        error=what.error,
        attempts=letter.attempts,
        doubts=F("doubts") - settled_doubt,
        due_at=_next_try(letter, now),
    )


def _next_try(letter: Letter, now: datetime) -> datetime:
    """Sooner where waiting as long as usual would pass the deadline."""
    due = now + min(FIRST_PAUSE * 2 ** (letter.attempts - 1), LONGEST_PAUSE)
    if letter.deadline_at is None:
        return due
    return min(due, max(now + FIRST_PAUSE, letter.deadline_at - LEAST_NOTICE))


def _settle(letter: Letter, state: str, why: str, now: datetime, **more: object) -> None:
    """With all that it carries, in one transaction."""
    with transaction.atomic():
        fields = {"address": letter.address, "claimed_until": None, "settled_at": now, **more}
        settled = _mine(letter).update(state=state, why=why, **fields)
        if settled and letter.kind == Kind.DIGEST:
            digests.settle_carried(letter, state=state, why=why, now=now)
