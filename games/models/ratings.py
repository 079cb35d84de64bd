"""The rating ledger and where it led."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from games.models.tables import Game


class RatingPool(models.Model):
    """Games that are rated together; its row is the lock that puts endings in order."""

    key = models.CharField(max_length=100, unique=True)
    ruleset = models.CharField(max_length=40)
    last_entry = models.PositiveIntegerField(default=0)
    recalculate_from = models.PositiveIntegerField(null=True)
    """The first entry that a ruling has made inexact; a worker recalculates from there on."""

    @property
    def is_recalculated(self) -> bool:
        return self.recalculate_from is not None

    def __str__(self) -> str:
        return self.key


class Rating(models.Model):
    """Where a player stands in a pool: a cache of the ledger's fold, in hundredths of a point."""

    pool = models.ForeignKey(RatingPool, models.CASCADE, related_name="ratings")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="ratings")
    rating = models.IntegerField()
    games = models.PositiveIntegerField()
    peak = models.IntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["pool", "player"], name="one_rating_a_pool"),
        ]
        indexes = [models.Index(fields=["pool", "-rating", "player"], name="rating_leaders")]

    def __str__(self) -> str:
        return f"{self.player_id} in {self.pool_id}: {self.rating / 100:.0f}"


class RatingEntry(models.Model):
    """One rated game in its pool's ledger; entries are only ever added.

    A ruling strikes one or changes its score, and those after it are reckoned anew.
    """

    pool = models.ForeignKey(RatingPool, models.CASCADE, related_name="entries")
    number = models.PositiveIntegerField()
    game = models.ForeignKey(Game, models.PROTECT, related_name="rating_entries")
    first = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    second = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    score = models.PositiveSmallIntegerField()
    """Half points of the first."""
    first_before = models.IntegerField()
    first_after = models.IntegerField()
    second_before = models.IntegerField()
    second_after = models.IntegerField()
    first_k = models.PositiveSmallIntegerField()
    second_k = models.PositiveSmallIntegerField()
    formula = models.PositiveSmallIntegerField(default=1)
    rated_at = models.DateTimeField()
    is_void = models.BooleanField(default=False, db_default=False)
    """Struck by a ruling: the fold passes it over."""

    class Meta:
        ordering = ["pool", "number"]
        constraints = [
            models.UniqueConstraint(fields=["pool", "number"], name="rating_entries_in_order"),
            models.UniqueConstraint(
                fields=["game"], condition=Q(is_void=False), name="a_game_is_rated_once"
            ),
        ]
        indexes = [
            models.Index(fields=["first", "pool", "-number"], name="rating_of_first"),
            models.Index(fields=["second", "pool", "-number"], name="rating_of_second"),
        ]

    def __str__(self) -> str:
        return f"{self.pool_id} #{self.number}"
