"""How a player wants to be told, and which addresses take no mail."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models.functions import Upper
from django.utils.translation import gettext_lazy as _

from notifications.models.letters import Channel, Kind

DEFAULT_REMINDERS = ["half", "24h", "3h"]


def default_reminders() -> list[str]:
    return list(DEFAULT_REMINDERS)


def by_mail() -> list[str]:
    return [Channel.MAIL.value]


class Timing(models.TextChoices):
    AT_ONCE = "at-once", _("at once")
    DIGEST = "digest", _("in the daily digest")
    OFF = "off", _("not at all")


class Habits(models.Model):
    """A player's wishes for all letters; without a row, the defaults."""

    player = models.OneToOneField(
        settings.AUTH_USER_MODEL, models.CASCADE, primary_key=True, related_name="habits"
    )
    digest_hour = models.PositiveSmallIntegerField(
        _("hour of the digest"), default=7, validators=[MaxValueValidator(23)]
    )
    quiet_from = models.PositiveSmallIntegerField(
        _("quiet from"), null=True, blank=True, validators=[MaxValueValidator(23)]
    )
    quiet_until = models.PositiveSmallIntegerField(
        _("quiet until"), null=True, blank=True, validators=[MaxValueValidator(23)]
    )
    one_until_back = models.BooleanField(_("one turn letter until I come back"), default=False)
    reminders = ArrayField(models.CharField(max_length=8), default=default_reminders, blank=True)
    """Moments before the flag: `half` of the time, or hours such as `24h`."""

    def __str__(self) -> str:
        return str(self.player)


class Preference(models.Model):
    """How one kind of letter reaches one player; without a row, at once by mail."""

    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="letter_preferences"
    )
    kind = models.CharField(max_length=20, choices=Kind.choices)
    timing = models.CharField(max_length=8, choices=Timing.choices, default=Timing.AT_ONCE)
    channels = ArrayField(
        models.CharField(max_length=8, choices=Channel.choices), default=by_mail, blank=True
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["player", "kind"], name="one_preference_a_kind")
        ]

    def __str__(self) -> str:
        return f"{self.player}: {self.kind} {self.timing}"


class Suppression(models.Model):
    """What is known against an address; with `since`, nothing is sent there any more."""

    class Cause(models.TextChoices):
        BOUNCE = "bounce", _("mail to it came back")
        COMPLAINT = "complaint", _("its owner complained about our mail")

    address = models.EmailField()
    hard_bounces = models.PositiveSmallIntegerField(default=0)
    soft_bounces = models.PositiveSmallIntegerField(default=0)
    last_bounce_at = models.DateTimeField(null=True, blank=True)
    last_error = models.TextField(blank=True)
    cause = models.CharField(max_length=10, choices=Cause.choices, blank=True)
    since = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name = _("address without mail")
        verbose_name_plural = _("addresses without mail")
        constraints = [models.UniqueConstraint(Upper("address"), name="one_suppression_an_address")]

    def __str__(self) -> str:
        return self.address
