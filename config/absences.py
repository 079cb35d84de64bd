"""PostgreSQL away is said once by each process, and once when it is back."""

import logging
from threading import Lock

import psycopg
from django.db import OperationalError

logger = logging.getLogger(__name__)
LOST = ("08", "57P")
"""SQLSTATE: connections that fail, and a server that shuts down or is not up yet."""

_lock = Lock()
_is_away = False


def is_loss(error: BaseException | None) -> bool:
    """Whether the connection went, by what PostgreSQL said last, if anything."""
    if not isinstance(error, OperationalError | psycopg.OperationalError):
        return False
    state = getattr(error, "sqlstate", None) or getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith(LOST)


def said(error: BaseException | None) -> bool:
    """Whether this is an absence, of which no more is to be said than its beginning and end."""
    if not is_loss(error):
        return False
    if _turn(is_away=True):
        logger.warning("PostgreSQL is away: %s", str(error).strip().partition("\n")[0])
    return True


def connected() -> None:
    """By the backend, for each new connection."""
    if _turn(is_away=False):
        logger.warning("PostgreSQL is back")


def _turn(*, is_away: bool) -> bool:
    """Whether that is news."""
    global _is_away
    with _lock:
        is_news = _is_away != is_away
        _is_away = is_away
    return is_news


class OncePerAbsence(logging.Filter):
    """Instead of a traceback for each task that an absence makes fail."""

    def filter(self, record: logging.LogRecord) -> bool:
        return not (record.exc_info and said(record.exc_info[1]))
