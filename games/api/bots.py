"""Accounts that programs play with, and reviews by the search that the house bots use."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.current import player_of
from games import bot_accounts, reviews
from games.api import answers
from games.api.games import visible_game
from games.models import Review


class BotMark(serializers.Serializer):
    bot = serializers.BooleanField()


class MyBotMark(APIView):
    """Whether a program plays with my account; settled with its first rated game."""

    @extend_schema(operation_id="my_bot_mark", responses=BotMark)
    def get(self, request: Request) -> Response:
        return Response({"bot": player_of(request).is_bot})

    @extend_schema(operation_id="mark_as_bot", request=BotMark, responses=BotMark)
    def put(self, request: Request) -> Response:
        data = BotMark(data=request.data)
        data.is_valid(raise_exception=True)
        bot_accounts.mark(player=player_of(request), is_bot=data.validated_data["bot"])
        return self.get(request)


class Judgement(serializers.Serializer):
    ply = serializers.IntegerField()
    seat = answers.SeatNumber()
    best = serializers.CharField(help_text="The move that the search liked best.")
    value = serializers.FloatField(help_text="The score to be expected with it, 0 to 1.")
    swing = serializers.FloatField(help_text="How much less after the move that was played.")


class GameReview(serializers.Serializer):
    game = serializers.IntegerField()
    turns = serializers.IntegerField(help_text="So many there will be.")
    is_done = serializers.BooleanField()
    judgements = Judgement(many=True)


class ReviewOfGame(APIView):
    """What the computer thinks of a game that is over: one review a game, made once."""

    @extend_schema(operation_id="review", responses=GameReview)
    def get(self, request: Request, pk: int) -> Response:
        game, _seat = visible_game(request, pk)
        return Response(_written(reviews.require(game)))

    @extend_schema(
        operation_id="ask_for_review",
        description="The answer says how far it has come; ask again for more.",
        request=None,
        responses={202: GameReview},
    )
    def post(self, request: Request, pk: int) -> Response:
        game, _seat = visible_game(request, pk)
        asked = reviews.ask(game=game, player=player_of(request), now=timezone.now())
        return Response(_written(asked), status=202)


def _written(review: Review) -> dict[str, object]:
    return {
        "game": review.game_id,
        "turns": review.turns,
        "is_done": review.done_at is not None,
        "judgements": review.judgements,
    }
