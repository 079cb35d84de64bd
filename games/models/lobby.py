"""Offers to play."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from games import dice
from games.models.tables import Game
from games.rules.registry import RULESETS


class Challenge(models.Model):
    """An offer to play: to everyone, to one player, by link or to a mail address."""

    class State(models.TextChoices):
        OPEN = "open", _("open")
        ACCEPTED = "accepted", _("accepted")
        DECLINED = "declined", _("declined")
        WITHDRAWN = "withdrawn", _("withdrawn")
        EXPIRED = "expired", _("expired")

    challenger = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="challenges_made"
    )
    opponent = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, related_name="challenges_received"
    )
    email = models.EmailField(blank=True)
    link = models.CharField(max_length=32, null=True, blank=True, unique=True)
    """Whoever knows it may accept; such an offer is not in the lobby."""
    rematch_of = models.ForeignKey(Game, models.PROTECT, null=True, related_name="rematches")
    ruleset = models.CharField(max_length=40)
    options = models.JSONField(default=dict)
    clock = models.JSONField()
    weekends = models.BooleanField(default=False)
    rated = models.BooleanField(default=True)
    private = models.BooleanField(default=False)
    side = models.PositiveSmallIntegerField(null=True)
    """The seat that the challenger wants; none for whichever balances the pair's games."""
    rating_least = models.PositiveIntegerField(null=True)
    rating_most = models.PositiveIntegerField(null=True)
    dice_secret = models.BinaryField(max_length=32, default=dice.new_secret)
    """The commitment to it is published with the offer, before anybody accepts."""
    salt = models.CharField(max_length=64, blank=True)
    message = models.CharField(max_length=300, blank=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    made_at = models.DateTimeField()
    expires_at = models.DateTimeField()
    answered_at = models.DateTimeField(null=True)
    game = models.OneToOneField(Game, models.PROTECT, null=True, related_name="challenge")

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(state="accepted", game__isnull=False)
                | (~Q(state="accepted") & Q(game=None)),
                name="an_accepted_challenge_has_its_game",
            ),
            models.CheckConstraint(
                condition=~Q(opponent=F("challenger")), name="nobody_challenges_himself"
            ),
            models.UniqueConstraint(
                fields=["rematch_of"],
                condition=Q(state__in=["open", "accepted"]),
                name="one_rematch_a_game",
            ),
        ]
        indexes = [
            models.Index(
                fields=["expires_at", "id"], condition=Q(state="open"), name="challenge_expiry"
            ),
            models.Index(
                fields=["-made_at", "-id"],
                condition=Q(state="open", opponent=None, link=None),
                name="challenge_lobby",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.challenger}: {self.ruleset}"

    @property
    def has_dice(self) -> bool:
        return RULESETS[self.ruleset].has_dice

    @property
    def commitment(self) -> str:
        """The game's own where a bot accepted: its seeds are bound otherwise."""
        if self.game is not None:
            return self.game.commitment
        return dice.commitment(dice.seed_of(bytes(self.dice_secret)))
