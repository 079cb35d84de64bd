"""Rulings on games: read by everyone who sees the game, asked for by players, made by staff."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import AnonymousUser
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.current import player_of
from accounts.models import Player, Scope
from games import elo, ruling_requests, rulings
from games.api import answers
from games.api.games import LINK, OpenToWatch, visible_game
from games.api.pages import PAGE, page_of
from games.models import Game, Ruling, RulingRequest
from games.refusals import NoSuchGame, NotAllowed

Kind = Ruling.Kind

# What is asked and answered


class RulingMade(serializers.Serializer):
    """What a kind needs beside its reason: `result` a score, `time` and `clock` a seat and hours.

    `reopen` may give the seat to move some hours more.
    """

    kind = serializers.ChoiceField(choices=Kind.choices)
    reason = serializers.CharField(max_length=rulings.LONGEST_REASON)
    score = serializers.IntegerField(
        min_value=0,
        max_value=2,
        required=False,
        help_text="Half points of seat 0: 2 won, 1 drawn, 0 lost.",
    )
    seat = serializers.IntegerField(min_value=0, max_value=1, required=False)
    hours = serializers.IntegerField(
        min_value=0,
        max_value=rulings.MOST_HOURS,
        required=False,
        help_text="To be added (`time`, `reopen`), or to be shown (`clock`).",
    )

    NEEDED = {
        Kind.VOID: (),
        Kind.RESULT: ("score",),
        Kind.REOPEN: (),
        Kind.TIME: ("seat", "hours"),
        Kind.CLOCK: ("seat", "hours"),
    }

    def validate(self, data: dict[str, Any]) -> dict[str, Any]:
        missing = [name for name in self.NEEDED[data["kind"]] if name not in data]
        if missing:
            raise serializers.ValidationError(dict.fromkeys(missing, "This kind needs it."))
        return data

    def terms(self) -> dict[str, Any]:
        """What the door of this kind takes."""
        kind = self.validated_data["kind"]
        names = (*self.NEEDED[kind], *(["hours"] if kind == Kind.REOPEN else []))
        given = {name: self.validated_data[name] for name in names if name in self.validated_data}
        return {"reason": self.validated_data["reason"], **given}


class RatingChange(serializers.Serializer):
    seat = serializers.IntegerField(min_value=0, max_value=1)
    before = serializers.IntegerField(allow_null=True)
    after = serializers.IntegerField(allow_null=True)


class RulingShown(serializers.Serializer):
    """A decision about a game; it stands until it is undone."""

    id = serializers.IntegerField()
    game = serializers.IntegerField()
    kind = serializers.ChoiceField(choices=Kind.choices)
    reason = serializers.CharField()
    by = serializers.CharField(
        allow_null=True, help_text="Null where a rule of the event decided it."
    )
    made_at = serializers.DateTimeField()
    undone_by = serializers.CharField(allow_null=True)
    undone_at = serializers.DateTimeField(allow_null=True)
    score = serializers.IntegerField(min_value=0, max_value=2, allow_null=True)
    seat = serializers.IntegerField(min_value=0, max_value=1, allow_null=True)
    hours = serializers.IntegerField(allow_null=True)
    ratings = RatingChange(many=True, help_text="What it made of the players' ratings.")


class RulingList(serializers.Serializer):
    rulings = RulingShown(many=True)


class RulingAsked(serializers.Serializer):
    text = serializers.CharField(max_length=ruling_requests.LONGEST_TEXT)


class RulingAnswer(serializers.Serializer):
    answer = serializers.CharField(max_length=ruling_requests.LONGEST_TEXT)


class RulingRequestShown(serializers.Serializer):
    id = serializers.IntegerField()
    game = serializers.IntegerField()
    player = serializers.CharField()
    text = serializers.CharField()
    asked_at = serializers.DateTimeField()
    settled_at = serializers.DateTimeField(allow_null=True)
    settled_by = serializers.CharField(allow_null=True)
    answer = serializers.CharField(allow_blank=True)


class RulingRequestList(serializers.Serializer):
    requests = RulingRequestShown(many=True)


def ruling_shown(ruling: Ruling) -> dict[str, Any]:
    return {
        "id": ruling.pk,
        "game": ruling.game_id,
        "kind": ruling.kind,
        "reason": ruling.reason,
        "by": ruling.made_by.name if ruling.made_by else None,
        "made_at": ruling.made_at,
        "undone_by": ruling.undone_by.name if ruling.undone_by else None,
        "undone_at": ruling.undone_at,
        **{name: ruling.detail.get(name) for name in ("score", "seat", "hours")},
        "ratings": [
            {"seat": seat, "before": _displayed(pair[0]), "after": _displayed(pair[1])}
            for seat, pair in enumerate(ruling.detail["ratings"])
            if pair
        ],
    }


def _displayed(rating: int | None) -> int | None:
    return None if rating is None else elo.displayed(rating)


def request_shown(asked: RulingRequest) -> dict[str, Any]:
    return {
        "id": asked.pk,
        "game": asked.game_id,
        "player": asked.player.name,
        "text": asked.text,
        "asked_at": asked.asked_at,
        "settled_at": asked.settled_at,
        "settled_by": asked.settled_by.name if asked.settled_by else None,
        "answer": asked.answer,
    }


# Rulings


class Rulings(OpenToWatch):
    """What was decided about a game, the oldest first; staff add to it."""

    scope = Scope.ORGANISE

    DOORS: dict[str, Callable[..., Ruling]] = {
        Kind.VOID: rulings.make_void,
        Kind.RESULT: rulings.set_result,
        Kind.REOPEN: rulings.reopen,
        Kind.TIME: rulings.give_time,
        Kind.CLOCK: rulings.correct_clock,
    }

    @extend_schema(operation_id="rulings", parameters=[LINK], responses=RulingList)
    def get(self, request: Request, pk: int) -> Response:
        if not _sees_every_ruling(request.user, _game(pk)):
            visible_game(request, pk)
        made = Ruling.objects.filter(game=pk).select_related("made_by", "undone_by")
        return Response({"rulings": [ruling_shown(ruling) for ruling in made.order_by("pk")]})

    @extend_schema(operation_id="rule", request=RulingMade, responses={201: RulingShown})
    def post(self, request: Request, pk: int) -> Response:
        player = player_of(request)
        rulings.require_may_rule(player, _game(pk))
        data = RulingMade(data=request.data)
        data.is_valid(raise_exception=True)
        door = self.DOORS[data.validated_data["kind"]]
        ruling = door(game_id=pk, by=player, now=timezone.now(), **data.terms())
        return Response(ruling_shown(ruling), status=201)


def _sees_every_ruling(viewer: Player | AnonymousUser, game: Game) -> bool:
    return isinstance(viewer, Player) and (viewer.acts_as_staff or rulings.may_rule(viewer, game))


class UndoRuling(APIView):
    """As if it had not been made; ratings follow. What was undone stays undone."""

    scope = Scope.ORGANISE

    @extend_schema(operation_id="undo_ruling", request=None, responses=RulingShown)
    def post(self, request: Request, pk: int) -> Response:
        player = player_of(request)
        rulings.require_may_rule(player, rulings.find(pk).game)
        ruling = rulings.undo(ruling_id=pk, by=player, now=timezone.now())
        return Response(ruling_shown(ruling))


def _game(game_id: int) -> Game:
    game = Game.objects.filter(pk=game_id).first()
    if game is None:
        raise NoSuchGame
    return game


# Requests


class GameRulingRequests(APIView):
    """What I have asked the staff about this game, and their answers."""

    @extend_schema(operation_id="my_ruling_requests", responses=RulingRequestList)
    def get(self, request: Request, pk: int) -> Response:
        visible_game(request, pk)
        mine = ruling_requests.all_requests().filter(game=pk, player=player_of(request))
        return Response({"requests": [request_shown(asked) for asked in mine]})

    @extend_schema(
        operation_id="ask_for_ruling", request=RulingAsked, responses={201: RulingRequestShown}
    )
    def post(self, request: Request, pk: int) -> Response:
        data = RulingAsked(data=request.data)
        data.is_valid(raise_exception=True)
        asked = ruling_requests.ask(
            game_id=pk,
            player=player_of(request),
            text=data.validated_data["text"],
            now=timezone.now(),
        )
        return Response(request_shown(asked), status=201)


class RulingRequests(APIView):
    """The queue of the staff."""

    @extend_schema(
        operation_id="ruling_requests",
        parameters=[*PAGE, OpenApiParameter("open", bool, description="Only those unsettled.")],
        responses=answers.page(RulingRequestShown),
    )
    def get(self, request: Request) -> Response:
        if not player_of(request).acts_as_staff:
            raise NotAllowed("Only the staff see what players have asked.")
        asked = ruling_requests.all_requests()
        if request.GET.get("open") in ("true", "1"):
            asked = asked.filter(settled_at=None)
        return page_of(asked, request, request_shown)


class SettleRulingRequest(APIView):
    """Answers a player; the ruling itself is made at the game's own address."""

    scope = Scope.ORGANISE

    @extend_schema(
        operation_id="settle_ruling_request", request=RulingAnswer, responses=RulingRequestShown
    )
    def post(self, request: Request, pk: int) -> Response:
        player = player_of(request)
        rulings.require_may_rule(player, ruling_requests.find(pk).game)
        data = RulingAnswer(data=request.data)
        data.is_valid(raise_exception=True)
        ruling_requests.settle(
            request_id=pk, by=player, answer=data.validated_data["answer"], now=timezone.now()
        )
        return Response(request_shown(ruling_requests.find(pk)))
