"""What programs do for organisers and directors."""

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.current import player_of
from accounts.models import Scope
from games.refusals import NotFound
from games.rules.position import Refusal
from tournaments import (
    advancing,
    attention,
    directing,
    entering,
    entrants_csv,
    leaving,
    opening,
    previews,
)
from tournaments.api import acts, answers, present
from tournaments.api.acts import player_named
from tournaments.api.serializers import (
    BotRequest,
    ByeRequest,
    EntrantsRequest,
    ExpelRequest,
    PlayerRequest,
    PostponeRequest,
    ReasonRequest,
    RulingRequest,
)
from tournaments.finding import require_director, require_organiser
from tournaments.models import Event
from tournaments.showing import visible_event


def checked(kind: type[serializers.Serializer], request: Request) -> Any:
    data = kind(data=request.data)
    data.is_valid(raise_exception=True)
    return data


class Directed(acts.Act):
    """An act for which one must run the event."""

    scope = Scope.ORGANISE

    def event(self, request: Request, pk: int) -> Event:
        event = visible_event(pk, request.user)
        require_director(event, player_of(request))
        return event

    def by(self, request: Request, pk: int) -> dict[str, Any]:
        return {"event_id": pk, "by": player_of(request), "now": timezone.now()}


class Open(Directed):
    """Opens a draft for entries; from then on its rules stay as they are."""

    @extend_schema(operation_id="open_event", request=None, responses=answers.EventInFull)
    def post(self, request: Request, pk: int) -> Response:
        self.event(request, pk)
        opening.open_entries(**self.by(request, pk))
        return self.done(request, pk)


class Start(Directed):
    """Starts an open event with those who have entered."""

    @extend_schema(operation_id="start_event", request=None, responses=answers.EventInFull)
    def post(self, request: Request, pk: int) -> Response:
        self.event(request, pk)
        advancing.start(**self.by(request, pk))
        return self.done(request, pk)


class CallOff(Directed):
    """Calls an event off that has not started."""

    @extend_schema(
        operation_id="call_off_event", request=ReasonRequest, responses=answers.EventInFull
    )
    def post(self, request: Request, pk: int) -> Response:
        self.event(request, pk)
        data = checked(ReasonRequest, request)
        opening.call_off(**data.validated_data, **self.by(request, pk))
        return self.done(request, pk)


class Finish(Directed):
    """Finishes a running event now; what still runs is decided as on the last day."""

    @extend_schema(operation_id="finish_event", request=None, responses=answers.EventInFull)
    def post(self, request: Request, pk: int) -> Response:
        self.event(request, pk)
        directing.finish_now(**self.by(request, pk))
        return self.done(request, pk)


class Postpone(Directed):
    """Gives an open event more time to fill."""

    @extend_schema(
        operation_id="postpone_event", request=PostponeRequest, responses=answers.EventInFull
    )
    def post(self, request: Request, pk: int) -> Response:
        self.event(request, pk)
        data = checked(PostponeRequest, request)
        directing.postpone(**data.validated_data, **self.by(request, pk))
        return self.done(request, pk)


class Invite(Directed):
    """Invites a player, who plays only after accepting."""

    @extend_schema(
        operation_id="invite_to_event", request=PlayerRequest, responses=answers.EventInFull
    )
    def post(self, request: Request, pk: int) -> Response:
        self.event(request, pk)
        data = checked(PlayerRequest, request)
        player = player_named(data.validated_data["player"])
        entering.invite(player=player, **self.by(request, pk))
        return self.done(request, pk)


class Bots(Directed):
    """Enters a bot of the house into an event that bots may enter; it is expelled like others."""

    @extend_schema(
        operation_id="enter_bot_into_event", request=BotRequest, responses=answers.EventInFull
    )
    def post(self, request: Request, pk: int) -> Response:
        self.event(request, pk)
        data = checked(BotRequest, request)
        entering.enter_bot(**data.validated_data, **self.by(request, pk))
        return self.done(request, pk)


class Directors(Directed):
    """Appoints a director; for the organiser alone.

    Whoever is appointed can step down. Blocks and daily limits hold as for invitations.
    """

    @extend_schema(
        operation_id="appoint_director", request=PlayerRequest, responses=answers.EventInFull
    )
    def post(self, request: Request, pk: int) -> Response:
        require_organiser(self.event(request, pk), player_of(request))
        data = checked(PlayerRequest, request)
        player = player_named(data.validated_data["player"])
        directing.appoint(player=player, **self.by(request, pk))
        return self.done(request, pk)


class Director(Directed):
    """Dismisses a director; for the organiser alone."""

    @extend_schema(operation_id="dismiss_director", responses={204: None})
    def delete(self, request: Request, pk: int, name: str) -> Response:
        require_organiser(self.event(request, pk), player_of(request))
        directing.dismiss(player=player_named(name), **self.by(request, pk))
        return Response(status=204)


class StepDown(Directed):
    """Ends my own time as a director, or as an organiser who took over from somebody else."""

    @extend_schema(operation_id="step_down", request=None, responses={204: None})
    def post(self, request: Request, pk: int) -> Response:
        self.event(request, pk)
        directing.step_down(**self.by(request, pk))
        return Response(status=204)


class Expel(Directed):
    """Takes a player out of an event, by the rule declared for those who leave."""

    @extend_schema(
        operation_id="expel_from_event", request=ExpelRequest, responses=answers.EventInFull
    )
    def post(self, request: Request, pk: int) -> Response:
        self.event(request, pk)
        data = checked(ExpelRequest, request).validated_data
        player = player_named(data["player"])
        leaving.expel(player=player, reason=data["reason"], **self.by(request, pk))
        return self.done(request, pk)


class Bye(Directed):
    """Lets a player of a Swiss event sit out a round that is not paired yet."""

    @extend_schema(operation_id="give_bye", request=ByeRequest, responses=answers.EventInFull)
    def post(self, request: Request, pk: int) -> Response:
        self.event(request, pk)
        data = checked(ByeRequest, request).validated_data
        player = player_named(data["player"])
        directing.give_bye(
            player=player, kind=data["kind"], round=data["round"], **self.by(request, pk)
        )
        return self.done(request, pk)


class Rule(Directed):
    """Sets what a game of the event came to, whether it was played or not."""

    @extend_schema(operation_id="rule_in_event", request=RulingRequest, responses=answers.EventGame)
    def post(self, request: Request, pk: int, meeting: int) -> Response:
        event = self.event(request, pk)
        data = checked(RulingRequest, request)
        rows = event.meetings.select_related("first__player", "second__player")
        if not rows.filter(pk=meeting).exists():
            raise NotFound("There is no such game in this event.")
        directing.rule(meeting_id=meeting, **data.halves(), **self.by(request, pk))
        return Response(present.meeting(rows.get(pk=meeting)))


class ListOfEntrants(Directed):
    """Invites players from a list, all or nobody; a dry run says what each line would come to.

    Each plays only after accepting; bots of the house accept at once.
    """

    @extend_schema(
        operation_id="enter_list", request=EntrantsRequest, responses=answers.ListedEntrants
    )
    def post(self, request: Request, pk: int) -> Response:
        event = self.event(request, pk)
        data = checked(EntrantsRequest, request).validated_data
        lines = entrants_csv.look_through(event=event, text=data["names"])
        invited = 0
        if not data["dry_run"]:
            invited = entrants_csv.enter_all(text=data["names"], **self.by(request, pk))
        listed = [{"line": at.number, "name": at.name, "problem": at.problem} for at in lines]
        return Response({"invited": invited, "lines": listed})


# What only those who run it may read


class Console(APIView):
    """What a director should look at first."""

    @extend_schema(operation_id="event_attention", responses=answers.Attention)
    def get(self, request: Request, pk: int) -> Response:
        event = visible_event(pk, request.user)
        require_director(event, player_of(request))
        needed = attention.needed(event=event, now=timezone.now())
        return Response(present.attention(needed))


class IfHeLeaves(APIView):
    """What would become of the table if a player left now, by the rule declared beforehand."""

    @extend_schema(
        operation_id="event_preview",
        parameters=[OpenApiParameter("player", str, required=True)],
        responses=answers.Preview,
    )
    def get(self, request: Request, pk: int) -> Response:
        event, asker = visible_event(pk, request.user), player_of(request)
        name = request.GET.get("player", "")
        if name.casefold() != asker.name.casefold():
            require_director(event, asker)
        try:
            made = previews.if_he_leaves(event=event, player=player_named(name))
        except Refusal as refusal:
            raise NotFound(refusal.template, **refusal.parameters) from refusal
        return Response(present.preview(made))
