"""The players whom I keep away."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.current import player_of
from accounts.models import Block
from games import blocking, blocks
from games.api import answers
from games.api.pages import PAGE, page_of
from games.api.people import player_named


class MyBlocks(APIView):
    """The players I have blocked; only I see this."""

    @extend_schema(
        operation_id="blocks", parameters=PAGE, responses=answers.page(answers.BlockedPlayer)
    )
    def get(self, request: Request) -> Response:
        return page_of(blocks.blocks_of(player_of(request)), request, _present)


class MyBlock(APIView):
    """Keeps a player away from me, or lets them near again."""

    @extend_schema(
        operation_id="block",
        description=str(blocks.MEANS),
        request=None,
        responses=answers.BlockedPlayer,
    )
    def put(self, request: Request, name: str) -> Response:
        blocked = player_named(name)
        made = blocking.block(blocker=player_of(request), blocked=blocked, now=timezone.now())
        return Response(_present(made))

    @extend_schema(
        operation_id="unblock",
        description="Everything is possible between us again.",
        responses={204: None},
    )
    def delete(self, request: Request, name: str) -> Response:
        blocking.unblock(blocker=player_of(request), blocked=player_named(name))
        return Response(status=204)


def _present(block: Block) -> dict[str, Any]:
    return {"id": block.pk, "player": block.blocked.name, "since": block.created_at}
