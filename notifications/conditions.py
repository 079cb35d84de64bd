"""Conditional moves as lines of a mail: "if c3-e5 then d4-f6; if a1-a3 dice 7 then resign"."""

import re
from collections.abc import Callable, Sequence
from typing import Any

from games.conditional import RESIGN, InvalidPlan

BRANCH = re.compile(r"(?:if|wenn) +(.+?) +(?:then|dann) +(.+)")
DICE = re.compile(
    r"(?:(.*?) ?(?:and |with |und |mit )?)?\b(?:dice|würfel) "
    r"(\d{1,2}(?: ?(?:,|/| or | oder ) ?\d{1,2})*)"
)
ANYTHING = ("any", "anything", "any move", "egal", "irgendwas")
ASK = ("ask", "ask me", "frag", "frag mich")
RESIGNING = (RESIGN, "aufgeben")


def is_conditional(text: str, is_move: Callable[[str], bool]) -> bool:
    """Whether a line is meant as one: it has the form, and a move in it."""
    written = BRANCH.fullmatch(text.partition(";")[0].strip())
    return written is not None and any(
        move is not None and is_move(move) for move in (_condition(written[1])[0], written[2])
    )


def tree(lines: Sequence[str], is_move: Callable[[str], bool]) -> list[dict[str, Any]]:
    """One branch a line, tried in their order; raises InvalidPlan.

    After a semicolon the line goes on with what is to come after that.
    """
    return [_branch(line.split(";"), is_move) for line in lines]


def _branch(steps: Sequence[str], is_move: Callable[[str], bool]) -> dict[str, Any]:
    first, *later = steps
    written = BRANCH.fullmatch(" ".join(first.split()))
    if written is None:
        raise _unreadable(first)
    move, dice = _condition(written[1])
    then = _reply(written[2])
    for text in (move, then):
        if text not in (None, RESIGN) and not is_move(text):
            raise _unreadable(text)
    following = [_branch(later, is_move)] if later else []
    return {"move": move, "dice": dice, "then": then, "next": following}


def _condition(text: str) -> tuple[str | None, list[int] | None]:
    dice = None
    if thrown := DICE.fullmatch(text):
        text = (thrown[1] or "").strip() or ANYTHING[0]
        dice = [int(total) for total in re.findall(r"\d+", thrown[2])]
    return None if text in ANYTHING else text, dice


def _reply(text: str) -> str | None:
    if text in ASK:
        return None
    return RESIGN if text in RESIGNING else text


def _unreadable(text: str) -> InvalidPlan:
    return InvalidPlan(
        "“{text}” is no conditional move. One is written like this: if, your opponent’s move,"
        " then, your answer.",
        text=text.strip(),
    )
