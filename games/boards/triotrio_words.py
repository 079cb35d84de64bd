"""TrioTrio in words: the board in letters and lines, and what stands and happens in sentences."""

from textwrap import fill

from games.rules import triotrio_moves as moves
from games.rules.position import Outcome, Translate
from games.rules.triotrio import RULESET, Position
from games.rules.triotrio_moves import (
    COW,
    KINDS,
    NAMES,
    PERMANENTS,
    SQUARES,
    holder_of,
    squares_in,
    union,
)

WIDTH = 78
COLUMNS = "abcdefg"
KIND_LETTERS = "RPS"
SEAT_LETTERS = "yb"
INLAID = {COW: ("(", "C", ")")} | {
    square: ("[", KIND_LETTERS[kind], "]") for kind, square in PERMANENTS.items()
}
EMPTY = (" ", ".", " ")
HEADER = "   " + "".join(f"{column:^5}" for column in COLUMNS).rstrip()


def text(position: Position, *, translate: Translate = str) -> str:
    sentences = (
        translate(
            "yR is Yellow's rock, bP Blue's paper, S are scissors; in [ ] are the permanent paper"
            " and scissors, in ( ) is the Golden Cow."
        ),
        translate("Turn {turn} of {limit}.").format(
            turn=turn_number(position), limit=position.turn_limit
        ),
        *on_the_cow(position, translate),
        *last_throw(position, translate),
        happening(position, translate),
    )
    lines = (RULESET.name, "", *board_lines(position), "", *(fill(s, WIDTH) for s in sentences))
    return "\n".join(lines) + "\n"


def describe(position: Position, *, translate: Translate = str) -> str:
    standing = "; ".join(
        f"{name_of(seat, translate)}: {pieces_of(position, seat, translate)}" for seat in (0, 1)
    )
    cow = on_the_cow(position, translate)
    return " ".join((f"{standing}.", *cow, happening(position, translate)))


def name_of(seat: int, translate: Translate) -> str:
    return translate("Blue") if seat else translate("Yellow")


def kind_name(kind: int, translate: Translate) -> str:
    return (translate("rock"), translate("paper"), translate("scissors"))[kind]


def turn_number(position: Position) -> int:
    """The turn that is being played, or was the last."""
    return min(position.turns + 1, position.turn_limit)


def board_lines(position: Position) -> list[str]:
    rows = [
        f" {row} " + "".join(cell(position, f"{column}{row}") for column in COLUMNS) + f" {row}"
        for row in range(7, 0, -1)
    ]
    return [HEADER, *rows, HEADER]


def cell(position: Position, name: str) -> str:
    """A square in five columns: ` yR  `, or in the brackets of what is inlaid there, `( C) `."""
    square = SQUARES[name]
    opening, inlaid, closing = INLAID.get(square, EMPTY)
    piece = f" {inlaid}"
    if square & sum(position.pieces):
        seat, kind = divmod(holder_of(position.pieces, square), 3)
        piece = SEAT_LETTERS[seat] + KIND_LETTERS[kind]
    return f"{opening}{piece}{closing} "


def pieces_of(position: Position, seat: int, translate: Translate) -> str:
    pieces = [
        f"{kind_name(kind, translate)} {NAMES[square]}"
        for kind in KINDS
        for square in squares_in(position.pieces[3 * seat + kind])
    ]
    return ", ".join(pieces) or translate("no piece")


def on_the_cow(position: Position, translate: Translate) -> list[str]:
    """One sentence on the count or the debt of who stands on the Cow, if anybody does."""
    if not COW & sum(position.pieces):
        return []
    if position.owes:
        template = translate("{player} on the Golden Cow has reclaimed a piece and must leave it.")
    else:
        template = translate("{player} is on the Golden Cow, with a count of {count} of 3.")
    seat = int(bool(COW & union(position.pieces, 1)))
    return [template.format(player=name_of(seat, translate), count=position.cow)]


def happening(position: Position, translate: Translate) -> str:
    """Whose turn it is and what for, or how the game ended."""
    if isinstance(position.awaiting, Outcome):
        return ending(position.awaiting, translate)
    return task(position, translate).format(
        player=name_of(position.seat, translate),
        dice=thrown(position),
        purpose=thrown_for(position, translate),
    )


def last_throw(position: Position, translate: Translate) -> list[str]:
    """One sentence on a throw that no decision waits for, if there is one."""
    if not position.dice or position.phase in (moves.MOVING, moves.CHANGED):
        return []
    purpose = thrown_for(position, translate)
    template = translate("Thrown last, {purpose}: {dice}.")
    return [template.format(dice=thrown(position), purpose=purpose)]


def thrown(position: Position) -> str:
    return ", ".join(map(str, position.dice))


def thrown_for(position: Position, translate: Translate) -> str:
    """What the dice were thrown for, or will be."""
    if not position.thrown_for:
        return translate("for who begins")
    if position.thrown_for == "roll":
        return translate("for a move")
    square = position.thrown_for.removeprefix("change ")
    return translate("to change {square}").format(square=square)


def task(position: Position, translate: Translate) -> str:
    match position.phase, moves.PASS_CHOICE in position.choices():
        case moves.BEGINNING, _:
            return translate("The dice are to be thrown for who begins.")
        case moves.MOVING, _:
            return translate("{player} threw {dice} and must move a piece so far.")
        case moves.RECLAIMING, _:
            return translate("{player} may reclaim a piece, or decline.")
        case moves.CHANGED, True:
            return translate("{player} threw {dice} {purpose}, and may roll or pass.")
        case moves.CHANGED, False:
            return translate("{player} threw {dice} {purpose}, and must roll.")
        case moves.TURN, True:
            return translate("{player} may roll, pass or first change a piece.")
        case moves.TURN, False:
            return translate("{player} must roll, but may first change a piece.")
    return translate("{player} is to throw {purpose}.")


def verdict(outcome: Outcome, translate: Translate) -> str:
    if 1.0 not in outcome.scores:
        return translate("A draw")
    return translate("{player} has won").format(
        player=name_of(outcome.scores.index(1.0), translate)
    )


def ending(outcome: Outcome, translate: Translate) -> str:
    if 1.0 in outcome.scores:
        winner, loser = outcome.scores.index(1.0), outcome.scores.index(0.0)
        return translate("{winner} has won: {loser} has no piece left.").format(
            winner=name_of(winner, translate), loser=name_of(loser, translate)
        )
    return translate("A draw: the last turn has been played.")
