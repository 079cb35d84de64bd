"""A game of one decision and one die, whose odds can be told by heart."""

from typing import NamedTuple

from games.rules.position import Outcome, Roll, Turn

PEACE = Outcome((0.5, 0.5), "peace")
WON = Outcome((1.0, 0.0), "won")
LOST = Outcome((0.0, 1.0), "lost")


class Wager(NamedTuple):
    """`dare` wins with a face up to `faces` and loses with a higher one; `peace` is a draw."""

    faces: int
    awaiting: Turn | Roll | Outcome = Turn(0)
    sides: int = 6

    def legal_moves(self) -> list[str]:
        return ["peace", "dare"]

    def play(self, move: str) -> "Wager":
        return self._replace(awaiting=PEACE if move == "peace" else Roll(1, self.sides))

    def rolled(self, dice: tuple[int, ...]) -> "Wager":
        return self._replace(awaiting=WON if dice[0] <= self.faces else LOST)
