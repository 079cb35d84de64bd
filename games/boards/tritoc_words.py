"""Tritoc in words: the board in letters and lines, and what stands and happens in sentences."""

from textwrap import fill

from games.rules.position import Outcome, Translate, Turn
from games.rules.tritoc import (
    FIELDS,
    RULESET,
    TAKE_OPPONENTS,
    TAKE_OWN,
    Tritoc,
    pictured,
    total_of,
)

WIDTH = 78
LETTERS = {"r": "R", "y": "Y"}
RULE = "+".join(("-" * 15,) * 3)


def text(position: Tritoc, *, translate: Translate = str) -> str:
    """The board, a free hole by its label, and all that a move depends on."""
    sentences = (
        translate("R is Red, Y is Yellow, a number is a free hole; [R], [Y]: won, [=]: full."),
        standing(position, translate),
        *throws_before(position, translate),
        *passes(position, translate),
        happening(position, translate),
    )
    lines = (RULESET.name, "", *board_lines(position), "", *(fill(s, WIDTH) for s in sentences))
    return "\n".join(lines) + "\n"


def describe(position: Tritoc, *, translate: Translate = str) -> str:
    return f"{standing(position, translate)} {happening(position, translate)}"


def name_of(seat: int, translate: Translate) -> str:
    return translate("Yellow") if seat else translate("Red")


def board_lines(position: Tritoc) -> list[str]:
    fields = [field_lines(position, field) for field in FIELDS]
    rows = [
        ["|".join(parts).rstrip() for parts in zip(*fields[first : first + 3], strict=True)]
        for first in (0, 3, 6)
    ]
    return [*rows[0], RULE, *rows[1], RULE, *rows[2]]


def field_lines(position: Tritoc, field: int) -> list[str]:
    """`2 [R]` over three lines of three holes, each 15 columns wide."""
    holes = pictured(position.pieces).split()[field]
    names = [f"{LETTERS.get(hole, str(label)):>4}" for label, hole in enumerate(holes, 3)]
    lines = (f" {field + 1} {mark_of(position, field)}", *map("".join, triples(names)))
    return [f"{line:<15}" for line in lines]


def triples(nine: list[str]) -> list[list[str]]:
    return [nine[0:3], nine[3:6], nine[6:9]]


def mark_of(position: Tritoc, field: int) -> str:
    for seat, mark in enumerate(("[R]", "[Y]")):
        if position.won[seat] >> field & 1:
            return mark
    return "[=]" if position.closed >> field & 1 else ""


def standing(position: Tritoc, translate: Translate) -> str:
    red, yellow = position.pieces
    return translate(
        "Pieces on the board: Red {red}, Yellow {yellow}."
        " Fields won: Red {red_fields}; Yellow {yellow_fields}."
    ).format(
        red=red.bit_count(),
        yellow=yellow.bit_count(),
        red_fields=fields_won(position, 0, translate),
        yellow_fields=fields_won(position, 1, translate),
    )


def fields_won(position: Tritoc, seat: int, translate: Translate) -> str:
    numbers = [str(field + 1) for field in FIELDS if position.won[seat] >> field & 1]
    return ", ".join(numbers) or translate("none")


def throws_before(position: Tritoc, translate: Translate) -> list[str]:
    """One line on this turn's fruitless throws, if there were any."""
    is_turn = isinstance(position.awaiting, Turn)
    fruitless = position.throws[:-1] if is_turn else position.throws
    if not fruitless:
        return []
    thrown = ", ".join(map(sum_of, fruitless))
    return [translate("Thrown without fruit in this turn: {throws}.").format(throws=thrown)]


def passes(position: Tritoc, translate: Translate) -> list[str]:
    if not position.passes:
        return []
    template = translate("Turns in a row that passed without a move: {passes}; 4 make a draw.")
    return [template.format(passes=position.passes)]


def sum_of(throw: tuple[int, ...]) -> str:
    """`3 + 4 = 7`, or `23 -> 10` for the die of 29 sides."""
    if len(throw) == 1:
        return f"{throw[0]} -> {total_of(throw)}"
    return f"{' + '.join(map(str, throw))} = {total_of(throw)}"


def happening(position: Tritoc, translate: Translate) -> str:
    """Whose turn it is and what for, or how the game ended."""
    if isinstance(position.awaiting, Outcome):
        return ending(position.awaiting, translate)
    player = name_of(position.seat, translate)
    if not isinstance(position.awaiting, Turn):
        return translate("{player} is to throw.").format(player=player)
    return task(position.total, translate).format(
        player=player, throw=sum_of(position.throws[-1]), total=position.total
    )


def task(total: int, translate: Translate) -> str:
    if total == TAKE_OWN:
        return translate("{player} threw {throw} and must remove an own piece from an open field.")
    if total == TAKE_OPPONENTS:
        return translate(
            "{player} threw {throw} and may remove an opposing piece from an open field, or keep."
        )
    return translate("{player} threw {throw} and must put a piece into a free hole {total}.")


def verdict(outcome: Outcome, translate: Translate) -> str:
    if 1.0 not in outcome.scores:
        return translate("A draw")
    return translate("{player} has won").format(
        player=name_of(outcome.scores.index(1.0), translate)
    )


def ending(outcome: Outcome, translate: Translate) -> str:
    red, yellow = outcome.points
    points = translate("Points: Red {red}, Yellow {yellow}.").format(red=red, yellow=yellow)
    return f"{reason(outcome, translate)} {points}"


def reason(outcome: Outcome, translate: Translate) -> str:
    if outcome.reason == "fields":
        winner = name_of(outcome.scores.index(1.0), translate)
        return translate("{player} has won with three fields in a line.").format(player=winner)
    if outcome.reason == "full":
        return translate("A draw: no open field has a free hole.")
    return translate("A draw: four turns in a row passed without a move.")
