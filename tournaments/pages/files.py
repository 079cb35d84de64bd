"""An event to take away as a file."""

import json
from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games.rules.position import Refusal
from tournaments import reports
from tournaments.file_limits import event_file
from tournaments.models import Event
from tournaments.pages.frame import seen
from tournaments.pages.refused import back, of_events


def section_asked(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 5 else 0


@require_safe
@of_events
def trf(request: HttpRequest, pk: int) -> HttpResponse:
    section = section_asked(request.GET.get("section", ""))

    def report(event: Event) -> HttpResponse:
        text = reports.as_trf(event=event, section=section)
        return attached(text, event, "trf", "text/plain; charset=utf-8")

    return _sent(request, pk, report)


@require_safe
@of_events
def csv(request: HttpRequest, pk: int) -> HttpResponse:
    return _sent(request, pk, standings_file)


@require_safe
@of_events
def data(request: HttpRequest, pk: int) -> HttpResponse:
    return _sent(request, pk, data_file)


def _sent(request: HttpRequest, pk: int, file: Callable[[Event], HttpResponse]) -> HttpResponse:
    event = seen(request, pk).event
    try:
        with event_file(request):
            return file(event)
    except Refusal as refusal:
        messages.error(request, refusal.sentence(_))
    return back("event", pk)


def standings_file(event: Event) -> HttpResponse:
    return attached(reports.as_csv(event=event), event, "csv", "text/csv; charset=utf-8")


def data_file(event: Event) -> HttpResponse:
    text = json.dumps(reports.as_data(event=event), ensure_ascii=False)
    return attached(text, event, "json", "application/json")


def attached(text: str, event: Event, ending: str, media_type: str) -> HttpResponse:
    response = HttpResponse(text, content_type=media_type)
    name = slugify(event.name) or "event"
    response["Content-Disposition"] = f'attachment; filename="{name}-{event.pk}.{ending}"'
    return response
