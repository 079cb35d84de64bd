"""The games of an event round by round, and where a Swiss event stood after each."""

from collections.abc import Sequence
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from tournaments.models import Event, Meeting
from tournaments.pages import standing, wording
from tournaments.pages.frame import Seen, seen, show
from tournaments.pages.refused import of_events
from tournaments.tables import board_of

GAMES_ON_A_PAGE = 60


@require_safe
@of_events
def rounds(request: HttpRequest, pk: int) -> HttpResponse:
    """The games of one round, and where a Swiss event stood after it."""
    of = seen(request, pk)
    all_rounds = list(of.event.rounds.order_by("number"))
    number = _asked(request, [round.number for round in all_rounds])
    games = of.event.meetings.select_related("first__player", "second__player", "game")
    if request.GET.get("mine") and of.entry:
        games = games.filter(Q(first=of.entry) | Q(second=of.entry))
    elif all_rounds:
        games = games.filter(round=number)
    page = Paginator(games.order_by("round", "id"), GAMES_ON_A_PAGE).get_page(
        request.GET.get("page")
    )
    context = {
        "rounds": all_rounds,
        "number": number,
        "round": next((round for round in all_rounds if round.number == number), None),
        "before": number - 1 if number > 1 else None,
        "after": number + 1 if number < len(all_rounds) else None,
        "is_mine": bool(request.GET.get("mine") and of.entry),
        "page": page,
        "rows": _games(page),
        "rests": _rests(of.event, number),
        **_stood(request, of, number),
    }
    return show(request, "rounds", of, context)


def _asked(request: HttpRequest, numbers: Sequence[int]) -> int:
    text = request.GET.get("round", "")
    number = int(text) if text.isdecimal() and len(text) < 6 else 0
    return number if number in numbers else max(numbers, default=1)


def _games(rows: Sequence[Meeting] | Page[Meeting]) -> list[dict[str, Any]]:
    return [{"meeting": row, "result": wording.both_results(row)} for row in rows]


def _rests(of: Event, number: int) -> list[dict[str, Any]]:
    worth = {
        "F": _("a point"),
        "U": _("a point"),
        "H": _("half a point"),
        "Z": _("nothing"),
    }
    rests = of.rests.filter(round=number).select_related("entry__player")[:GAMES_ON_A_PAGE]
    return [{"player": rest.entry.player, "worth": worth[rest.kind]} for rest in rests]


def _stood(request: HttpRequest, of: Seen, number: int) -> dict[str, Any]:
    if of.event.format != "swiss" or not of.has_started:
        return {}
    board = board_of(of.event)
    then = standing.board_after(of.event, board, number)
    if not then.sections:
        return {}
    table = standing.table_of(of.event, then, then.sections[0], title="", me=of.entry)
    lines = Paginator(table["rows"], standing.LINES_ON_A_PAGE).get_page(request.GET.get("lines"))
    return {"standing": table | {"rows": list(lines)}, "lines": lines}
