"""A player as the games know him, and the time he takes off."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q


class Participant(models.Model):
    """A player as the games know him: how many he plays, and whether he is away."""

    player = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="participant"
    )
    running_games = models.PositiveIntegerField(default=0)
    absent_since = models.DateTimeField(null=True, blank=True)
    """Set by a rated time-out, cleared by his next move: while set, time-outs are not rated."""
    takes_vacation_automatically = models.BooleanField(default=False)
    moves_by_mail = models.BooleanField(default=False, db_default=False)
    """Whether the last move came by mail; games that begin now start with this way in."""

    def __str__(self) -> str:
        return f"participant {self.player_id}"


class Vacation(models.Model):
    """A time that a player took off; `ends_at` is planned until it has come."""

    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="vacations")
    began_at = models.DateTimeField()
    ends_at = models.DateTimeField()
    automatic = models.BooleanField(default=False)

    class Meta:
        ordering = ["began_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(ends_at__gte=F("began_at")), name="vacation_forward"
            ),
            models.UniqueConstraint(fields=["player", "began_at"], name="vacation_begins_once"),
        ]
        indexes = [models.Index(fields=["player", "ends_at"], name="vacation_of_player")]

    def __str__(self) -> str:
        return f"{self.began_at:%Y-%m-%d} to {self.ends_at:%Y-%m-%d}"
