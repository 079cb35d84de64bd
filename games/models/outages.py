"""Ways into the service, when each was last known to work, and when it did not."""

from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _


class WayIn(models.TextChoices):
    """A way in which a move reaches us."""

    WEB = "web", _("web and API")
    MAIL = "mail", _("e-mail")


class Heartbeat(models.Model):
    """The one row that the worker touches while it is at work; a late worker is no outage."""

    id = models.PositiveSmallIntegerField(primary_key=True, default=1)
    beat_at = models.DateTimeField()

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(id=1), name="one_heartbeat")]

    def __str__(self) -> str:
        return f"beat at {self.beat_at:%Y-%m-%d %H:%M:%S}"


class EntryPoint(models.Model):
    """When a way in was last known to take moves, at any of its nodes."""

    way_in = models.CharField(max_length=4, choices=WayIn.choices, primary_key=True)
    beat_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.way_in} at {self.beat_at:%Y-%m-%d %H:%M:%S}"


class EntryNode(models.Model):
    """One machine and port of a way in, as the status page lists it."""

    way_in = models.CharField(max_length=4, choices=WayIn.choices)
    name = models.CharField(max_length=200)
    beat_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["way_in", "name"], name="one_row_a_node")]

    def __str__(self) -> str:
        return f"{self.way_in} {self.name}"


class Outage(models.Model):
    """A span in which no move could get in by one way; its players' clocks are credited."""

    way_in = models.CharField(max_length=4, choices=WayIn.choices, default=WayIn.WEB)
    began_at = models.DateTimeField()
    ended_at = models.DateTimeField()
    """Until when it is known to have lasted; it grows while it goes on."""
    is_over = models.BooleanField(default=True)
    credited_to = models.BigIntegerField(default=0)
    """The last game whose stored deadline was moved."""
    is_credited = models.BooleanField(default=False)

    class Meta:
        ordering = ["-began_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(ended_at__gt=F("began_at")), name="outage_has_length"
            ),
            models.UniqueConstraint(fields=["way_in", "began_at"], name="one_row_an_outage"),
        ]
        indexes = [models.Index(fields=["way_in", "ended_at"], name="outage_of_way_in_ended")]

    def __str__(self) -> str:
        return f"{self.way_in}: {self.began_at:%Y-%m-%d %H:%M} to {self.ended_at:%Y-%m-%d %H:%M}"
