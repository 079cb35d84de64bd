"""What is good in Tri-Trac: to finish a track, to deny one, and to have one only you can finish."""

import random
from collections.abc import Iterator
from itertools import zip_longest

from games.bots.knowledge import EVEN, Plain, shuffled
from games.rules.tri_trac import NEUTRAL, TriTrac
from games.rules.tri_trac_board import ARROWS, BEHIND, LANE, SPACE_BITS, STARTS, spaces_of
from games.rules.tri_trac_moves import MOVE, PLACE, ROTATE, Move

MOST_THREATS = 3

# Doors as numbers, which are quicker to follow than a space and a side.
ARRIVED = -1
DOORS = {door: number for number, door in enumerate(BEHIND)}
ONWARD = [
    tuple((bit, DOORS[onward] if onward else ARRIVED) for bit, onward in ways)
    for ways in BEHIND.values()
]
SPACE_BEHIND = [SPACE_BITS[space] for space, _ in BEHIND]
ARROW_DOORS = [DOORS[arrow] for arrow in ARROWS.items()]
START_DOORS = [DOORS[arrow] for arrow in STARTS]


class TriTracKnowledge(Plain):
    spread = 2.0
    daring = 0.3

    threat = 0.15
    """How much a track that the opponent could finish takes from the value of a position."""

    def win(self, position: TriTrac) -> Move | None:
        return next(finishes(position, position.seat, position.barred), None)

    def value(self, position: TriTrac, chance: random.Random) -> float:
        threats = min(len(list(finishes(position, 1 - position.seat, barred=False))), MOST_THREATS)
        value = EVEN - self.threat * threats
        return 1.0 - value if position.seat else value

    def candidates(self, position: TriTrac, chance: random.Random) -> Iterator[Move]:
        """By turns one that touches a track from an arrow, and one that does not."""
        lying = position.laid[0] | position.laid[1] | position.laid[2]
        near = 0
        for door in ARROW_DOORS:
            gap, used = followed(lying, door)
            near |= spaces_of(used) | SPACE_BEHIND[gap]
        moves = position.legal_moves()
        touching = [move for move in moves if (move.space | move.origin) & near]
        quiet = [move for move in moves if not (move.space | move.origin) & near]
        for pair in zip_longest(shuffled(touching, chance), shuffled(quiet, chance)):
            yield from filter(None, pair)


def finishes(position: TriTrac, seat: int, barred: bool) -> Iterator[Move]:
    """Moves with which a seat would complete a track if it were to move, one for each gap."""
    lying = position.laid[0] | position.laid[1] | position.laid[2]
    touchable = position.laid[seat] if barred else position.laid[seat] | position.laid[NEUTRAL]
    for door in START_DOORS:
        gap, used = followed(lying, door)
        turned = lying & SPACE_BEHIND[gap] * LANE
        if turned & used or turned & ~touchable:
            continue
        for lay, onward in ONWARD[gap]:
            end, more = followed(lying & ~turned, onward)
            if end == ARRIVED:
                move = _moved(position, seat, lay, turned, touchable & ~(used | more))
                if move is not None:
                    yield move


def _moved(position: TriTrac, seat: int, lay: int, turned: int, spare: int) -> Move | None:
    """How a triangle can come to lie like this: rotated there, from the hand, or moved."""
    if turned:
        return ROTATE[lay]
    if position.in_hand(seat):
        return PLACE[lay]
    if not spare:
        return None
    lifted = spare & -spare
    return MOVE[next(at for at in MOVE if at * LANE & lifted)][lay]


def followed(lying: int, door: int) -> tuple[int, int]:
    """The door behind which a track breaks off, or ARRIVED where it ends at an arrow; and the
    triangles that it leads over."""
    used = 0
    while door != ARRIVED:
        for bit, onward in ONWARD[door]:
            if lying & bit:
                door = onward
                used |= bit
                break
        else:
            return door, used
    return ARRIVED, used
