"""Letters: one small function for each, its templates named after it."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.core.mail import EmailMessage
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone, translation

from games.events import ChallengeMade
from games.models import Challenge
from games.rules.registry import RULESETS


def invite_by_email(fact: ChallengeMade) -> None:
    """One polite letter to somebody who may never have heard of us; no other follows it."""
    offer = Challenge.objects.select_related("challenger").get(pk=fact.challenge_id)
    if not offer.email or not _is_open(offer, timezone.now()):
        return
    context = {
        "offer": offer,
        "game": RULESETS[offer.ruleset].name,
        "address": settings.SITE_URL + reverse("invitation", args=[offer.link]),
    }
    # Nobody knows what language a stranger reads; whoever invites him does.
    with translation.override(offer.challenger.language):
        _send("invitation", offer.email, context)


def _is_open(offer: Challenge, now: datetime) -> bool:
    return offer.state == Challenge.State.OPEN and now < offer.expires_at


def _send(letter: str, recipient: str, context: dict[str, Any]) -> None:
    context = {"site": settings.SITE_URL, **context}
    subject = render_to_string(f"emails/{letter}.subject.txt", context)
    EmailMessage(
        subject=" ".join(subject.split()),
        body=render_to_string(f"emails/{letter}.txt", context),
        to=[recipient],
        headers={"Auto-Submitted": "auto-generated"},
    ).send()
