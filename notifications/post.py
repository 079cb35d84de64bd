"""Claim letters that are due, send each once and note what became of it.

Mail and push are one duty and webhooks another, so that slow addresses delay nobody's mail.
"""

import logging
import math
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from time import monotonic

from celery.exceptions import SoftTimeLimitExceeded
from django.core.mail import EmailMessage, get_connection
from django.core.mail.backends.base import BaseEmailBackend
from django.db.models import F, Q, QuerySet

from accounts import locks, never_write
from notifications import (
    bounces,
    call_budget,
    channels,
    digests,
    letters,
    preferences,
    reaching,
    reminders,
    timing,
    topical,
)
from notifications.call_budget import BudgetIsSpent
from notifications.calls import NamesAreBusy
from notifications.channels import NobodyThere
from notifications.models import Channel, Kind, Letter, State
from notifications.smtp import EmailBackend
from notifications.verdicts import Verdict, verdict

logger = logging.getLogger(__name__)

PENDING = (State.WAITING, State.SENDING)
CLAIM = timedelta(minutes=1)
"""Longer than any step of sending takes; it is renewed between them."""
LONGEST_BATCH = 10.0
"""Seconds; what has not been reached by then is for the next batch."""
MOST_ATTEMPTS = 12
MOST_TRIES_BY_MAIL = 40
"""Some five days, as mail servers do it; with a deadline, for as long as it is of use."""
MOST_DOUBTS = 2
"""A letter that may have arrived is sent once more, under the same Message-ID, and then no more."""
FIRST_PAUSE = timedelta(minutes=1)
LONGEST_PAUSE = timedelta(hours=4)


class ClaimIsLost(Exception):
    """Another worker has taken the letter over."""


class Line:
    """The way out, opened when the first letter needs it and kept for the others."""

    def __init__(self, now: datetime) -> None:
        self._connection: BaseEmailBackend | None = None
        self._opened_at, self._began = now, monotonic()

    @property
    def seconds(self) -> float:
        return monotonic() - self._began

    @property
    def now(self) -> datetime:
        return self._opened_at + timedelta(seconds=self.seconds)

    def send(self, message: EmailMessage, before_message: Callable[[], None]) -> None:
        """Calls `before_message` at the last moment at which it cannot have arrived yet."""
        assert self._connection is not None, "the line must be opened first"
        if isinstance(self._connection, EmailBackend) and self._connection.connection:
            self._connection.connection.begin_message()
            self._connection.connection.before_message = before_message
        else:
            before_message()
        self._connection.send_messages([message])

    @property
    def may_have_delivered(self) -> bool:
        """Whether the last message was given in full and never answered."""
        if isinstance(self._connection, EmailBackend) and self._connection.connection:
            return self._connection.connection.may_have_arrived
        return True

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


def send_due(*, now: datetime, seconds: float | None = None) -> bool:
    """Sends mail and push that is due, for some seconds; whether there is more to do at once.

    Mail comes first: a browser's address may be slow. Without a way out for mail, push goes on.
    """
    longest = LONGEST_BATCH if seconds is None else seconds
    digests.gather(now=now)
    line = Line(now)
    channels = [Channel.MAIL, Channel.PUSH]
    try:
        while line.seconds < longest:
            letter = _claim_first(channels, now, until=line.now + CLAIM)
            if letter is None:
                return False
            if not _deal_with(letter, line, now):
                channels.remove(Channel.MAIL)
        return True
    finally:
        line.close()


def call_webhooks(*, now: datetime, seconds: float = LONGEST_BATCH) -> bool:
    """Tells webhooks of what is due, for some seconds; whether there is more to do at once."""
    line = Line(now)
    while line.seconds < seconds:
        due_now = call_budget.by_turns(due(now, Channel.WEBHOOK), now=line.now)
        letter = _claim(due_now, until=line.now + CLAIM)
        if letter is None:
            return False
        _deal_with(letter, line, now)
    return True


def has_webhooks_for_another(*, now: datetime) -> bool:
    """Whether more is due than this worker takes first."""
    return due(now, Channel.WEBHOOK)[1:2].exists()


# Claiming


def due(now: datetime, channel: str) -> QuerySet[Letter]:
    """What is to be sent and nobody else has; a claim ends by itself if its worker died."""
    free = Q(state=State.WAITING) | Q(claimed_until__lte=now)
    pending = Letter.objects.filter(free, state__in=PENDING, due_at__lte=now, channel=channel)
    return pending.filter(carried_by=None, digest=False).order_by("due_at", "id")


def _claim_first(channels: Iterable[str], now: datetime, *, until: datetime) -> Letter | None:
    claims = (_claim(due(now, channel), until=until) for channel in channels)
    return next((letter for letter in claims if letter is not None), None)


@locks.action
def _claim(due: QuerySet[Letter], *, until: datetime) -> Letter | None:
    """The next one: a worker that dies keeps one letter from the others, for as long as a claim."""
    letters = due.select_related("player", "game")
    letter = letters.select_for_update(skip_locked=True, no_key=True, of=("self",)).first()
    if letter is not None:
        letter.state, letter.claimed_until = State.SENDING, until
        letter.save(update_fields=["state", "claimed_until"])
    return letter


def _mine(letter: Letter) -> QuerySet[Letter]:
    """Only while the claim holds: what another worker has taken over is his to settle."""
    return Letter.objects.filter(
        pk=letter.pk, state=State.SENDING, claimed_until=letter.claimed_until
    )


def _renew(letter: Letter, now: datetime, **more: object) -> None:
    """Before each step that may take long; raises ClaimIsLost."""
    until = now + CLAIM
    if not _mine(letter).update(claimed_until=until, **more):
        raise ClaimIsLost
    letter.claimed_until = until


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
        _put_off(letter, verdict(error), now)
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
    if letter.player is None and never_write.is_unwanted(letter.address):
        _settle(letter, State.CANCELLED, "unwanted", now)
        return True
    if _can_wait(letter, now):
        _leave_to_digest(letter, now)
        return True
    return _mail(letter, letters.compose(letter, now=now), line, now)


def _is_put_off_or_needless(letter: Letter, now: datetime) -> bool:
    if letter.kind == Kind.REMINDER and (moved := reminders.moved_to(letter, now=now)):
        _move(letter, *moved, now)
        return True
    why = topical.why_not(letter, now=now)
    if letter.kind == Kind.DIGEST and not why and not digests.repack(letter, now=now):
        why = "nothing-left"
    if why:
        _settle(letter, State.CANCELLED, why, now)
    return bool(why)


@locks.action
def _move(letter: Letter, at: datetime, deadline: datetime, now: datetime) -> None:
    if _mine(letter).update(state=State.WAITING, claimed_until=None):
        reminders.move(letter, at=at, deadline=deadline, now=now)


def _can_wait(letter: Letter, now: datetime) -> bool:
    """Counted once, at the first try; whoever was counted and came too late is in a digest."""
    was_counted = letter.attempts > 0 or letter.why == "line-down"
    return not was_counted and reaching.is_one_too_many(letter, now=now)


def _leave_to_digest(letter: Letter, now: datetime) -> None:
    assert letter.player is not None
    rhythm = preferences.rhythm(preferences.habits(letter.player))
    _mine(letter).update(
        state=State.WAITING,
        claimed_until=None,
        digest=True,
        due_at=timing.next_digest(now, rhythm),
        why="many-today",
    )


def _address(letter: Letter) -> str:
    return preferences.address_of(letter.player) if letter.player else ""


def _mail(letter: Letter, message: EmailMessage, line: Line, now: datetime) -> bool:
    """Noted as given just before it is: if we die then, it is known that it may have arrived."""
    message.to = [letter.address]
    try:
        line.open()
    except Exception as error:
        return _line_is_down(letter, error, now)
    settled = letter.doubts
    letter.attempts += 1

    def note_doubt() -> None:
        letter.doubts = settled + 1
        _renew(letter, line.now, doubts=letter.doubts)

    try:
        _renew(letter, line.now, attempts=letter.attempts)
        line.send(message, note_doubt)
    except ClaimIsLost:
        line.close()
        return True
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:
        if not line.may_have_delivered:
            letter.doubts = settled
        return _failed(letter, verdict(error), line, now)
    _settle(letter, State.SENT, "", now, doubts=settled)
    return True


def _carry(letter: Letter, now: datetime) -> bool:
    """By another channel; those that were told are noted one by one, so nothing is in doubt."""
    if not _mine(letter).update(attempts=F("attempts") + 1):
        return True
    letter.attempts += 1
    try:
        channels.deliver(letter, now=now)
    except BudgetIsSpent:
        _wait(letter, why="calls-spent", until=call_budget.next_hour(now))
    except NamesAreBusy:
        _wait(letter, why="retrying", until=now + FIRST_PAUSE)
    except NobodyThere:
        _settle(letter, State.CANCELLED, "nobody-there", now)
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:
        _put_off(letter, verdict(error), now)
    else:
        _settle(letter, State.SENT, "", now)
    return True


# What became of it


def _wait(letter: Letter, *, why: str, until: datetime) -> None:
    """No attempt: other letters are in the way."""
    _mine(letter).update(
        state=State.WAITING,
        claimed_until=None,
        why=why,
        attempts=F("attempts") - 1,
        due_at=until,
    )


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


def _failed(letter: Letter, what: Verdict, line: Line, now: datetime) -> bool:
    line.close()
    if what.for_good:
        _refuse(letter, what, now)
    elif letter.doubts >= MOST_DOUBTS:
        fields = {"error": what.error, "attempts": letter.attempts, "doubts": letter.doubts}
        _settle(letter, State.REFUSED, "unanswered", now, **fields)
    else:
        _put_off(letter, what, now)
    return not what.line_is_down


@locks.action
def _refuse(letter: Letter, what: Verdict, now: datetime) -> None:
    _settle(letter, State.REFUSED, "refused", now, error=what.error, doubts=letter.doubts)
    if what.bounced:
        bounces.note_bounce(letter.address, True, what.error, now)


def _put_off(letter: Letter, what: Verdict, now: datetime) -> None:
    """Longer each time; after the last, it is given up with the last error."""
    if letter.attempts >= _most_attempts(letter):
        _settle(letter, State.REFUSED, "gave-up", now, error=what.error, attempts=letter.attempts)
        return
    _mine(letter).update(
        state=State.WAITING,
        claimed_until=None,
        why="retrying",
        error=what.error,
        attempts=letter.attempts,
        doubts=letter.doubts,
        due_at=_next_try(letter, now),
    )


def _most_attempts(letter: Letter) -> float:
    """Whatever has a deadline is out of date some day; `topical` says when."""
    if letter.channel != Channel.MAIL:
        return MOST_ATTEMPTS
    return math.inf if letter.deadline_at else MOST_TRIES_BY_MAIL


def _next_try(letter: Letter, now: datetime) -> datetime:
    """Later each time, but after a quarter of the time that is left until the deadline."""
    pause = min(FIRST_PAUSE * 2 ** min(letter.attempts - 1, 8), LONGEST_PAUSE)
    if letter.deadline_at is not None and letter.deadline_at > now:
        pause = min(pause, max((letter.deadline_at - now) / 4, FIRST_PAUSE))
    return now + pause


@locks.action
def _settle(letter: Letter, state: str, why: str, now: datetime, **more: object) -> None:
    """With all that it carries, in one transaction."""
    fields = {"address": letter.address, "claimed_until": None, "settled_at": now, **more}
    settled = _mine(letter).update(state=state, why=why, **fields)
    if settled and letter.kind == Kind.DIGEST:
        digests.settle_carried(letter, state=state, why=why, now=now)
