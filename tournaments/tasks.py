"""What the worker does for events; each task may run twice and find nothing left to do."""

from celery import shared_task
from django.utils import timezone

from tournaments import results, sweeps


@shared_task(name="tournaments.catch_up", soft_time_limit=600, time_limit=660)
def catch_up() -> None:
    results.catch_up_all(now=timezone.now())


@shared_task(name="tournaments.look_at_due_events", soft_time_limit=600, time_limit=660)
def look_at_due_events() -> None:
    sweeps.look_at_due_events(now=timezone.now())
