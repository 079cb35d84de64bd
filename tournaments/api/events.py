"""Events, read by programs: lists, tables, games, brackets and the log."""

from types import SimpleNamespace
from typing import Any

import django_filters
from django.db.models import QuerySet
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import NotAuthenticated, ValidationError
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.current import player_of
from accounts.models import Scope
from games.api.answers import page
from games.api.games import OpenToWatch
from games.api.pages import PAGE, page_of, parameters_of
from games.refusals import NotFound
from games.rules.registry import RULESETS
from tournaments import opening
from tournaments.api import answers, present
from tournaments.api.serializers import EventPlan
from tournaments.entering import ASKED
from tournaments.finding import require_director
from tournaments.formats.knockout import Knockout
from tournaments.formats.registry import FORMATS
from tournaments.models import Entry, Event, State
from tournaments.showing import directs, visible_event, visible_events
from tournaments.tables import board_of

MOST_LINES = 1000
MINE = OpenApiParameter(
    "mine", bool, default=False, description="Only events that I play in or organise."
)
LINES = [
    OpenApiParameter("section", {"type": "integer", "minimum": 0, "maximum": 9999, "default": 0}),
    OpenApiParameter("offset", {"type": "integer", "minimum": 0, "maximum": 9999, "default": 0}),
    OpenApiParameter(
        "limit", {"type": "integer", "minimum": 1, "maximum": MOST_LINES, "default": 100}
    ),
]


class ByHeaderAlone(DefaultContentNegotiation):
    """`format` in an address is that of events here, not that of the answer."""

    settings: Any = SimpleNamespace(URL_FORMAT_OVERRIDE=None)


class EventSearch(django_filters.FilterSet):
    state = django_filters.ChoiceFilter(choices=State.choices)
    format = django_filters.ChoiceFilter(choices=[(key, key) for key in FORMATS])
    ruleset = django_filters.ChoiceFilter(choices=[(key, key) for key in RULESETS])
    organiser = django_filters.CharFilter("organiser__name", lookup_expr="iexact")
    name = django_filters.CharFilter(lookup_expr="icontains", help_text="A part of it.")

    class Meta:
        model = Event
        fields: list[str] = []


def _found(request: Request) -> QuerySet[Event]:
    wanted = EventSearch(request.GET, queryset=_in_reach(request))
    if not wanted.is_valid():
        raise ValidationError(wanted.errors)
    found: QuerySet[Event] = wanted.qs
    return found


def _in_reach(request: Request) -> QuerySet[Event]:
    found = visible_events(request.user)
    if request.GET.get("mine") not in ("true", "1"):
        return found
    if not request.user.is_authenticated:
        raise NotAuthenticated
    player = player_of(request)
    played = Entry.objects.filter(player=player).values("event")
    return found.filter(pk__in=played) | found.filter(organiser=player)


class Events(OpenToWatch):
    """Every event, the newest first; POST prepares one, which is a draft until it is opened."""

    scope = Scope.ORGANISE
    content_negotiation_class = ByHeaderAlone

    @extend_schema(
        operation_id="events",
        parameters=[*parameters_of(EventSearch), MINE, *PAGE],
        responses=page(answers.EventSummary),
    )
    def get(self, request: Request) -> Response:
        return page_of(_found(request), request, present.summary)

    @extend_schema(
        operation_id="prepare_event", request=EventPlan, responses={201: answers.EventInFull}
    )
    def post(self, request: Request) -> Response:
        data = EventPlan(data=request.data)
        data.is_valid(raise_exception=True)
        now = timezone.now()
        event = opening.prepare(plan=data.plan(), organiser=player_of(request), now=now)
        return Response(present.in_full(event, viewer=request.user, now=now), status=201)


class EventDetail(OpenToWatch):
    """One event with all its rules; PUT changes a draft."""

    scope = Scope.ORGANISE

    @extend_schema(operation_id="event", responses=answers.EventInFull)
    def get(self, request: Request, pk: int) -> Response:
        event = visible_event(pk, request.user)
        return Response(present.in_full(event, viewer=request.user, now=timezone.now()))

    @extend_schema(operation_id="change_event", request=EventPlan, responses=answers.EventInFull)
    def put(self, request: Request, pk: int) -> Response:
        require_director(visible_event(pk, request.user), player_of(request))
        data = EventPlan(data=request.data)
        data.is_valid(raise_exception=True)
        now = timezone.now()
        event = opening.change(event_id=pk, plan=data.plan(), by=player_of(request), now=now)
        return Response(present.in_full(event, viewer=request.user, now=now))


class Entrants(OpenToWatch):
    """Who has entered, waits or has left; those who run it also see who is invited."""

    @extend_schema(operation_id="event_entrants", parameters=PAGE, responses=page(answers.Entrant))
    def get(self, request: Request, pk: int) -> Response:
        event = visible_event(pk, request.user)
        entries = event.entries.select_related("player")
        if not directs(event, request.user):
            entries = entries.exclude(state__in=ASKED)
        return page_of(entries, request, present.entrant)


class Standings(OpenToWatch):
    """The table, with the places that everybody can still reach; empty before the start."""

    @extend_schema(operation_id="event_standings", parameters=LINES, responses=answers.Standings)
    def get(self, request: Request, pk: int) -> Response:
        event = visible_event(pk, request.user)
        section, offset, limit = (_number(request, one) for one in ("section", "offset", "limit"))
        lines = present.lines(board_of(event))
        if section:
            lines = [line for line in lines if line["section"] == section]
        shown = lines[offset : offset + limit]
        return Response({"count": len(lines), "tie_breaks": event.tie_breaks, "lines": shown})


def _number(request: Request, name: str) -> int:
    least, most, usual = {"section": (0, 9999, 0), "offset": (0, 9999, 0)}.get(
        name, (1, MOST_LINES, 100)
    )
    text = request.GET.get(name, str(usual))
    if not (text.isascii() and text.isdecimal() and least <= int(text[:9]) <= most):
        raise ValidationError({name: f"A whole number from {least} to {most}."})
    return int(text)


class EventGames(OpenToWatch):
    """Every game of an event, whether it runs, was played or was decided without being played."""

    @extend_schema(operation_id="event_games", parameters=PAGE, responses=page(answers.EventGame))
    def get(self, request: Request, pk: int) -> Response:
        event = visible_event(pk, request.user)
        rows = event.meetings.select_related("first__player", "second__player")
        return page_of(rows, request, present.meeting)


class EventRounds(OpenToWatch):
    """The rounds that have been paired, with their deadlines."""

    @extend_schema(operation_id="event_rounds", responses=answers.EventRounds)
    def get(self, request: Request, pk: int) -> Response:
        event = visible_event(pk, request.user)
        rounds = event.rounds.order_by("number")
        return Response({"rounds": [present.round(row) for row in rounds]})


class Bracket(OpenToWatch):
    """Every match of a knockout with what is known of it."""

    @extend_schema(operation_id="event_bracket", responses=answers.Bracket)
    def get(self, request: Request, pk: int) -> Response:
        board = board_of(visible_event(pk, request.user))
        if not isinstance(board.format, Knockout) or not board.told.entries:
            raise NotFound("This event has no bracket, or it has not started.")
        names = {number: entry.player.name for number, entry in board.told.entries.items()}
        states = board.format.bracket(board.told.history)
        return Response({"matches": [present.match(state, names) for state in states]})


class EventLog(OpenToWatch):
    """What happened in an event, in sentences."""

    @extend_schema(operation_id="event_log", parameters=PAGE, responses=page(answers.LogEntry))
    def get(self, request: Request, pk: int) -> Response:
        event = visible_event(pk, request.user)
        return page_of(event.log.select_related("by"), request, present.log_line)
