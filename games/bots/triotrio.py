"""What is good in TrioTrio: more pieces than the other, prey within reach and no hunter near."""

import random
from math import exp

from games.bots.knowledge import Plain
from games.rules.triotrio import MOST_PIECES, Position
from games.rules.triotrio_moves import (
    COW,
    EMPTY_REACH,
    NAMES,
    WAYS,
    prey_of,
    squares_in,
    union,
)

FACES = range(1, 7)
REACHING = {
    (kind, start, target): sum(
        any(EMPTY_REACH[way, start, face] & target for way in WAYS[kind]) for face in FACES
    )
    for kind in range(3)
    for start in NAMES
    for target in NAMES
}
"""With how many faces of the die a piece gets from one square to another on an empty board."""


class TrioTrioKnowledge(Plain):
    spread = 4.0
    daring = 0.15

    piece = 1.1
    hunt = 0.05
    """What each face of the die counts with which a piece could reach its prey."""

    to_move = 1.6
    """How much more the hunts of the seat to move count."""

    cow = 0.12
    """What holding the Cow and each count of it add for a seat that has lost a piece."""

    def value(self, position: Position, chance: random.Random) -> float:
        yellow, blue = union(position.pieces, 0), union(position.pieces, 1)
        lead = self.piece * (yellow.bit_count() - blue.bit_count())
        lead += self._hunts(position)
        if (yellow | blue) & COW:
            lead += self._hold(position, yellow, blue)
        return 1 / (1 + exp(-lead))

    def _hunts(self, position: Position) -> float:
        lead = 0.0
        for index, mask in enumerate(position.pieces):
            prey = position.pieces[prey_of(index)]
            if mask and prey:
                seat = index // 3
                weight = -self.hunt if seat else self.hunt
                if seat == position.seat:
                    weight *= self.to_move
                for start in squares_in(mask):
                    for target in squares_in(prey):
                        lead += weight * REACHING[index % 3, start, target]
        return lead

    def _hold(self, position: Position, yellow: int, blue: int) -> float:
        own, sign = (yellow, 1) if yellow & COW else (blue, -1)
        if position.owes or own.bit_count() == MOST_PIECES:
            return 0.0
        return sign * self.cow * (1 + position.cow)
