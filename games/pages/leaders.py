"""Who leads in which game."""

from typing import Any

from django.core.paginator import Paginator
from django.db.models import Count, F, Q, Window
from django.db.models.functions import RowNumber
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from games import elo, records
from games.models import Rating, RatingPool
from games.pages.unchanged import known_by_etag
from games.pages.wording import pool_name

FIRST = 5
ON_A_PAGE = 50
RANKED = Q(ratings__games__gte=elo.PROVISIONAL_GAMES, ratings__player__is_active=True)


@require_safe
@known_by_etag
def all_leaders(request: HttpRequest) -> HttpResponse:
    """The first of every pool; ranks are numbered by the database, in one query for all."""
    rank = Window(RowNumber(), partition_by=F("pool"), order_by=[F("rating").desc(), "player_id"])
    first = (
        Rating.objects.filter(games__gte=elo.PROVISIONAL_GAMES, player__is_active=True)
        .annotate(rank=rank)
        .filter(rank__lte=FIRST)
        .select_related("player")
        .order_by("pool_id", "rank")
    )
    by_pool: dict[int, list[dict[str, Any]]] = {}
    for row in first:
        by_pool.setdefault(row.pool_id, []).append(_leader(row, row.rank))
    pools = RatingPool.objects.annotate(players=Count("ratings", filter=RANKED))
    shown = [
        {
            "key": pool.key,
            "name": pool_name(pool.key),
            "players": pool.players,
            "is_recalculated": pool.is_recalculated,
            "leaders": by_pool.get(pool.pk, []),
        }
        for pool in pools.order_by("-players", "key")
    ]
    return render(request, "games/leaders.html", {"pools": shown, "least": elo.PROVISIONAL_GAMES})


@require_safe
@known_by_etag
def leaders_of(request: HttpRequest, pool: str) -> HttpResponse:
    found = get_object_or_404(RatingPool, key=pool)
    page = Paginator(records.leaders(pool), ON_A_PAGE).get_page(request.GET.get("page"))
    rows = [_leader(row, rank) for rank, row in enumerate(page, start=page.start_index())]
    context = {
        "name": pool_name(pool),
        "is_recalculated": found.is_recalculated,
        "rows": rows,
        "page": page,
        "least": elo.PROVISIONAL_GAMES,
    }
    return render(request, "games/leaders_of.html", context)


def _leader(row: Rating, rank: int) -> dict[str, Any]:
    return {
        "rank": rank,
        "player": row.player,
        "rating": elo.displayed(row.rating),
        "peak": elo.displayed(row.peak),
        "games": row.games,
    }
