"""What the worker is rung for; each task may run twice and find nothing left to do."""

from celery import shared_task
from django.utils import timezone

from games import outages, outbox, sweeps


@shared_task(name="games.beat")
def beat() -> None:
    outages.beat(now=timezone.now())


@shared_task(name="games.relay")
def relay() -> None:
    outbox.relay(now=timezone.now())


@shared_task(name="games.end_games_on_time", soft_time_limit=600, time_limit=660)
def end_games_on_time() -> None:
    sweeps.end_games_on_time(now=timezone.now())


@shared_task(name="games.expire_challenges")
def expire_challenges() -> None:
    sweeps.expire_challenges(now=timezone.now())


@shared_task(name="games.credit_outages", soft_time_limit=600, time_limit=660)
def credit_outages() -> None:
    sweeps.credit_outages(now=timezone.now())
