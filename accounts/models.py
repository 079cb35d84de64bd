"""The player as a person, and the tokens that let a program act for one."""

from collections.abc import Callable
from typing import TYPE_CHECKING
from zoneinfo import available_timezones

from django.contrib.auth.models import AbstractBaseUser, BaseUserManager, PermissionsMixin
from django.contrib.postgres.fields import ArrayField
from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, RegexValidator
from django.db import models
from django.db.models.functions import Upper
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

NAME_VALIDATORS: list[Callable[[str], None]] = [
    RegexValidator(
        r"\A[^\W\d_][\w.-]*\Z",
        _("A name begins with a letter, then letters, digits, dots, hyphens and underscores."),
    ),
    MaxLengthValidator(24, _("A name has at most 24 characters.")),
]


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

    def get_by_natural_key(self, name: str | None) -> "Player":
        return self.get(name__iexact=name)


class Player(AbstractBaseUser, PermissionsMixin):
    """Someone who plays; a closed account keeps its row so that its games stay true."""

    name = models.CharField(_("name"), max_length=24, validators=NAME_VALIDATORS)
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
    joined_at = models.DateTimeField(_("joined"), default=timezone.now)
    closed_at = models.DateTimeField(_("closed"), null=True, blank=True)

    USERNAME_FIELD = "name"
    EMAIL_FIELD = "email"
    REQUIRED_FIELDS = ["email"]

    objects = PlayerManager()

    class Meta:
        verbose_name = _("player")
        verbose_name_plural = _("players")
        constraints = [
            # Upper, because that is what Django's iexact look-up compares: one index serves both.
            models.UniqueConstraint(
                Upper("name"),
                name="player_name_unique",
                violation_error_message=_("This name is taken; choose another."),
            ),
        ]
        indexes = [models.Index(Upper("email"), name="player_email")]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("player", args=[self.name])

    @property
    def is_closed(self) -> bool:
        return self.closed_at is not None


class Scope(models.TextChoices):
    READ = "read", _("read: see what you see")
    PLAY = "play", _("play: move and chat for you")
    ORGANISE = "organise", _("organise: run your events")


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
