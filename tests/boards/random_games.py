"""Positions that chance leads to, for boards to show."""

import random
from collections.abc import Iterator, Mapping, Sequence

from games.rules.position import Choice, Outcome, Position, Roll
from games.rules.registry import RULESETS

SEEDS = range(6)


def gone_through(
    key: str, seed: int, plies: int = 60, options: Mapping[str, object] | None = None
) -> Iterator[tuple[Position, str]]:
    """Each position of a game, and the move that led to it."""
    chance = random.Random(f"{key} {seed}")
    position, last = RULESETS[key].start(options or {}), ""
    for _ in range(plies):
        yield position, last
        awaiting = position.awaiting
        if isinstance(awaiting, Outcome):
            return
        if isinstance(awaiting, Roll):
            faces = (chance.randint(1, awaiting.sides) for _ in range(awaiting.dice))
            position = position.rolled(tuple(faces))
        else:
            last = picked(position, chance)
            position = position.play(position.parse(last))


def picked(position: Position, chance: random.Random) -> str:
    """A move's text, picked token by token."""
    text = ""
    while choices := position.choices(text):
        choice = chance.choice(choices)
        text += choice.token
        if choice.whole and chance.random() < 0.5:
            break
    return text


def choices_met(position: Position, chance: random.Random) -> Iterator[Sequence[Choice]]:
    """What can be chosen from at the beginning and on a few ways into a move."""
    for _ in range(4):
        text = ""
        while choices := position.choices(text):
            yield choices
            text += chance.choice(choices).token
