"""Tables as a page shows them: places, points, zones, cross tables, and what is still possible."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from tournaments.formats.league import League
from tournaments.formats.stages import Stages
from tournaments.models import Entry, EntryState, Event, Meeting
from tournaments.pages import wording
from tournaments.rows import Told, told_by
from tournaments.tables import Board, Line, Section, board_from

MOST_IN_A_CROSS_TABLE = 24
LINES_ON_A_PAGE = 100

Row = dict[str, Any]


def table_of(event: Event, board: Board, part: Section, *, title: str, me: Entry | None) -> Row:
    """One section, division or final; as a cross table where everybody meets and it fits."""
    up, down = _zones(board, part)
    last_safe = len(part.lines) - down
    rows = [
        row_of(line, me) | {"zone": "up" if at <= up else "down" if at > last_safe else ""}
        for at, line in enumerate(part.lines, 1)
    ]
    table = {
        "number": part.number,
        "title": title,
        "rows": rows,
        "tie_breaks": wording.tie_break_names(event),
        "up": up,
        "down": down,
        "is_cross": False,
    }
    if _everybody_meets(event) and len(rows) <= MOST_IN_A_CROSS_TABLE:
        _cross(table, part.lines, _games_of(board, part))
    return table


def row_of(line: Line, me: Entry | None) -> Row:
    return {
        "rank": line.row.rank,
        "entry": line.entry,
        "points": wording.points(line.row.points),
        "values": [wording.tie_break_value(value) for value in line.row.values],
        "played": line.row.played,
        "left": line.left,
        "best": line.best,
        "worst": line.worst,
        "is_me": me is not None and line.entry.pk == me.pk,
        "is_gone": line.entry.state != EntryState.ENTERED,
    }


def _zones(board: Board, part: Section) -> tuple[int, int]:
    if not isinstance(board.format, League):
        return 0, 0
    return board.format.zones(len(board.sections), part.number, len(part.lines))


def _everybody_meets(event: Event) -> bool:
    return event.format in ("round-robin", "league", "stages")


def _games_of(board: Board, part: Section) -> Iterable[Meeting]:
    """Of an event with stages, those of the sections or those of the final."""
    if not isinstance(board.format, Stages):
        return board.told.meetings
    last = board.format.section_rounds(board.told.history.entrants)
    in_final = part is board.final
    return [row for row in board.told.meetings if (row.round > last) == in_final]


def _cross(table: Row, lines: Sequence[Line], games: Iterable[Meeting]) -> None:
    between: dict[tuple[int, int], list[Row]] = defaultdict(list)
    for row in games:
        for of_first in (True, False):
            pair = (row.first_id, row.second_id) if of_first else (row.second_id, row.first_id)
            cell = {"result": wording.result(row, of_first=of_first), "game": row.game}
            between[pair].append(cell)
    entries = [line.entry.pk for line in lines]
    for row, own in zip(table["rows"], entries, strict=True):
        row["cells"] = [None if own == other else between[own, other] for other in entries]
    table["is_cross"] = True


def title_of(event: Event, board: Board, part: Section) -> str:
    if part is board.final:
        return _("Final")
    if len(board.sections) < 2:
        return _("Division {number}").format(number=1) if event.format == "league" else ""
    if event.format == "league":
        return _("Division {number}").format(number=part.number)
    return _("Section {number}").format(number=part.number)


def place_of(board: Board, entry: Entry | None) -> Row | None:
    """Where somebody stands and what he can still reach: in the final, if he is in it."""
    if entry is None:
        return None
    parts = [*([board.final] if board.final else []), *board.sections]
    for part in parts:
        for line in part.lines:
            if line.entry.pk == entry.pk:
                return row_of(line, entry) | {"of": len(part.lines), "section": part.number}
    return None


def board_after(event: Event, board: Board, round: int) -> Board:
    """The table as it stood when the rounds up to this one were over."""
    told = board.told
    meetings = tuple(row for row in told.meetings if row.round <= round)
    rests = tuple(rest for rest in told.rests if rest.round <= round)
    then = told_by(told.entries, meetings, rests, board.format)
    then = Told(
        entries=then.entries,
        meetings=meetings,
        rests=rests,
        history=replace(then.history, entrants=told.history.entrants),
    )
    return board_from(event, board.format, then)
