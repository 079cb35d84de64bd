"""What goes out by mail and what comes in."""

from django.db import models
from django.utils import timezone


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


class InboundMail(models.Model):
    """A raw message as it came in, stored before anything is made of it."""

    mail_from = models.CharField(max_length=320, blank=True)
    recipient = models.CharField(max_length=320)
    peer = models.CharField(max_length=100)
    raw = models.BinaryField()
    sha256 = models.CharField(max_length=64)
    received_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-received_at", "-id"]
        constraints = [
            # The same message delivered twice is one message.
            models.UniqueConstraint(fields=["sha256", "recipient"], name="inbound_mail_once"),
        ]

    def __str__(self) -> str:
        return f"{self.mail_from} to {self.recipient}"
