"""Tritoc: nine fields of nine holes, to be won by threes in a line where the dice allow a piece."""

import re
from collections.abc import Mapping
from typing import NamedTuple, TypeVar

from games.rules.notation import normalised
from games.rules.position import (
    JSON,
    AmbiguousMove,
    Choice,
    IllegalMove,
    InvalidMove,
    Option,
    Outcome,
    Roll,
    Ruleset,
    Turn,
    checked_options,
)

T = TypeVar("T")

OPTIONS = (Option("dice", "standard", ("standard", "equal")),)
ROLLS = {"standard": Roll(2, 6), "equal": Roll(1, 29)}
EQUAL_TOTALS = {face: 3 + (face - 1) // 3 for face in range(1, 28)} | {28: 2, 29: 12}

TURNS = (Turn(0), Turn(1))
THROWS_IN_A_TURN = 3
PASSES_TO_A_DRAW = 4
POINTS_FOR_THE_GAME = 5

TAKE_OWN = 2
TAKE_OPPONENTS = 12
TAKING = (TAKE_OWN, TAKE_OPPONENTS)
LABELS = range(3, 12)
FIELDS = range(9)

# The nine fields of the board, like the nine holes of a field, are nine bits in reading order.
ALL_NINE = 0b111_111_111
ROWS = (0b000_000_111, 0b000_111_000, 0b111_000_000)
COLUMNS = (0b001_001_001, 0b010_010_010, 0b100_100_100)
DIAGONALS = (0b100_010_001, 0b001_010_100)
HAS_LINE = tuple(
    any(nine & line == line for line in ROWS + COLUMNS + DIAGONALS) for nine in range(512)
)

# A hole is one bit of 81: nine for each field, field 1 lowest.
HOLES = {f"{f + 1}.{label}": 1 << 9 * f + label - 3 for f in FIELDS for label in LABELS}
LABELLED = {label: sum(1 << 9 * f + label - 3 for f in FIELDS) for label in LABELS}
OPEN_HOLES = tuple(
    sum(ALL_NINE << 9 * f for f in FIELDS if not closed >> f & 1) for closed in range(512)
)


class Move(NamedTuple):
    """A piece put into a hole or taken from it; `keep` takes from none."""

    text: str
    hole: int
    takes: bool

    def __str__(self) -> str:
        return self.text


PUT = {hole: Move(name, hole, False) for name, hole in HOLES.items()}
TAKE = {hole: Move(f"x{name}", hole, True) for name, hole in HOLES.items()}
KEEP = Move("keep", 0, True)
MOVES = {move.text: move for move in (*PUT.values(), *TAKE.values(), KEEP)}

PUT_CHOICES = {hole: Choice(name, (name,), True) for name, hole in HOLES.items()}
TAKE_CHOICES = {hole: Choice(f"x{name}", (name,), True) for name, hole in HOLES.items()}
KEEP_CHOICE = Choice("keep", (), True)

WRITTEN = re.compile("(x?) ?(?:([1-9]) ?[.,] ?)?([3-9]|10|11)")

LETTERS = str.maketrans("012", ".ry")
RED = str.maketrans(".ry", "010")
YELLOW = str.maketrans(".ry", "001")


class Tritoc(NamedTuple):
    """`throws` are those of this turn; a move is awaited for the last of them, if it is usable.

    `won` and `closed` are fields; they follow from the pieces.
    """

    dice: str
    seat: int
    pieces: tuple[int, int]
    won: tuple[int, int]
    closed: int
    throws: tuple[tuple[int, ...], ...]
    passes: int
    awaiting: Turn | Roll | Outcome

    @property
    def total(self) -> int:
        """What the last throw of this turn amounts to, or 0."""
        return total_of(self.throws[-1]) if self.throws else 0

    def legal_moves(self) -> list[Move]:
        return self._allowed(PUT, TAKE, KEEP)

    def choices(self, prefix: str = "") -> tuple[Choice, ...]:
        return () if prefix else tuple(self._allowed(PUT_CHOICES, TAKE_CHOICES, KEEP_CHOICE))

    def parse(self, text: str) -> Move:
        self._demand_turn()
        move = MOVES.get(text) or self._read(normalised(text))
        if not self._allows(move):
            raise self._objection(move)
        return move

    def play(self, move: Move) -> "Tritoc":
        self._demand_turn()
        if not self._allows(move):
            raise self._objection(move)
        red, yellow = self.pieces
        if move.takes:
            red, yellow = red & ~move.hole, yellow & ~move.hole
        elif self.seat == 0:
            red |= move.hole
        else:
            yellow |= move.hole
        return arranged(self.dice, 1 - self.seat, (red, yellow))

    def rolled(self, dice: tuple[int, ...]) -> "Tritoc":
        roll = self.awaiting
        if not isinstance(roll, Roll):
            raise ValueError("No roll is awaited.")
        if len(dice) != roll.dice or any(face not in range(1, roll.sides + 1) for face in dice):
            raise ValueError(f"{dice} is no throw of {roll}.")
        throws = (*self.throws, tuple(dice))
        if self._reach(total_of(throws[-1])):
            return self._replace(throws=throws, awaiting=TURNS[self.seat])
        if len(throws) < THROWS_IN_A_TURN:
            return self._replace(throws=throws)
        return arranged(self.dice, 1 - self.seat, self.pieces, passes=self.passes + 1)

    def forfeited_by(self, seat: int) -> Outcome:
        """A loss, or a draw if each line of fields has a closed one that is not the opponent's."""
        lost_to_opponent = self.closed & ~self.won[1 - seat]
        if HAS_LINE[ALL_NINE & ~lost_to_opponent]:
            return Outcome((1.0, 0.0) if seat else (0.0, 1.0), "time", points_for(self.won))
        return Outcome((0.5, 0.5), "time", points_for(self.won))

    def to_json(self) -> JSON:
        return {
            "dice": self.dice,
            "board": pictured(self.pieces),
            "seat": self.seat,
            "throws": [list(throw) for throw in self.throws],
            "passes": self.passes,
        }

    def _allowed(self, put: dict[int, T], take: dict[int, T], keep: T) -> list[T]:
        """What is allowed now, in the one way or another that these tables speak of it."""
        if not isinstance(self.awaiting, Turn):
            return []
        total = self.total
        table = take if total in TAKING else put
        allowed = [table[hole] for hole in each_bit(self._reach(total))]
        return [*allowed, keep] if total == TAKE_OPPONENTS else allowed

    def _reach(self, total: int) -> int:
        """The holes that a throw of this total allows to be filled or emptied."""
        if total == TAKE_OPPONENTS:
            return self.pieces[1 - self.seat] & OPEN_HOLES[self.closed]
        if total == TAKE_OWN:
            return self.pieces[self.seat] & OPEN_HOLES[self.closed]
        return LABELLED[total] & OPEN_HOLES[self.closed] & ~(self.pieces[0] | self.pieces[1])

    def _allows(self, move: Move) -> bool:
        total = self.total
        if move.hole == 0:
            return total == TAKE_OPPONENTS
        return move.takes == (total in TAKING) and bool(self._reach(total) & move.hole)

    def _demand_turn(self) -> None:
        if isinstance(self.awaiting, Outcome):
            raise IllegalMove("The game is over.")
        if isinstance(self.awaiting, Roll):
            raise IllegalMove("The dice have not been thrown yet.")

    def _read(self, text: str) -> Move:
        """The move that `text` names, legal or not; a label alone will do where one hole fits."""
        if text in MOVES:
            return MOVES[text]
        written = WRITTEN.fullmatch(text)
        if not written:
            raise InvalidMove(
                "A move here names a field and a hole of it: 5.7 puts a piece there, x5.7 removes"
                " one, keep leaves all as it is. You could play {example}.",
                example=self.legal_moves()[0],
            )
        x, field, label = written.groups()
        return MOVES[f"{x}{field}.{label}"] if field else self._only_one(x, label)

    def _only_one(self, x: str, label: str) -> Move:
        end = f".{label}"
        legal = self.legal_moves()
        moves = [move for move in legal if move.text.endswith(end) and move.takes == bool(x)]
        if len(moves) > 1:
            raise AmbiguousMove(
                "{text} could be any of these: {moves}.",
                text=x + label,
                moves=", ".join(map(str, moves)),
            )
        if not moves:
            raise IllegalMove(
                "You threw {total}; {text} is no hole for that. You could play {example}.",
                total=self.total,
                text=x + label,
                example=legal[0],
            )
        return moves[0]

    def _objection(self, move: Move) -> IllegalMove:
        """Why a move that is not allowed is not."""
        total, hole = self.total, move.text.removeprefix("x")
        if move.hole == 0:
            return IllegalMove(
                "You threw {total}; only after a 12 may all be left as it is.", total=total
            )
        if move.takes != (total in TAKING):
            return self._objection_to_kind(total)
        if not move.takes and not move.hole & LABELLED[total]:
            return IllegalMove(
                "You threw {total}, so no piece can go into {hole}.", total=total, hole=hole
            )
        if not move.hole & OPEN_HOLES[self.closed]:
            return IllegalMove(
                "{hole} is in field {field}, which is won or full, and so closed.",
                hole=hole,
                field=hole[0],
            )
        if not move.hole & (self.pieces[0] | self.pieces[1]):
            return IllegalMove("There is no piece in {hole}.", hole=hole)
        return self._objection_to_piece(total, hole)

    def _objection_to_kind(self, total: int) -> IllegalMove:
        example = self.legal_moves()[0]
        if total in TAKING:
            return IllegalMove(
                "You threw {total}: a piece is removed, not put. You could play {example}.",
                total=total,
                example=example,
            )
        return IllegalMove(
            "You threw {total}: a piece is put, not removed. You could play {example}.",
            total=total,
            example=example,
        )

    def _objection_to_piece(self, total: int, hole: str) -> IllegalMove:
        if total == TAKE_OWN:
            return IllegalMove(
                "After a 2 you remove a piece of your own; the one in {hole} is not.", hole=hole
            )
        if total == TAKE_OPPONENTS:
            return IllegalMove(
                "After a 12 you remove a piece of your opponent; the one in {hole} is yours.",
                hole=hole,
            )
        return IllegalMove("There is a piece in {hole} already.", hole=hole)


def total_of(throw: tuple[int, ...]) -> int:
    return sum(throw) if len(throw) == 2 else EQUAL_TOTALS[throw[0]]


def each_bit(mask: int) -> list[int]:
    """The single bits of a mask, lowest first."""
    bits = []
    while mask:
        bit = mask & -mask
        bits.append(bit)
        mask ^= bit
    return bits


def arranged(
    dice: str,
    seat: int,
    pieces: tuple[int, int],
    throws: tuple[tuple[int, ...], ...] = (),
    passes: int = 0,
) -> Tritoc:
    """The position that these pieces and throws make."""
    red, yellow = pieces
    won = lined_fields(red), lined_fields(yellow)
    closed = won[0] | won[1] | full_fields(red | yellow)
    awaiting = outcome_of(won, closed, passes) or ROLLS[dice]
    position = Tritoc(dice, seat, pieces, won, closed, throws, passes, awaiting)
    if throws and position._reach(position.total):
        return position._replace(awaiting=TURNS[seat])
    return position


def lined_fields(pieces: int) -> int:
    return sum(HAS_LINE[pieces >> 9 * field & ALL_NINE] << field for field in FIELDS)


def full_fields(pieces: int) -> int:
    return sum((pieces >> 9 * field & ALL_NINE == ALL_NINE) << field for field in FIELDS)


def outcome_of(won: tuple[int, int], closed: int, passes: int) -> Outcome | None:
    red, yellow = points_for(won)
    if HAS_LINE[won[0]]:
        return Outcome((1.0, 0.0), "fields", (red + POINTS_FOR_THE_GAME, yellow))
    if HAS_LINE[won[1]]:
        return Outcome((0.0, 1.0), "fields", (red, yellow + POINTS_FOR_THE_GAME))
    if closed == ALL_NINE:
        return Outcome((0.5, 0.5), "full", (red, yellow))
    if passes == PASSES_TO_A_DRAW:
        return Outcome((0.5, 0.5), "blocked", (red, yellow))
    return None


def points_for(won: tuple[int, int]) -> tuple[int, int]:
    return won[0].bit_count(), won[1].bit_count()


def pictured(pieces: tuple[int, int]) -> str:
    """The board as text: a letter for each hole, a word for each field.

    Binary digits read as decimal ones add up without a carry: 1 is red, 2 is yellow.
    """
    red, yellow = (int(f"{mask:b}") for mask in pieces)
    holes = f"{red + 2 * yellow:081}"[::-1].translate(LETTERS)
    return " ".join(holes[9 * field : 9 * field + 9] for field in FIELDS)


def mask_of(colour: dict[int, int], board: str) -> int:
    return int(board.replace(" ", "")[::-1].translate(colour), 2)


def start(options: Mapping[str, object]) -> Tritoc:
    return arranged(str(checked_options(OPTIONS, options)["dice"]), 0, (0, 0))


def load(stored: JSON) -> Tritoc:
    return arranged(
        stored["dice"],
        stored["seat"],
        (mask_of(RED, stored["board"]), mask_of(YELLOW, stored["board"])),
        tuple(tuple(throw) for throw in stored["throws"]),
        stored["passes"],
    )


RULESET = Ruleset("tritoc", "Tritoc", 1, OPTIONS, start, load)
