"""An event's rows as the words that formats and tables understand."""

from dataclasses import dataclass
from fractions import Fraction
from typing import cast

from tournaments.formats import history as words
from tournaments.formats.format import Format
from tournaments.formats.history import History
from tournaments.models import Entry, EntryState, Event, Meeting, Rest


@dataclass(frozen=True, kw_only=True)
class Told:
    """An event as it stands, with the rows by start number."""

    entries: dict[int, Entry]
    meetings: tuple[Meeting, ...]
    rests: tuple[Rest, ...]
    history: History


def tell(event: Event, format: Format) -> Told:
    """Three statements, however large the event is."""
    entries = {
        entry.number: entry
        for entry in event.entries.exclude(number=None).select_related("player")
        if entry.number is not None
    }
    meetings = tuple(event.meetings.select_related("game").defer("game__seed").order_by("id"))
    return told_by(entries, meetings, tuple(event.rests.all()), format)


def told_by(
    entries: dict[int, Entry],
    meetings: tuple[Meeting, ...],
    rests: tuple[Rest, ...],
    format: Format,
) -> Told:
    """From rows as they are, stored or only supposed."""
    numbers = {entry.pk: number for number, entry in entries.items()}
    history = History(
        entrants=[_entrant(entry, number) for number, entry in sorted(entries.items())],
        meetings=[_meeting(row, numbers) for row in meetings],
        idles=[_idle(rest, numbers) for rest in rests],
        rounds=int(getattr(format, "rounds", 0)),
    )
    return Told(entries=entries, meetings=meetings, rests=rests, history=history)


def _entrant(entry: Entry, number: int) -> words.Entrant:
    return words.Entrant(
        number=number,
        rating=entry.rating,
        joined=entry.joined_round,
        left=entry.state != EntryState.ENTERED,
        section=entry.section,
        qualified=entry.qualified,
    )


def _meeting(row: Meeting, numbers: dict[int, int]) -> words.Meeting:
    return words.Meeting(
        round=row.round,
        leg=row.leg,
        first=numbers[row.first_id],
        second=numbers[row.second_id],
        scores=_scores(row),
        forfeit=row.forfeit,
        points=_points(row),
    )


def _scores(row: Meeting) -> tuple[Fraction, Fraction] | tuple[()]:
    if row.score is None or row.other_score is None:
        return ()
    return Fraction(row.score, 2), Fraction(row.other_score, 2)


def _points(row: Meeting) -> tuple[int, int] | tuple[()]:
    if row.game is None or len(row.game.points) != 2:
        return ()
    return row.game.points[0], row.game.points[1]


def _idle(rest: Rest, numbers: dict[int, int]) -> words.Idle:
    kind = cast(words.Rest, rest.kind)
    return words.Idle(round=rest.round, number=numbers[rest.entry_id], kind=kind)


def without_struck(told: Told) -> History:
    """What the table counts: nothing of those whose results were struck."""
    struck = {number for number, entry in told.entries.items() if entry.struck}
    history = told.history
    return History(
        entrants=[each for each in history.entrants if each.number not in struck],
        meetings=[each for each in history.meetings if not struck & {each.first, each.second}],
        idles=[each for each in history.idles if each.number not in struck],
        rounds=history.rounds,
        values=history.values,
    )
