"""Offers to play, made and answered by programs."""

from typing import Any

from django.db.models import Q
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.current import player_of
from accounts.models import Player
from games import blocks, lobby
from games.api import answers, present
from games.api.games import OpenToWatch
from games.api.pages import PAGE, page_of
from games.api.serializers import AcceptRequest, ChallengeRequest, LinkRequest
from games.models import Challenge
from games.refusals import BadRequest, NotFound


class Challenges(OpenToWatch):
    """The lobby, and what is offered to me or by me; POST makes an offer."""

    @extend_schema(
        operation_id="challenges", parameters=PAGE, responses=answers.page(answers.Offer)
    )
    def get(self, request: Request) -> Response:
        now = timezone.now()
        open_now = Challenge.objects.filter(state=Challenge.State.OPEN, expires_at__gt=now)
        everyones = Q(opponent=None, link=None) & blocks.is_near(
            request.user.pk, field="challenger"
        )
        if request.user.is_authenticated:
            everyones |= Q(opponent=request.user) | Q(challenger=request.user)
        offers = open_now.filter(everyones).select_related("challenger", "opponent")
        return page_of(
            offers, request, lambda offer: present.challenge(offer, for_player=request.user.pk)
        )

    @extend_schema(
        operation_id="make_challenge",
        request=ChallengeRequest,
        responses={201: answers.Offer},
    )
    def post(self, request: Request) -> Response:
        data = ChallengeRequest(data=request.data)
        data.is_valid(raise_exception=True)
        offer = self._make(player_of(request), data)
        return Response(present.challenge(offer, for_player=request.user.pk), status=201)

    def _make(self, player: Player, data: ChallengeRequest) -> Challenge:
        offered: dict[str, Any] = {
            "challenger": player,
            "terms": data.terms(),
            "now": timezone.now(),
        }
        if name := data.validated_data.get("opponent"):
            opponent = Player.objects.filter(name__iexact=name, is_active=True).first()
            if opponent is None:
                raise BadRequest("There is no player {name}.", name=name)
            return lobby.challenge(opponent=opponent, **offered)
        if email := data.validated_data.get("email"):
            return lobby.invite_by_email(email=email, **offered)
        if data.validated_data["by_link"]:
            return lobby.invite_by_link(**offered)
        return lobby.seek(**offered)


class Invitation(OpenToWatch):
    """The offer behind a link, for whoever was given it."""

    @extend_schema(operation_id="invitation", responses=answers.Offer)
    def get(self, request: Request, link: str) -> Response:
        offers = Challenge.objects.select_related("challenger", "opponent")
        offer = offers.filter(link=link).first()
        if offer is None:
            raise NotFound("There is no such invitation.")
        return Response(present.challenge(offer, for_player=request.user.pk))


class Accept(APIView):
    """Whoever comes first has the game."""

    @extend_schema(operation_id="accept", request=AcceptRequest, responses=answers.Accepted)
    def post(self, request: Request, pk: int) -> Response:
        data = AcceptRequest(data=request.data)
        data.is_valid(raise_exception=True)
        game = lobby.accept(
            challenge_id=pk,
            player=player_of(request),
            now=timezone.now(),
            **data.validated_data,
        )
        return Response({"game": game.pk})


class Decline(APIView):
    """No, thank you: for an offer to me, or one whose link I was given."""

    @extend_schema(operation_id="decline", request=LinkRequest, responses={204: None})
    def post(self, request: Request, pk: int) -> Response:
        data = LinkRequest(data=request.data)
        data.is_valid(raise_exception=True)
        link = data.validated_data["link"]
        lobby.decline(challenge_id=pk, player=player_of(request), link=link, now=timezone.now())
        return Response(status=204)


class Withdraw(APIView):
    """I take my own offer back."""

    @extend_schema(operation_id="withdraw", request=None, responses={204: None})
    def post(self, request: Request, pk: int) -> Response:
        lobby.withdraw(challenge_id=pk, player=player_of(request), now=timezone.now())
        return Response(status=204)
