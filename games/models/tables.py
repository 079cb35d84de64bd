"""A game, who sits at it, what was played and what was said."""

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Status(models.TextChoices):
    RUNNING = "running", _("running")
    FINISHED = "finished", _("finished")
    VOID = "void", _("void")


class Via(models.TextChoices):
    """Who or what made a ply."""

    START = "start", _("start")
    WEB = "web", _("web")
    API = "api", _("API")
    MAIL = "mail", _("mail")
    CONDITIONAL = "conditional", _("conditional move")
    BOT = "bot", _("bot")
    CLOCK = "clock", _("clock")


class Game(models.Model):
    """One game as it stands; its log of moves is the truth, this row is where it led."""

    ruleset = models.CharField(max_length=40)
    version = models.PositiveSmallIntegerField()
    options = models.JSONField(default=dict)
    rated = models.BooleanField(default=True)
    clock = models.JSONField()
    weekends = models.BooleanField(default=False)
    vacation_allowed = models.BooleanField(default=True)
    event_id = models.BigIntegerField(null=True, blank=True, db_index=True)
    private_link = models.CharField(max_length=32, null=True, blank=True, unique=True)

    status = models.CharField(max_length=8, choices=Status.choices, default=Status.RUNNING)
    position = models.JSONField()
    ply = models.PositiveIntegerField(default=0)
    seat_to_move = models.PositiveSmallIntegerField(null=True)
    seats_moved = models.PositiveSmallIntegerField(default=0)
    """A bit for each seat that has moved: not both, and a time-out voids the game."""
    draw_offered_by = models.PositiveSmallIntegerField(null=True, blank=True)
    takeback_asked_by = models.PositiveSmallIntegerField(null=True, blank=True)

    clock_from = models.DateTimeField(null=True)
    """When the turn of the seat to move began."""
    time_left = models.DurationField(null=True)
    """What its clock showed then."""
    deadline_at = models.DateTimeField(null=True)
    """When its flag falls, by the pauses that are known; reckoned anew when they change."""

    dice_scheme = models.PositiveSmallIntegerField(default=1)
    """How games.dice derives the throws; games that begin now have its latest."""
    seed = models.BinaryField(max_length=32)
    commitment = models.CharField(max_length=64)
    throws_made = models.PositiveIntegerField(default=0)

    score = models.PositiveSmallIntegerField(null=True)
    """Half points of seat 0: 2 won, 1 drawn, 0 lost."""
    points = ArrayField(models.IntegerField(), default=list, blank=True)
    reason = models.CharField(max_length=20, blank=True)
    as_played = models.JSONField(null=True, blank=True)
    """How the game stood before the first ruling that changed its course; none without one."""
    opening = models.CharField(max_length=200, blank=True, db_default="")
    """The first moves, to search by: each followed by a semicolon."""
    started_at = models.DateTimeField(default=timezone.now)
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(status="running", ended_at=None, deadline_at__isnull=False)
                | (~Q(status="running") & Q(ended_at__isnull=False, deadline_at=None)),
                name="a_running_game_has_a_deadline_and_no_end",
            ),
            models.CheckConstraint(
                condition=Q(status="finished", score__isnull=False)
                | (~Q(status="finished") & Q(score=None)),
                name="a_finished_game_has_a_score",
            ),
            models.CheckConstraint(
                condition=Q(score=None) | Q(score__lte=2), name="a_score_is_two_halves_at_most"
            ),
        ]
        indexes = [
            # The sweep reads this: its cost is that of the games that are due.
            models.Index(
                fields=["deadline_at", "id"], condition=Q(status="running"), name="game_deadlines"
            ),
            # Crediting an outage goes through the running games in this order.
            models.Index(fields=["id"], condition=Q(status="running"), name="game_running"),
            models.Index(fields=["-started_at", "-id"], name="game_newest"),
            models.Index(
                fields=["ruleset", "opening"],
                opclasses=["varchar_ops", "varchar_pattern_ops"],
                name="game_openings",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.ruleset} {self.pk}"

    def get_absolute_url(self) -> str:
        if self.private_link:
            return reverse("private_game", args=[self.private_link])
        return reverse("game", args=[self.pk])

    @property
    def is_running(self) -> bool:
        return self.status == Status.RUNNING


class DiceKey(models.Model):
    """Binds the seeds of many games at once, by games.vrf: those of an event or with the bots."""

    secret = models.BinaryField(max_length=32)
    public_key = models.CharField(max_length=64)
    published_at = models.DateTimeField()
    is_for_bots = models.BooleanField(default=False)

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["is_for_bots"], condition=Q(is_for_bots=True), name="one_key_for_bots"
            )
        ]

    def __str__(self) -> str:
        return self.public_key


class GameDice(models.Model):
    """Where a game's seeds come from, and those that were published already."""

    game = models.OneToOneField(Game, models.CASCADE, primary_key=True, related_name="dice")
    secret = models.BinaryField(max_length=32)
    """The beginning of the chain of seeds; empty where a key has them."""
    key = models.ForeignKey(DiceKey, models.PROTECT, null=True, related_name="+")
    drawn = models.JSONField(null=True)
    """Which game of which players it is, for that key."""
    proof = models.CharField(max_length=160, blank=True)
    """That the key has this seed for it; as secret as the seed."""
    challenger = models.PositiveSmallIntegerField(null=True)
    """The challenger's seat, if the first move was drawn by lot."""
    past = models.JSONField(default=list)
    """Scheme, commitment, seed, last throw and proof of each time that the game was over before."""

    def __str__(self) -> str:
        return f"dice of {self.game_id}"


class SeatManager(models.Manager["Seat"]):
    """Leaves the notes where they are: every list reads seats, and only their owner a note."""

    def get_queryset(self) -> models.QuerySet["Seat"]:
        return super().get_queryset().defer("note")


class Seat(models.Model):
    """A player at a table, with his bank of time and what he keeps to himself."""

    game = models.ForeignKey(Game, models.CASCADE, related_name="seats")
    number = models.PositiveSmallIntegerField()
    player = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="seats", db_index=False
    )
    bank = models.DurationField()
    """What the clock will show when this seat's next turn begins."""
    zone = models.CharField(max_length=64)
    """The player's zone when the game began: whoever travels does not move his weekends."""
    salt = models.CharField(max_length=64, blank=True)
    salted_after_throw = models.PositiveIntegerField(default=0)
    """The salt is in force for the throws after this one."""
    draw_offered_at_ply = models.PositiveIntegerField(null=True)
    note = models.TextField(max_length=20_000, blank=True)
    has_conditional_moves = models.BooleanField(default=False, db_default=False)
    """Whether a move has to look for them; beside the game, so that its lock covers it."""
    hides_chat = models.BooleanField(default=False)
    moves_by_mail = models.BooleanField(default=False, db_default=False)
    """Whether the last move here came by mail; then outages of the mail stop this clock."""
    began_by_mail = models.BooleanField(default=False, db_default=False)
    """As it was when the game began: whether the player's last move anywhere came by mail."""

    objects = SeatManager()

    class Meta:
        ordering = ["number"]
        constraints = [
            models.UniqueConstraint(fields=["game", "number"], name="one_player_a_seat"),
            models.UniqueConstraint(fields=["game", "player"], name="nobody_plays_himself"),
            models.CheckConstraint(condition=Q(number__lte=1), name="two_seats"),
        ]
        # A player's games in their order: any page of them costs the same.
        indexes = [models.Index(fields=["player", "game"], name="games_of_player")]

    def __str__(self) -> str:
        return f"{self.player} in {self.game_id}"


class ConditionalMoves(models.Model):
    """What a player has ready for the opponent's moves, seen by nobody else.

    Apart from the seats, which every page and every act reads and none needs this for.
    """

    seat = models.OneToOneField(
        Seat, models.CASCADE, primary_key=True, related_name="conditional_moves"
    )
    tree = models.JSONField(default=list)
    """As games.conditional has it."""
    log = models.JSONField(default=list)
    """The last replies played, branches that died, and why a tree ended."""

    class Meta:
        verbose_name_plural = "conditional moves"

    def __str__(self) -> str:
        return f"conditional moves of seat {self.seat_id}"


class Move(models.Model):
    """One line of a game's log; lines are only ever added.

    Ply 0 is the start. A line with `back_to` takes moves back: the position is again
    the one after that ply.
    """

    game = models.ForeignKey(Game, models.CASCADE, related_name="moves")
    ply = models.PositiveIntegerField()
    seat = models.PositiveSmallIntegerField(null=True)
    text = models.CharField(max_length=80, blank=True)
    typed = models.CharField(max_length=200, blank=True)
    """What was sent, where it was not the canonical text: a retry is known by it."""
    throws = models.JSONField(default=list)
    """The faces of the service's throws that followed, in order."""
    back_to = models.PositiveIntegerField(null=True)
    via = models.CharField(max_length=12, choices=Via.choices)
    played_at = models.DateTimeField()
    used = models.DurationField(null=True)

    class Meta:
        ordering = ["ply"]
        constraints = [models.UniqueConstraint(fields=["game", "ply"], name="one_move_a_ply")]

    def __str__(self) -> str:
        return f"{self.ply}. {self.text}"


class ChatLine(models.Model):
    game = models.ForeignKey(Game, models.CASCADE, related_name="chat")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT)
    text = models.CharField(max_length=1000)
    written_at = models.DateTimeField()
    reported_at = models.DateTimeField(null=True, blank=True)
    hidden_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["id"]
        indexes = [
            models.Index(fields=["author", "written_at"], name="chat_by_author"),
            models.Index(
                fields=["reported_at"], condition=Q(reported_at__isnull=False), name="chat_reported"
            ),
        ]

    def __str__(self) -> str:
        return self.text
