"""Background tasks of events; each may run twice and find nothing left to do."""

from datetime import datetime

from accounts import background
from tournaments import results, sweeps


@background.task("tournaments.catch_up")
def catch_up(*, now: datetime, seconds: float) -> None:
    results.catch_up_all(now=now, seconds=seconds)


@background.task("tournaments.look_at_due_events")
def look_at_due_events(*, now: datetime, seconds: float) -> None:
    sweeps.look_at_due_events(now=now, seconds=seconds)
