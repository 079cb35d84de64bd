"""Daily limits: an atomic “once more, unless the limit is reached”, counted per UTC day."""

import math
from datetime import UTC, datetime, timedelta

from django.db import connection

from accounts.background import TimeBox
from accounts.models import DailyCount

BATCH = 5_000

# The limit is part of the statement, so two requests at once cannot both be the last one.
COUNT_ONCE = """
INSERT INTO accounts_dailycount AS counted (day, kind, key, count) VALUES (%s, %s, %s, 1)
ON CONFLICT (day, kind, key) DO UPDATE SET count = counted.count + 1 WHERE counted.count < %s
RETURNING count
"""


def count_once(*, kind: str, key: str, most: int, now: datetime) -> bool:
    """Whether there was room for one more today; a rolled-back transaction counts nothing."""
    with connection.cursor() as cursor:
        cursor.execute(COUNT_ONCE, [now.astimezone(UTC).date(), kind, key, most])
        return cursor.fetchone() is not None


# Without a limit in the statement: what was taken is known only afterwards.
ADD = """
INSERT INTO accounts_dailycount AS counted (day, kind, key, count) VALUES (%s, %s, %s, %s)
ON CONFLICT (day, kind, key) DO UPDATE SET count = counted.count + excluded.count
"""


def add(*, kind: str, key: str, amount: int, now: datetime) -> None:
    with connection.cursor() as cursor:
        cursor.execute(ADD, [now.astimezone(UTC).date(), kind, key, amount])


def total(*, kind: str, key: str, now: datetime) -> int:
    today = DailyCount.objects.filter(day=now.astimezone(UTC).date(), kind=kind, key=key)
    return today.values_list("count", flat=True).first() or 0


def seconds_until_tomorrow(now: datetime) -> int:
    midnight = now.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return math.ceil((midnight + timedelta(days=1) - now).total_seconds())


def forget_old(*, now: datetime, seconds: float = math.inf) -> int:
    """Deletes the counts of days that are over, some at a time."""
    box = TimeBox(seconds)
    over = DailyCount.objects.filter(day__lt=now.astimezone(UTC).date()).values("pk")
    forgotten = 0
    while not box.is_over:
        done = DailyCount.objects.filter(pk__in=over[:BATCH]).delete()[0]
        forgotten += done
        if done < BATCH:
            break
    return forgotten
