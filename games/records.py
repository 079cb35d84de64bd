"""What can be read off the ledgers: leaders, a player's history, his record against others."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, Count, F, IntegerField, Q, QuerySet, Value, When

from games import elo
from games.models import Game, Rating, RatingEntry, Seat, Status


def leaders(pool: str) -> QuerySet[Rating]:
    """The pool's players by rating; those who are provisional are not ranked."""
    return (
        Rating.objects.filter(pool__key=pool, games__gte=elo.PROVISIONAL_GAMES)
        .filter(player__is_active=True)
        .select_related("player")
        .order_by("-rating", "player_id")
    )


@dataclass(frozen=True, slots=True)
class RatingPoint:
    """A player's rating after one game."""

    at: datetime
    rating: int
    change: int
    game_id: int


def history(player_id: int, pool: str, *, most: int = 500) -> list[RatingPoint]:
    """The latest games of a player's curve, in order."""
    mine = When(first_id=player_id, then=F("first_after"))
    before = When(first_id=player_id, then=F("first_before"))
    entries = (
        RatingEntry.objects.filter(pool__key=pool, is_void=False)
        .filter(Q(first_id=player_id) | Q(second_id=player_id))
        .annotate(
            after=Case(mine, default=F("second_after")),
            before=Case(before, default=F("second_before")),
        )
        .order_by("-number")
        .values_list("rated_at", "after", "before", "game_id")[:most]
    )
    return [
        RatingPoint(at, elo.displayed(after), elo.displayed(after) - elo.displayed(before), game)
        for at, after, before, game in reversed(entries)
    ]


def record_against_others(player_id: int) -> QuerySet[Any, Any]:
    """Won, drawn and lost against each opponent, the most frequent first."""
    own_halves = Case(
        When(number=0, then=2 - F("game__score")),
        default=F("game__score"),
        output_field=IntegerField(),
    )
    return (
        Seat.objects.filter(game__status=Status.FINISHED, game__private_link=None)
        .filter(game__seats__player=player_id)
        .exclude(player=player_id)
        .annotate(halves=own_halves)
        .values("player__name")
        .annotate(
            games=Count("pk"),
            won=Count("pk", filter=Q(halves=Value(2))),
            drawn=Count("pk", filter=Q(halves=Value(1))),
            lost=Count("pk", filter=Q(halves=Value(0))),
        )
        .order_by("-games", "player__name")
    )


def games_of(player_id: int, *, private: bool) -> QuerySet[Game]:
    games = Game.objects.filter(seats__player=player_id)
    return games if private else games.filter(private_link=None)
