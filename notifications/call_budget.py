"""Seconds that requests to one player's addresses may take in an hour, counted in the database."""

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta

from django.db import models
from django.db.models import OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Cast, Coalesce, Concat

from accounts import daily
from accounts.models import DailyCount
from games.refusals import TooMany
from notifications.models import Letter

A_PLAYER_AN_HOUR = 60.0
"""Seconds; whoever replies at once is told of some thousand letters in this time."""
KIND = "calls"


class BudgetIsSpent(TooMany):
    """Nothing is sent to this player's addresses before the next hour."""


def _key(player_id: int, now: datetime) -> str:
    return f"{player_id}@{now.astimezone(UTC):%H}"


def spent(player_id: int, *, now: datetime) -> float:
    return daily.total(kind=KIND, key=_key(player_id, now), now=now) / 1000


def is_spent(player_id: int, *, now: datetime) -> bool:
    return spent(player_id, now=now) >= A_PLAYER_AN_HOUR


def next_hour(now: datetime) -> datetime:
    return now.replace(minute=0, second=0, microsecond=0) + timedelta(hours=1)


def waits_until(player_id: int, *, now: datetime) -> datetime | None:
    return next_hour(now) if is_spent(player_id, now=now) else None


@contextmanager
def spending(player_id: int, *, now: datetime) -> Iterator[None]:
    """Count what the block takes, however it ends; raise BudgetIsSpent if nothing is left.

    Requests at the same time may pass the limit together, by a few seconds.
    """
    if is_spent(player_id, now=now):
        raise BudgetIsSpent(
            "Your webhooks and browsers took {seconds} seconds in this hour, which is the limit. "
            "Try again in the next hour.",
            seconds=round(A_PLAYER_AN_HOUR),
            retry_after=math.ceil((next_hour(now) - now).total_seconds()),
        )
    began = time.monotonic()
    try:
        yield
    finally:
        taken = math.ceil((time.monotonic() - began) * 1000)
        daily.add(kind=KIND, key=_key(player_id, now), amount=taken, now=now)


def by_turns(letters: QuerySet[Letter], *, now: datetime) -> QuerySet[Letter]:
    """Those first whose player has taken the least time in this hour: nobody waits for another."""
    at = now.astimezone(UTC)
    counted = DailyCount.objects.filter(
        day=at.date(),
        kind=KIND,
        key=Concat(Cast(OuterRef("player_id"), models.TextField()), Value(f"@{at:%H}")),
    )
    taken = Coalesce(Subquery(counted.values("count")[:1]), 0)
    return letters.order_by(taken, "due_at", "id")
