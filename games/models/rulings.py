"""What staff and directors decide about a game, and what players ask them to."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from games.models.tables import Game


class Ruling(models.Model):
    """A decision about a game that stands until it is undone; never removed."""

    class Kind(models.TextChoices):
        VOID = "void", _("the game is void")
        RESULT = "result", _("the result is set")
        REOPEN = "reopen", _("the game goes on")
        TIME = "time", _("a clock is given time")
        CLOCK = "clock", _("a clock is corrected")

    game = models.ForeignKey(Game, models.PROTECT, related_name="rulings")
    kind = models.CharField(max_length=6, choices=Kind.choices)
    detail = models.JSONField(default=dict)
    """What was decided, in numbers; for a clock also by how much it was changed."""
    reason = models.CharField(_("reason"), max_length=1000)
    made_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    """None where a rule of the event decided it."""
    made_at = models.DateTimeField()
    undone_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="+"
    )
    undone_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["id"]

    def __str__(self) -> str:
        return f"{self.kind} in {self.game_id}"


class RulingRequest(models.Model):
    """A player asks for a decision; one at a time in a game."""

    game = models.ForeignKey(Game, models.PROTECT, related_name="ruling_requests")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    text = models.CharField(_("what happened"), max_length=1000)
    asked_at = models.DateTimeField()
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    answer = models.CharField(_("answer"), max_length=1000, blank=True)

    class Meta:
        ordering = ["asked_at", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["game", "player"],
                condition=Q(settled_at=None),
                name="one_open_request_a_player",
            ),
        ]

    def __str__(self) -> str:
        return self.text[:60]


class ImportedGame(models.Model):
    """A game file from elsewhere, verified, for study."""

    owner = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="imported_games"
    )
    record = models.JSONField()
    summary = models.JSONField()
    size = models.PositiveIntegerField()
    """Of the file, in bytes."""
    digest = models.CharField(max_length=64)
    imported_at = models.DateTimeField()

    class Meta:
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(fields=["owner", "digest"], name="a_file_is_imported_once"),
        ]

    def __str__(self) -> str:
        return f"{self.summary.get('ruleset')} of {self.owner}"
