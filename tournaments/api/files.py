"""Events as files."""

from django.http import HttpResponse
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from games.api.files import sends
from games.api.games import OpenToWatch
from games.refusals import NotFound
from tournaments import reports
from tournaments.file_limits import event_file
from tournaments.pages.files import attached, data_file, standings_file
from tournaments.refusals import BadEvent
from tournaments.showing import visible_event

SECTION = OpenApiParameter(
    "section",
    {"type": "integer", "minimum": 0, "maximum": 9999, "default": 0},
    description="Of a round robin with several sections.",
)


class EventReport(OpenToWatch):
    """A Swiss event or a section of a round robin as a tournament report file."""

    renderer_classes = sends("text/plain")

    @extend_schema(
        operation_id="event_report",
        parameters=[SECTION],
        responses={(200, "text/plain"): OpenApiTypes.STR},
    )
    def get(self, request: Request, pk: int) -> HttpResponse:
        event = visible_event(pk, request.user)
        section = request.GET.get("section", "0")
        if not (section.isascii() and section.isdecimal() and len(section) < 5):
            raise ValidationError({"section": "A whole number from 0 to 9999."})
        try:
            with event_file(request):
                text = reports.as_trf(event=event, section=int(section))
        except BadEvent as refusal:
            raise NotFound(refusal.template, **refusal.parameters) from refusal
        return attached(text, event, "trf", "text/plain; charset=utf-8")


class EventTable(OpenToWatch):
    """The standings as CSV."""

    renderer_classes = sends("text/csv")

    @extend_schema(operation_id="event_table", responses={(200, "text/csv"): OpenApiTypes.STR})
    def get(self, request: Request, pk: int) -> HttpResponse:
        event = visible_event(pk, request.user)
        with event_file(request):
            return standings_file(event)


class EventFile(OpenToWatch):
    """Everything that everybody may see of an event, as one JSON file."""

    @extend_schema(operation_id="event_file", responses=OpenApiTypes.OBJECT)
    def get(self, request: Request, pk: int) -> HttpResponse:
        event = visible_event(pk, request.user)
        with event_file(request):
            return data_file(event)
