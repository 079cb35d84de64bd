"""What a player does at a table other than moving."""

from collections.abc import Callable
from functools import partial

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.current import player_of
from games import lobby, play
from games.api import answers, present
from games.api.games import visible_game
from games.api.serializers import Answer, SaltRequest, TakebackAnswer
from games.models import Via


class Act(APIView):
    """An act without an answer of its own: the game as it then stands is returned."""

    def done(self, request: Request, pk: int) -> Response:
        game, seat = visible_game(request, pk)
        return Response(present.detail(game, seat=seat, now=timezone.now()))


class Resign(Act):
    """Before both have moved this calls the game off; afterwards it is lost."""

    @extend_schema(operation_id="resign", request=None, responses=answers.GameInFull)
    def post(self, request: Request, pk: int) -> Response:
        play.resign(game_id=pk, player_id=player_of(request).pk, now=timezone.now())
        return self.done(request, pk)


class Abort(Act):
    """Calls a game off in which not both have moved."""

    @extend_schema(operation_id="abort", request=None, responses=answers.GameInFull)
    def post(self, request: Request, pk: int) -> Response:
        play.abort(game_id=pk, player_id=player_of(request).pk, now=timezone.now())
        return self.done(request, pk)


class Draw(Act):
    """A draw is offered, accepted, declined, or the offer is withdrawn."""

    ACTS: dict[str, Callable[..., None]] = {
        "offer": play.offer_draw,
        "accept": play.accept_draw,
        "decline": play.decline_draw,
        "withdraw": play.withdraw_draw,
    }

    @extend_schema(operation_id="draw", request=Answer, responses=answers.GameInFull)
    def post(self, request: Request, pk: int) -> Response:
        data = Answer(data=request.data)
        data.is_valid(raise_exception=True)
        act = self.ACTS[data.validated_data["action"]]
        act(game_id=pk, player_id=player_of(request).pk, now=timezone.now())
        return self.done(request, pk)


class Takeback(Act):
    """To take one's last move back is asked for, accepted or declined."""

    ACTS: dict[str, Callable[..., None]] = {
        "ask": play.ask_takeback,
        "accept": partial(play.accept_takeback, via=Via.API),
        "decline": play.decline_takeback,
    }

    @extend_schema(operation_id="takeback", request=TakebackAnswer, responses=answers.GameInFull)
    def post(self, request: Request, pk: int) -> Response:
        data = TakebackAnswer(data=request.data)
        data.is_valid(raise_exception=True)
        act = self.ACTS[data.validated_data["action"]]
        act(game_id=pk, player_id=player_of(request).pk, now=timezone.now())
        return self.done(request, pk)


class Rematch(APIView):
    """The same game again with seats exchanged; two who both ask are in the game at once."""

    @extend_schema(operation_id="rematch", request=SaltRequest, responses={201: answers.Offer})
    def post(self, request: Request, pk: int) -> Response:
        data = SaltRequest(data=request.data)
        data.is_valid(raise_exception=True)
        offer = lobby.offer_rematch(
            player=player_of(request), game_id=pk, now=timezone.now(), **data.validated_data
        )
        return Response(present.challenge(offer, for_player=request.user.pk), status=201)
