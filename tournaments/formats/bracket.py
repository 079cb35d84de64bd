"""The shape of a knockout: which match feeds which, for any number of entrants."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

Side = Literal["main", "losers", "final"]
Kind = Literal["seed", "winner", "loser", "beaten once"]


@dataclass(frozen=True, slots=True)
class Source:
    """Where a player comes from: a seed, or the winner or the loser of a match.

    Who was "beaten once" is the loser of a grand final whom nobody had beaten before it, if
    it was he who lost: he has a second match.
    """

    kind: Kind
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A match by its number; a stage is what can be played at the same time on one side.

    `column` and `row` are its place in a drawing of its side, rows in units of a first-round
    match.
    """

    number: int
    stage: int
    side: Side
    column: int
    row: float
    sources: tuple[Source, Source]


def seed_order(size: int) -> list[int]:
    """Seeds from top to bottom: 1 and 2 can meet in the last round only, 1 to 4 in the last two."""
    order = [1]
    while len(order) < size:
        total = 2 * len(order) + 1
        order = [seed for one in order for seed in (one, total - one)]
    return order


def bracket_size(entrants: int) -> int:
    """The power of two that holds them all; the seeds beyond are byes."""
    return 1 << max(1, (entrants - 1).bit_length())


@cache
def single_elimination(entrants: int) -> tuple[Match, ...]:
    plan = _Plan()
    sources = [Source("seed", seed) for seed in seed_order(bracket_size(entrants))]
    while len(sources) > 1:
        sources = plan.main_round(sources)
    return tuple(plan.matches)


@cache
def double_elimination(entrants: int, *, reset: bool) -> tuple[Match, ...]:
    """Whoever loses goes on among the losers, and out when he loses again.

    A loser comes down where those he has beaten are not, as long as there is such a place.
    """
    plan = _Plan()
    sources = [Source("seed", seed) for seed in seed_order(bracket_size(entrants))]
    sources = plan.main_round(sources)
    below = _losers(sources)
    while len(sources) > 1:
        sources = plan.main_round(sources)
        if len(below) > 1:
            below = plan.losers_round(_neighbours(below))
        below = plan.losers_round(plan.crossed(below, _losers(sources)))
    plan.final(sources[0], below[0])
    if reset:
        last = plan.matches[-1].number
        plan.final(Source("winner", last), Source("beaten once", last))
    return tuple(plan.matches)


class _Plan:
    """Matches so far, and from which seeds the players of each can come."""

    def __init__(self) -> None:
        self.matches: list[Match] = []
        self.origins: dict[int, frozenset[int]] = {}
        self.stage = 0
        self.columns: dict[Side, int] = {"main": 0, "losers": 0, "final": 0}
        self.rows: dict[Side, int] = {}

    def main_round(self, sources: Sequence[Source]) -> list[Source]:
        return self._round("main", _neighbours(sources))

    def losers_round(self, pairs: Sequence[tuple[Source, Source]]) -> list[Source]:
        return self._round("losers", pairs)

    def final(self, one: Source, other: Source) -> None:
        self._round("final", [(one, other)])

    def crossed(
        self, below: Sequence[Source], losers: Sequence[Source]
    ) -> list[tuple[Source, Source]]:
        """Each loser to one of those below, so that as few as possible can have met."""
        best = min(
            range(len(below)), key=lambda turn: (self._rematches(below, losers, turn), -turn)
        )
        return [(one, losers[place ^ best]) for place, one in enumerate(below)]

    def _rematches(self, below: Sequence[Source], losers: Sequence[Source], turn: int) -> int:
        return sum(
            len(self._origins(one) & self._origins(losers[place ^ turn]))
            for place, one in enumerate(below)
        )

    def _origins(self, source: Source) -> frozenset[int]:
        return frozenset({source.of}) if source.kind == "seed" else self.origins[source.of]

    def _round(self, side: Side, pairs: Sequence[tuple[Source, Source]]) -> list[Source]:
        self.stage += 1
        height = self.rows.setdefault(side, len(pairs)) / len(pairs)
        winners = []
        for place, (one, other) in enumerate(pairs):
            match = Match(
                number=len(self.matches) + 1,
                stage=self.stage,
                side=side,
                column=self.columns[side],
                row=(place + 0.5) * height - 0.5,
                sources=(one, other),
            )
            self.matches.append(match)
            self.origins[match.number] = self._origins(one) | self._origins(other)
            winners.append(Source("winner", match.number))
        self.columns[side] += 1
        return winners


def _neighbours(sources: Sequence[Source]) -> list[tuple[Source, Source]]:
    return list(zip(sources[::2], sources[1::2], strict=True))


def _losers(winners: Sequence[Source]) -> list[Source]:
    return [Source("loser", winner.of) for winner in winners]
