"""A player's page: his pace, ratings with their course, record against others, latest games."""

from typing import Any

from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from accounts.current import player_of
from accounts.models import Player
from games import blocks, elo, house_bots, records
from games.models import Rating, Status, Vacation
from games.pages.chart import Chart
from games.pages.mine import row_of
from games.pages.pace import pace_of
from games.pages.seated import SEATS
from games.pages.unchanged import known_by_etag
from games.pages.wording import pool_name

LATEST_GAMES = 12
MOST_OPPONENTS = 12
ROWS_OF_HISTORY = 30


@require_safe
@known_by_etag
def player(request: HttpRequest, name: str) -> HttpResponse:
    person = get_object_or_404(Player, name__iexact=name, is_guest=False)
    if person.is_closed:
        return render(request, "games/player_page.html", {"player": person})
    now = timezone.now()
    away = Vacation.objects.filter(player=person, began_at__lte=now, ends_at__gt=now).first()
    context = {
        "player": person,
        "away": away,
        "bot_level": house_bots.level_of(person).key if person.bot_level else None,
        **_ratings(request, person),
        "pace": pace_of(person.pk),
        "record": records.record_against_others(person.pk)[:MOST_OPPONENTS],
        "games": _latest_games(request, person),
        "now": now,
        **_block(request, person),
    }
    return render(request, "games/player_page.html", context)


def _block(request: HttpRequest, person: Player) -> dict[str, Any]:
    """For whoever could be reached by the person."""
    viewer = request.user
    if not viewer.is_authenticated or viewer == person or person.bot_level is not None:
        return {}
    is_blocked = blocks.is_blocked_by([viewer.pk], person.pk)
    return {
        "can_block": not player_of(request).is_guest,
        "is_blocked": is_blocked,
        "block_means": gettext(blocks.MEANS),
    }


def _ratings(request: HttpRequest, person: Player) -> dict[str, Any]:
    """Every pool in a table, and the course of one: the one asked for, or the most played."""
    rows = list(
        Rating.objects.filter(player=person).select_related("pool").order_by("-games", "pool__key")
    )
    if not rows:
        return {"ratings": []}
    asked = request.GET.get("pool")
    pool = next((row.pool.key for row in rows if row.pool.key == asked), rows[0].pool.key)
    history = records.history(person.pk, pool)
    return {
        "ratings": [_rating(row, pool) for row in rows],
        "pool": pool_name(pool),
        "history": history[: -ROWS_OF_HISTORY - 1 : -1],
        "chart": Chart([point.rating for point in history]),
    }


def _rating(row: Rating, pool: str) -> dict[str, Any]:
    return {
        "key": row.pool.key,
        "name": pool_name(row.pool.key),
        "rating": elo.displayed(row.rating),
        "peak": elo.displayed(row.peak),
        "games": row.games,
        "is_provisional": row.games < elo.PROVISIONAL_GAMES,
        "is_shown": row.pool.key == pool,
    }


def _latest_games(request: HttpRequest, person: Player) -> list[dict[str, Any]]:
    """Running ones and those that are over, the newest first; private ones for the two alone."""
    games = records.games_of(person.pk, private=request.user == person)
    games = games.filter(~Q(status=Status.VOID)).prefetch_related(SEATS)
    return [row_of(game, person) for game in games.order_by("-started_at", "-id")[:LATEST_GAMES]]
