"""So many files of events a day for everyone, and one at a time in each process."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import BoundedSemaphore

from django.http import HttpRequest
from django.utils import timezone
from rest_framework.request import Request

from accounts import daily
from accounts.export_limits import who_exports
from games.refusals import TooMany

MOST_A_DAY = 100
PATIENCE = 2
"""Seconds that a file waits for another one of its process."""

# A web process has two threads: while one makes a file, the other goes on serving pages.
making = BoundedSemaphore(1)


@contextmanager
def event_file(request: HttpRequest | Request) -> Iterator[None]:
    """A file is made within; raises TooMany."""
    if not making.acquire(timeout=PATIENCE):
        raise TooMany("The server is busy. Try again in a moment.", retry_after=PATIENCE)
    try:
        _count(request)
        yield
    finally:
        making.release()


def _count(request: HttpRequest | Request) -> None:
    now = timezone.now()
    who = who_exports(request)
    if not daily.count_once(kind="event-file", key=who, most=MOST_A_DAY, now=now):
        raise TooMany(
            "You can download {most} tournament files a day. Try again tomorrow.",
            most=MOST_A_DAY,
            retry_after=daily.seconds_until_tomorrow(now),
        )
