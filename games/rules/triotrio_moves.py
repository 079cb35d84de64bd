"""TrioTrio's board and moves: where a piece may stand and where a roll can take it."""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from games.rules.position import Choice, Roll

ROCK, PAPER, SCISSORS = KINDS = range(3)
KIND_NAMES = ("rock", "paper", "scissors")

# A square is one bit of an integer. Rows are eight bits wide for seven columns, so a step
# is a shift, and a step over the edge ends in the empty eighth column or outside.
SQUARES = {
    f"{column}{row + 1}": 1 << (8 * row + place)
    for row in range(7)
    for place, column in enumerate("abcdefg")
}
NAMES = {square: name for name, square in SQUARES.items()}
BOARD = sum(NAMES)

COW = SQUARES["d4"]
CENTRES = (SQUARES["d1"], SQUARES["d7"])
PERMANENTS = {PAPER: SQUARES["b4"], SCISSORS: SQUARES["f4"]}

Pieces = tuple[int, ...]
"""Six masks: the squares of Yellow's rocks, papers and scissors, then of Blue's."""

START: Pieces = tuple(SQUARES[name] for name in ("b1", "d1", "f1", "f7", "d7", "b7"))

STRAIGHT, DIAGONAL = (8, 1), (9, 7)
WAYS = ((STRAIGHT, DIAGONAL), (STRAIGHT,), (DIAGONAL,))


def squares_in(mask: int) -> Iterator[int]:
    while mask:
        square = mask & -mask
        yield square
        mask ^= square


def union(pieces: Pieces, seat: int) -> int:
    return pieces[3 * seat] | pieces[3 * seat + 1] | pieces[3 * seat + 2]


def holder_of(pieces: Pieces, square: int) -> int:
    """The index in `pieces` of the piece on an occupied square."""
    return next(index for index, mask in enumerate(pieces) if mask & square)


def with_flipped(pieces: Pieces, index: int, squares: int) -> Pieces:
    """The same pieces with one kind of one seat put on or taken off these squares."""
    changed = list(pieces)
    changed[index] ^= squares
    return tuple(changed)


def prey_of(index: int) -> int:
    """The index in `pieces` of the enemies that the pieces of this index beat."""
    return 3 * (index < 3) + (index + 2) % 3


def near(mask: int) -> int:
    """These squares and their eight neighbours (and, harmlessly, bits off the board)."""
    rows = mask | mask << 1 | mask >> 1
    return rows | rows << 8 | rows >> 8


MASTERS = tuple(PERMANENTS.get((kind + 1) % 3, 0) for kind in KINDS)
"""For each kind the permanent that beats it."""

PERMANENT_BANS = tuple(near(PERMANENTS.get(kind, 0)) | MASTERS[kind] for kind in KINDS)


def deadly(pieces: Pieces, kind: int) -> int:
    """The squares where one more piece of this kind could not stay."""
    return near(pieces[kind] | pieces[kind + 3]) | PERMANENT_BANS[kind]


def reach(start: int, steps: int, way: tuple[int, int], crossing: int, ending: int) -> int:
    """The squares of `ending` at the end of a path that runs over squares of `crossing`.

    A path may not step straight back, so there is one mask for each direction of arrival,
    and a step goes on from all of them but the opposite one.
    """
    far, close = way
    up = down = left = right = start
    for _ in range(steps - 1):
        across, along = left | right, up | down
        up = (up | across) << far & crossing
        down = (down | across) >> far & crossing
        right = (right | along) << close & crossing
        left = (left | along) >> close & crossing
    across, along = left | right, up | down
    upright = (up | across) << far | (down | across) >> far
    return (upright | (right | along) << close | (left | along) >> close) & ending


EMPTY_REACH = {
    (way, start, steps): reach(start, steps, way, BOARD, BOARD)
    for way in (STRAIGHT, DIAGONAL)
    for start in NAMES
    for steps in range(1, 7)
}


@lru_cache(maxsize=4096)
def destinations(pieces: Pieces, start: int, steps: int) -> int:
    """The squares where the piece on `start` can end a move of exactly so many steps."""
    index = holder_of(pieces, start)
    kind = index % 3
    others = with_flipped(pieces, index, start)
    clear = BOARD & ~sum(others) & ~MASTERS[kind]
    peaceful = clear & ~deadly(others, kind)
    prey = pieces[prey_of(index)]
    found = 0
    for way in WAYS[kind]:
        found |= reach(start, steps, way, peaceful, peaceful)
        if prey & EMPTY_REACH[way, start, steps]:
            found |= reach(start, steps, way, clear, prey)
    return found


# What a position waits for: two dice, a decision, a die, …
BEGINNING = "beginning"
TURN = "turn"
CHANGING = "changing"
CHANGED = "changed"
ROLLING = "rolling"
MOVING = "moving"
RECLAIMING = "reclaiming"
OVER = "over"

AWAITED_DICE = {BEGINNING: Roll(2, 6), CHANGING: Roll(1, 6), ROLLING: Roll(1, 6)}


class Move(NamedTuple):
    """One decision; `start` and `target` are squares, `kind` is what is reclaimed."""

    text: str
    act: str
    start: int = 0
    target: int = 0
    kind: int = 0

    def __str__(self) -> str:
        return self.text


ROLL = Move("roll", "roll")
PASS = Move("pass", "pass")
DECLINE = Move("decline", "decline")
CHANGES = {square: Move(f"change {name}", "change", square) for name, square in SQUARES.items()}
RECLAIMS = tuple(Move(f"reclaim {KIND_NAMES[kind]}", "reclaim", kind=kind) for kind in KINDS)
STEPS = {
    (start, target): Move(f"{NAMES[start]}-{NAMES[target]}", "move", start, target)
    for start in NAMES
    for target in NAMES
}
MOVES = {
    move.text: move for move in (ROLL, PASS, DECLINE, *CHANGES.values(), *RECLAIMS, *STEPS.values())
}

ROLL_CHOICE = Choice("roll", (), True)
PASS_CHOICE = Choice("pass", (), True)
DECLINE_CHOICE = Choice("decline", (), True)
CHANGE_CHOICES = {
    square: Choice(move.text, (NAMES[square],), True) for square, move in CHANGES.items()
}
START_CHOICES = {square: Choice(name, (name,), False) for name, square in SQUARES.items()}
TARGET_CHOICES = {square: Choice(f"-{name}", (name,), True) for name, square in SQUARES.items()}
RECLAIM_CHOICES = tuple(
    tuple(Choice(move.text, (NAMES[centre],), True) for move in RECLAIMS) for centre in CENTRES
)
