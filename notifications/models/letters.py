"""Letters: what is to be told to whom, and what became of it."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Kind(models.TextChoices):
    """One function in `letters.py` and one set of templates for each."""

    TURN = "turn", _("it is your turn")
    REMINDER = "reminder", _("your time is running out")
    STARTED = "started", _("a game has started")
    OFFER = "offer", _("a draw or a take-back is offered or answered")
    CHAT = "chat", _("your opponent wrote to you")
    GAME_OVER = "game-over", _("a game is over")
    TIMEOUT = "timeout", _("a game ended on time")
    PLAN = "plan", _("a conditional move was played or stopped")
    CHALLENGE = "challenge", _("somebody challenges you")
    CHALLENGE_ANSWER = "challenge-answer", _("your challenge was answered or expired")
    VACATION = "vacation", _("a vacation began or ended")
    RULING = "ruling", _("a ruling was made")
    EVENT = "event", _("an event opened, started or finished")
    ROUND_PAIRED = "round-paired", _("a round was paired")
    STANDINGS = "standings", _("your standing in an event")
    UNREACHABLE = "unreachable", _("an address does not take our mail")
    INVITATION = "invitation", _("an invitation to a stranger")
    REPLY = "reply", _("the answer to a mail of yours")
    DIGEST = "digest", _("the daily digest")


class Channel(models.TextChoices):
    MAIL = "mail", _("e-mail")
    PUSH = "push", _("browser message")
    WEBHOOK = "webhook", _("webhook")


class State(models.TextChoices):
    WAITING = "waiting", _("waiting")
    SENDING = "sending", _("being sent")
    SENT = "sent", _("sent")
    CANCELLED = "cancelled", _("cancelled")
    REFUSED = "refused", _("refused")


class Letter(models.Model):
    """One thing to tell one person by one channel, at most once."""

    key = models.CharField(max_length=120, unique=True)
    """Made of what it is about, such as `g42.p23.s1.turn`: it cannot be written twice, and it
    is the left half of the Message-ID, so that a copy is known by whoever gets it."""
    kind = models.CharField(max_length=20, choices=Kind.choices)
    channel = models.CharField(max_length=8, choices=Channel.choices, default=Channel.MAIL)
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="letters"
    )
    address = models.EmailField(blank=True)
    """Only for a stranger, or once it has been sent: where it went."""
    game = models.ForeignKey("games.Game", models.CASCADE, null=True, blank=True)
    ply = models.PositiveIntegerField(null=True, blank=True)
    seat = models.PositiveSmallIntegerField(null=True, blank=True)
    about = models.BigIntegerField(null=True, blank=True)
    """The challenge, ruling, event, message… that it is about, by its kind."""
    details = models.JSONField(default=dict, blank=True)

    written_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField(default=timezone.now)
    deadline_at = models.DateTimeField(null=True, blank=True)
    """It is never held past this."""
    digest = models.BooleanField(default=False)
    """Waits for the daily digest instead of going on its own."""

    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    why = models.CharField(max_length=40, blank=True)
    """A code for why it was cancelled, refused or held; `receipts.py` has the sentences."""
    attempts = models.PositiveSmallIntegerField(default=0)
    doubts = models.PositiveSmallIntegerField(default=0)
    """How often it was handed over without our hearing what became of it; never more than twice."""
    error = models.TextField(blank=True)
    claimed_until = models.DateTimeField(null=True, blank=True)
    """While a worker has it; if the worker dies, the claim does too."""
    settled_at = models.DateTimeField(null=True, blank=True)
    carried_by = models.ForeignKey("self", models.SET_NULL, null=True, blank=True)
    """The digest or joint letter that it went out with."""

    class Meta:
        verbose_name = _("letter")
        verbose_name_plural = _("letters")
        ordering = ["-written_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["game", "ply", "seat", "kind", "channel"],
                condition=Q(kind__in=["turn", "game-over", "timeout"]),
                name="one_letter_a_ply_seat_and_kind",
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at", "id"],
                condition=Q(state__in=["waiting", "sending"]),
                name="letters_due",
            ),
            models.Index(fields=["player", "-id"], name="letters_of_player"),
            models.Index(
                fields=["game", "kind"], condition=Q(state="waiting"), name="letters_waiting"
            ),
        ]

    def __str__(self) -> str:
        return self.key


class MailboxLetter(models.Model):
    """A letter that stayed in the house because no way out is set up."""

    recipient = models.EmailField()
    subject = models.CharField(max_length=500)
    raw = models.BinaryField()
    sent_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-sent_at", "-id"]
        indexes = [models.Index(fields=["recipient", "-sent_at"], name="mailbox_recipient")]

    def __str__(self) -> str:
        return f"{self.recipient}: {self.subject}"
