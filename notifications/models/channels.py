"""Ways to be told other than by mail; each can be revoked."""

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts.models import Scope


def made_by_a_living_token(now: datetime) -> Q:
    """A condition on what a token may have made; what was made in person meets it always."""
    lives = Q(token__expires_at=None) | Q(token__expires_at__gt=now)
    return Q(token=None) | lives & Q(token__scopes__contains=[Scope.READ])


class FeedLink(models.Model):
    """A private address under which a program may read one player's feed."""

    class Feed(models.TextChoices):
        CALENDAR = "calendar", _("calendar of my deadlines")
        TURNS = "turns", _("feed of my turns")

    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="feed_links")
    feed = models.CharField(max_length=10, choices=Feed.choices)
    key = models.CharField(max_length=43, unique=True)
    token = models.ForeignKey(
        "accounts.ApiToken", models.CASCADE, null=True, blank=True, related_name="feed_links"
    )
    """What made it, unless the player did in person: it ends with that."""
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["player", "feed"], name="one_link_a_feed")]

    def __str__(self) -> str:
        return f"{self.feed} of {self.player}"


class PushSubscription(models.Model):
    """A browser that wants messages."""

    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="browsers")
    endpoint = models.URLField(max_length=1000, unique=True)
    p256dh = models.CharField(max_length=200)
    auth = models.CharField(max_length=100)
    browser = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return f"{self.browser} of {self.player}"


class Webhook(models.Model):
    """An address of the player's own that is told by a signed request."""

    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="webhooks")
    url = models.URLField(_("address"), max_length=1000)
    secret = models.CharField(max_length=64)
    token = models.ForeignKey(
        "accounts.ApiToken", models.CASCADE, null=True, blank=True, related_name="webhooks"
    )
    """What made it, unless the player did in person: it ends with that."""
    created_at = models.DateTimeField(default=timezone.now)
    failures = models.PositiveSmallIntegerField(default=0)
    """In a row; after too many it is switched off."""
    last_error = models.TextField(blank=True)
    switched_off_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at", "-id"]

    def __str__(self) -> str:
        return self.url
