"""Whether the service lives, and when it did not."""

from django.db import models
from django.db.models import F, Q


class Heartbeat(models.Model):
    """The one row that the worker touches while the service is able to take moves."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    beat_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="one_heartbeat")]

    def __str__(self) -> str:
        return f"beat at {self.beat_at:%Y-%m-%d %H:%M:%S}"


class Outage(models.Model):
    """A time in which the service could not take a move; every running clock is credited."""

    began_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    credited_to = models.BigIntegerField(default=0)
    """The last game whose stored deadline was moved."""
    is_credited = models.BooleanField(default=False)

    class Meta:
        ordering = ["-began_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(ended_at__gt=F("began_at")), name="outage_has_length"
            ),
        ]
        indexes = [models.Index(fields=["ended_at"], name="outage_ended")]

    def __str__(self) -> str:
        return f"{self.began_at:%Y-%m-%d %H:%M} to {self.ended_at:%Y-%m-%d %H:%M}"
