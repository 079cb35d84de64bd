"""An event's own page: what it is, who plays, what one can do here; and its log."""

from datetime import datetime
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from accounts.models import Player
from games.rules.position import Refusal
from tournaments import entering, event_log
from tournaments.entering import ASKED, LATE_ENTRY, NEAR
from tournaments.forecasts import forecast
from tournaments.models import Entry, EntryState, Event, State
from tournaments.pages import standing, wording
from tournaments.pages.frame import Seen, seen, show
from tournaments.pages.refused import of_events
from tournaments.tables import Board, board_of

ENTRANTS_ON_A_PAGE = 60
MOST_TOPS = 6
LINES_OF_A_TOP = 3
LINES_OF_ONE_TOP = 12
LINES_OF_LOG = 8
LOG_ON_A_PAGE = 60


@require_safe
@of_events
def event(request: HttpRequest, pk: int) -> HttpResponse:
    """Conditions, rules, who has entered, and one's own place in it."""
    of = seen(request, pk)
    context = {
        "rules": wording.rules_in_words(of.event),
        "panel": _panel(of),
        "games_expected": _games_expected(of),
        "entrants": _entrants(request, of),
        "waiting": _waiting(of),
        "log": _sentences(of.event.log.select_related("by")[:LINES_OF_LOG]),
        "directors": [one.player for one in of.event.directors.select_related("player")],
        "next_season": _next_season(of.event),
        **_course(of),
    }
    return show(request, "event", of, context)


def _games_expected(of: Seen) -> list[str]:
    """For those who have entered so far, and for a full event."""
    if of.has_started:
        return []
    entered = of.event.entries.filter(state=EntryState.ENTERED).count()
    numbers = {max(entered, of.event.least_entrants), of.event.most_entrants}
    return sorted({wording.games_in_words(of.event, number) for number in numbers}, key=len)


def _course(of: Seen) -> dict[str, Any]:
    if not of.has_started:
        return {}
    board = board_of(of.event)
    return {
        "place": standing.place_of(board, of.entry),
        "winners": _winners(of, board),
        "tops": _tops(of, board),
        "forecast": forecast(event=of.event, now=of.now, told=board.told),
        "decided": sum(row.settled_at is not None for row in board.told.meetings),
        "games": len(board.told.meetings),
        "begun": sum(bool(row.game_id or row.settled_at) for row in board.told.meetings),
    }


def _winners(of: Seen, board: Board) -> list[Entry]:
    """Of a bracket, which has no table to stand first in."""
    if of.event.format != "knockout":
        return []
    return [entry for entry in board.told.entries.values() if entry.rank == 1]


def _tops(of: Seen, board: Board) -> list[dict[str, Any]]:
    """The first of each table, as far as there are few of them."""
    if of.event.format == "knockout":
        return []
    parts = [board.final] if board.final else board.sections[:MOST_TOPS]
    most = LINES_OF_ONE_TOP if len(parts) == 1 else LINES_OF_A_TOP
    return [
        {
            "title": standing.title_of(of.event, board, part),
            "rows": [standing.row_of(line, of.entry) for line in part.lines[:most]],
        }
        for part in parts
        if part.lines
    ]


def _waiting(of: Seen) -> int:
    """The waiting list ends with the start."""
    return 0 if of.has_started else of.event.entries.filter(state=EntryState.WAITING).count()


def _next_season(of: Event) -> Event | None:
    if not of.renews:
        return None
    first = of.series_id or of.pk
    return Event.objects.filter(series=first, season=of.season + 1).first()


def _entrants(request: HttpRequest, of: Seen) -> Page[Entry] | None:
    """Once there is a table, they stand in it."""
    if of.has_started and of.event.format != "knockout":
        return None
    there = of.event.entries.exclude(state__in=[EntryState.WAITING, *ASKED]).select_related(
        "player"
    )
    if of.event.state in (State.DRAFT, State.OPEN):
        there = there.filter(state=EntryState.ENTERED)
    else:
        there = there.exclude(number=None)
    ordered = there.order_by(F("number").asc(nulls_last=True), "entered_at", "id")
    return Paginator(ordered, ENTRANTS_ON_A_PAGE).get_page(request.GET.get("page"))


def _panel(of: Seen) -> dict[str, Any]:
    """What the viewer can do here: enter, leave, or read why not."""
    takes_entries = _takes_entries(of.event, of.now)
    near = of.entry is not None and of.entry.state in NEAR
    why_not = ""
    if of.viewer and takes_entries and not near:
        why_not = _why_not(of.event, of.viewer, of.entry)
    return {
        "is_in": near,
        "is_invited": _is_invited(of) and not why_not,
        "has_lapsed": _has_lapsed(of),
        "is_waiting": near and of.entry is not None and of.entry.state == EntryState.WAITING,
        "takes_entries": takes_entries,
        "can_enter": bool(of.viewer and takes_entries and not near and not why_not),
        "can_leave": near and of.event.state in (State.OPEN, State.RUNNING),
        "why_not": why_not,
        "may_stay": near and of.event.renews and of.event.state == State.RUNNING,
    }


def _is_invited(of: Seen) -> bool:
    is_open = of.event.state == State.OPEN or entering.takes_late_entries(of.event)
    return is_open and of.entry is not None and of.entry.state == EntryState.INVITED


def _has_lapsed(of: Seen) -> bool:
    """Whoever was invited to a draft is a guest of the event, without an entry."""
    if of.viewer is None or not of.has_started or entering.takes_late_entries(of.event):
        return False
    if of.entry is None:
        return entering.is_guest(of.event, of.viewer)
    return of.entry.state in (EntryState.INVITED, EntryState.LAPSED)


def _takes_entries(of: Event, now: datetime) -> bool:
    if of.state == State.RUNNING:
        return of.late_entry and of.format in LATE_ENTRY
    return of.state == State.OPEN and (of.closes_at is None or now < of.closes_at)


def _why_not(of: Event, viewer: Player, entry: Entry | None) -> str:
    if entry is not None and entry.state not in ASKED and of.state == State.RUNNING:
        return _("You have left this event and cannot enter it again.")
    is_asked = entry is not None and entry.state in ASKED
    if of.invitation_only and not is_asked and not entering.is_guest(of, viewer):
        return _("This event is by invitation only; ask its organiser for one.")
    try:
        entering.require_not_expelled(entry)
        entering.require_fit(of, viewer)
    except Refusal as refusal:
        return refusal.sentence(_)
    return ""


# The log


@require_safe
@of_events
def log(request: HttpRequest, pk: int) -> HttpResponse:
    of = seen(request, pk)
    lines = of.event.log.select_related("by")
    page = Paginator(lines, LOG_ON_A_PAGE).get_page(request.GET.get("page"))
    return show(request, "log", of, {"page": page, "log": _sentences(page)})


def _sentences(lines: Any) -> list[dict[str, Any]]:
    return [{"at": line.at, "by": line.by, "words": event_log.sentence(line)} for line in lines]
