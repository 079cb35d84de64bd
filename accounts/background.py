"""Background tasks: slices of seconds, one runner per task, queued again while there is more.

It is here because every layer has tasks and this is the lowest of them.
"""

import faulthandler
import logging
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import cache
from typing import Any, Protocol

from celery import Task, current_task, shared_task
from django.conf import settings
from django.core.cache import cache as redis
from django.db import Error, connection
from django.utils import timezone
from redis import Redis

from accounts.breaker import redis_breaker

logger = logging.getLogger(__name__)

SLICE = 10.0
"""Seconds that a task works at a time; then whatever else is queued has its turn."""
HARD_LIMIT = 90.0
"""Seconds after which a process whose task has not come back is ended."""
NOTED_EVERY = 5.0
"""Seconds between two notes of a run: a task may run many times a second."""
WOKEN_ONCE_IN = 30
"""Seconds for which a wake-up stands for all others, even if its task was lost."""
QUEUED_WITHIN = 2
"""Seconds for which it does while its task is being queued."""


class Act(Protocol):
    """Works for about so many seconds; whether there is more to do, if it knows.

    If it does not, having used up its time says that there is. What fails must be put off or set
    aside, or the same row would be tried for ever.
    """

    def __call__(self, *, now: datetime, seconds: float) -> bool | None: ...


class TimeBox:
    """Seconds that can be asked between two rows."""

    def __init__(self, seconds: float) -> None:
        self._ends_at = time.monotonic() + seconds

    @property
    def left(self) -> float:
        return max(self._ends_at - time.monotonic(), 0.0)

    @property
    def is_over(self) -> bool:
        return time.monotonic() >= self._ends_at


def task(name: str, *, seconds: float = SLICE, one_runner: bool = True) -> Callable[[Act], Any]:
    """Make a Celery task of an act; it may be run twice, and at any time.

    Several run at once only with `one_runner=False`, for acts that claim row by row.
    """

    def decorate(act: Act) -> Any:
        def run(woken: bool = False) -> None:
            if woken:
                # Before the first look: whatever is written from now on wakes another.
                _forget(_woken(name))
            with _ended_if_it_hangs():
                if _run(name, act, seconds, one_runner):
                    wake(run_task)

        run.__doc__ = act.__doc__
        run_task = shared_task(run, name=name)
        return run_task

    return decorate


def _run(name: str, act: Act, seconds: float, one_runner: bool) -> bool:
    """Whether the task is to be queued again."""
    if not one_runner:
        return _run_slice(name, act, seconds)
    with _only_runner(name) as is_only:
        if not is_only:
            return False
        _forget(_refused(name))
        has_more = _run_slice(name, act, seconds)
    # Somebody came for something that was written after we had looked.
    return _forget(_refused(name)) or has_more


def _run_slice(name: str, act: Act, seconds: float) -> bool:
    box = TimeBox(seconds)
    has_more = act(now=timezone.now(), seconds=seconds)
    _note_run(name)
    return box.is_over if has_more is None else has_more


# One runner

# A session holds the lock, so that it ends with a killed worker at once. A worker that hangs is
# idle: PostgreSQL ends its session, and another has its turn. Nobody waits for the lock: the slots
# of a queue would fill with tasks that do nothing.
TAKE = """
SELECT CASE WHEN pg_try_advisory_lock(hashtextextended(%s, 0))
       THEN set_config('idle_session_timeout', '60s', false) END
"""
RELEASE = "SELECT pg_advisory_unlock(hashtextextended(%s, 0))"


@contextmanager
def _only_runner(name: str) -> Iterator[bool]:
    """Whether no other session works at this task; none can until the end of the block."""
    is_only = _take(name)
    if not is_only:
        # The runner looks at this when it is done, unless it has looked just now.
        _note(_refused(name))
        is_only = _take(name)
    try:
        yield is_only
    finally:
        if is_only:
            _release(name)


def _take(name: str) -> bool:
    with connection.cursor() as cursor:
        cursor.execute(TAKE, [f"task {name}"])
        return bool(cursor.fetchone() != (None,))


def _release(name: str) -> None:
    try:
        with connection.cursor() as cursor:
            cursor.execute(RELEASE, [f"task {name}"])
            cursor.execute("RESET idle_session_timeout")
    except Error:
        # The session is broken, and the lock went with it or goes now.
        connection.close()


# Waking


def wake(task: Task, *, flag: str = "") -> None:
    """Queue a task, unless one is queued already; without Redis, the timetable does it later."""
    breaker = redis_breaker(settings.REDIS_URL)
    if not breaker.may_try():
        return
    key, woken = (flag, {}) if flag else (_woken(task.name), {"woken": True})
    try:
        _queue_once(task, key, woken)
    except Exception as error:
        breaker.failed()
        logger.warning("%s waits for the timetable: %s", task.name, error)
    else:
        breaker.succeeded()


def _queue_once(task: Task, key: str, woken: dict[str, bool]) -> None:
    """The key stands for other wake-ups only once the task is queued.

    Until then it soon expires by itself: a Redis that hung sets it after we have given up.
    """
    if not _redis().set(redis.make_key(key), 1, nx=True, ex=QUEUED_WITHIN):
        return
    try:
        task.delay(**woken)
    except Exception:
        _forget(key)
        raise
    _redis().expire(redis.make_key(key), WOKEN_ONCE_IN)


def _woken(name: str) -> str:
    return f"woken:{name}"


def _refused(name: str) -> str:
    return f"refused:{name}"


def _note(key: str) -> None:
    try:
        _redis().set(redis.make_key(key), 1, ex=WOKEN_ONCE_IN)
    except Exception as error:
        logger.warning("%s could not be noted: %s", key, error)


def _forget(key: str) -> bool:
    """Whether it was there; without Redis, the timetable finds what is left to do."""
    try:
        return bool(_redis().delete(redis.make_key(key)))
    except Exception as error:
        logger.warning("%s could not be read: %s", key, error)
        return False


@cache
def _client(url: str) -> Redis:
    """One client for good: Django's cache makes one a call, which takes longer than the call."""
    return Redis.from_url(url, socket_timeout=1, socket_connect_timeout=1)


def _redis() -> Redis:
    return _client(settings.REDIS_URL)


# When it last ran

_noted_at: dict[str, float] = {}
# One statement, whether there is a row or not.
NOTE_RUN = """
INSERT INTO accounts_taskrun AS run (name, ran_at) VALUES (%s, %s)
ON CONFLICT (name) DO UPDATE SET ran_at = greatest(run.ran_at, excluded.ran_at)
"""


def _note_run(name: str) -> None:
    if time.monotonic() - _noted_at.get(name, float("-inf")) < NOTED_EVERY:
        return
    _noted_at[name] = time.monotonic()
    with connection.cursor() as cursor:
        cursor.execute(NOTE_RUN, [name, timezone.now()])


# What hangs

_must_end_at: dict[int, float] = {}
"""By thread: when the task that runs there must have come back."""
_ends = threading.Lock()


@contextmanager
def _ended_if_it_hangs() -> Iterator[None]:
    """Pools of one process have no limits of their own: this one ends the process itself.

    Every wait in a task has a limit, so this is for what nobody thought of. The timer is C code of
    the interpreter and needs no lock of it; whoever runs the Procfile starts the process again.
    """
    if not current_task or current_task.request.called_directly:
        yield
        return
    me = threading.get_ident()
    with _ends:
        _must_end_at[me] = time.monotonic() + HARD_LIMIT
        _set_timer()
    try:
        yield
    finally:
        with _ends:
            _must_end_at.pop(me, None)
            _set_timer()


def _set_timer() -> None:
    if not _must_end_at:
        faulthandler.cancel_dump_traceback_later()
        return
    left = max(min(_must_end_at.values()) - time.monotonic(), 0.1)
    faulthandler.dump_traceback_later(left, exit=True, file=sys.__stderr__ or sys.stderr)


# What failed


class SetAside:
    """Rows that failed in this process: left out for some minutes, so that the others go on."""

    def __init__(self, seconds: float = 300.0) -> None:
        self.seconds = seconds
        self._until: dict[int, float] = {}

    def add(self, pk: int) -> None:
        self._until[pk] = time.monotonic() + self.seconds

    def __iter__(self) -> Iterator[int]:
        now = time.monotonic()
        self._until = {pk: until for pk, until in self._until.items() if until > now}
        return iter(list(self._until))
