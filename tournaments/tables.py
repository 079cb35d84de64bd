"""Who stands where in an event, and who can still finish where."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tournaments.finding import format_of
from tournaments.formats import possible
from tournaments.formats.format import Format
from tournaments.formats.history import History
from tournaments.formats.knockout import Knockout
from tournaments.formats.ladder import Ladder
from tournaments.formats.league import League
from tournaments.formats.round_robin import RoundRobin
from tournaments.formats.stages import Stages
from tournaments.formats.standing import Row, standings
from tournaments.formats.swiss import Swiss
from tournaments.models import Entry, Event
from tournaments.rows import Told, tell, without_struck

Pairs = Sequence[tuple[int, int]]


@dataclass(frozen=True, kw_only=True)
class Line:
    """An entrant's line; `best` and `worst` are the places that he can still reach."""

    entry: Entry
    row: Row
    best: int
    worst: int
    left: int
    """His games that run or are still to come."""


@dataclass(frozen=True, kw_only=True)
class Section:
    """The table of one section or division, or of the whole event."""

    number: int
    lines: tuple[Line, ...]


@dataclass(frozen=True, kw_only=True)
class Board:
    """Everything that the pages of an event show of its course."""

    format: Format
    told: Told
    sections: tuple[Section, ...]
    final: Section | None = None


def board_of(event: Event) -> Board:
    """In a fixed number of statements."""
    format = format_of(event)
    return board_from(event, format, tell(event, format))


def board_from(event: Event, format: Format, told: Told) -> Board:
    """Without any statement: the table of an event as it is told."""
    counted = without_struck(told)
    if isinstance(format, Stages):
        counted = _first_stage(format, told, counted)
    sections = tuple(
        _section(event, format, told, _part(counted, number), number)
        for number in sorted({each.section for each in counted.entrants})
    )
    final = _final(event, format, told) if isinstance(format, Stages) else None
    return Board(format=format, told=told, sections=sections, final=final)


def write_final_ranks(event: Event) -> None:
    """The places at the end: of the event, or within a division."""
    # In one order: a game that ends on a ladder holds entrants without their event.
    list(event.entries.select_for_update(no_key=True, of=("self",)).order_by("pk"))
    board = board_of(event)
    ranks = _ranks(board)
    entries = list(board.told.entries.values())
    for entry in entries:
        entry.rank = ranks.get(entry.number or 0)
    Entry.objects.bulk_update(entries, ["rank"])


def _ranks(board: Board) -> dict[int, int]:
    """Of those in a final, their places in it; of the others, those in their sections."""
    if isinstance(board.format, Knockout):
        return _knockout_ranks(board.format, board.told.history)
    ranks = {
        line.entry.number or 0: line.row.rank for part in board.sections for line in part.lines
    }
    if isinstance(board.format, Stages):
        ranks |= _final_ranks(board, board.format)
    return ranks


def _knockout_ranks(format: Knockout, history: History) -> dict[int, int]:
    return {number: best for number, (best, _) in format.places(history).items()}


def _final_ranks(board: Board, format: Stages) -> dict[int, int]:
    if board.final is not None:
        return {line.entry.number or 0: line.row.rank for line in board.final.lines}
    qualifiers = _qualifiers(board.told)
    if not qualifiers or not isinstance(format.final_format, Knockout):
        return {}
    final = format.final_history(board.told.history, qualifiers)
    ranks = _knockout_ranks(format.final_format, final)
    return {qualifiers[seed - 1]: rank for seed, rank in ranks.items()}


def _qualifiers(told: Told) -> list[int]:
    """Who is in the final, by seed; nobody before it is drawn."""
    seeds = sorted((entry.qualified, n) for n, entry in told.entries.items() if entry.qualified)
    return [number for _, number in seeds]


def _part(history: History, section: int) -> History:
    inside = {each.number for each in history.entrants if each.section == section}
    return _among(history, inside)


def _among(history: History, inside: set[int]) -> History:
    return replace(
        history,
        entrants=[each for each in history.entrants if each.number in inside],
        meetings=[each for each in history.meetings if {each.first, each.second} <= inside],
        idles=[each for each in history.idles if each.number in inside],
    )


def _section(event: Event, format: Format, told: Told, history: History, number: int) -> Section:
    to_come = _to_come(format, told.history, history)
    reach = _possible(format, history, to_come)
    return _lined(event, format, told, history, number, reach, to_come)


def _lined(
    event: Event,
    format: Format,
    told: Told,
    history: History,
    number: int,
    reach: dict[int, tuple[int, int]],
    to_come: Pairs,
) -> Section:
    rows = _rows(event, format, told, history)
    left = _games_left(format, history, to_come)
    lines = [
        Line(
            entry=told.entries[row.number],
            row=row,
            best=reach[row.number][0],
            worst=reach[row.number][1],
            left=left[row.number],
        )
        for row in rows
    ]
    return Section(number=number, lines=tuple(lines))


def _rows(event: Event, format: Format, told: Told, history: History) -> Sequence[Row]:
    rows = standings(
        history,
        event.tie_breaks,
        edition="2023" if event.rules_edition == Event.Edition.FIDE_2023 else "2026",
        format=_kind(format),
        seed=event.seed,
    )
    return _by_place(rows, told) if isinstance(format, Ladder) else rows


def _by_place(rows: Iterable[Row], told: Told) -> list[Row]:
    """A ladder is its places; whoever left it has none."""
    places = {row.number: told.entries[row.number].place for row in rows}
    there = [replace(row, rank=place) for row in rows if (place := places[row.number]) is not None]
    return sorted(there, key=lambda row: row.rank)


def _kind(format: Format) -> Literal["swiss", "round-robin"]:
    return "round-robin" if isinstance(format, RoundRobin | League | Stages) else "swiss"


def _possible(format: Format, history: History, to_come: Pairs) -> dict[int, tuple[int, int]]:
    if isinstance(format, Ladder | Knockout):
        last = len(history.entrants)
        return {each.number: (1, last) for each in history.entrants} | _decided(format, history)
    if isinstance(format, Swiss):
        undrawn = _undrawn(format, history)
        return possible.possible_places(history, undrawn_rounds=undrawn, games=format.games)
    return possible.possible_places(history, to_come=to_come)


def _decided(format: Ladder | Knockout, history: History) -> dict[int, tuple[int, int]]:
    """Who is out of a knockout knows his place, or nearly."""
    return format.places(history) if isinstance(format, Knockout) else {}


def _undrawn(format: Swiss, history: History) -> int:
    drawn = max((game.round for game in history.meetings), default=0)
    return max(0, format.rounds - drawn)


def _games_left(format: Format, history: History, to_come: Pairs) -> Counter[int]:
    left = Counter(
        n for game in history.meetings if not game.scores for n in (game.first, game.second)
    )
    left.update(number for pair in to_come for number in pair)
    if isinstance(format, Swiss):
        games = _undrawn(format, history) * format.games
        left.update({each.number: games for each in history.entrants if not each.left})
    return left


def _to_come(format: Format, whole: History, counted: History) -> Pairs:
    """Games of the schedule that are not begun, between players who are still there.

    The schedule is that of all entrants: whoever was struck keeps his number in it.
    """
    if not isinstance(format, RoundRobin | League | Stages):
        return []
    there = {(game.round, game.first, game.second) for game in whole.meetings}
    still = {each.number for each in counted.entrants if not each.left}
    schedule = RoundRobin(double=format.double).schedule(whole.entrants)
    return [
        (game.first, game.second)
        for game in schedule
        if (game.round, game.first, game.second) not in there and {game.first, game.second} <= still
    ]


def _first_stage(format: Stages, told: Told, counted: History) -> History:
    last = format.section_rounds(told.history.entrants)
    return replace(counted, meetings=[game for game in counted.meetings if game.round <= last])


def _final(event: Event, format: Stages, told: Told) -> Section | None:
    """The table of a final in which everybody meets, by the start numbers of the event."""
    numbers = _qualifiers(told)
    if not numbers or isinstance(format.final_format, Knockout):
        return None
    before = format.section_rounds(told.history.entrants)
    history = replace(
        _among(told.history, set(numbers)),
        meetings=[
            replace(game, round=game.round - before)
            for game in told.history.meetings
            if game.round > before
        ],
        idles=[],
    )
    to_come = _to_come_in_final(format, history, numbers)
    reach = possible.possible_places(history, to_come=to_come)
    return _lined(event, format, told, history, 0, reach, to_come)


def _to_come_in_final(format: Stages, history: History, numbers: Sequence[int]) -> Pairs:
    there = {(game.round, game.first, game.second) for game in history.meetings}
    still = {each.number for each in history.entrants if not each.left}
    return [
        (game.first, game.second)
        for game in RoundRobin(double=format.double).games(numbers)
        if (game.round, game.first, game.second) not in there and {game.first, game.second} <= still
    ]
