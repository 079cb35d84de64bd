"""Mail that came in, and the addresses that let it play."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class ReplyToken(models.Model):
    """The right to answer for one seat at one ply, and nothing else; never a log-in."""

    token = models.CharField(max_length=32, unique=True)
    """128 random bits in lower-case base 32: some mail programs write addresses small."""
    game = models.ForeignKey("games.Game", models.CASCADE)
    seat = models.PositiveSmallIntegerField()
    ply = models.PositiveIntegerField()
    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE)
    created_at = models.DateTimeField(default=timezone.now)
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["game", "seat", "ply"], name="one_token_a_seat_and_ply")
        ]

    def __str__(self) -> str:
        return f"seat {self.seat} of game {self.game_id} at ply {self.ply}"


class InboundMail(models.Model):
    """A raw message as it came in, stored before anything is made of it."""

    class State(models.TextChoices):
        NEW = "new", _("new")
        DONE = "done", _("done")
        HELD = "held", _("held")
        REFUSED = "refused", _("refused")

    mail_from = models.CharField(max_length=320, blank=True)
    recipient = models.CharField(max_length=320)
    peer = models.CharField(max_length=100)
    raw = models.BinaryField()
    sha256 = models.CharField(max_length=64)
    message_id = models.CharField(max_length=255, blank=True, default="")
    received_at = models.DateTimeField(default=timezone.now)

    state = models.CharField(max_length=8, choices=State.choices, default=State.NEW)
    due_at = models.DateTimeField(default=timezone.now)
    attempts = models.PositiveSmallIntegerField(default=0)
    outcome = models.CharField(max_length=30, blank=True)
    """A code for what was made of it, such as `played`, `late` or `automatic`."""
    reason = models.TextField(blank=True)
    handled_at = models.DateTimeField(null=True, blank=True)
    token = models.ForeignKey(ReplyToken, models.SET_NULL, null=True, blank=True)
    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)

    class Meta:
        ordering = ["-received_at", "-id"]
        constraints = [
            # The same message delivered twice is one message.
            models.UniqueConstraint(fields=["sha256", "recipient"], name="inbound_mail_once"),
            models.UniqueConstraint(
                fields=["message_id", "recipient"],
                condition=~Q(message_id=""),
                name="inbound_message_id_once",
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at", "id"], condition=Q(state="new"), name="inbound_mail_new"
            ),
            models.Index(fields=["player", "-received_at"], name="inbound_of_player"),
        ]

    def __str__(self) -> str:
        return f"{self.mail_from} to {self.recipient}"
