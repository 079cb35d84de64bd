"""What would become of a table if somebody left now; nothing is stored."""

from copy import copy
from dataclasses import dataclass

from accounts.models import Player
from tournaments.finding import format_of
from tournaments.leaving import entry_of, games_of, is_struck
from tournaments.models import Entry, EntryState, Event, Meeting
from tournaments.rows import Told, tell, told_by
from tournaments.tables import Board, board_from


@dataclass(frozen=True, kw_only=True)
class Preview:
    """The tables before and after, and which half of the rule applies."""

    entry: Entry
    struck: bool
    planned: int
    played: int
    before: Board
    after: Board


def if_he_leaves(*, event: Event, player: Player) -> Preview:
    """By the rule declared; raises NotEntered."""
    entry = entry_of(event, player)
    format = format_of(event)
    told = tell(event, format)
    struck = is_struck(event, entry)
    planned, played = games_of(event, entry)
    supposed = _without(told, entry, struck)
    after = told_by(supposed.entries, supposed.meetings, supposed.rests, format)
    return Preview(
        entry=entry,
        struck=struck,
        planned=planned,
        played=played,
        before=board_from(event, format, told),
        after=board_from(event, format, after),
    )


def _without(told: Told, leaver: Entry, struck: bool) -> Told:
    """Copies of the rows as they would be."""
    entries = {number: copy(entry) for number, entry in told.entries.items()}
    for entry in entries.values():
        if entry.pk == leaver.pk:
            entry.state, entry.struck = EntryState.WITHDRAWN, struck
    meetings = tuple(_given_up(row, leaver) for row in told.meetings)
    return Told(entries=entries, meetings=meetings, rests=told.rests, history=told.history)


def _given_up(row: Meeting, leaver: Entry) -> Meeting:
    if row.settled_at is not None or leaver.pk not in (row.first_id, row.second_id):
        return row
    lost = copy(row)
    lost.score, lost.other_score = (0, 2) if row.first_id == leaver.pk else (2, 0)
    lost.forfeit = row.game is None or row.game.seats_moved != 3
    return lost
