"""TrioTrio: rock, paper and scissors hunt each other on seven by seven squares."""

import re
from collections.abc import Mapping
from typing import NamedTuple, Self

from games.rules.notation import normalised
from games.rules.position import (
    JSON,
    WHOLE_NUMBERS,
    AmbiguousMove,
    Choice,
    InvalidMove,
    Option,
    Outcome,
    Roll,
    Ruleset,
    Turn,
    checked_options,
)
from games.rules.triotrio_moves import (
    AWAITED_DICE,
    BEGINNING,
    CENTRES,
    CHANGE_CHOICES,
    CHANGED,
    CHANGING,
    COW,
    DECLINE_CHOICE,
    KIND_NAMES,
    KINDS,
    MOVES,
    MOVING,
    OVER,
    PASS_CHOICE,
    RECLAIM_CHOICES,
    RECLAIMING,
    ROLL,
    ROLL_CHOICE,
    ROLLING,
    SQUARES,
    START,
    START_CHOICES,
    STEPS,
    TARGET_CHOICES,
    TURN,
    Move,
    Pieces,
    deadly,
    destinations,
    holder_of,
    prey_of,
    squares_in,
    union,
    with_flipped,
)
from games.rules.triotrio_refusals import refusal

COW_COUNT = 3
MOST_PIECES = 3

TURNS = (Turn(0), Turn(1))
FACES = frozenset(range(1, 7))
VICTORIES = (Outcome((1.0, 0.0), "last-standing"), Outcome((0.0, 1.0), "last-standing"))
TURN_LIMIT_REACHED = Outcome((0.5, 0.5), "turn-limit")

STEP_TEXT = re.compile("([a-g][1-7])[-> ]*([a-g][1-7])")

PIECE_CODES = tuple(
    {square: KIND_NAMES[kind][0] + name for name, square in SQUARES.items()} for kind in KINDS
)
CODED_PIECES = {
    code: (kind, square) for kind in KINDS for square, code in PIECE_CODES[kind].items()
}


class Position(NamedTuple):
    """`cow` and `owes` are the count and the debt of the piece on the Golden Cow.

    `thrown_for` is the move that asked for the last throw (none for who begins), and
    `dice` shows it, or is empty until it is made.
    """

    turn_limit: int
    turns: int = 0
    seat: int = 0
    phase: str = BEGINNING
    pieces: Pieces = START
    cow: int = 0
    owes: bool = False
    thrown_for: str = ""
    dice: tuple[int, ...] = ()

    @property
    def awaiting(self) -> Turn | Roll | Outcome:
        if self.phase in AWAITED_DICE:
            return AWAITED_DICE[self.phase]
        if self.phase != OVER:
            return TURNS[self.seat]
        for seat in (0, 1):
            if not union(self.pieces, 1 - seat):
                return VICTORIES[seat]
        return TURN_LIMIT_REACHED

    def forfeited_by(self, seat: int) -> Outcome:
        return Outcome((float(seat == 1), float(seat == 0)), "time")

    # What may be decided.

    def legal_moves(self) -> list[Move]:
        if self.phase == MOVING:
            return [
                STEPS[start, target]
                for start, targets in self._steps()
                for target in squares_in(targets)
            ]
        return [MOVES[choice.token] for choice in self.choices()]

    def choices(self, prefix: str = "") -> tuple[Choice, ...]:
        if self.phase == MOVING:
            return self._step_choices(prefix)
        if prefix:
            return ()
        if self.phase == RECLAIMING:
            offers = RECLAIM_CHOICES[self.seat]
            return (*(offers[kind] for kind in self._offered()), DECLINE_CHOICE)
        if self.phase not in (TURN, CHANGED):
            return ()
        acts = (ROLL_CHOICE,) if self._is_owing() else (ROLL_CHOICE, PASS_CHOICE)
        if self.phase == CHANGED:
            return acts
        own = union(self.pieces, self.seat)
        return (*acts, *[CHANGE_CHOICES[square] for square in squares_in(own)])

    def _step_choices(self, prefix: str) -> tuple[Choice, ...]:
        if not prefix:
            return tuple([START_CHOICES[start] for start, _ in self._steps()])
        targets = self._targets(SQUARES.get(prefix, 0))
        return tuple([TARGET_CHOICES[target] for target in squares_in(targets)])

    def _steps(self) -> list[tuple[int, int]]:
        """The squares of the pieces that can use the roll, each with where it can go."""
        own = union(self.pieces, self.seat)
        steps = [(start, self._targets(start)) for start in squares_in(own)]
        return [(start, targets) for start, targets in steps if targets]

    def _targets(self, start: int) -> int:
        if not start & union(self.pieces, self.seat):
            return 0
        if self._is_owing():
            away = destinations(self.pieces, COW, self.dice[0]) & ~COW
            if away:
                return away if start == COW else 0
        return destinations(self.pieces, start, self.dice[0])

    def _is_owing(self) -> bool:
        return self.owes and bool(COW & union(self.pieces, self.seat))

    def _offered(self) -> list[int]:
        """The kinds that could stand on the seat's centre start space."""
        centre = CENTRES[self.seat]
        if centre & sum(self.pieces):
            return []
        return [kind for kind in KINDS if not centre & deadly(self.pieces, kind)]

    def _allows(self, move: Move) -> bool:
        if move.act == "move":
            return self.phase == MOVING and bool(move.target & self._targets(move.start))
        return self.phase != MOVING and move in self.legal_moves()

    # What comes of it.

    def play(self, move: Move) -> Self:
        if not self._allows(move):
            raise refusal(self, move)
        match move.act:
            case "move":
                return self._moved(move.start, move.target)
            case "change":
                return self._replace(phase=CHANGING, thrown_for=move.text, dice=())
            case "roll":
                return self._replace(phase=ROLLING, thrown_for=move.text, dice=())
            case "reclaim":
                return self._reclaimed(move.kind)
            case "decline":
                return self._next_turn()
        return self._turn_ended()

    def rolled(self, dice: tuple[int, ...]) -> Self:
        awaited = AWAITED_DICE.get(self.phase)
        if awaited is None or len(dice) != awaited.dice or not FACES.issuperset(dice):
            raise ValueError(f"{dice} thrown while {self.awaiting} is awaited")
        thrown = self._replace(dice=dice)
        if self.phase == BEGINNING:
            return thrown._begun()
        if self.phase == CHANGING:
            return thrown._changed()
        moving = thrown._replace(phase=MOVING)
        return moving if moving._steps() else thrown._turn_ended()

    def _begun(self) -> Self:
        yellow, blue = self.dice
        if yellow == blue:
            return self
        return self._replace(phase=TURN, seat=int(blue > yellow))

    def _changed(self) -> Self:
        square = MOVES[self.thrown_for].start
        index = holder_of(self.pieces, square)
        kind = (self.dice[0] - 1) // 2
        if kind == index % 3:
            return self._replace(phase=CHANGED)
        others = with_flipped(self.pieces, index, square)
        if square & deadly(others, kind):
            return self._without_changed(square, others)
        pieces = with_flipped(others, 3 * self.seat + kind, square)
        return self._replace(phase=CHANGED, pieces=pieces)

    def _without_changed(self, square: int, others: Pieces) -> Self:
        phase = CHANGED if union(others, self.seat) else OVER
        if square == COW:
            return self._replace(phase=phase, pieces=others, cow=0, owes=False)
        return self._replace(phase=phase, pieces=others)

    def _moved(self, start: int, target: int) -> Self:
        moved = self._replace(pieces=self._after(start, target))
        if COW in (start, target):
            moved = moved._replace(cow=0, owes=self.owes and start == target)
        if not (union(moved.pieces, 0) and union(moved.pieces, 1)):
            return moved._replace(phase=OVER)
        return moved._turn_ended(held_still=target != COW)

    def _after(self, start: int, target: int) -> Pieces:
        """The pieces after a move, its capture and its sacrifice."""
        index = holder_of(self.pieces, start)
        others = with_flipped(self.pieces, index, start)
        if not target & sum(others):
            return with_flipped(others, index, target)
        others = with_flipped(others, prey_of(index), target)
        if union(others, 1 - self.seat) and target & deadly(others, index % 3):
            return others
        return with_flipped(others, index, target)

    def _turn_ended(self, held_still: bool = True) -> Self:
        """After captures, removals and a win: the Cow's count, a reclaim, the turn counter."""
        own = union(self.pieces, self.seat)
        if not own & COW or self.owes or not held_still:
            return self._next_turn()
        ended = self._replace(cow=min(self.cow + 1, COW_COUNT), phase=RECLAIMING)
        if ended.cow == COW_COUNT and own.bit_count() < MOST_PIECES and ended._offered():
            return ended
        return ended._next_turn()

    def _reclaimed(self, kind: int) -> Self:
        pieces = with_flipped(self.pieces, 3 * self.seat + kind, CENTRES[self.seat])
        return self._replace(pieces=pieces, cow=0, owes=True)._next_turn()

    def _next_turn(self) -> Self:
        turns = self.turns + 1
        phase = TURN if turns < self.turn_limit else OVER
        return self._replace(turns=turns, seat=1 - self.seat, phase=phase)

    # What people write.

    def parse(self, text: str) -> Move:
        """The legal move that `text` names; a square alone, `change` and `reclaim` will do
        where only one legal move fits."""
        if self.phase == OVER or self.phase in AWAITED_DICE:
            raise refusal(self, ROLL)
        move = MOVES.get(text) or self._read(normalised(text))
        if not self._allows(move):
            raise refusal(self, move)
        return move

    def _read(self, words: str) -> Move:
        if words in MOVES:
            return MOVES[words]
        if step := STEP_TEXT.fullmatch(words):
            return STEPS[SQUARES[step[1]], SQUARES[step[2]]]
        if words in SQUARES:
            return self._completed(words, "move")
        if words in ("change", "reclaim"):
            return self._completed(words, words)
        raise InvalidMove(
            "That is no move of TrioTrio. At this point a move looks like one of these: {moves}.",
            moves=", ".join(move.text for move in self.legal_moves()[:3]),
        )

    def _completed(self, words: str, act: str) -> Move:
        target = SQUARES.get(words, 0)
        fitting = [move for move in self.legal_moves() if move.act == act and move.target == target]
        if len(fitting) > 1:
            raise AmbiguousMove(
                "{text} could be any of these, so say which: {moves}.",
                text=words,
                moves=", ".join(move.text for move in fitting),
            )
        return fitting[0] if fitting else Move(words, act, target=target)

    # What is stored.

    def to_json(self) -> JSON:
        return {
            "turn_limit": self.turn_limit,
            "turns": self.turns,
            "seat": self.seat,
            "phase": self.phase,
            "yellow": _coded(self.pieces[:3]),
            "blue": _coded(self.pieces[3:]),
            "cow": self.cow,
            "owes": self.owes,
            "thrown_for": self.thrown_for,
            "dice": list(self.dice),
        }


def _coded(masks: Pieces) -> str:
    """`rb1 pd1 sf1`: one seat's pieces, the kind by its first letter."""
    return " ".join(
        [
            codes[square]
            for codes, mask in zip(PIECE_CODES, masks, strict=True)
            for square in squares_in(mask)
        ]
    )


def _decoded(text: str) -> Pieces:
    masks = [0, 0, 0]
    for code in text.split():
        kind, square = CODED_PIECES[code]
        masks[kind] |= square
    return tuple(masks)


def start(options: Mapping[str, object]) -> Position:
    return Position(int(checked_options(OPTIONS, options)["turn_limit"]))


def load(stored: JSON) -> Position:
    return Position(
        turn_limit=stored["turn_limit"],
        turns=stored["turns"],
        seat=stored["seat"],
        phase=stored["phase"],
        pieces=_decoded(stored["yellow"]) + _decoded(stored["blue"]),
        cow=stored["cow"],
        owes=stored["owes"],
        thrown_for=stored["thrown_for"],
        dice=tuple(stored["dice"]),
    )


OPTIONS = (Option("turn_limit", 200, WHOLE_NUMBERS),)

RULESET = Ruleset(
    key="triotrio",
    name="TrioTrio",
    version=1,
    options=OPTIONS,
    start=start,
    load=load,
)
