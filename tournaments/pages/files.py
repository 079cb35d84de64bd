"""An event to take away as a file."""

import json

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from games.rules.position import Refusal
from tournaments import reports
from tournaments.models import Event
from tournaments.pages.frame import seen
from tournaments.pages.refused import back, of_events
from tournaments.refusals import NoSuchEvent


def section_asked(text: str) -> int:
    return int(text) if text.isdecimal() and len(text) < 5 else 0


@require_safe
@of_events
def trf(request: HttpRequest, pk: int) -> HttpResponse:
    event = seen(request, pk).event
    try:
        text = reports.as_trf(event=event, section=section_asked(request.GET.get("section", "")))
    except NoSuchEvent:
        raise
    except Refusal as refusal:
        messages.error(request, refusal.sentence(_))
        return back("event", pk)
    return attached(text, event, "trf", "text/plain; charset=utf-8")


@require_safe
@of_events
def csv(request: HttpRequest, pk: int) -> HttpResponse:
    event = seen(request, pk).event
    return attached(reports.as_csv(event=event), event, "csv", "text/csv; charset=utf-8")


@require_safe
@of_events
def data(request: HttpRequest, pk: int) -> HttpResponse:
    event = seen(request, pk).event
    text = json.dumps(reports.as_data(event=event), ensure_ascii=False, indent=1)
    return attached(text, event, "json", "application/json")


def attached(text: str, event: Event, ending: str, media_type: str) -> HttpResponse:
    response = HttpResponse(text, content_type=media_type)
    name = slugify(event.name) or "event"
    response["Content-Disposition"] = f'attachment; filename="{name}-{event.pk}.{ending}"'
    return response
