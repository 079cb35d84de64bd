"""What house bots have to do, who practises without an account, and what a search thought."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from games.models.tables import Game


class BotErrand(models.Model):
    """A game in which a house bot has something to do; gone once it is done."""

    game = models.OneToOneField(Game, models.CASCADE, primary_key=True, related_name="bot_errand")
    calls = models.PositiveIntegerField(default=1)
    """How often the bot was called: an errand that grew while it was done is not done."""
    taken_until = models.DateTimeField(null=True)
    """Nobody else does the same work before that."""

    def __str__(self) -> str:
        return f"errand in {self.game_id}"


class Visit(models.Model):
    """Somebody practises without an account, until he has one or stays away."""

    player = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="visit"
    )
    address = models.CharField(max_length=64)
    """A keyed digest of where the guest came from; the address itself is not kept."""
    came_at = models.DateTimeField()
    look_again_at = models.DateTimeField()

    class Meta:
        indexes = [
            models.Index(fields=["address", "came_at"], name="visits_of_address"),
            models.Index(fields=["look_again_at"], name="visits_to_look_at"),
        ]

    def __str__(self) -> str:
        return f"visit of {self.player_id}"


class Review(models.Model):
    """What a search thinks of a game that is over, one judgement after the other."""

    game = models.OneToOneField(Game, models.CASCADE, primary_key=True, related_name="review")
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="reviews_asked"
    )
    asked_at = models.DateTimeField()
    last_ply = models.PositiveIntegerField()
    """Where the game had ended: a ruling that lets it go on makes the review an old one."""
    turns = models.PositiveIntegerField()
    judgements = models.JSONField(default=list)
    taken_until = models.DateTimeField(null=True)
    done_at = models.DateTimeField(null=True)

    class Meta:
        indexes = [
            models.Index(fields=["asked_by", "asked_at"], name="reviews_asked"),
            models.Index(fields=["asked_at"], condition=Q(done_at=None), name="reviews_to_do"),
        ]

    def __str__(self) -> str:
        return f"review of {self.game_id}"
