"""Transactions and row locks: the one order in which rows are locked, and how actions begin.

It is here because every layer locks something and this is the lowest of them.
"""

import time
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from django.db import OperationalError, connection, transaction
from django.db.models import Model, QuerySet

P = ParamSpec("P")
R = TypeVar("R")
M = TypeVar("M", bound=Model)

ORDER = (
    "notifications_inboundmail",
    "accounts_player",
    "tournaments_event",
    "games_challenge",
    "games_game",
    "games_participant",
    "games_ratingpool",
    "tournaments_entry",
    "accounts_dailycount",
    "games_entrypoint",
)
"""Tables in the order in which a transaction locks their rows; rows of one table by id.

A seat belongs to its game and is locked after it. Rows of other tables are locked alone, with
SKIP LOCKED, or under a row of this list that all who lock them hold.
Locks are FOR NO KEY UPDATE, so that a row that refers to a locked one can still be inserted;
FOR UPDATE is for rows that are deleted.
"""

DEADLOCK = "40P01"
SERIALIZATION_FAILURE = "40001"
PAUSE = 0.05

ACTIONS: list[Callable[..., object]] = []
"""Everything that begins a transaction of its own."""


def action(act: Callable[P, R]) -> Callable[P, R]:
    """All or nothing, in one transaction; joins the caller's if there is one.

    The outermost action is repeated once if PostgreSQL chose it as the victim of a deadlock, so
    whatever is not in the database happens in `transaction.on_commit`.
    """

    @wraps(act)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if is_nested():
            with transaction.atomic():
                return act(*args, **kwargs)
        try:
            with transaction.atomic(durable=True):
                return act(*args, **kwargs)
        except OperationalError as error:
            if not is_victim(error):
                raise
        # Otherwise it may take again what the other has waited for, before that one wakes up.
        time.sleep(PAUSE)
        with transaction.atomic(durable=True):
            return act(*args, **kwargs)

    ACTIONS.append(run)
    return run


@action
def update_by_id(rows: QuerySet[M], **changes: Any) -> int:
    return _held(rows).update(**changes)


@action
def delete_by_id(rows: QuerySet[M]) -> int:
    return _held(rows).delete()[0]


def _held(rows: QuerySet[M]) -> QuerySet[M]:
    """A statement that changes many rows would lock them in the order in which it finds them."""
    held = rows.select_for_update(no_key=True, of=("self",)).order_by("pk").only("pk")
    return rows.model._default_manager.filter(pk__in=[row.pk for row in held])


def outermost(act: Callable[P, R]) -> Callable[P, R]:
    """Several transactions, each of which stays whatever comes after it; never inside another."""

    @wraps(act)
    def run(*args: P.args, **kwargs: P.kwargs) -> R:
        if is_nested():
            raise RuntimeError(f"{act.__qualname__} cannot run inside a transaction")
        return act(*args, **kwargs)

    ACTIONS.append(run)
    return run


def savepoint() -> transaction.Atomic:
    """A part of an action that may fail alone."""
    if not is_nested():
        raise RuntimeError("a savepoint is part of an action")
    return transaction.atomic()


def is_nested() -> bool:
    """Whether a transaction is open; a test case's own is none."""
    blocks = connection.atomic_blocks
    return bool(blocks) and not getattr(blocks[-1], "_from_testcase", False)


def is_victim(error: Exception) -> bool:
    """Whether PostgreSQL ended it for the sake of another; it can be repeated at once."""
    return getattr(error.__cause__, "sqlstate", None) in (DEADLOCK, SERIALIZATION_FAILURE)
