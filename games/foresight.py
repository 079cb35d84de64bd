"""Where a branch of a plan leads: positions that have not come about, as far as one can tell."""

from dataclasses import dataclass
from enum import StrEnum

from games.conditional import RESIGN, Branch, Tree
from games.rules.position import MoveError, Outcome, Position, Roll, Turn


class Stage(StrEnum):
    """What is to be said next about a branch."""

    THEIR_THROW = "their-throw"
    THEIR_MOVE = "their-move"
    MY_THROW = "my-throw"
    MY_MOVE = "my-move"
    GOES_ON = "goes-on"
    OVER = "over"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """What has been said so far; `supposed` is a throw of the opponent's, to look at alone."""

    move: str | None = None
    dice: tuple[int, ...] = ()
    supposed: int | None = None


@dataclass(frozen=True, slots=True)
class Foreseen:
    """`totals` are the throws that can be chosen from, where one is to be."""

    stage: Stage
    position: Position | None = None
    totals: tuple[int, ...] = ()


UNKNOWN = Foreseen(Stage.UNKNOWN)


def looked_at(position: Position | None, seat: int, said: Said) -> Foreseen:
    """How far what is said leads, and what is to be said next; raises MoveError."""
    if position is None:
        return UNKNOWN
    if isinstance(position.awaiting, Outcome):
        return Foreseen(Stage.OVER, position)
    if isinstance(position.awaiting, Roll):
        if _rolls_for(position) == seat:
            return _after_my_throw(position, seat, said)
        if said.supposed is None and said.move is None:
            return Foreseen(Stage.THEIR_THROW, position, totals_of(position))
        position = _supposed(position, said)
    if position is None or position.awaiting == Turn(seat):
        return UNKNOWN if position is None else Foreseen(Stage.MY_MOVE, position)
    if said.move is None:
        return Foreseen(Stage.THEIR_MOVE, position)
    return _after_my_throw(position.play(position.parse(said.move)), seat, said)


def _after_my_throw(position: Position, seat: int, said: Said) -> Foreseen:
    if isinstance(position.awaiting, Outcome):
        return Foreseen(Stage.OVER, position)
    if isinstance(position.awaiting, Roll):
        if not said.dice:
            return Foreseen(Stage.MY_THROW, position, totals_of(position))
        after = thrown(position, said.dice[0])
        if after is None:
            return UNKNOWN
        position = after
    mine = position.awaiting == Turn(seat)
    return Foreseen(Stage.MY_MOVE if mine else Stage.GOES_ON, position)


def thrown(position: Position, total: int) -> Position | None:
    """After a throw of this total; none if another follows at once, or no throw is like that."""
    roll = position.awaiting
    if not isinstance(roll, Roll) or not roll.dice <= total <= roll.dice * roll.sides:
        return None
    after = position.rolled(_faces(roll, total))
    return None if isinstance(after.awaiting, Roll) else after


def totals_of(position: Position) -> tuple[int, ...]:
    """The totals after which somebody can move."""
    roll = position.awaiting
    assert isinstance(roll, Roll)
    every = range(roll.dice, roll.dice * roll.sides + 1)
    return tuple(total for total in every if thrown(position, total) is not None)


def _faces(roll: Roll, total: int) -> tuple[int, ...]:
    """As high as they go, one die after the other."""
    faces, left = [], total
    for others in range(roll.dice - 1, -1, -1):
        face = min(roll.sides, left - others)
        faces.append(face)
        left -= face
    return tuple(faces)


def _rolls_for(position: Position) -> int | None:
    """Whose move it mostly is after the throw that is awaited."""
    afters = [thrown(position, total) for total in totals_of(position)]
    seats = [after.awaiting.seat for after in afters if after and isinstance(after.awaiting, Turn)]
    return max(set(seats), key=seats.count, default=None)


def _supposed(position: Position, said: Said) -> Position | None:
    """After the throw that is supposed, or else after one that makes the move possible."""
    if said.supposed is not None:
        return thrown(position, said.supposed)
    for total in totals_of(position):
        after = thrown(position, total)
        if after is not None and said.move is not None and _can(after, said.move):
            return after
    return None


def _can(position: Position, text: str) -> bool:
    try:
        position.parse(text)
    except MoveError:
        return False
    return True


# Along a stored plan


def after_branch(position: Position | None, seat: int, branch: Branch) -> Position | None:
    """Where the game stands when this branch has been followed."""
    if position is None or (branch.move is None and position.awaiting == Turn(1 - seat)):
        return None
    try:
        foreseen = looked_at(position, seat, Said(move=branch.move, dice=branch.dice or ()))
        after = foreseen.position
        if foreseen.stage == Stage.GOES_ON:
            return after
        if foreseen.stage != Stage.MY_MOVE or after is None or branch.then in (None, RESIGN):
            return None
        return after.play(after.parse(branch.then))
    except MoveError:
        return None


def along(position: Position, seat: int, tree: Tree, path: tuple[int, ...]) -> Position | None:
    """Where the game stands at a list of branches; raises IndexError if there is none."""
    here: Position | None = position
    for number in path:
        here = after_branch(here, seat, tree[number])
        tree = tree[number].next
    return here
