"""What a search thinks of a game that was played: the best move of each turn, and what was lost."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from games.bots.levels import consider, knowledge_of
from games.bots.search import Finding, Limit, expectation
from games.rules.position import Outcome, Position, Turn


@dataclass(frozen=True, slots=True)
class Judgement:
    """A turn of the game: `at` counts its position, from 0.

    `value` is what the seat could expect to score with the best move, `swing` how much less it
    could after the one it made.
    """

    at: int
    seat: int
    best: Any
    value: float
    swing: float


def review(positions: Sequence[Position], *, limit: Limit, seed: int) -> list[Judgement]:
    """A judgement of each turn in the positions of a game, one after the other.

    Each position takes one search within the limit; the same seed gives the same judgements
    if the limit is one of iterations. A turn that nothing follows has no swing.
    """
    findings = [
        consider(position, limit=limit, seed=seed) if isinstance(position.awaiting, Turn) else None
        for position in positions
    ]
    judgements = []
    for at, (position, finding) in enumerate(zip(positions, findings, strict=True)):
        if finding is None or not isinstance(position.awaiting, Turn):
            continue
        seat, swing = position.awaiting.seat, 0.0
        if at + 1 < len(positions) and position.play(finding.move) != positions[at + 1]:
            worth = _worth_to_seat_0(positions[at + 1], findings[at + 1], limit, seed)
            swing = max(0.0, finding.value - (1.0 - worth if seat else worth))
        judgements.append(Judgement(at, seat, finding.move, finding.value, swing))
    return judgements


def _worth_to_seat_0(position: Position, finding: Finding | None, limit: Limit, seed: int) -> float:
    awaiting = position.awaiting
    if isinstance(awaiting, Outcome):
        return awaiting.scores[0]
    if finding is not None and isinstance(awaiting, Turn):
        return 1.0 - finding.value if awaiting.seat else finding.value
    chance = random.Random(seed)  # noqa: S311
    return expectation(position, knowledge=knowledge_of(position), limit=limit, chance=chance)
