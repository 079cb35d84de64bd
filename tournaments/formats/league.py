"""A league that renews itself: divisions by strength, the best go up and the last go down."""

from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

from tournaments.formats.format import Games, InvalidSetting, check_enough, whole
from tournaments.formats.history import Draw, Entrant, History
from tournaments.formats.round_robin import RoundRobin

Divisions = tuple[tuple[int, ...], ...]
"""Players of each division, the highest division first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class League:
    """One season; every division plays a round robin of its own."""

    key: ClassVar[str] = "league"

    size: int = whole(9, least=3, most=20)
    """How many a division has; the last one has between half and one and a half times as many."""
    up: int = whole(2, least=1, most=5)
    down: int = whole(2, least=1, most=5)
    double: bool = False
    at_once: int = whole(0, least=0, most=100)
    """How many games of a player run at the same time at most; 0 for all of them."""

    def next(self, history: History, *, seed: str) -> Draw:
        divided = replace(history, entrants=self._divided(history.entrants))
        return self._games.next(divided, seed=seed)

    def check(self, entrants: int) -> None:
        check_enough(entrants, 2)
        if self.up + self.down > self.size:
            raise InvalidSetting(
                "Of a division of {size}, {up} cannot go up and {down} go down: these are more.",
                size=self.size,
                up=self.up,
                down=self.down,
            )

    def last_round(self, entrants: Sequence[Entrant]) -> int:
        return self._games.last_round(self._divided(entrants))

    def games_for(self, entrants: int) -> Games:
        return self._games.games_of([len(each) for each in self.divide(range(entrants))])

    def first_season(self, entrants: Iterable[Entrant]) -> Divisions:
        """By rating, the best in the first division."""
        by_rating = sorted(entrants, key=lambda entrant: (-entrant.rating, entrant.number))
        return self.divide([entrant.number for entrant in by_rating])

    def divide(self, players: Sequence[int]) -> Divisions:
        """Full divisions from the top; too few for a last one join the one above."""
        cuts = list(range(0, len(players), self.size))
        if len(cuts) > 1 and 2 * (len(players) - cuts[-1]) < self.size:
            cuts.pop()
        return tuple(tuple(players[start:end]) for start, end in pairwise([*cuts, len(players)]))

    def zones(self, divisions: int, division: int, players: int) -> tuple[int, int]:
        """How many of a division's players go up and how many go down, divisions from 1."""
        up = min(self.up, players) if division > 1 else 0
        down = min(self.down, players - up) if division < divisions else 0
        return up, down

    def next_season(
        self,
        tables: Sequence[Sequence[int]],
        *,
        staying: AbstractSet[int],
        newcomers: Sequence[int] = (),
    ) -> Divisions:
        """Divisions of the season after these final tables.

        Those who do not stay are passed over, and whoever is behind them moves up. A place that
        is free goes to the best of those who would have gone down from there, then to the best
        of the division below; where there are too many, the last of those who stayed give way.
        Newcomers begin behind everybody, in the order given.
        """
        here = [[player for player in table if player in staying] for table in tables]
        parts = [self._parts(table, len(here), at) for at, table in enumerate(here, 1)]
        fallen = [(), *(down for _, _, down in parts)]
        risen = [*(up for up, _, _ in parts[1:]), ()]
        order = [
            player
            for above, below, (_, stayed, _) in zip(fallen, risen, parts, strict=False)
            for player in (*above, *below, *stayed)
        ]
        known = set(order)
        order += [player for player in dict.fromkeys(newcomers) if player not in known]
        return self.divide(order)

    def _parts(
        self, table: Sequence[int], divisions: int, division: int
    ) -> tuple[Sequence[int], Sequence[int], Sequence[int]]:
        """Those of a final table who go up, who stay and who go down."""
        up, down = self.zones(divisions, division, len(table))
        last = len(table) - down
        return table[:up], table[up:last], table[last:]

    @property
    def _games(self) -> RoundRobin:
        return RoundRobin(double=self.double, at_once=self.at_once)

    def _divided(self, entrants: Sequence[Entrant]) -> Sequence[Entrant]:
        """With their divisions: as assigned, or those of a first season."""
        if any(entrant.section for entrant in entrants):
            return entrants
        divisions = self.first_season(entrants)
        of = {player: at for at, players in enumerate(divisions, 1) for player in players}
        return [replace(entrant, section=of[entrant.number]) for entrant in entrants]
