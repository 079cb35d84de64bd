"""Everybody meets everybody of his section, with the colours of the Berger tables."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

from tournaments.formats.format import Games, check_enough, whole
from tournaments.formats.history import Draw, Entrant, History, Pairing

Rounds = tuple[tuple[tuple[int, int], ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundRobin:
    """A round that nobody can play in, for an odd number, is a rest and worth nothing."""

    key: ClassVar[str] = "round-robin"

    double: bool = False
    section_size: int = whole(0, least=0, most=100)
    """How many a section holds at most; 0 for one section of all."""
    at_once: int = whole(0, least=0, most=100)
    """How many games of a player run at the same time at most; 0 for all of them."""

    def next(self, history: History, *, seed: str) -> Draw:
        gone = {entrant.number for entrant in history.entrants if entrant.left}
        there = {(game.round, game.first, game.second) for game in history.meetings}
        missing = [
            game
            for game in self.schedule(history.entrants)
            if (game.round, game.first, game.second) not in there
            and not gone & {game.first, game.second}
        ]
        live = [game for game in history.meetings if not game.scores]
        if not self.at_once:
            return Draw(pairings=tuple(missing), over=not missing and not live)
        busy = Counter(number for game in live for number in (game.first, game.second))
        return Draw(
            pairings=tuple(_wave(missing, busy, self.at_once)), over=not missing and not live
        )

    def check(self, entrants: int) -> None:
        check_enough(entrants, 2)

    def last_round(self, entrants: Sequence[Entrant]) -> int:
        longest = max((len(section) for section in self.sections(entrants)), default=0)
        return len(berger(longest)) * (2 if self.double else 1)

    def games_for(self, entrants: int) -> Games:
        sections = -(-entrants // (self.section_size or entrants or 1))
        sizes = [entrants // sections + (at < entrants % sections) for at in range(sections)]
        return self.games_of(sizes)

    def games_of(self, sizes: Sequence[int]) -> Games:
        """Of sections of these sizes."""
        legs = 2 if self.double else 1
        each = max((size - 1 for size in sizes), default=0) * legs
        return Games(
            per_player=each,
            total=sum(size * (size - 1) // 2 for size in sizes) * legs,
            at_once=min(each, self.at_once or each),
        )

    def schedule(self, entrants: Iterable[Entrant]) -> Iterator[Pairing]:
        """All games there will ever be, in the order of the tables."""
        for section in self.sections(entrants):
            yield from self.games(section)

    def games(self, numbers: Sequence[int]) -> Iterator[Pairing]:
        """The games of one section, whose Berger numbers are the places in `numbers`."""
        rounds = berger(len(numbers))
        for number, pairs in enumerate(rounds + mirrored(rounds) * self.double, 1):
            for first, second in pairs:
                yield Pairing(round=number, first=numbers[first - 1], second=numbers[second - 1])

    def sections(self, entrants: Iterable[Entrant]) -> tuple[tuple[int, ...], ...]:
        """Start numbers section by section: as assigned, or by rating in a snake."""
        entrants = sorted(entrants, key=lambda entrant: entrant.number)
        if any(entrant.section for entrant in entrants):
            return assigned(entrants)
        return snake(entrants, -(-len(entrants) // (self.section_size or len(entrants) or 1)))


def berger(players: int) -> Rounds:
    """The Berger table: for each round the pairs by board, the first of a pair begins.

    An odd number plays by the table of the next even one, whose last number is a rest.
    """
    seats = players + players % 2
    rounds = tuple(_berger_round(seats, number) for number in range(seats - 1))
    return tuple(tuple(pair for pair in pairs if max(pair) <= players) for pairs in rounds)


def _berger_round(seats: int, number: int) -> tuple[tuple[int, int], ...]:
    """The last number meets h, then the numbers around h meet: h+1 v h-1, h+2 v h-2, …

    h starts at 1 and goes on by half the seats, so that whoever met the last number with the
    first move meets it in the next round as its second.
    """
    circle = seats - 1
    hub = number * (seats // 2) % circle
    last = (hub + 1, seats) if number % 2 == 0 else (seats, hub + 1)
    around = (
        ((hub + step) % circle + 1, (hub - step) % circle + 1) for step in range(1, seats // 2)
    )
    return (last, *around)


def mirrored(rounds: Rounds) -> Rounds:
    """The same rounds with colours exchanged."""
    return tuple(tuple((second, first) for first, second in pairs) for pairs in rounds)


def snake(entrants: Sequence[Entrant], sections: int) -> tuple[tuple[int, ...], ...]:
    """The best rated one to each section, the next ones back the other way, and so on."""
    by_rating = sorted(entrants, key=lambda entrant: (-entrant.rating, entrant.number))
    there: list[list[int]] = [[] for _ in range(sections)]
    for start in range(0, len(by_rating), sections or 1):
        row = by_rating[start : start + sections]
        forth = start // sections % 2 == 0
        for section, entrant in zip(there if forth else reversed(there), row, strict=False):
            section.append(entrant.number)
    return tuple(tuple(sorted(section)) for section in there)


def assigned(entrants: Sequence[Entrant]) -> tuple[tuple[int, ...], ...]:
    """The sections that the entrants say they are in, by number."""
    numbers = sorted({entrant.section for entrant in entrants})
    return tuple(
        tuple(entrant.number for entrant in entrants if entrant.section == number)
        for number in numbers
    )


def _wave(missing: Iterable[Pairing], busy: Counter[int], at_once: int) -> Iterator[Pairing]:
    for game in missing:
        if max(busy[game.first], busy[game.second]) < at_once:
            busy.update((game.first, game.second))
            yield game
