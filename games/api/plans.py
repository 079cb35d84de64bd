"""My conditional moves in a game; nobody else ever sees them."""

from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.current import player_of
from games import plans
from games.models import Seat
from games.talk import seat_of


class PlanRequest(serializers.Serializer):
    """A tree of branches, each with `move`, `dice`, `then` and `next`."""

    tree = serializers.JSONField()


class MyPlan(APIView):
    """What is shown is what is stored and what will be played."""

    @extend_schema(operation_id="plan", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, pk: int) -> Response:
        return Response(_shown(seat_of(pk, player_of(request).pk)))

    @extend_schema(operation_id="write_plan", request=PlanRequest, responses=OpenApiTypes.OBJECT)
    def put(self, request: Request, pk: int) -> Response:
        data = PlanRequest(data=request.data)
        data.is_valid(raise_exception=True)
        player_id = player_of(request).pk
        plans.write(game_id=pk, player_id=player_id, tree=data.validated_data["tree"])
        return Response(_shown(seat_of(pk, player_id)))


def _shown(seat: Seat) -> dict[str, object]:
    moves = plans.of_seat(seat.pk)
    return {"tree": moves.tree, "log": moves.log}
