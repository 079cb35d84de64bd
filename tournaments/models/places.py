"""Who plays in an event, round by round and game by game."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from tournaments.models.events import Event


class EntryState(models.TextChoices):
    WAITING = "waiting", _("on the waiting list")
    ENTERED = "entered", _("entered")
    INVITED = "invited", _("invited")
    DECLINED = "declined", _("invitation declined")
    LAPSED = "lapsed", _("invitation lapsed")
    WITHDRAWN = "withdrawn", _("withdrawn")
    EXPELLED = "expelled", _("expelled")
    VANISHED = "vanished", _("withdrawn after time-outs")


class Entry(models.Model):
    """A player in an event."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="entries")
    player = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="entries")
    state = models.CharField(max_length=10, choices=EntryState.choices, default=EntryState.ENTERED)
    number = models.PositiveIntegerField(null=True, blank=True)
    """His start number, from the start on."""
    section = models.PositiveSmallIntegerField(default=0)
    """His section or division, if there are several."""
    qualified = models.PositiveSmallIntegerField(default=0)
    """His seed in the final of an event with stages, once that was drawn."""
    place = models.PositiveIntegerField(null=True, blank=True)
    """His place on a ladder."""
    rating = models.PositiveSmallIntegerField(default=1500)
    joined_round = models.PositiveSmallIntegerField(default=1)
    left_round = models.PositiveSmallIntegerField(null=True, blank=True)
    struck = models.BooleanField(default=False)
    """His results count for ratings but not for the table."""
    timeouts = models.PositiveSmallIntegerField(default=0)
    stays = models.BooleanField(default=True)
    """Is entered into the next season unless he says otherwise."""
    rank = models.PositiveIntegerField(null=True, blank=True)
    """His final place."""
    entered_at = models.DateTimeField(default=timezone.now)
    salt = models.CharField(max_length=64, blank=True)
    """The player's share in the dice of all their games here, brought with the entry."""

    class Meta:
        ordering = ["event", "number", "entered_at", "id"]
        constraints = [
            models.UniqueConstraint(fields=["event", "player"], name="entered_once"),
            models.UniqueConstraint(fields=["event", "number"], name="one_entrant_a_number"),
            models.UniqueConstraint(
                fields=["event", "place"],
                name="one_entrant_a_place",
                deferrable=models.Deferrable.DEFERRED,
            ),
        ]
        indexes = [models.Index(fields=["player", "event"], name="events_of_player")]

    def __str__(self) -> str:
        return f"{self.player} in {self.event_id}"


class Round(models.Model):
    """A round of an event, or of one stage of it, from its pairing on."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="rounds")
    number = models.PositiveSmallIntegerField()
    paired_at = models.DateTimeField()
    deadline_at = models.DateTimeField(null=True, blank=True)
    sealed_at = models.DateTimeField(null=True, blank=True)
    """All its results are in; nothing is paired anew after this."""

    class Meta:
        ordering = ["event", "number"]
        constraints = [models.UniqueConstraint(fields=["event", "number"], name="one_round")]

    def __str__(self) -> str:
        return f"round {self.number} of {self.event_id}"


class Meeting(models.Model):
    """Two entrants who are to play one game; it names the first player first."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="meetings")
    round = models.PositiveSmallIntegerField()
    leg = models.PositiveSmallIntegerField(default=1)
    first = models.ForeignKey(Entry, models.PROTECT, related_name="+")
    second = models.ForeignKey(Entry, models.PROTECT, related_name="+")
    game = models.OneToOneField(
        "games.Game", models.PROTECT, null=True, blank=True, related_name="+"
    )
    """None until it is begun, and where it was decided without a game."""
    score = models.PositiveSmallIntegerField(null=True, blank=True)
    """Half points of the first: 2, 1 or 0; none while it runs."""
    other_score = models.PositiveSmallIntegerField(null=True, blank=True)
    """Half points of the second: both may have none after a double forfeit."""
    forfeit = models.BooleanField(default=False)
    ruled = models.BooleanField(default=False)
    """Set by a director: a late result of the game does not change it."""
    settled_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["event", "round", "id"]
        constraints = [
            models.UniqueConstraint(
                fields=["event", "round", "first", "second", "leg"], name="paired_once"
            ),
            models.CheckConstraint(condition=~Q(first=models.F("second")), name="not_himself"),
            models.CheckConstraint(
                condition=Q(score=None, other_score=None, settled_at=None)
                | Q(score__lte=2, other_score__lte=2, settled_at__isnull=False),
                name="both_scores_or_none",
            ),
        ]
        indexes = [
            models.Index(
                fields=["event", "round"], condition=Q(settled_at=None), name="meetings_running"
            )
        ]

    def __str__(self) -> str:
        return f"{self.first_id} v {self.second_id} in {self.event_id}"


class Errand(models.Model):
    """Something happened in an event that it has not looked at yet; taken away with the look."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="errands")
    game_id = models.BigIntegerField(null=True, blank=True)
    """The game that ended or was ruled on, if it was one."""
    noted_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"errand {self.pk} of {self.event_id}"


class Rest(models.Model):
    """A round that somebody sat out, in the letters of the tournament report file."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="rests")
    round = models.PositiveSmallIntegerField()
    entry = models.ForeignKey(Entry, models.CASCADE, related_name="rests")
    kind = models.CharField(max_length=1)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["round", "entry"], name="rests_once")]

    def __str__(self) -> str:
        return f"{self.entry_id}: {self.kind} in round {self.round}"
