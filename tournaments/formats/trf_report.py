"""What a tournament report file says of an event, without its columns."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Literal

from tournaments.formats.history import History

Colour = Literal["white", "black"]


class Malformed(ValueError):
    """The file cannot be understood; the sentence says where and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Player:
    """A line of the player section, without its rounds."""

    number: int
    name: str = ""
    sex: str = ""
    title: str = ""
    rating: int = 0
    federation: str = ""
    identifier: str = ""
    born: str = ""
    points: Fraction | None = None
    """As the file has it; the standings are reckoned from the rounds."""
    rank: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ban:
    """Entrants who may not be paired with one another, from one round to another."""

    numbers: tuple[int, ...]
    first: int = 1
    last: int | None = None

    def pairs_in(self, round_number: int) -> Iterator[tuple[int, int]]:
        if self.first <= round_number and (self.last is None or round_number <= self.last):
            yield from combinations(sorted(self.numbers), 2)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """All that a tournament report file says of an event."""

    history: History
    players: tuple[Player, ...] = ()
    data: tuple[tuple[str, str], ...] = ()
    """The lines of the tournament section by code: 012 is the name, 092 the type."""
    bans: tuple[Ban, ...] = ()
    first_colour: Colour | None = None
    by_rank: bool = False
    """Whether the ranks in the file, not the start numbers, order those of equal points."""

    @property
    def names(self) -> dict[int, str]:
        return {player.number: player.name for player in self.players}

    @property
    def kind(self) -> str:
        """What the file calls the type of the event."""
        return " ".join(text for code, text in self.data if code in ("092", "192"))
