"""Who stands where: points first, then the tie-breaks, each for those whom the last left tied."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import Any

from tournaments.formats.history import History
from tournaments.formats.tie_breaks import LOWER_IS_BETTER, Reckoning, TieBreak, Values, parse
from tournaments.formats.tie_breaks_encounter import separated
from tournaments.formats.tie_breaks_scores import Edition
from tournaments.formats.tie_breaks_slots import Format, Table, table

Group = list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of a table of standings; those whom nothing separates share their rank."""

    rank: int
    number: int
    points: Fraction
    values: tuple[Fraction | None, ...]
    """In the order of the tie-breaks. Of direct encounter it is the place among those who were
    tied when its turn came, 0 where it told nobody apart."""
    played: int
    """Games decided over the board."""
    left: int
    """Games running or still to come."""


def standings(
    history: History,
    tie_breaks: Iterable[str],
    *,
    edition: Edition = "2026",
    format: Format = "swiss",
    seed: str = "",
) -> tuple[Row, ...]:
    """The table after the rounds so far, whatever the order in which entrants and games come."""
    wanted = [parse(code) for code in tie_breaks]
    event = table(history, format)
    reckoning = Reckoning(table=event, edition=edition, seed=seed)
    columns: list[Values] = []
    groups = _parts(sorted(event.slots), event.points.__getitem__)
    for tie_break in wanted:
        if tie_break.base == "DE":
            column, groups = _direct_encounter(event, groups)
        else:
            column = reckoning.values(tie_break)
            groups = _by_value(groups, column, tie_break)
        columns.append(column)
    gone = {entrant.number for entrant in history.entrants if entrant.left}
    return tuple(_rows(event, groups, columns, gone))


def _parts(group: Group, key: Callable[[int], Any]) -> list[Group]:
    """The best first; equals stay together, in the order they had."""
    ordered = sorted(group, key=key, reverse=True)
    return [list(part) for _, part in groupby(ordered, key=key)]


def _by_value(groups: list[Group], column: Values, tie_break: TieBreak) -> list[Group]:
    """Who has no value comes last among the tied."""
    sign = -1 if tie_break.base in LOWER_IS_BETTER else 1

    def key(number: int) -> tuple[bool, Fraction]:
        value = column[number]
        return (False, Fraction(0)) if value is None else (True, sign * value)

    return [
        part for group in groups for part in (_parts(group, key) if len(group) > 1 else [group])
    ]


def _direct_encounter(event: Table, groups: list[Group]) -> tuple[Values, list[Group]]:
    column: dict[int, Fraction | None] = {}
    after: list[Group] = []
    for group in groups:
        parts = separated(event, group) if len(group) > 1 else [group]
        after += parts
        column |= _places(parts)
    return column, after


def _places(parts: list[Group]) -> dict[int, Fraction | None]:
    """From 1 within the group that was tied; 0 for all where nobody was separated."""
    if len(parts) == 1:
        return dict.fromkeys(parts[0], Fraction(0))
    places: dict[int, Fraction | None] = {}
    for part in parts:
        places |= dict.fromkeys(part, Fraction(len(places) + 1))
    return places


def _rows(
    event: Table, groups: list[Group], columns: Sequence[Values], gone: set[int]
) -> Iterator[Row]:
    rank = 1
    for group in groups:
        for number in group:
            slots = event.slots[number]
            running = sum(1 for slot in slots if slot.kind == "running")
            yield Row(
                rank=rank,
                number=number,
                points=event.fraction(event.points[number]),
                values=tuple(column[number] for column in columns),
                played=sum(1 for slot in slots if slot.kind == "game"),
                left=running + (0 if number in gone else _to_come(event, number)),
            )
        rank += len(group)


def _to_come(event: Table, number: int) -> int:
    """Games of rounds that have not begun; of a round robin, those not started yet."""
    if event.format == "swiss":
        return (event.rounds - event.last) * event.legs
    entrants = len(event.slots)
    resting = event.rounds // entrants if entrants % 2 else 0
    started = sum(1 for slot in event.slots[number] if slot.opponent)
    return max(0, (event.rounds - resting) * event.legs - started)
