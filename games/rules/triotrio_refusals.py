"""Why a TrioTrio piece may not stand or go somewhere, as sentences for its player."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.rules.position import IllegalMove, Term
from games.rules.triotrio_moves import (
    AWAITED_DICE,
    BOARD,
    CENTRES,
    CHANGED,
    EMPTY_REACH,
    MASTERS,
    MOVING,
    NAMES,
    OVER,
    PERMANENTS,
    RECLAIMING,
    WAYS,
    Move,
    Pieces,
    deadly,
    destinations,
    holder_of,
    near,
    prey_of,
    reach,
    squares_in,
    union,
    with_flipped,
)

if TYPE_CHECKING:
    from games.rules.triotrio import Position

KIND_TERMS = (Term("rock"), Term("paper"), Term("scissors"))


def refusal(position: Position, move: Move) -> IllegalMove:
    """Which rule forbids a move that is not legal now."""
    if position.phase == OVER:
        return IllegalMove("The game is over.")
    if position.phase in AWAITED_DICE:
        return IllegalMove("The dice are to be thrown before anything is decided.")
    if position.phase == RECLAIMING:
        return _refused_reclaim(position, move)
    if position.phase == MOVING:
        return _refused_step(position, move)
    return _refused_act(position, move)


def _refused_reclaim(position: Position, move: Move) -> IllegalMove:
    if move.act == "reclaim":
        return why_deadly(position.pieces, move.kind, CENTRES[position.seat])
    return IllegalMove("Your move is made: now reclaim a piece by the Golden Cow, or decline.")


def _refused_step(position: Position, move: Move) -> IllegalMove:
    roll = position.dice[0]
    if move.act != "move":
        return IllegalMove(
            "The die shows {roll}, and one of your pieces must move by it.", roll=roll
        )
    if not move.start:
        return IllegalMove(
            "With a roll of {roll} none of your pieces may go to {square}.",
            roll=roll,
            square=move.text,
        )
    if not move.start & union(position.pieces, position.seat):
        return IllegalMove("You have no piece on {square}.", square=NAMES[move.start])
    if move.target & destinations(position.pieces, move.start, roll):
        return IllegalMove(
            "After its reclaim the piece on the Golden Cow, d4, must first move off it."
        )
    return why_not(position.pieces, move.start, move.target, roll)


def _refused_act(position: Position, move: Move) -> IllegalMove:
    match move.act:
        case "move":
            return IllegalMove("A piece moves after a roll only: say roll first.")
        case "pass":
            return IllegalMove(
                "You may not pass: after its reclaim the piece on the Golden Cow, d4, must"
                " move off it."
            )
        case "change" if position.phase == CHANGED:
            return IllegalMove("A piece was changed in this turn; a turn has one change.")
        case "change":
            return IllegalMove("You have no piece on {square}.", square=NAMES[move.start])
    return IllegalMove(
        "A piece is reclaimed at the end of a turn, with a count of 3 on the Golden Cow, d4,"
        " and fewer than three pieces on the board."
    )


def why_deadly(others: Pieces, kind: int, square: int) -> IllegalMove:
    """What forbids one more piece of this kind on a deadly square."""
    if square & MASTERS[kind]:
        return IllegalMove(
            "The permanent {master} on {square} beats {kind}.",
            master=KIND_TERMS[(kind + 1) % 3],
            square=NAMES[square],
            kind=KIND_TERMS[kind],
        )
    like = others[kind] | others[kind + 3] | PERMANENTS.get(kind, 0)
    return IllegalMove(
        "Like pieces repel: {square} is within one square of {kind} on {like}.",
        square=NAMES[square],
        kind=KIND_TERMS[kind],
        like=named(like & near(square)),
    )


def why_not(pieces: Pieces, start: int, target: int, steps: int) -> IllegalMove:
    """What forbids the piece on `start` a move to a square that is not of its destinations."""
    index = holder_of(pieces, start)
    kind = index % 3
    others = with_flipped(pieces, index, start)
    if not any(target & EMPTY_REACH[way, start, steps] for way in WAYS[kind]):
        return IllegalMove(
            "With a roll of {steps} no {kind} gets from {start} to {target}, on whatever path.",
            steps=steps,
            kind=KIND_TERMS[kind],
            start=NAMES[start],
            target=NAMES[target],
        )
    if target & sum(others) & ~pieces[prey_of(index)]:
        return why_no_capture(pieces, index, target)
    crossing = BOARD & ~sum(others) & ~MASTERS[kind]
    if not target & pieces[prey_of(index)]:
        crossing &= ~deadly(others, kind)
        if not target & crossing:
            return why_deadly(others, kind, target)
    return IllegalMove(
        "With a roll of {steps} every path from {start} to {target} is barred, on {squares}:"
        " by a piece, by a like piece within one square or by a permanent.",
        steps=steps,
        start=NAMES[start],
        target=NAMES[target],
        squares=named(barriers(start, target, steps, WAYS[kind], crossing)),
    )


def why_no_capture(pieces: Pieces, index: int, target: int) -> IllegalMove:
    """What forbids landing on an occupied square that does not hold this piece's prey."""
    occupant = holder_of(pieces, target)
    if occupant // 3 == index // 3:
        return IllegalMove(
            "Your own {kind} stands on {square}.",
            kind=KIND_TERMS[occupant % 3],
            square=NAMES[target],
        )
    return IllegalMove(
        "Your {kind} does not beat the {enemy} on {square}.",
        kind=KIND_TERMS[index % 3],
        enemy=KIND_TERMS[occupant % 3],
        square=NAMES[target],
    )


def named(mask: int) -> str:
    return " ".join(NAMES[square] for square in squares_in(mask))


def barriers(
    start: int, target: int, steps: int, ways: tuple[tuple[int, int], ...], crossing: int
) -> int:
    """The squares at which paths that would lead to the target first leave `crossing`."""
    found = 0
    for way in ways:
        for step in range(1, steps):
            met = reach(start, step, way, crossing, BOARD & ~crossing)
            found |= met & EMPTY_REACH[way, target, steps - step]
    return found
