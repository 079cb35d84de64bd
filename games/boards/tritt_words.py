"""A position of Tritt in words: as a board of letters, and as it would be read aloud."""

from collections.abc import Iterable
from itertools import pairwise
from textwrap import fill
from typing import NamedTuple

from games.rules import tritt_classic, tritt_reloaded
from games.rules.position import Outcome, Translate, Turn
from games.rules.tritt_board import (
    AREA,
    BLUE,
    DOTS,
    NAMES,
    ORANGE,
    ROWS,
    SPOTS,
    Places,
    line_in,
)
from games.rules.tritt_classic import TrittClassic
from games.rules.tritt_reloaded import TrittReloaded

Position = TrittReloaded | TrittClassic

COLUMNS = 78
LETTERS = "OB"
LEFT = 7
STEP = 4
HALF = STEP // 2
BARS = {0: "---", 1: "\\", 2: "/"}
"""What joins two dots of a tritton, by its axis."""


class Side(NamedTuple):
    """One colour: where its trittons lie, how many are in hand, and the look of each."""

    colour: int
    seat: int
    trittons: Places
    in_hand: int
    middle: int

    @property
    def pattern(self) -> str:
        end, middle = LETTERS[1 - self.middle], LETTERS[self.middle]
        return f"{end}-{middle}-{end}"


def title_of(position: Position) -> str:
    if isinstance(position, TrittClassic):
        return tritt_classic.RULESET.name
    return tritt_reloaded.RULESET.name


def sides_of(position: Position) -> tuple[Side, Side]:
    """Orange and Blue."""
    if isinstance(position, TrittClassic):
        hand, ends_are_own, swapped = tritt_classic.HAND, True, position.terms.swapped
    else:
        hand, ends_are_own, swapped = tritt_reloaded.HAND, False, False
    orange, blue = (
        Side(colour, colour ^ swapped, lying, hand - len(lying), colour ^ ends_are_own)
        for colour, lying in enumerate(position.trittons)
    )
    return orange, blue


def name_of(colour: int, translate: Translate) -> str:
    return translate("Orange") if colour == ORANGE else translate("Blue")


def winner_of(position: Position) -> Side | None:
    """The side that has won, if one has."""
    outcome = position.awaiting
    if not isinstance(outcome, Outcome) or outcome.scores[0] == outcome.scores[1]:
        return None
    return next(side for side in sides_of(position) if outcome.scores[side.seat])


def state_of(position: Position, side: Side, translate: Translate) -> tuple[str, str]:
    """What stands below a player's name."""
    in_hand = translate("{number} in hand").format(number=side.in_hand)
    if position.awaiting == Turn(side.seat):
        return in_hand, translate("to move")
    return in_hand, translate("has won") if winner_of(position) == side else ""


def dots_told(position: Position, translate: Translate) -> dict[str, str]:
    """Each dot and what lies on it."""
    orange, blue = position.dots
    words = translate("free"), translate("orange"), translate("blue")
    return {
        name: f"{name}, {words[1 if dot & orange else 2 if dot & blue else 0]}"
        for name, dot in DOTS.items()
    }


def text(position: Position, *, translate: Translate = str) -> str:
    sides = sides_of(position)
    legend = translate("{orange} is an orange dot, {blue} a blue one, a full stop a free one.")
    lines = [
        title_of(position),
        "",
        *_grid(position),
        "",
        fill(legend.format(orange=LETTERS[ORANGE], blue=LETTERS[BLUE]), COLUMNS),
        "",
        *(_listed(side, translate) for side in sides),
        "",
        fill(_standing(position, translate), COLUMNS),
    ]
    return "\n".join(lines) + "\n"


def describe(position: Position, *, translate: Translate = str) -> str:
    sides = (_told(side, translate) for side in sides_of(position))
    return " ".join((*sides, _standing(position, translate)))


def _grid(position: Position) -> list[str]:
    """The hexagon, each tritton a bar of three letters, with a line of air between two rows."""
    canvas = [[" "] * (LEFT + STEP * 11) for _ in range(2 * len(ROWS) - 1)]
    for name in DOTS:
        row, column = _cell(name)
        canvas[row][column] = "."
    for side in sides_of(position):
        for place in side.trittons:
            _put_tritton(canvas, place, side.middle)
    for row, letter in enumerate(reversed(ROWS)):
        canvas[2 * row][_cell(f"{letter}1")[1] - 4] = letter
    numbers = "   ".join(f"{number}" for number in range(1, 7))
    return ["".join(line).rstrip() for line in canvas] + [" " * _cell("a1")[1] + numbers]


def _cell(name: str) -> tuple[int, int]:
    """Row and column of a dot on the canvas."""
    row = ROWS.index(name[0])
    return 2 * (10 - row), LEFT + HALF * abs(row - 5) + STEP * (int(name[1:]) - 1)


def _put_tritton(canvas: list[list[str]], place: int, middle: int) -> None:
    cells = [_cell(name) for name in SPOTS[place]]
    for (row, column), colour in zip(cells, (1 - middle, middle, 1 - middle), strict=True):
        canvas[row][column] = LETTERS[colour]
    bar = BARS[place // AREA]
    for (row, column), (next_row, next_column) in pairwise(cells):
        first = (column + next_column - len(bar) + 1) // 2
        canvas[(row + next_row) // 2][first : first + len(bar)] = bar


def _listed(side: Side, translate: Translate) -> str:
    head = translate("{colour} ({pattern}), in hand {in_hand}:").format(
        colour=name_of(side.colour, translate), pattern=side.pattern, in_hand=side.in_hand
    )
    return fill(f"{head} {_places(side.trittons, ' ')}", COLUMNS, subsequent_indent="    ")


def _told(side: Side, translate: Translate) -> str:
    lying = translate("{colour} has trittons on {places}, and {in_hand} in hand.")
    none = translate("{colour} has no tritton on the board, and {in_hand} in hand.")
    return (lying if side.trittons else none).format(
        colour=name_of(side.colour, translate),
        places=_places(side.trittons, ", "),
        in_hand=side.in_hand,
    )


def _places(trittons: Iterable[int], separator: str) -> str:
    return separator.join(NAMES[place] for place in trittons) or "-"


def _standing(position: Position, translate: Translate) -> str:
    """Whose turn it is, or how it ended."""
    seats = {side.seat: name_of(side.colour, translate) for side in sides_of(position)}
    outcome, winner = position.awaiting, winner_of(position)
    if not isinstance(outcome, Outcome):
        return translate("{colour} is to move.").format(colour=seats[outcome.seat])
    if winner is None:
        return translate("A draw: this placement has come about for the third time.")
    return _ending(outcome.reason, translate).format(
        winner=seats[winner.seat],
        loser=seats[1 - winner.seat],
        dots=" ".join(line_in(position.dots[winner.colour])),
    )


def _ending(reason: str, translate: Translate) -> str:
    match reason:
        case "line":
            return translate("{winner} has won by a line of its own colour: {dots}.")
        case "opponent-line":
            return translate("{winner} has won: {loser} made a line of {winner}'s colour: {dots}.")
    return translate("{winner} has won: {loser} has no legal move left.")
