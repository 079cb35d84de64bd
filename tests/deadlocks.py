"""Deadlocks as PostgreSQL counts them: also those whose victim was repeated and went unnoticed."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

REPORTED_WITHIN = 1.5
"""Seconds: a session reports what it has seen once a second, or when it ends."""


def counted() -> int:
    """So far, in this database."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush(), pg_stat_clear_snapshot()")
        cursor.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        number: int = cursor.fetchone()[0]
        return number


@contextmanager
def none() -> Iterator[None]:
    """All other sessions that could meet in one must have ended with the block."""
    before = counted()
    yield
    time.sleep(REPORTED_WITHIN)
    assert counted() - before == 0, "there was a deadlock, and its victim was repeated"
