"""All events: a list by state, a calendar by month, and a few for the front page."""

from calendar import monthrange
from collections import defaultdict
from collections.abc import Iterable
from datetime import date, datetime, timedelta
from typing import Any

from django.core.paginator import Paginator
from django.db.models import Count, Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_safe

from accounts.models import Player
from games.pages.wording import game_name
from tournaments.forms import EventSearch
from tournaments.models import Entry, EntryState, Event, State
from tournaments.pages.frame import BADGES
from tournaments.pages.wording import format_name
from tournaments.showing import visible_events

ON_A_PAGE = 20
ON_THE_FRONT = 6
MOST_IN_A_MONTH = 200
TABS: dict[str, Promise] = {
    "open": gettext_lazy("Open for entries"),
    "running": gettext_lazy("Running"),
    "finished": gettext_lazy("Finished"),
    "mine": gettext_lazy("Mine"),
}
ENTERED = Count("entries", filter=Q(entries__state=EntryState.ENTERED))
HAPPENINGS: dict[str, Promise] = {
    "closes_at": gettext_lazy("entries close"),
    "starts_at": gettext_lazy("starts"),
    "started_at": gettext_lazy("started"),
    "ends_at": gettext_lazy("ends at the latest"),
    "finished_at": gettext_lazy("ended"),
}


@require_safe
def events(request: HttpRequest) -> HttpResponse:
    tab = request.GET.get("state", "open")
    tab = tab if tab in TABS else "open"
    form = EventSearch(request.GET)
    found = _narrowed(_in_tab(request, tab), form)
    rows = found.annotate(entered=ENTERED).order_by("-created_at", "-id")
    page = Paginator(rows, ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "tab": tab,
        "tabs": [(key, label) for key, label in TABS.items() if _has_tab(request, key)],
        "form": form,
        "page": page,
        "rows": [described(event) for event in page],
    }
    return render(request, "tournaments/events.html", context)


def _has_tab(request: HttpRequest, tab: str) -> bool:
    return tab != "mine" or request.user.is_authenticated


def _in_tab(request: HttpRequest, tab: str) -> QuerySet[Event]:
    found = visible_events(request.user)
    if tab == "mine" and isinstance(request.user, Player):
        player = request.user
        played = Entry.objects.filter(player=player).values("event")
        directed = Event.objects.filter(directors__player=player).values("pk")
        return found.filter(Q(organiser=player) | Q(pk__in=played) | Q(pk__in=directed))
    if tab == "finished":
        return found.filter(state__in=[State.FINISHED, State.CALLED_OFF])
    return found.filter(state=tab)


def _narrowed(found: QuerySet[Event], form: EventSearch) -> QuerySet[Event]:
    if not form.is_valid():
        return found
    data = form.cleaned_data
    if data["name"]:
        found = found.filter(name__icontains=data["name"])
    exact = {name: data[name] for name in ("format", "ruleset") if data[name]}
    return found.filter(**exact)


def described(event: Event) -> dict[str, Any]:
    """A line of a list; the number of entrants was annotated."""
    return {
        "event": event,
        "game": game_name(event.ruleset),
        "format": format_name(event),
        "entered": event.entered,  # type: ignore[attr-defined]
        "badge": BADGES[State(event.state)],
    }


# The front page


def for_the_front_page() -> list[dict[str, Any]]:
    """Events that take entries before those that run, the newest first."""
    living = Event.objects.filter(state__in=[State.OPEN, State.RUNNING])
    rows = living.annotate(entered=ENTERED).order_by("state", "-opened_at", "-id")[:ON_THE_FRONT]
    return [
        {"address": event.get_absolute_url(), "name": event.name, "line": _line(described(event))}
        for event in rows
    ]


def _line(row: dict[str, Any]) -> str:
    event: Event = row["event"]
    people = ngettext("{number} player", "{number} players", row["entered"]).format(
        number=row["entered"]
    )
    state = _("open for entries") if event.state == State.OPEN else _("running")
    return f"{row['format']} · {row['game']} · {state} · {people}"


# The calendar


@require_safe
def calendar(request: HttpRequest) -> HttpResponse:
    first = _month(request.GET.get("month", ""))
    after = _next_month(first)
    zone = timezone.get_current_timezone()
    begins = datetime(first.year, first.month, 1, tzinfo=zone)
    ends = datetime(after.year, after.month, 1, tzinfo=zone)
    happens = Q()
    for name in HAPPENINGS:
        happens |= Q(**{f"{name}__gte": begins, f"{name}__lt": ends})
    found = visible_events(request.user).filter(happens).order_by("-id")[:MOST_IN_A_MONTH]
    context = {
        "first": first,
        "before": f"{first - timedelta(days=1):%Y-%m}",
        "after": f"{after:%Y-%m}",
        "days": _by_day(found, begins, ends),
        "today": timezone.localdate(),
    }
    return render(request, "tournaments/calendar.html", context)


def _month(text: str) -> date:
    try:
        found = datetime.strptime(text, "%Y-%m").date()  # noqa: DTZ007
    except ValueError:
        return timezone.localdate().replace(day=1)
    # Beyond these there is no month before or after.
    return found if 2000 <= found.year <= 2999 else timezone.localdate().replace(day=1)


def _next_month(first: date) -> date:
    return first + timedelta(days=monthrange(first.year, first.month)[1])


def _by_day(
    found: Iterable[Event], begins: datetime, ends: datetime
) -> list[tuple[date, list[dict[str, Any]]]]:
    days: dict[date, list[dict[str, Any]]] = defaultdict(list)
    for event in found:
        for name, what in HAPPENINGS.items():
            at = getattr(event, name)
            if at is not None and begins <= at < ends and _still_said(event, name):
                row = {"event": event, "what": what, "at": at, "format": format_name(event)}
                days[timezone.localtime(at).date()].append(row)
    return [(day, sorted(days[day], key=lambda row: row["at"])) for day in sorted(days)]


def _still_said(event: Event, name: str) -> bool:
    """What was planned is not told of an event in which it has happened, or never will."""
    if name in ("closes_at", "starts_at"):
        return event.state in (State.DRAFT, State.OPEN)
    return name != "ends_at" or event.state not in (State.FINISHED, State.CALLED_OFF)
