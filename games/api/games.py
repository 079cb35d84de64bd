"""Games: looked at, and moved in through the one door."""

import hashlib

from django.db.models import Prefetch, QuerySet
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.cache import get_conditional_response
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotAuthenticated, ValidationError
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.current import player_of
from accounts.tokens import OpenToRead
from games import play
from games.api import answers, present
from games.api.pages import PAGE, page_of, parameters_of
from games.api.serializers import MoveRequest
from games.models import Game, Seat, Via
from games.refusals import NoSuchGame
from games.rules.registry import ruleset
from games.search import GameSearch, in_order_of_seats

SEATS = Prefetch("seats", Seat.objects.select_related("player").order_by("number"))
LINK = OpenApiParameter("link", str, description="Opens a private game to who does not play it.")
MINE = OpenApiParameter(
    "mine", bool, default=False, description="Only games that I play, private ones included."
)


class OpenToWatch(APIView):
    """Anybody may look; who plays must say who he is."""

    permission_classes = [OpenToRead]


def visible_game(request: Request, game_id: int) -> tuple[Game, int | None]:
    """The game and the asker's seat; a private game only for its players and by its link."""
    game = Game.objects.prefetch_related(SEATS).filter(pk=game_id).first()
    if game is None:
        raise NoSuchGame
    seat = next((at.number for at in game.seats.all() if at.player_id == request.user.pk), None)
    if game.private_link and seat is None and request.GET.get("link") != game.private_link:
        raise NoSuchGame
    return game, seat


def games_in_reach(request: Request) -> QuerySet[Game]:
    """Every public game, or with `mine` all of one's own."""
    if request.GET.get("mine") not in ("true", "1"):
        return Game.objects.filter(private_link=None)
    if not request.user.is_authenticated:
        raise NotAuthenticated
    return in_order_of_seats(Game.objects.filter(seats__player=player_of(request)))


def games_found(request: Request) -> QuerySet[Game]:
    """Those of the games in reach that are searched for."""
    wanted = GameSearch(request.GET, queryset=games_in_reach(request))
    if not wanted.is_valid():
        raise ValidationError(wanted.errors)
    found: QuerySet[Game] = wanted.qs
    return found


class Games(OpenToWatch):
    """Every public game, the newest first; with `mine`, all of my own."""

    @extend_schema(
        operation_id="games",
        parameters=[*parameters_of(GameSearch), MINE, *PAGE],
        responses=answers.page(answers.GameSummary),
    )
    def get(self, request: Request) -> Response:
        return page_of(games_found(request).prefetch_related(SEATS), request, present.summary)


class GameDetail(OpenToWatch):
    """One game as it stands; one that has not changed costs a 304."""

    @extend_schema(operation_id="game", parameters=[LINK], responses=answers.GameInFull)
    def get(self, request: Request, pk: int) -> HttpResponseBase:
        game, seat = visible_game(request, pk)
        etag = _etag(game, seat)
        # The seconds that are left run on by themselves, so they do not count as a change.
        response: HttpResponseBase = get_conditional_response(
            request._request, etag=etag
        ) or Response(present.detail(game, seat=seat, now=timezone.now()))
        response["ETag"] = etag
        return response


def _etag(game: Game, seat: int | None) -> str:
    seats = [(at.bank, at.salt) for at in game.seats.all()]
    stands = (
        game.ply, game.status, game.score, game.points, game.reason, game.rated,
        game.draw_offered_by, game.takeback_asked_by, game.deadline_at, seats, seat,
    )  # fmt: skip
    return f'W/"{game.pk}-{hashlib.md5(repr(stands).encode(), usedforsecurity=False).hexdigest()}"'


class Moves(OpenToWatch):
    """The log of a game, and the way to add to it."""

    @extend_schema(operation_id="moves", parameters=[LINK], responses=answers.Log)
    def get(self, request: Request, pk: int) -> Response:
        game, _seat = visible_game(request, pk)
        return Response({"moves": [present.move(line) for line in game.moves.all()]})

    @extend_schema(
        operation_id="play_move",
        description="Plays a move, once: sent again, it gets the answer of the first time.",
        request=MoveRequest,
        responses={201: answers.PlayedMove},
    )
    def post(self, request: Request, pk: int) -> Response:
        now = timezone.now()
        data = MoveRequest(data=request.data)
        data.is_valid(raise_exception=True)
        answer = play.submit_move(
            game_id=pk,
            player_id=player_of(request).pk,
            text=data.validated_data["move"],
            ply=data.validated_data["ply"],
            now=now,
            via=Via.API,
        )
        return Response(present.played(answer), status=201)


class Choices(OpenToWatch):
    """What can follow the beginning of a move."""

    @extend_schema(
        operation_id="choices",
        parameters=[
            LINK,
            OpenApiParameter("prefix", str, description="The tokens picked so far, in a row."),
        ],
        responses=answers.NextTokens,
    )
    def get(self, request: Request, pk: int) -> Response:
        game, _seat = visible_game(request, pk)
        position = ruleset(game.ruleset, game.version).load(game.position)
        found = position.choices(request.GET.get("prefix", "")) if game.is_running else ()
        choices = [
            {"token": choice.token, "spots": choice.spots, "whole": choice.whole}
            for choice in found
        ]
        return Response({"ply": game.ply, "choices": choices})
