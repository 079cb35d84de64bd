"""What the worker is rung for; each task may run twice and find nothing left to do."""

from celery import shared_task
from django.utils import timezone

from games import bell, outages
from notifications import desk, inbound, post


@shared_task(name="notifications.send_letters", soft_time_limit=600, time_limit=660)
def send_letters() -> None:
    """An outage that just ended moves deadlines, so it is entered before anybody is reminded."""
    bell.heard(desk.BELL)
    outages.note_silence(now=timezone.now())
    while post.send_due(now=timezone.now()):
        pass


@shared_task(name="notifications.read_new_mail")
def read_new_mail() -> None:
    inbound.read_new(now=timezone.now())


@shared_task(name="notifications.forget_old_mail")
def forget_old_mail() -> None:
    inbound.forget_old(now=timezone.now())
