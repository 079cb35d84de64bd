"""The export of a player's notifications, mail and channels."""

from collections.abc import Iterator
from typing import Any

from allauth.account.models import EmailAddress
from django.db.models.functions import Upper

from accounts.export import rows
from accounts.models import Player
from notifications.models import (
    FeedLink,
    Habits,
    InboundMail,
    Letter,
    MailboxLetter,
    Preference,
    PushSubscription,
    ReplyToken,
    Suppression,
    Webhook,
)

MAILS_AT_ONCE = 10
"""Each can be as long as a mail can be."""


def letters(player: Player) -> Iterator[dict[str, Any]]:
    """Every notification and what became of it."""
    fields = ("kind", "channel", "address", "details", "written_at", "state", "why", "settled_at")
    written = Letter.objects.filter(player=player).order_by("pk").values(*fields)
    return rows(written)


def mails(player: Player) -> Iterator[dict[str, Any]]:
    """What the player sent in, as long as it is kept."""
    sent = InboundMail.objects.filter(player=player).order_by("pk")
    return (
        {
            "received_at": mail.received_at,
            "outcome": mail.outcome,
            "raw": bytes(mail.raw).decode("utf-8", "replace"),
        }
        for mail in rows(sent, MAILS_AT_ONCE)
    )


def letter_preferences(player: Player) -> dict[str, Any]:
    habits = Habits.objects.filter(player=player).values(
        "digest_hour", "quiet_from", "quiet_until", "one_until_back", "reminders"
    )
    kinds = Preference.objects.filter(player=player).values("kind", "timing", "channels")
    return {"habits": habits.first(), "kinds": list(kinds)}


def channels(player: Player) -> dict[str, Any]:
    """Without the secrets, which can be made anew."""
    return {
        "feeds": list(FeedLink.objects.filter(player=player).values("feed", "created_at")),
        "webhooks": list(Webhook.objects.filter(player=player).values("url", "created_at")),
        "browsers": list(
            PushSubscription.objects.filter(player=player).values("browser", "created_at")
        ),
    }


def reply_addresses(player: Player) -> Iterator[dict[str, Any]]:
    """For which turns an e-mail could be answered; without the secret part."""
    made = ReplyToken.objects.filter(player=player).order_by("pk")
    fields = ("game_id", "ply", "created_at", "revoked_at")
    return rows(made.values(*fields))


def addresses(player: Player) -> dict[str, Any]:
    """What is known of the player's addresses, and what was sent there without a mail server."""
    confirmed = EmailAddress.objects.filter(user=player, verified=True)
    own = confirmed.values(upper=Upper("email"))
    bounces = Suppression.objects.alias(upper=Upper("address")).filter(upper__in=own)
    kept = MailboxLetter.objects.alias(upper=Upper("recipient")).filter(upper__in=own)
    return {
        "delivery": list(
            bounces.values(
                "address", "hard_bounces", "soft_bounces", "last_error", "cause", "since"
            )
        ),
        "mailbox": rows(kept.order_by("pk").values("recipient", "subject", "sent_at")),
    }
