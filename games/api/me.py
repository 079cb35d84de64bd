"""My turns and my time off."""

from datetime import datetime

from django.db.models import F
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.current import player_of
from accounts.models import Player
from games import vacations
from games.api import answers, present
from games.api.games import SEATS
from games.api.serializers import VacationRequest, VacationSettings
from games.models import Game, Participant, Status, Vacation


class MyTurns(APIView):
    """The games that wait for me, the most urgent first; all of them."""

    @extend_schema(operation_id="my_turns", responses=answers.Turns)
    def get(self, request: Request) -> Response:
        games = (
            Game.objects.filter(
                status=Status.RUNNING,
                seats__player=player_of(request),
                seats__number=F("seat_to_move"),
            )
            .prefetch_related(SEATS)
            .order_by("deadline_at", "id")
        )
        return Response({"games": [present.summary(game) for game in games]})


class MyVacation(APIView):
    """What I have saved, and whether I am away."""

    @extend_schema(operation_id="vacation", responses=answers.TimeOff)
    def get(self, request: Request) -> Response:
        return Response(_time_off(player_of(request), timezone.now()))

    @extend_schema(
        operation_id="begin_vacation",
        description="All my clocks stop, until then or until what I have saved is used up.",
        request=VacationRequest,
        responses=answers.TimeOff,
    )
    def post(self, request: Request) -> Response:
        data = VacationRequest(data=request.data)
        data.is_valid(raise_exception=True)
        until = data.validated_data["until"]
        vacations.begin(player_id=player_of(request).pk, until=until, now=timezone.now())
        return self.get(request)

    @extend_schema(
        operation_id="automatic_vacation",
        description="Whether a vacation is taken by itself when a flag would fall.",
        request=VacationSettings,
        responses=answers.TimeOff,
    )
    def patch(self, request: Request) -> Response:
        data = VacationSettings(data=request.data, partial=True)
        data.is_valid(raise_exception=True)
        if "automatic" in data.validated_data:
            vacations.choose(
                player_id=player_of(request).pk, automatic=data.validated_data["automatic"]
            )
        return self.get(request)

    @extend_schema(
        operation_id="end_vacation",
        description="I am back: my clocks run from now on.",
        responses={200: answers.TimeOff},
    )
    def delete(self, request: Request) -> Response:
        vacations.end(player_id=player_of(request).pk, now=timezone.now())
        return self.get(request)


def _time_off(player: Player, now: datetime) -> dict[str, object]:
    participant, _new = Participant.objects.get_or_create(player=player)
    going_on = Vacation.objects.filter(player=player, began_at__lte=now, ends_at__gt=now)
    current = going_on.first()
    return {
        "saved_seconds": vacations.balance(player.pk, now=now).total_seconds(),
        "since": current.began_at if current else None,
        "until": current.ends_at if current else None,
        "automatic": participant.takes_vacation_automatically,
    }
