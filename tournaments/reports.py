"""An event to take away: tournament report file, table of standings, or everything as data."""

import csv
import io
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tournaments.finding import format_of
from tournaments.formats import trf
from tournaments.formats.history import History
from tournaments.formats.round_robin import RoundRobin
from tournaments.formats.swiss import Swiss
from tournaments.models import Event, Meeting, State
from tournaments.refusals import BadEvent
from tournaments.tables import Board, Line, Section, board_of

DANGEROUS = ("=", "+", "-", "@", "\t", "\r")


def as_trf(*, event: Event, section: int = 0) -> str:
    """Of a Swiss event, or of one section of a round robin; numbers begin with 1 in each."""
    format = format_of(event)
    if not isinstance(format, Swiss | RoundRobin):
        raise BadEvent("Only Swiss events and round robins have a tournament report file.")
    board = board_of(event)
    table = _section(board, section)
    inside = sorted(line.entry.number or 0 for line in table.lines)
    new = {number: at for at, number in enumerate(inside, 1)}
    report = trf.Report(
        history=_renumbered(board, new),
        players=tuple(
            _player(line, new)
            for line in sorted(table.lines, key=lambda one: one.entry.number or 0)
        ),
        data=tuple(_data(event)),
    )
    return trf.write(report)


def _section(board: Board, number: int) -> Section:
    if not board.sections:
        raise BadEvent("The event has not started, so there is nothing to report.")
    found = [part for part in board.sections if number in (0, part.number)]
    if not found or (number == 0 and len(found) > 1):
        raise BadEvent("The event has several sections; say which one from 1 on.")
    return found[0]


def _renumbered(board: Board, new: dict[int, int]) -> History:
    history = board.told.history
    return replace(
        history,
        entrants=[
            replace(each, number=new[each.number], section=0)
            for each in history.entrants
            if each.number in new
        ],
        meetings=[
            replace(each, first=new[each.first], second=new[each.second])
            for each in history.meetings
            if each.first in new and each.second in new
        ],
        idles=[
            replace(each, number=new[each.number]) for each in history.idles if each.number in new
        ],
    )


def _number(player: trf.Player) -> int:
    return player.number


def _player(line: Line, new: dict[int, int]) -> trf.Player:
    entry = line.entry
    return trf.Player(
        number=new[entry.number or 0],
        name=entry.player.name,
        rating=entry.rating,
        points=line.row.points,
        rank=line.row.rank,
    )


def _data(event: Event) -> list[tuple[str, str]]:
    data = [("012", event.name)]
    if event.started_at:
        data.append(("042", f"{event.started_at:%Y/%m/%d}"))
    if event.finished_at:
        data.append(("052", f"{event.finished_at:%Y/%m/%d}"))
    return data


def as_csv(*, event: Event) -> str:
    """The standings, one line an entrant; a name can never be taken for a formula."""
    board = board_of(event)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    head = ["section", "rank", "number", "player", "rating", "points", "played", "left"]
    writer.writerow([*head, *event.tie_breaks])
    for part in _parts(board):
        for line in part.lines:
            writer.writerow(_cells(part, line))
    return out.getvalue()


def _parts(board: Board) -> list[Section]:
    return [*board.sections, *([board.final] if board.final else [])]


def _cells(part: Section, line: Line) -> list[object]:
    row, entry = line.row, line.entry
    name = entry.player.name
    return [
        part.number,
        row.rank,
        entry.number,
        f"'{name}" if name.startswith(DANGEROUS) else name,
        entry.rating,
        number_of(row.points),
        row.played,
        line.left,
        *(number_of(value) for value in row.values),
    ]


def number_of(value: Fraction | None) -> int | float | None:
    """Whole where it is; a fraction of a point only loses what nobody can see."""
    if value is None:
        return None
    return int(value) if value.denominator == 1 else round(float(value), 4)


def as_data(*, event: Event) -> dict[str, Any]:
    """Everything that everybody may see, as JSON has it."""
    board = board_of(event)
    names = {entry.pk: entry.player.name for entry in board.told.entries.values()}
    return {
        "id": event.pk,
        "name": event.name,
        "format": event.format,
        "settings": event.settings,
        "ruleset": event.ruleset,
        "options": event.options,
        "clock": event.clock,
        "state": State(event.state).value,
        "seed": event.seed,
        "tie_breaks": event.tie_breaks,
        "rules_edition": event.rules_edition,
        "standings": [_table(part) for part in _parts(board)],
        "games": [_game(row, names) for row in board.told.meetings],
        "rests": [
            {"round": rest.round, "player": names[rest.entry_id], "kind": rest.kind}
            for rest in board.told.rests
        ],
    }


def _table(part: Section) -> dict[str, Any]:
    lines = [
        {
            "rank": line.row.rank,
            "number": line.entry.number,
            "player": line.entry.player.name,
            "rating": line.entry.rating,
            "state": line.entry.state,
            "points": number_of(line.row.points),
            "tie_breaks": [number_of(value) for value in line.row.values],
            "played": line.row.played,
            "left": line.left,
            "best": line.best,
            "worst": line.worst,
        }
        for line in part.lines
    ]
    return {"section": part.number, "lines": lines}


def _game(row: Meeting, names: dict[int, str]) -> dict[str, Any]:
    return {
        "round": row.round,
        "leg": row.leg,
        "first": names[row.first_id],
        "second": names[row.second_id],
        "scores": None if row.score is None else [row.score / 2, (row.other_score or 0) / 2],
        "forfeit": row.forfeit,
        "ruled": row.ruled,
        "game": row.game_id,
    }
