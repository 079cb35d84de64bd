"""The player as a person, and the tokens that let a program act for one."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Self
from zoneinfo import available_timezones

from django.conf import settings
from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.functions import Upper
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from accounts import names

NAME_RULE = _(
    "A name has 2 to 24 letters, digits, dots, hyphens and underscores, and begins with a letter."
    " Use letters of one script: Latin, Greek, Cyrillic, Armenian, Georgian, Hebrew, Arabic, or"
    " Chinese, Japanese and Korean."
)
NAME_TAKEN = _("That name is taken or looks like one that is. Choose another.")


UNKNOWN = object()
APPS_OF_SUPERUSERS = ("account", "admin", "auth", "contenttypes", "mfa", "sessions", "usersessions")


def validate_name(name: str) -> None:
    if not names.is_well_formed(name):
        raise ValidationError(NAME_RULE)
    if names.is_reserved(name, *settings.RESERVED_NAMES):
        raise ValidationError(_("That name is reserved. Choose another."))


def checked_name(name: str) -> str:
    """The name as it is stored, if it is free; a form's own check runs the validators."""
    name = names.normal(name)
    # A name that is still being erased would be erased from what its next owner does, too.
    is_leaving = Closing.objects.filter(name__iexact=name).exists()
    if is_leaving or Player.objects.named_like(name).exists():
        raise ValidationError(NAME_TAKEN)
    return name


NAME_VALIDATORS: list[Callable[[str], None]] = [validate_name]


def closed_name(player_id: int) -> str:
    """What a closed account is called: unique, and with spaces, which no chosen name has."""
    name = f"closed account {player_id}"
    return name if len(name) <= names.LONGEST else f"closed {player_id:x}"


def validate_zone(value: str) -> None:
    if value not in available_timezones():
        raise ValidationError(_("There is no time zone of that name; an example is Europe/Berlin."))


if TYPE_CHECKING:
    _Manager = BaseUserManager["Player"]
else:
    _Manager = BaseUserManager


class PlayerManager(_Manager):
    def create_user(
        self, name: str, email: str = "", password: str | None = None, **fields: object
    ) -> "Player":
        player = self.model(name=name, email=self.normalize_email(email), **fields)
        player.set_password(password)
        player.save()
        return player

    def create_superuser(
        self, name: str, email: str = "", password: str | None = None, **fields: object
    ) -> "Player":
        return self.create_user(name, email, password, is_staff=True, is_superuser=True, **fields)

    def named_like(self, name: str) -> models.QuerySet["Player"]:
        """Whoever has this name, or one that a reader takes for it."""
        return self.filter(models.Q(name__iexact=name) | models.Q(folded_name=names.fold(name)))

    def get_by_natural_key(self, name: str | None) -> "Player":
        return self.get(name__iexact=name)


class Player(AbstractBaseUser, PermissionsMixin):
    """Someone who plays; a closed account keeps its row so that its games stay true."""

    name = models.CharField(_("name"), max_length=24, validators=NAME_VALIDATORS)
    folded_name = models.CharField(  # noqa: DJ001 - none is not a name that all guests share
        max_length=100,
        null=True,
        unique=True,
        editable=False,
        error_messages={"unique": NAME_TAKEN},
    )
    """Unique among names that look the same; guests and closed accounts take none."""
    email = models.EmailField(_("e-mail address"), blank=True)
    zone = models.CharField(
        _("time zone"), max_length=64, default="UTC", validators=[validate_zone]
    )
    language = models.CharField(
        _("language"), max_length=5, default="en", choices=[("en", "English"), ("de", "Deutsch")]
    )
    about = models.TextField(_("about you"), max_length=1000, blank=True)
    confirms_moves = models.BooleanField(_("ask before a move is played"), default=True)
    is_bot = models.BooleanField(_("bot"), default=False)
    bot_level = models.PositiveSmallIntegerField(
        _("strength of a house bot"), null=True, blank=True
    )
    is_guest = models.BooleanField(_("guest"), default=False)
    seen_at = models.DateTimeField(_("last here"), null=True, blank=True)
    is_staff = models.BooleanField(_("staff"), default=False)
    is_active = models.BooleanField(_("active"), default=True)
    session_epoch = models.PositiveIntegerField(default=0)
    """Raised to end every session at once."""
    joined_at = models.DateTimeField(_("joined"), default=timezone.now)
    closed_at = models.DateTimeField(_("closed"), null=True, blank=True)

    USERNAME_FIELD = "name"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS = ["email"]

    objects = PlayerManager()

    _stored: Mapping[str, Any] = {}
    """The fields as they were last read or written; `save` writes those that differ."""
    uses_token = False
    """Whether a program asks for this player; set on the object of one request alone."""

    class Meta:
        verbose_name = _("player")
        verbose_name_plural = _("players")
        constraints = [
            # Upper, because that is what Django's iexact look-up compares: one index serves both.
            models.UniqueConstraint(
                Upper("name"),
                name="player_name_unique",
                violation_error_message=NAME_TAKEN,
            ),
        ]
        indexes = [models.Index(Upper("email"), name="player_email")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("player", args=[self.name])

    def clean(self) -> None:
        super().clean()
        self._fold_name()

    def has_perm(self, perm: str, obj: Any = None) -> bool:
        """Who may do what, and how people log in, is the business of superusers alone."""
        if perm.partition(".")[0] in APPS_OF_SUPERUSERS and not self.is_superuser:
            return False
        return super().has_perm(perm, obj)

    def has_module_perms(self, app_label: str) -> bool:
        if app_label in APPS_OF_SUPERUSERS and not self.is_superuser:
            return False
        return super().has_module_perms(app_label)

    @classmethod
    def from_db(cls, *args: Any, **kwargs: Any) -> Self:
        player = super().from_db(*args, **kwargs)
        player._note_stored()
        return player

    def refresh_from_db(
        self,
        using: str | None = None,
        fields: Iterable[str] | None = None,
        from_queryset: models.QuerySet[Self] | None = None,
    ) -> None:
        fields = None if fields is None else list(fields)
        super().refresh_from_db(using, fields, from_queryset)
        self._note_stored(fields)

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Writes what was changed here alone: the rest may have been changed elsewhere since.

        Otherwise a request that began earlier would undo a closing, a new password or a ban.
        """
        fields = kwargs.get("update_fields")
        if fields is None or {"name", "is_guest", "closed_at"} & set(fields):
            self._fold_name()
            if fields is not None:
                kwargs["update_fields"] = {*fields, "folded_name"}
        if fields is None and not self._state.adding and not kwargs.get("force_insert"):
            kwargs["update_fields"] = self._changed_fields()
        super().save(*args, **kwargs)
        self._note_stored(kwargs.get("update_fields"))

    def _changed_fields(self) -> set[str]:
        held = self._held_fields()
        return {name for name in held if self._stored.get(name, UNKNOWN) != held[name]}

    def _note_stored(self, names: Collection[str] | None = None) -> None:
        held = self._held_fields()
        # A new mapping each time: a copy of this player shares the old one.
        self._stored = {
            **self._stored,
            **{name: held[name] for name in held if names is None or name in names},
        }

    def _held_fields(self) -> dict[str, Any]:
        """Without the deferred ones, and without the key."""
        names = (field.attname for field in self._meta.concrete_fields if not field.primary_key)
        return {name: self.__dict__[name] for name in names if name in self.__dict__}

    def _fold_name(self) -> None:
        if self.is_guest or self.is_closed:
            self.folded_name = None
            return
        folded = names.fold(self.name)
        # Names that looked the same before there was this rule have their number behind a tilde.
        if (self.folded_name or "").partition("~")[0] != folded:
            self.folded_name = folded

    def _get_session_auth_hash(self, secret: str | None = None) -> str:
        found: str = super()._get_session_auth_hash(secret=secret)  # type: ignore[misc]
        return f"{found}.{self.session_epoch}" if self.session_epoch else found

    @property
    def acts_as_staff(self) -> bool:
        """Staff decide in person: by token they rule only where any player in their place may."""
        return self.is_active and self.is_staff and not self.uses_token

    @property
    def is_closed(self) -> bool:
        return self.closed_at is not None


class Block(models.Model):
    """One player keeps another away; `games.blocks` says what that means."""

    blocker = models.ForeignKey(Player, models.CASCADE, related_name="blocks")
    blocked = models.ForeignKey(Player, models.CASCADE, related_name="blocked_by")
    created_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["blocker", "blocked"], name="one_block_a_pair"),
            models.CheckConstraint(
                condition=~models.Q(blocker=models.F("blocked")), name="no_block_of_oneself"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.blocker_id} blocks {self.blocked_id}"


class NeverWrite(models.Model):
    """An address whose reader wants no mail from strangers; only its keyed hash is kept."""

    digest = models.CharField(max_length=32, primary_key=True)
    since = models.DateTimeField()

    def __str__(self) -> str:
        return self.digest


class DailyCount(models.Model):
    """How often something was done on one day (UTC); `key` says by whom, and to whom."""

    day = models.DateField()
    kind = models.CharField(max_length=20)
    key = models.CharField(max_length=60)
    count = models.PositiveIntegerField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["day", "kind", "key"], name="one_count_a_day")
        ]

    def __str__(self) -> str:
        return f"{self.day} {self.kind} {self.key}: {self.count}"


class Scope(models.TextChoices):
    READ = "read", _("read: see what you see")
    PLAY = "play", _("play: move and chat for you")
    ORGANISE = "organise", _("organise: run your events")
    CONNECT = "connect", _("connect: change your settings, feeds and webhooks")


class ApiToken(models.Model):
    """A key for a program; only its digest is kept."""

    player = models.ForeignKey(Player, models.CASCADE, related_name="tokens")
    name = models.CharField(_("name"), max_length=60)
    digest = models.CharField(max_length=64, unique=True)
    hint = models.CharField(max_length=8)
    scopes = ArrayField(models.CharField(max_length=10, choices=Scope.choices))
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["-created_at"]
        verbose_name = _("API token")
        verbose_name_plural = _("API tokens")

    def __str__(self) -> str:
        return f"{self.name} (…{self.hint})"


class Closing(models.Model):
    """A closed account that a worker still settles; deleted with the last step."""

    player = models.OneToOneField(Player, models.CASCADE, primary_key=True, related_name="closing")
    name = models.CharField(max_length=24)
    """The name before closing: what is to be found and replaced."""
    addresses = ArrayField(models.EmailField(), default=list)
    asked_at = models.DateTimeField()
    due_at = models.DateTimeField()
    """When a worker may take it; one that has it puts this off, so that no other does."""
    steps_done = models.PositiveSmallIntegerField(default=0, db_default=0)
    """How many of `CLOSING_STEPS` are done; the next slice goes on with the one after them."""
    cursor = models.CharField(max_length=40, default="", db_default="")
    """The key of the last row that the present step has looked at, where it walks a table."""

    class Meta:
        verbose_name = _("account being closed")
        verbose_name_plural = _("accounts being closed")
        indexes = [models.Index(fields=["due_at"], name="closings_due")]

    def __str__(self) -> str:
        return f"closing of {self.player_id}"

    @property
    def traces(self) -> list[str]:
        """The former name and addresses, as they may stand in a text."""
        return [*self.addresses, self.name]

    def without_traces(self, text: str) -> str:
        """The text with each replaced wherever it stands as a word of its own."""
        return self._without(self.traces, text)

    def without_name(self, text: str) -> str:
        """For what is a name and nothing else."""
        is_theirs = text.casefold() == self.name.casefold()
        return closed_name(self.player_id) if is_theirs else text

    def without_addresses(self, text: str) -> str:
        """For texts about others, in which the name may be any word."""
        return self._without(self.addresses, text) if self.addresses else text

    def _without(self, traces: list[str], text: str) -> str:
        words = "|".join(re.escape(word) for word in traces)
        pattern = rf"(?<![\w.-])(?:{words})(?![\w-]|\.\w)"
        return re.sub(pattern, lambda _found: closed_name(self.player_id), text, flags=re.I)


class TaskRun(models.Model):
    """When a background task last ran, wherever that was; for the status page."""

    name = models.CharField(max_length=60, primary_key=True)
    ran_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.ran_at:%Y-%m-%d %H:%M:%S}"
