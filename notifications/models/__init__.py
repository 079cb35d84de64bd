"""What goes out and what comes in."""

from notifications.models.channels import (
    FeedLink,
    PushSubscription,
    Webhook,
    made_by_a_living_token,
)
from notifications.models.inbound import InboundMail, ReplyToken
from notifications.models.letters import Channel, Kind, Letter, MailboxLetter, State
from notifications.models.preferences import Habits, Preference, Suppression, Timing

__all__ = [
    "Channel",
    "FeedLink",
    "Habits",
    "InboundMail",
    "Kind",
    "Letter",
    "MailboxLetter",
    "Preference",
    "PushSubscription",
    "ReplyToken",
    "State",
    "Suppression",
    "Timing",
    "Webhook",
    "made_by_a_living_token",
]
