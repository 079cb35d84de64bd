"""An event, who runs it, and what happened to it."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class State(models.TextChoices):
    DRAFT = "draft", _("being prepared")
    OPEN = "open", _("open for entries")
    RUNNING = "running", _("running")
    FINISHED = "finished", _("finished")
    CALLED_OFF = "called-off", _("called off")


class Event(models.Model):
    """A tournament, a league season or a ladder; every rule is declared before it starts."""

    class Edition(models.TextChoices):
        FIDE_2023 = "2023", _("tie-breaks of 2023")
        FIDE_2026 = "2026", _("tie-breaks of March 2026")

    class RoundEnd(models.TextChoices):
        """What becomes of games that still run at a round's deadline."""

        WAIT = "wait", _("the round waits for them")
        DRAW = "draw", _("they are drawn")
        FORFEIT = "forfeit", _("whoever is to move loses")

    class DropOut(models.TextChoices):
        """What becomes of the games of somebody who leaves."""

        STRIKE = "strike", _("under half of his games: struck; otherwise the rest are forfeited")
        FORFEIT = "forfeit", _("the rest are forfeited")

    name = models.CharField(_("name"), max_length=80)
    about = models.TextField(_("about"), max_length=4000, blank=True)
    organiser = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="organised_events"
    )
    format = models.CharField(_("format"), max_length=20)
    settings = models.JSONField(default=dict, blank=True)
    """The format's own settings, as tournaments.formats has them."""
    tie_breaks = ArrayField(models.CharField(max_length=10), default=list, blank=True)
    rules_edition = models.CharField(
        _("edition"), max_length=4, choices=Edition.choices, default=Edition.FIDE_2026
    )
    seed = models.CharField(max_length=64)
    """Decides every lot; drawn once and shown."""

    ruleset = models.CharField(_("game"), max_length=40)
    options = models.JSONField(default=dict, blank=True)
    clock = models.JSONField()
    rated = models.BooleanField(_("rated"), default=True)
    weekends = models.BooleanField(_("clocks stop at weekends"), default=False)
    vacation_allowed = models.BooleanField(_("vacation allowed"), default=True)
    bots_allowed = models.BooleanField(_("bots may enter"), default=False)

    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    least_entrants = models.PositiveSmallIntegerField(
        _("fewest entrants"), default=3, validators=[MinValueValidator(2)]
    )
    most_entrants = models.PositiveSmallIntegerField(
        _("most entrants"), default=16, validators=[MaxValueValidator(5000)]
    )
    rating_from = models.PositiveSmallIntegerField(_("rating from"), null=True, blank=True)
    rating_to = models.PositiveSmallIntegerField(_("rating up to"), null=True, blank=True)
    invitation_only = models.BooleanField(_("by invitation only"), default=False)
    late_entry = models.BooleanField(_("late entry allowed"), default=False)
    closes_at = models.DateTimeField(_("entries close"), null=True, blank=True)
    starts_at = models.DateTimeField(_("starts"), null=True, blank=True)
    """Without one it starts as soon as it is full."""
    round_days = models.PositiveSmallIntegerField(
        _("days a round lasts at most"), null=True, blank=True
    )
    ends_at = models.DateTimeField(_("ends at the latest"), null=True, blank=True)
    round_end = models.CharField(
        _("at a deadline"), max_length=8, choices=RoundEnd.choices, default=RoundEnd.WAIT
    )
    drop_out = models.CharField(
        _("if somebody leaves"), max_length=8, choices=DropOut.choices, default=DropOut.STRIKE
    )

    dice_key = models.ForeignKey(
        "games.DiceKey", models.PROTECT, null=True, blank=True, related_name="+"
    )
    """Published when it opens, before anybody enters; a game without dice has none."""
    series = models.ForeignKey(
        "self", models.SET_NULL, null=True, blank=True, related_name="seasons"
    )
    """The first season of a league that renews itself."""
    season = models.PositiveSmallIntegerField(default=1)
    renews = models.BooleanField(_("a new season follows"), default=False)

    created_at = models.DateTimeField(default=timezone.now)
    opened_at = models.DateTimeField(null=True, blank=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    due_at = models.DateTimeField(null=True, blank=True)
    """When the sweep must look at it next: closing, start, a round's or the season's end."""
    unbegun_from = models.BigIntegerField(null=True, blank=True)
    """The first of the meetings whose games a worker is beginning; none when all have begun."""

    class Meta:
        verbose_name = _("event")
        verbose_name_plural = _("events")
        ordering = ["-created_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["series", "season"],
                condition=Q(series__isnull=False),
                name="one_event_a_season",
            ),
            models.CheckConstraint(
                condition=Q(least_entrants__lte=models.F("most_entrants")),
                name="fewest_not_above_most",
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at", "id"], condition=Q(due_at__isnull=False), name="events_due"
            ),
            models.Index(
                fields=["unbegun_from"],
                condition=Q(unbegun_from__isnull=False),
                name="events_beginning",
            ),
            models.Index(fields=["state", "-created_at"], name="events_by_state"),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("event", args=[self.pk])


class Director(models.Model):
    """Somebody whom the organiser lets run the event with him."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="directors")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["event", "player"], name="director_once")]

    def __str__(self) -> str:
        return f"{self.player} of {self.event}"


class Guest(models.Model):
    """Somebody who is invited to an event that is by invitation only."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="guests")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")

    class Meta:
        constraints = [models.UniqueConstraint(fields=["event", "player"], name="guest_once")]

    def __str__(self) -> str:
        return f"{self.player} to {self.event}"


class LogLine(models.Model):
    """What happened in an event, for everyone to read; only the last line may get a later time."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="log")
    at = models.DateTimeField()
    what = models.CharField(max_length=30)
    """A code; `event_log.py` has the sentence."""
    words = models.JSONField(default=dict, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True)

    class Meta:
        ordering = ["-at", "-id"]
        indexes = [models.Index(fields=["event", "-at"], name="event_log")]

    def __str__(self) -> str:
        return f"{self.what} in {self.event_id}"
