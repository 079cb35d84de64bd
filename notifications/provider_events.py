"""What others tell us of addresses: mail providers of bounces, allauth of confirmations."""

from typing import Any

from django.core.cache import cache
from django.utils import timezone

from notifications import bounces

HARD = ("bounced", "rejected", "failed")
SOFT = ("deferred",)
REMEMBERED = 60 * 60 * 24 * 7
OUR_OWN_DOING = ("unsubscribed", "blocked", "timed_out")
"""Reasons of a rejection that say nothing against the address."""


def hear_tracking(sender: Any, event: Any, **_more: Any) -> None:
    """anymail has checked that the provider said so; what it says twice counts once."""
    if not event.recipient or not _is_new(event):
        return
    said = " ".join(
        str(part) for part in (event.event_type, event.description, event.mta_response) if part
    )
    now = timezone.now()
    if event.event_type == "complained":
        bounces.note_complaint(event.recipient, said, now)
    elif event.event_type in HARD:
        is_hard = event.reject_reason not in OUR_OWN_DOING
        bounces.note_bounce(event.recipient, is_hard, said, now)
    elif event.event_type in SOFT:
        bounces.note_bounce(event.recipient, False, said, now)


def _is_new(event: Any) -> bool:
    return not event.event_id or cache.add(f"provider-event:{event.event_id}", 1, REMEMBERED)


def hear_confirmation(sender: Any, email_address: Any, **_more: Any) -> None:
    """Whoever opened the link in our letter has got it."""
    bounces.clear(email_address.email)
