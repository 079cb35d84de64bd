"""The four levels at which the bots play, and how each picks its move."""

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from games.bots.knowledge import Knowledge, Plain
from games.bots.search import Finding, Limit, search
from games.bots.tri_trac import TriTracKnowledge
from games.bots.triotrio import TrioTrioKnowledge
from games.bots.tritoc import TritocKnowledge
from games.bots.tritt import ClassicKnowledge, ReloadedKnowledge
from games.rules import tri_trac, triotrio, tritoc, tritt_classic, tritt_reloaded
from games.rules.position import Position

MOST_SECONDS = 2.0
"""Of one core: a move takes no more, however slow the machine."""


@dataclass(frozen=True, slots=True)
class Effort:
    """How long a level looks, how often it plays on a whim instead, and whether it has studied."""

    iterations: int
    whim: float = 0.0
    book: bool = False


@dataclass(frozen=True, slots=True)
class Level:
    """`name` is English, for the caller to translate; `efforts` are by kind of position."""

    key: str
    name: str
    usual: Effort
    efforts: Mapping[type, Effort]

    def effort_for(self, position: Position) -> Effort:
        return self.efforts.get(type(position), self.usual)


DEW = Level(
    "dew",
    "Dew",
    Effort(12, whim=0.2),
    {
        tritt_reloaded.TrittReloaded: Effort(8, whim=0.2),
        tritt_classic.TrittClassic: Effort(8, whim=0.2),
        tritoc.Tritoc: Effort(12, whim=0.5),
        tri_trac.TriTrac: Effort(20, whim=0.2),
        triotrio.Position: Effort(15, whim=0.1),
    },
)
BROOK = Level(
    "brook",
    "Brook",
    Effort(60),
    {
        tritt_reloaded.TrittReloaded: Effort(50),
        tritt_classic.TrittClassic: Effort(20),
        tritoc.Tritoc: Effort(25, whim=0.35),
        tri_trac.TriTrac: Effort(60),
        triotrio.Position: Effort(25, whim=0.2),
    },
)
RIVER = Level(
    "river",
    "River",
    Effort(500),
    {
        tritt_reloaded.TrittReloaded: Effort(500),
        tritt_classic.TrittClassic: Effort(300),
        tritoc.Tritoc: Effort(70, whim=0.15),
        tri_trac.TriTrac: Effort(300),
        triotrio.Position: Effort(80, whim=0.05),
    },
)
OCEAN = Level(
    "ocean",
    "Ocean",
    Effort(4000, book=True),
    {
        tritt_reloaded.TrittReloaded: Effort(8000, book=True),
        tritt_classic.TrittClassic: Effort(8000, book=True),
        tritoc.Tritoc: Effort(1500, book=True),
        tri_trac.TriTrac: Effort(3000, book=True),
        triotrio.Position: Effort(2000, book=True),
    },
)

LEVELS: dict[str, Level] = {level.key: level for level in (DEW, BROOK, RIVER, OCEAN)}
"""The weakest first."""

KNOWLEDGE: dict[type, Knowledge] = {
    tritt_classic.TrittClassic: ClassicKnowledge(),
    tritt_reloaded.TrittReloaded: ReloadedKnowledge(),
    tri_trac.TriTrac: TriTracKnowledge(),
    tritoc.Tritoc: TritocKnowledge(),
    triotrio.Position: TrioTrioKnowledge(),
}
PLAIN = Plain()


def knowledge_of(position: Position) -> Knowledge:
    return KNOWLEDGE.get(type(position), PLAIN)


def consider(position: Position, *, limit: Limit, seed: int) -> Finding:
    """What a search with this limit finds for the seat to move; the same for the same seed."""
    chance = random.Random(seed)  # noqa: S311
    return search(position, knowledge=knowledge_of(position), limit=limit, chance=chance)


def choose(position: Position, level: Level, seed: int) -> Any:
    """The legal move that a bot of this level makes; the same for the same seed."""
    effort = level.effort_for(position)
    chance = random.Random(seed)  # noqa: S311
    moves = position.legal_moves()
    if len(moves) == 1 or chance.random() < effort.whim:
        return chance.choice(moves)
    knowledge = knowledge_of(position)
    known = knowledge.book(position, chance) if effort.book else None
    if known is not None:
        return known
    limit = Limit(effort.iterations, MOST_SECONDS)
    return search(position, knowledge=knowledge, limit=limit, chance=chance).move
