"""The table of an event, as its format has it: standings, divisions, a bracket or a ladder."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from tournaments import bracket, ladders
from tournaments.formats.knockout import Knockout
from tournaments.formats.stages import Stages
from tournaments.models import State
from tournaments.pages import standing
from tournaments.pages.drawn import matches_of
from tournaments.pages.frame import Seen, seen, show
from tournaments.pages.refused import of_events
from tournaments.tables import Board, Section, board_of

SECTIONS_ON_A_PAGE = 6


@require_safe
@of_events
def table(request: HttpRequest, pk: int) -> HttpResponse:
    """As the format has it: cross tables, standings, divisions, a bracket or a ladder."""
    of = seen(request, pk)
    if not of.has_started:
        return show(request, "not_started", of, {})
    board = board_of(of.event)
    if of.event.format == "ladder":
        return _ladder(request, of, board)
    if isinstance(board.format, Knockout):
        return _bracket(request, of, board)
    parts = [*([board.final] if board.final else []), *board.sections]
    page = Paginator(parts, SECTIONS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "tables": [_lines(request, of, board, part) for part in page],
        "final": _final_bracket(board),
        "place": standing.place_of(board, of.entry),
    }
    return show(request, "table", of, context)


def _lines(request: HttpRequest, of: Seen, board: Board, part: Section) -> dict[str, Any]:
    """A long table of one section is shown in parts; several sections are short."""
    title = standing.title_of(of.event, board, part)
    table = standing.table_of(of.event, board, part, title=title, me=of.entry)
    if len(part.lines) > standing.LINES_ON_A_PAGE:
        lines = Paginator(table["rows"], standing.LINES_ON_A_PAGE)
        table["lines"] = lines.get_page(request.GET.get("lines"))
        table["rows"] = list(table["lines"])
    return table


def _bracket(request: HttpRequest, of: Seen, board: Board) -> HttpResponse:
    assert isinstance(board.format, Knockout)
    states = board.format.bracket(board.told.history)
    context = {
        "svg": bracket.draw(states, _names(board), _words(), me=_number(of)),
        "matches": matches_of(states, board),
        "place": standing.place_of(board, of.entry),
    }
    return show(request, "bracket", of, context)


def _final_bracket(board: Board) -> dict[str, Any] | None:
    """Of an event with stages whose final is a knockout, once it is drawn."""
    format = board.format
    if not isinstance(format, Stages) or not isinstance(format.final_format, Knockout):
        return None
    seeds = sorted((one.qualified, n) for n, one in board.told.entries.items() if one.qualified)
    if not seeds:
        return None
    numbers = [number for _seed, number in seeds]
    states = format.final_format.bracket(format.final_history(board.told.history, numbers))
    names = {seed: board.told.entries[number].player.name for seed, number in seeds}
    return {
        "svg": bracket.draw(states, names, _words()),
        "matches": matches_of(states, board, numbers),
    }


def _names(board: Board) -> dict[int, str]:
    return {number: entry.player.name for number, entry in board.told.entries.items()}


def _number(of: Seen) -> int:
    return (of.entry.number or 0) if of.entry else 0


def _words() -> bracket.Words:
    return bracket.Words(
        title=_("The bracket; the same stands in the table below it."),
        losers=_("Losers’ side"),
        main=_("Winners’ side"),
    )


def _ladder(request: HttpRequest, of: Seen, board: Board) -> HttpResponse:
    lines = board.sections[0].lines if board.sections else ()
    page = Paginator(lines, standing.LINES_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": [standing.row_of(line, of.entry) for line in page],
        "within_reach": _within_reach(of),
        "running": [row for row in board.told.meetings if row.settled_at is None],
        "entries": {entry.pk: entry for entry in board.told.entries.values()},
        "place": standing.place_of(board, of.entry),
    }
    return show(request, "ladder", of, context)


def _within_reach(of: Seen) -> set[int]:
    if of.viewer is None or of.event.state != State.RUNNING:
        return set()
    return {entry.pk for entry in ladders.within_reach(event=of.event, player=of.viewer)}
