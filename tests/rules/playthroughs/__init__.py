"""Games of every ruleset, and of each value of its options, written down ply by ply."""

import json
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path

from games.rules.position import Option, Outcome, Position, Roll, Ruleset, Turn
from games.rules.registry import RULESETS

FOLDER = Path(__file__).parent
ENOUGH_PLIES = 100
SMALL_LIMIT = 9

Options = dict[str, bool | int | str]
Decide = Callable[[Position, int], str]
"""What happens next at a ply: a move's text, or dice with spaces between."""


def other_values(option: Option) -> list[bool | int | str]:
    """The values that are not the default; a small one stands for all whole numbers."""
    if isinstance(option.choices, range):
        return [SMALL_LIMIT]
    return [value for value in option.choices if value != option.default]


def wanted() -> dict[str, tuple[Ruleset, Options]]:
    """What a playthrough is wanted of, by the name of its file."""
    games: dict[str, tuple[Ruleset, Options]] = {}
    for key, ruleset in RULESETS.items():
        games[f"{key}.txt"] = (ruleset, {})
        for option in ruleset.options:
            for value in other_values(option):
                games[f"{key}.{option.name}={value}.txt"] = (ruleset, {option.name: value})
    return games


def recorded(ruleset: Ruleset, options: Options, decide: Decide) -> Iterator[str]:
    """One line a ply, for as many whole games as make enough plies."""
    ply = 0
    while ply < ENOUGH_PLIES:
        position = ruleset.start(options)
        while not isinstance(position.awaiting, Outcome):
            event = decide(position, ply)
            yield _line(ply, position, event)
            position = _gone_on(position, event)
            ply += 1
        yield _line(ply, position, "-")
        ply += 1


def _line(ply: int, position: Position, event: str) -> str:
    stored = json.dumps(position.to_json(), sort_keys=True, separators=(",", ":"))
    fingerprint = sha256(stored.encode()).hexdigest()[:16]
    moves = len(position.legal_moves())
    return f"{ply} | {_awaited(position)} | {moves} | {event} | {fingerprint}"


def _awaited(position: Position) -> str:
    match position.awaiting:
        case Turn(seat):
            return f"seat {seat}"
        case Roll(dice, sides):
            return f"roll {dice}d{sides}"
        case Outcome(scores, reason, points):
            return " ".join(map(str, ("over", *scores, reason, *points)))


def _gone_on(position: Position, event: str) -> Position:
    if isinstance(position.awaiting, Roll):
        return position.rolled(tuple(map(int, event.split())))
    move = position.parse(event)
    assert str(move) == event
    return position.play(move)


def chosen_by_hash(name: str) -> Decide:
    """Picks that depend on nothing but the playthrough's name and the ply."""

    def number(ply: int, what: str, below: int) -> int:
        return int(sha256(f"{name} {ply} {what}".encode()).hexdigest(), 16) % below

    def decide(position: Position, ply: int) -> str:
        if isinstance(position.awaiting, Roll):
            dice, sides = position.awaiting.dice, position.awaiting.sides
            return " ".join(str(1 + number(ply, f"die {die}", sides)) for die in range(dice))
        moves = sorted(map(str, position.legal_moves()))
        return moves[number(ply, "move", len(moves))]

    return decide


def read_from(lines: list[str]) -> Decide:
    """The events of a playthrough that was written down."""
    return lambda _, ply: lines[ply].split(" | ")[3]
