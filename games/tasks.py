"""What the worker is rung for; each task may run twice and find nothing left to do."""

from datetime import timedelta

from celery import shared_task
from django.utils import timezone

from games import (
    bell,
    bot_moves,
    crediting,
    guests,
    outages,
    outbox,
    refolding,
    reviews,
    sweeps,
)

SERVED_AT_A_TIME = timedelta(seconds=30)
"""Then the bots' worker is asked anew, so that it can be stopped in between."""

RECALCULATED_AT_A_TIME = 10.0
"""Seconds; then time-outs that wait in the same queue have their turn."""


@shared_task(name="games.beat")
def beat() -> None:
    outages.note_worker(now=timezone.now())


@shared_task(name="games.relay")
def relay() -> None:
    if outbox.relay(now=timezone.now(), seconds=10):
        outbox.ring()


@shared_task(name="games.end_games_on_time", soft_time_limit=600, time_limit=660)
def end_games_on_time() -> None:
    sweeps.end_games_on_time(now=timezone.now())


@shared_task(name="games.expire_challenges")
def expire_challenges() -> None:
    sweeps.expire_challenges(now=timezone.now())


@shared_task(name="games.credit_outages", soft_time_limit=600, time_limit=660)
def credit_outages() -> None:
    crediting.credit_outages(now=timezone.now())


@shared_task(name="games.recalculate_ratings")
def recalculate_ratings() -> None:
    refolding.recalculate_all(seconds=RECALCULATED_AT_A_TIME)


@shared_task(name="games.serve_bots")
def serve_bots() -> None:
    """Moves come first, and a slice of a review only when no bot is waited for."""
    bell.heard(bot_moves.BELL)
    until = timezone.now() + SERVED_AT_A_TIME
    while timezone.now() < until:
        if not bot_moves.do_next(now=timezone.now()) and not reviews.go_on(now=timezone.now()):
            return
    bot_moves.ring()


@shared_task(name="games.send_guests_off")
def send_guests_off() -> None:
    guests.send_off(now=timezone.now())
