"""Facts on their way up."""

from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class OutboxMessage(models.Model):
    """A fact on its way to one subscriber; gone once it has arrived."""

    fact = models.CharField(max_length=40)
    subscriber = models.CharField(max_length=100)
    payload = models.JSONField()
    queue = models.BigIntegerField(db_default=0)
    """Of all facts about one game, by `outbox.queue_of`; they are carried in order."""
    recorded_at = models.DateTimeField(default=timezone.now)
    due_at = models.DateTimeField(default=timezone.now)
    attempts = models.PositiveSmallIntegerField(default=0)
    error = models.TextField(blank=True)

    class Meta:
        verbose_name = _("message on its way")
        verbose_name_plural = _("messages on their way")
        indexes = [
            models.Index(fields=["queue", "id"], condition=Q(attempts=0), name="outbox_fresh"),
            models.Index(
                fields=["due_at", "id"],
                condition=Q(attempts__gt=0, attempts__lt=12),
                name="outbox_retries",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.fact} to {self.subscriber}"
