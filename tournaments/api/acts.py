"""What programs do in events for a player: enter, leave, stay, challenge."""

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.current import player_of
from accounts.models import Player
from games.api.serializers import SaltRequest
from games.refusals import BadRequest
from tournaments import entering, ladders, leaving, seasons
from tournaments.api import answers, present
from tournaments.api.serializers import PlayerRequest, StayRequest
from tournaments.leaving import entry_of
from tournaments.showing import visible_event


def player_named(name: str) -> Player:
    player = Player.objects.filter(name__iexact=name).first()
    if player is None:
        raise BadRequest("There is no player {name}.", name=name)
    return player


class Act(APIView):
    """An act without an answer of its own: the event as it then stands is returned."""

    def done(self, request: Request, pk: int) -> Response:
        event = visible_event(pk, request.user)
        return Response(present.in_full(event, viewer=request.user, now=timezone.now()))


class Enter(Act):
    """Enters me, or accepts an invitation; a full event has a waiting list.

    Sent again, it changes nothing. Entering a league also enters me into the seasons that follow,
    until I opt out.
    """

    @extend_schema(operation_id="enter_event", request=SaltRequest, responses=answers.EventInFull)
    def post(self, request: Request, pk: int) -> Response:
        visible_event(pk, request.user)
        data = SaltRequest(data=request.data)
        data.is_valid(raise_exception=True)
        entering.enter(
            event_id=pk, player=player_of(request), now=timezone.now(), **data.validated_data
        )
        return self.done(request, pk)


class Leave(Act):
    """Takes me out of an event, or declines an invitation.

    My games are treated by the rule declared beforehand.
    """

    @extend_schema(operation_id="leave_event", request=None, responses=answers.EventInFull)
    def post(self, request: Request, pk: int) -> Response:
        visible_event(pk, request.user)
        leaving.leave(event_id=pk, player=player_of(request), now=timezone.now())
        return self.done(request, pk)


class Stay(Act):
    """Says whether I am entered into the next season of a league."""

    @extend_schema(
        operation_id="stay_in_league", request=StayRequest, responses=answers.EventInFull
    )
    def post(self, request: Request, pk: int) -> Response:
        event = visible_event(pk, request.user)
        data = StayRequest(data=request.data)
        data.is_valid(raise_exception=True)
        player = player_of(request)
        entry_of(event, player)
        seasons.stay(event=event, player=player, stays=data.validated_data["stays"])
        return self.done(request, pk)


class Challenge(APIView):
    """Challenges somebody above me on a ladder; the game begins at once."""

    @extend_schema(
        operation_id="challenge_on_ladder",
        request=PlayerRequest,
        responses={201: answers.Challenged},
    )
    def post(self, request: Request, pk: int) -> Response:
        visible_event(pk, request.user)
        data = PlayerRequest(data=request.data)
        data.is_valid(raise_exception=True)
        meeting = ladders.challenge(
            event_id=pk,
            challenger=player_of(request),
            challenged=player_named(data.validated_data["player"]),
            now=timezone.now(),
        )
        return Response({"game": meeting.game_id}, status=201)
