"""Finding games: by who played, what, how, when and with which first moves."""

import csv
import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import django_filters
from django import forms
from django.db.models import F, Prefetch, Q, QuerySet
from django.utils.translation import gettext_lazy as _
from django_filters.fields import IsoDateTimeField

from accounts.models import Player
from games.models import Game, Seat, Status
from games.replay import OPENING_LENGTH
from games.rules.notation import normalised
from games.rules.registry import RULESETS

MOST_ROWS = 10_000
BATCH = 500

HALVES = {"won": 2, "drawn": 1, "lost": 0}


class WholeNumber(django_filters.NumberFilter):
    field_class = forms.IntegerField

    def __init__(self, *args: Any, most: int = 2**31 - 1, **more: Any) -> None:
        super().__init__(*args, min_value=0, max_value=most, **more)


class InstantField(IsoDateTimeField):
    """In UTC: PostgreSQL knows no zones beyond sixteen hours."""

    def clean(self, value: Any) -> datetime | None:
        instant: datetime | None = super().clean(value)
        try:
            return instant and instant.astimezone(UTC)
        except OverflowError:
            raise forms.ValidationError(self.error_messages["invalid"], "invalid") from None


class Instant(django_filters.IsoDateTimeFilter):
    field_class = InstantField


class OfOnePlayer(forms.Form):
    """What is asked of a player's games needs the player."""

    def clean(self) -> dict[str, Any]:
        for name in ("opponent", "result"):
            if self.cleaned_data.get(name) and not self.cleaned_data.get("player"):
                self.add_error(name, _("Name the player whose games these are."))
        return self.cleaned_data


class GameSearch(django_filters.FilterSet):
    player = django_filters.CharFilter(method="played_by", help_text="Who played.")
    opponent = django_filters.CharFilter(method="played_by", help_text="Against whom.")
    result = django_filters.ChoiceFilter(
        method="ended_for_player",
        choices=[("won", _("won")), ("drawn", _("drawn")), ("lost", _("lost"))],
        help_text="How it ended for the player.",
    )
    reason = django_filters.CharFilter(help_text="By what it ended: resignation, time…")
    ruleset = django_filters.ChoiceFilter(choices=[(key, key) for key in RULESETS])
    version = WholeNumber(most=2**15 - 1, help_text="Of the rules.")
    opening = django_filters.CharFilter(
        method="opened_with", help_text="The first moves, with a semicolon after each."
    )
    status = django_filters.ChoiceFilter(choices=Status.choices)
    rated = django_filters.BooleanFilter()
    event = WholeNumber(field_name="event_id", most=2**63 - 1)
    plies_from = WholeNumber(field_name="ply", lookup_expr="gte", help_text="No shorter ones.")
    plies_to = WholeNumber(field_name="ply", lookup_expr="lte", help_text="No longer ones.")
    started_after = Instant(field_name="started_at", lookup_expr="gte")
    started_before = Instant(field_name="started_at", lookup_expr="lt")
    ended_after = Instant(field_name="ended_at", lookup_expr="gte")
    ended_before = Instant(field_name="ended_at", lookup_expr="lt")

    class Meta:
        model = Game
        fields: list[str] = []
        form = OfOnePlayer

    def played_by(self, games: QuerySet[Game], _name: str, player: str) -> QuerySet[Game]:
        return in_order_of_seats(games.filter(seats__player_id=_player_id(player)))

    def ended_for_player(self, games: QuerySet[Game], _name: str, result: str) -> QuerySet[Game]:
        player = _player_id(self.form.cleaned_data["player"])
        halves = HALVES[result]
        return games.filter(
            Q(seats__player_id=player, seats__number=0, score=halves)
            | Q(seats__player_id=player, seats__number=1, score=2 - halves)
        )

    def opened_with(self, games: QuerySet[Game], _name: str, moves: str) -> QuerySet[Game]:
        typed = (normalised(move) for move in moves.split(";"))
        opening = "".join(f"{move};" for move in typed if move)
        return games.filter(opening__startswith=opening[:OPENING_LENGTH])


def in_order_of_seats(games: QuerySet[Game]) -> QuerySet[Game]:
    """The games of a player with their ids once more, as `key`, out of the index of his seats.

    PostgreSQL does not conclude from “the game's id is less” that the seat's is: whoever pages
    through them says both, and no page costs more than another.
    """
    return games.annotate(key=F("seats__game_id"))


def _player_id(name: str) -> int:
    """Of nobody, none that a player has."""
    found = Player.objects.filter(name__iexact=name).values_list("pk", flat=True).first()
    return found or 0


# As a table

COLUMNS = (
    "game", "ruleset", "version", "options", "first", "second", "status", "score_first",
    "score_second", "points_first", "points_second", "reason", "plies", "rated", "event",
    "started_at", "ended_at", "opening",
)  # fmt: skip


def is_too_long(games: QuerySet[Game]) -> bool:
    """Whether a table of these games would leave some out."""
    return games.order_by("-pk").values("pk")[MOST_ROWS : MOST_ROWS + 1].exists()


def table(games: QuerySet[Game]) -> Iterator[str]:
    """The newest first, as lines of CSV; so many at a time that the memory is that of a few."""
    writer = csv.writer(_Echo())
    yield writer.writerow(COLUMNS)
    for game in _newest_first(games):
        yield writer.writerow(_row(game))


class _Echo:
    def write(self, line: str) -> str:
        return line


def _newest_first(games: QuerySet[Game]) -> Iterator[Game]:
    seats = Prefetch("seats", Seat.objects.select_related("player").order_by("number"))
    ordered = games.prefetch_related(seats).order_by("-pk")
    batch = list(ordered[:BATCH])
    left = MOST_ROWS
    while batch and left:
        yield from batch[:left]
        left -= len(batch[:left])
        batch = list(older_than(ordered, batch[-1].pk)[:BATCH])


def older_than(games: QuerySet[Game], game_id: int) -> QuerySet[Game]:
    keys = ["pk", "key"] if "key" in games.query.annotations else ["pk"]
    return games.filter(**{f"{key}__lt": game_id for key in keys})


def _row(game: Game) -> Iterable[object]:
    first, second = (seat.player.name for seat in game.seats.all())
    halves = game.score
    scores = ("", "") if halves is None else (halves / 2, 1 - halves / 2)
    points = game.points or ("", "")
    ended_at = game.ended_at.isoformat() if game.ended_at else ""
    return (
        game.pk, game.ruleset, game.version, json.dumps(game.options, sort_keys=True), first,
        second, game.status, *scores, *points, game.reason, game.ply, str(game.rated).lower(),
        "" if game.event_id is None else game.event_id, game.started_at.isoformat(), ended_at,
        game.opening,
    )  # fmt: skip
