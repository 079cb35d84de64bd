"""What a search must be told of a game, and what it can do for a game that it knows nothing of."""

import random
from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any, Protocol, TypeVar

from games.rules.position import Outcome, Roll

Thing = TypeVar("Thing")
Throw = tuple[int, ...]
LONGEST_PLAYOUT = 400
EVEN = 0.5


class Knowledge(Protocol):
    """A game as a search sees it; values are what seat 0 may expect to score, from 0 to 1."""

    spread: float
    """How many moves are looked at, as a multiple of the root of the visits."""

    daring: float
    """How much a move that was seldom looked at is given the benefit of the doubt."""

    def book(self, position: Any, chance: random.Random) -> Any | None:
        """A move that players who have studied the game know by heart."""
        ...

    def win(self, position: Any) -> Any | None:
        """A move that wins at once, if there is one and the game has a quick way to tell."""
        ...

    def value(self, position: Any, chance: random.Random) -> float:
        """An estimate for a position that is not over and has no win at once."""
        ...

    def candidates(self, position: Any, chance: random.Random) -> Iterator[Any]:
        """Every legal move once, the promising ones first."""
        ...

    def throws(self, roll: Roll) -> Sequence[tuple[Throw, float]]:
        """Throws that stand for all there are, and how likely each is."""
        ...


def every_throw(roll: Roll) -> list[tuple[Throw, float]]:
    faces = list(product(range(1, roll.sides + 1), repeat=roll.dice))
    return [(throw, 1 / len(faces)) for throw in faces]


def shuffled(moves: Iterable[Thing], chance: random.Random) -> Iterator[Thing]:
    """All of them in any order, drawn only as far as they are asked for."""
    left = list(moves)
    while left:
        at = int(chance.random() * len(left))
        left[at], left[-1] = left[-1], left[at]
        yield left.pop()


class Plain:
    """Knows the rules alone: any move may be good, and a position is worth what chance makes it."""

    spread = 4.0
    daring = 0.7

    def __init__(self) -> None:
        self._throws: dict[Roll, Sequence[tuple[Throw, float]]] = {}

    def book(self, position: Any, chance: random.Random) -> Any | None:
        return None

    def win(self, position: Any) -> Any | None:
        return None

    def value(self, position: Any, chance: random.Random) -> float:
        """How a game ends in which both play anything; one that will not end is even."""
        for _ in range(LONGEST_PLAYOUT):
            awaiting = position.awaiting
            if isinstance(awaiting, Outcome):
                return awaiting.scores[0]
            if isinstance(awaiting, Roll):
                throw = tuple(chance.randint(1, awaiting.sides) for _ in range(awaiting.dice))
                position = position.rolled(throw)
            else:
                position = position.play(chance.choice(position.legal_moves()))
        return EVEN

    def candidates(self, position: Any, chance: random.Random) -> Iterator[Any]:
        return shuffled(position.legal_moves(), chance)

    def throws(self, roll: Roll) -> Sequence[tuple[Throw, float]]:
        if roll not in self._throws:
            self._throws[roll] = self.likely(roll)
        return self._throws[roll]

    def likely(self, roll: Roll) -> Sequence[tuple[Throw, float]]:
        return every_throw(roll)
