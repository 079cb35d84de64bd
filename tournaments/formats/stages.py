"""Sections whose best go on to a final: everybody meets everybody, then the best are left."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from tournaments.formats.bracket import bracket_size, seed_order
from tournaments.formats.format import Games, InvalidSetting, check_enough, choice, whole
from tournaments.formats.history import Draw, Entrant, History
from tournaments.formats.knockout import Knockout
from tournaments.formats.round_robin import RoundRobin, berger
from tournaments.formats.standing import standings

TIE_BREAKS = ("DE", "SB", "WON", "KS", "LOT")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stages:
    """The rounds of the final go on counting where those of the sections end.

    The final is drawn when every section is done. Its seeds should be stored with the entrants
    then (`Entrant.qualified`), so that no late ruling on a section can change who is in it.
    """

    key: ClassVar[str] = "stages"

    section_size: int = whole(6, least=3, most=20)
    double: bool = False
    at_once: int = whole(0, least=0, most=100)
    """How many games of a player run at the same time at most; 0 for all of them."""
    qualify: int = whole(2, least=1, most=10)
    """How many of each section go on."""
    final: str = choice("round-robin", "knockout")
    games: int = whole(1, least=1, most=2)
    """Of a match in a knockout."""
    drawn: str = choice("higher seed", "second player", "replay")
    replays: int = whole(1, least=1, most=9)

    def next(self, history: History, *, seed: str) -> Draw:
        sections = self._sections.next(self._of_sections(history), seed=seed)
        if not sections.over:
            return sections
        return self._next_of_final(history, self.qualifiers(history, seed=seed), seed)

    def check(self, entrants: int) -> None:
        check_enough(entrants, 4)
        numbers = [Entrant(number=number) for number in range(1, entrants + 1)]
        sizes = [len(section) for section in self.sections(numbers)]
        if len(sizes) < 2:
            raise InvalidSetting(
                "{entrants} entrants fit into one section of {size}; a final needs at least two.",
                entrants=entrants,
                size=self.section_size,
            )
        if min(sizes) <= self.qualify:
            raise InvalidSetting(
                "With {entrants} entrants a section has {least} players only, "
                "too few for {qualify} to go on.",
                entrants=entrants,
                least=min(sizes),
                qualify=self.qualify,
            )

    def last_round(self, entrants: Sequence[Entrant]) -> int:
        finalists = [entrant for entrant in entrants if entrant.qualified]
        if not finalists:
            finalists = list(entrants)[: self.qualify * len(self.sections(entrants))]
        of_final = self.final_format.last_round([replace(each, section=0) for each in finalists])
        return self.section_rounds(entrants) + of_final

    def games_for(self, entrants: int) -> Games:
        first = self._sections.games_for(entrants)
        finalists = min(entrants, self.qualify * -(-entrants // self.section_size))
        final = self.final_format.games_for(finalists)
        return Games(
            per_player=(first.per_player or 0) + (final.per_player or 0),
            total=(first.total or 0) + (final.total or 0),
            at_once=max(first.at_once, final.at_once),
        )

    def sections(self, entrants: Sequence[Entrant]) -> tuple[tuple[int, ...], ...]:
        return self._sections.sections(entrants)

    def section_rounds(self, entrants: Sequence[Entrant]) -> int:
        """The last round of the sections; the final's first is the next."""
        return self._sections.last_round(entrants)

    def sections_are_over(self, history: History, *, seed: str) -> bool:
        """Whether the final can be drawn."""
        return self._sections.next(self._of_sections(history), seed=seed).over

    def qualifiers(self, history: History, *, seed: str) -> tuple[int, ...]:
        """Who is in the final, by seed: as stored, or the best of each section as they stand."""
        stored = sorted(
            (each.qualified, each.number) for each in history.entrants if each.qualified
        )
        if stored:
            return tuple(number for _, number in stored)
        tables = [
            self._table(history, section, seed) for section in self.sections(history.entrants)
        ]
        gone = {each.number for each in history.entrants if each.left}
        there = [[number for number in table if number not in gone] for table in tables]
        return _seeded([table[: self.qualify] for table in there])

    @property
    def _sections(self) -> RoundRobin:
        return RoundRobin(double=self.double, section_size=self.section_size, at_once=self.at_once)

    @property
    def final_format(self) -> RoundRobin | Knockout:
        if self.final == "knockout":
            return Knockout(games=self.games, drawn=self.drawn, replays=self.replays)
        return RoundRobin(double=self.double, at_once=self.at_once)

    def _of_sections(self, history: History) -> History:
        last = self.section_rounds(history.entrants)
        games = [game for game in history.meetings if game.round <= last]
        return replace(history, meetings=games, rounds=last)

    def _table(self, history: History, section: Sequence[int], seed: str) -> list[int]:
        games = self._of_sections(history).meetings
        own = replace(
            history,
            entrants=[entrant for entrant in history.entrants if entrant.number in section],
            meetings=[game for game in games if game.first in section],
            idles=[],
            rounds=len(berger(len(section))) * (2 if self.double else 1),
        )
        rows = standings(own, TIE_BREAKS, format="round-robin", seed=seed)
        return [row.number for row in rows]

    def final_history(self, history: History, qualifiers: Sequence[int]) -> History:
        """The final as an event of its own: its seeds are the start numbers, its rounds from 1."""
        seeds = {number: seed for seed, number in enumerate(qualifiers, 1)}
        before = self.section_rounds(history.entrants)
        return History(
            entrants=[
                Entrant(number=seeds[each.number], rating=each.rating, left=each.left)
                for each in history.entrants
                if each.number in seeds
            ],
            meetings=[
                replace(
                    game,
                    round=game.round - before,
                    first=seeds[game.first],
                    second=seeds[game.second],
                )
                for game in history.meetings
                if game.round > before and {game.first, game.second} <= seeds.keys()
            ],
            values=history.values,
        )

    def _next_of_final(self, history: History, qualifiers: Sequence[int], seed: str) -> Draw:
        draw = self.final_format.next(self.final_history(history, qualifiers), seed=seed)
        before = self.section_rounds(history.entrants)
        return replace(
            draw,
            pairings=tuple(
                replace(
                    game,
                    round=game.round + before,
                    first=qualifiers[game.first - 1],
                    second=qualifiers[game.second - 1],
                )
                for game in draw.pairings
            ),
        )


def _seeded(tables: Sequence[Sequence[int]]) -> tuple[int, ...]:
    """All firsts, then all seconds and so on, turned so that few of a section meet at once."""
    rows = [list(row) for row in zip(*tables, strict=False)]
    section = {number: at for at, table in enumerate(tables) for number in table}

    def turned(by: int) -> tuple[int, ...]:
        return tuple(
            number
            for place, row in enumerate(rows)
            for number in row[by * place % len(row) :] + row[: by * place % len(row)]
        )

    def clashes(seeds: Sequence[int]) -> int:
        order = [
            section.get(seeds[seed - 1]) if seed <= len(seeds) else None
            for seed in seed_order(bracket_size(len(seeds)))
        ]
        return sum(
            one == other is not None for one, other in zip(order[::2], order[1::2], strict=True)
        )

    return min((turned(by) for by in range(len(tables))), key=clashes)
