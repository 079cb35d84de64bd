"""Players as everyone may see them, and who leads."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.pagination import PageNumberPagination
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.models import Player
from games import records
from games.api import answers, present
from games.api.games import OpenToWatch
from games.models import Rating, RatingPool
from games.refusals import NotFound

NUMBERED = [
    OpenApiParameter("page", {"type": "integer", "minimum": 1, "default": 1}),
    OpenApiParameter("page_size", {"type": "integer", "minimum": 1, "maximum": 100, "default": 50}),
]


class Numbered(PageNumberPagination):
    """For ranks: their order changes, so that no cursor could hold a place in them."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 100


def numbered_page(item: type[serializers.Serializer]) -> Any:
    return answers.page(item, count=serializers.IntegerField())


def player_named(name: str) -> Player:
    found = Player.objects.filter(name__iexact=name, is_guest=False).first()
    if found is None:
        raise NotFound("There is no such player.")
    return found


class PlayerDetail(OpenToWatch):
    """A player as everyone may see him, with his ratings."""

    @extend_schema(operation_id="player", responses=answers.Profile)
    def get(self, request: Request, name: str) -> Response:
        player = player_named(name)
        rows = Rating.objects.filter(player=player).select_related("pool", "player")
        return Response(
            {
                "name": player.name,
                "bot": player.is_bot,
                "about": player.about,
                "joined_at": player.joined_at,
                "ratings": {row.pool.key: present.rating(row) for row in rows},
            }
        )


class RatingHistory(OpenToWatch):
    """A player's curve in a pool: his latest 500 rated games, in order."""

    @extend_schema(operation_id="rating_history", responses=answers.RatingCurve)
    def get(self, request: Request, name: str, pool: str) -> Response:
        player = player_named(name)
        points = records.history(player.pk, pool)
        body = [
            {"at": p.at, "rating": p.rating, "change": p.change, "game": p.game_id} for p in points
        ]
        return Response({"history": body})


class Opponents(OpenToWatch):
    """Won, drawn and lost against each opponent, the most frequent first."""

    @extend_schema(
        operation_id="opponents",
        parameters=NUMBERED,
        responses=numbered_page(answers.RecordAgainst),
    )
    def get(self, request: Request, name: str) -> Response:
        player = player_named(name)
        pages = Numbered()
        rows: Any = pages.paginate_queryset(
            records.record_against_others(player.pk), request, view=self
        )
        return pages.get_paginated_response([present.record_against(row) for row in rows])


class Pools(OpenToWatch):
    """Games that are rated together: each pool has its leaders."""

    @extend_schema(operation_id="pools", responses=answers.Pools)
    def get(self, request: Request) -> Response:
        pools = RatingPool.objects.order_by("key")
        return Response({"pools": [present.pool(row) for row in pools]})


class Leaders(OpenToWatch):
    """A pool's players by rating; provisional ones are not ranked."""

    @extend_schema(
        operation_id="leaders", parameters=NUMBERED, responses=numbered_page(answers.Standing)
    )
    def get(self, request: Request, pool: str) -> Response:
        if not RatingPool.objects.filter(key=pool).exists():
            raise NotFound("There is no such rating pool.")
        pages = Numbered()
        rows: Any = pages.paginate_queryset(records.leaders(pool), request, view=self)
        return pages.get_paginated_response([present.rating(row) for row in rows])
