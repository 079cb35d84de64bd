"""What the letters know of a player: for him to take away, and to be forgotten when he leaves."""

from typing import Any

from accounts.models import Player
from notifications.models import (
    FeedLink,
    Habits,
    InboundMail,
    Letter,
    Preference,
    PushSubscription,
    ReplyToken,
    Webhook,
)


def letters(player: Player) -> list[dict[str, Any]]:
    """Every letter to him and what became of it."""
    fields = ("kind", "channel", "address", "written_at", "state", "why", "settled_at")
    return list(Letter.objects.filter(player=player).order_by("pk").values(*fields))


def mails(player: Player) -> list[dict[str, Any]]:
    """What he sent in, as long as it is kept."""
    sent = InboundMail.objects.filter(player=player).order_by("pk")
    return [
        {
            "received_at": mail.received_at,
            "outcome": mail.outcome,
            "raw": bytes(mail.raw).decode("utf-8", "replace"),
        }
        for mail in sent
    ]


def letter_preferences(player: Player) -> dict[str, Any]:
    habits = Habits.objects.filter(player=player).values(
        "digest_hour", "quiet_from", "quiet_until", "one_until_back", "reminders"
    )
    kinds = Preference.objects.filter(player=player).values("kind", "timing", "channels")
    return {"habits": habits.first(), "kinds": list(kinds)}


def channels(player: Player) -> dict[str, Any]:
    """Without the secrets, which are his to ask for anew."""
    return {
        "feeds": list(FeedLink.objects.filter(player=player).values("feed", "created_at")),
        "webhooks": list(Webhook.objects.filter(player=player).values("url", "created_at")),
        "browsers": list(
            PushSubscription.objects.filter(player=player).values("browser", "created_at")
        ),
    }


def forget(player: Player) -> None:
    """Whoever closes his account gets nothing more and can answer nothing more."""
    for of_his in (
        Letter, InboundMail, Habits, Preference, FeedLink, Webhook, PushSubscription, ReplyToken,
    ):  # fmt: skip
        of_his.objects.filter(player=player).delete()
