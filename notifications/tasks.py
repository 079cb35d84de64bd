"""Background tasks of notifications; each may run twice and find nothing left to do."""

from datetime import datetime

from accounts import background
from games import bell, outages
from notifications import desk, inbound, post


@background.task("notifications.send_letters", one_runner=False)
def send_letters(*, now: datetime, seconds: float) -> bool:
    """Mail and push; an outage that just ended moves deadlines, so it is entered first."""
    bell.heard(desk.BELL)
    outages.note_silence()
    return post.send_due(now=now, seconds=seconds)


@background.task("notifications.call_webhooks", one_runner=False)
def call_webhooks(*, now: datetime, seconds: float) -> bool:
    """Apart from mail: an address that replies slowly delays nobody's letters."""
    bell.heard(desk.WEBHOOK_BELL)
    if post.has_webhooks_for_another(now=now):
        # One slot after the other: whoever comes next asks the same.
        desk.ring_for_webhooks()
    outages.note_silence()
    return post.call_webhooks(now=now, seconds=seconds)


@background.task("notifications.read_new_mail")
def read_new_mail(*, now: datetime, seconds: float) -> None:
    inbound.read_new(now=now, seconds=seconds)


@background.task("notifications.forget_old_mail", seconds=3.0)
def forget_old_mail(*, now: datetime, seconds: float) -> None:
    inbound.forget_old(now=now, seconds=seconds)
