"""Conditional moves as a tree: "if he plays this, and the dice show that, then I play so".

A tree is a list of branches, tried in their order:

    {"move": "c3-e5", "dice": [7, 12], "then": "5.7", "next": [ … ]}

`move` is what the opponent plays; none stands for whatever he does until it is one's own turn,
and for the dice after one's own move. `dice` are totals of the last throw, none for any.
`then` is one's reply, `resign`, or none for "ask me". `next` is the tree from there on.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Self

from games.rules.notation import normalised
from games.rules.position import MoveError, Position, Refusal, Turn

MOST_BRANCHES = 500
MOST_BYTES = 64_000
MOST_TOTALS = 36
HIGHEST_TOTAL = 99
DEEPEST = 100
LONGEST_TEXT = 80
RESIGN = "resign"

Tree = tuple["Branch", ...]


class InvalidPlan(Refusal):
    """A tree that could not be stored; the sentence says what is wrong and where."""

    code = "invalid_plan"
    status = HTTPStatus.UNPROCESSABLE_ENTITY


@dataclass(frozen=True, slots=True)
class Branch:
    move: str | None
    dice: tuple[int, ...] | None
    then: str | None
    next: Tree

    def to_json(self) -> dict[str, Any]:
        return {
            "move": self.move,
            "dice": None if self.dice is None else list(self.dice),
            "then": self.then,
            "next": [branch.to_json() for branch in self.next],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Of data that `checked` has let through."""
        return cls(
            move=data["move"],
            dice=None if data["dice"] is None else tuple(data["dice"]),
            then=data["then"],
            next=tree(data["next"]),
        )

    def fits(self, event: "Event") -> bool:
        if self.dice is not None and event.total not in self.dice:
            return False
        if self.move is None:
            return event.is_my_turn
        return self.move == event.move


@dataclass(frozen=True, slots=True)
class Event:
    """A line of the log as a plan sees it; `move` is none where it was one's own."""

    move: str | None
    total: int | None
    is_my_turn: bool


def tree(data: Sequence[Mapping[str, Any]]) -> Tree:
    return tuple(Branch.from_json(branch) for branch in data)


def chosen(branches: Tree, event: Event) -> Branch | None:
    """The first branch that fits what happened."""
    return next((branch for branch in branches if branch.fits(event)), None)


def still_waits(branches: Tree, event: Event) -> bool:
    """Whether a plan stands unchanged because the opponent has not done yet."""
    return not event.is_my_turn and any(branch.move is None for branch in branches)


# Reading what people send


def checked(data: object) -> list[dict[str, Any]]:
    """The tree in its stored form; raises InvalidPlan."""
    counted: list[int] = []
    checked_tree = _checked_tree(data, "", counted)
    if len(json.dumps(checked_tree).encode()) > MOST_BYTES:
        raise InvalidPlan(
            "Your conditional moves are too long: they can take up {most} kB. Remove some.",
            most=MOST_BYTES // 1000,
        )
    return checked_tree


def _checked_tree(data: object, where: str, counted: list[int]) -> list[dict[str, Any]]:
    if not isinstance(data, list):
        raise InvalidPlan("A plan is a list of branches.")
    if where.count("/") >= DEEPEST:
        raise InvalidPlan("A plan can be {most} branches deep at most.", most=DEEPEST)
    return [
        _checked_branch(branch, f"{where}/{number}", counted)
        for number, branch in enumerate(data, start=1)
    ]


def _checked_branch(data: object, where: str, counted: list[int]) -> dict[str, Any]:
    counted.append(1)
    if len(counted) > MOST_BRANCHES:
        raise InvalidPlan("A plan can have {most} branches at most.", most=MOST_BRANCHES)
    if not isinstance(data, dict) or set(data) - {"move", "dice", "then", "next"}:
        raise InvalidPlan(
            "Branch {where} is not an object with move, dice, then and next.", where=where
        )
    following = _checked_tree(data.get("next") or [], where, counted)
    then = _checked_text(data.get("then"), where)
    if then == RESIGN and following:
        raise InvalidPlan("Branch {where} resigns, so nothing can follow it.", where=where)
    return {
        "move": _checked_text(data.get("move"), where),
        "dice": _checked_dice(data.get("dice"), where),
        "then": then,
        "next": following,
    }


def _checked_text(value: object, where: str) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST_TEXT:
        raise InvalidPlan("A move of branch {where} is not the text of a move.", where=where)
    return normalised(value)


def _checked_dice(value: object, where: str) -> list[int] | None:
    if value is None:
        return None
    if not isinstance(value, list) or not value or not all(_is_total(total) for total in value):
        raise InvalidPlan("The dice of branch {where} are not a list of totals.", where=where)
    if len(value) > MOST_TOTALS:
        raise InvalidPlan("Branch {where} can name {most} totals.", where=where, most=MOST_TOTALS)
    return value


def _is_total(value: object) -> bool:
    return type(value) is int and 1 <= value <= HIGHEST_TOTAL


def canonical(data: list[dict[str, Any]], position: Position, seat: int) -> list[dict[str, Any]]:
    """The tree with its moves as the rules write them, as far as they can be foreseen.

    Up to the first dice every move is checked; raises InvalidPlan with the rule that forbids one.
    """
    return [_canonical_branch(branch, position, seat) for branch in data]


def _canonical_branch(data: dict[str, Any], position: Position, seat: int) -> dict[str, Any]:
    before, move = None, None
    if data["move"] is not None:
        before, move = _step(position, 1 - seat, data["move"])
    if data["then"] is None or data["then"] == RESIGN:
        after, then = before, data["then"]
    else:
        after, then = _step(before, seat, data["then"])
    following = data["next"] if after is None else canonical(data["next"], after, seat)
    return {**data, "move": move, "then": then, "next": following}


def _step(position: Position | None, seat: int, text: str) -> tuple[Position | None, str]:
    """The position after a move, none once it cannot be foreseen, and the move's text."""
    if position is None or position.awaiting != Turn(seat):
        return None, text
    try:
        move = position.parse(text)
    except MoveError as error:
        raise InvalidPlan("In your plan: {why}", why=str(error)) from error
    return position.play(move), str(move)
