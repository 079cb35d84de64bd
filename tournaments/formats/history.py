"""The words every format and every tie-break share: entrants, what was played, what comes next."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

HALF = Fraction(1, 2)

Rest = Literal["H", "F", "U", "Z"]
"""A round without an opponent, in the letters of the tournament report file: a half-point bye
and a zero-point bye were asked for (Z also after leaving), a full-point bye was granted, U was
given by the pairing because the number was odd."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entrant:
    """Somebody in the event, by his start number (1 is the first seed)."""

    number: int
    rating: int = 0
    offset: Fraction = Fraction(0)
    """Points counted for pairing alone: acceleration, or a start score."""
    joined: int = 1
    """The first round he may be paired in."""
    left: bool = False
    """Not to be paired any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Meeting:
    """One scheduled game between two entrants; `scores` is empty while it runs."""

    round: int
    first: int
    second: int
    leg: int = 1
    scores: tuple[Fraction, Fraction] | tuple[()] = ()
    forfeit: bool = False
    """Decided without being played: never met, no colour."""
    points: tuple[int, int] | tuple[()] = ()
    """Game points, where the game keeps score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Idle:
    """A round that an entrant sat out."""

    round: int
    number: int
    kind: Rest


@dataclass(frozen=True, slots=True, kw_only=True)
class Values:
    """What a round is worth."""

    win: Fraction = Fraction(1)
    draw: Fraction = HALF
    loss: Fraction = Fraction(0)
    bye: Fraction = Fraction(1)


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """All that is known when a round is paired or a table is made."""

    entrants: Sequence[Entrant]
    meetings: Sequence[Meeting] = ()
    idles: Sequence[Idle] = ()
    rounds: int = 0
    """How many rounds the event has in all."""
    values: Values = Values()


@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """A game to be started; `first` has the first move."""

    round: int
    first: int
    second: int
    leg: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Draw:
    """What a format wants next: games to start, byes to grant; `over` when nothing will follow."""

    pairings: tuple[Pairing, ...] = ()
    idles: tuple[Idle, ...] = ()
    over: bool = False


class Unpairable(ValueError):
    """No legal round exists; the sentence says why."""
