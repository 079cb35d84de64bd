"""The words every format and every tie-break share: entrants, what was played, what comes next."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

from games.rules.position import Refusal

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
    section: int = 0
    """The section or division he plays in, from 1; 0 where the format decides."""
    qualified: int = 0
    """His seed in the final stage, once that was drawn; 0 before, or if he is not in it."""


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
    absent: Fraction = Fraction(0)
    """For a lost forfeit and for a bye without points."""


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """All that is known when a round is paired or a table is made."""

    entrants: Sequence[Entrant]
    meetings: Sequence[Meeting] = ()
    idles: Sequence[Idle] = ()
    rounds: int = 0
    """How many rounds the event has in all."""
    values: Values = Values()
    forbidden: Sequence[tuple[int, int]] = ()
    """Entrants who are never to be paired with each other, by number."""
    accelerations: Mapping[int, Sequence[Fraction]] = field(default_factory=dict)
    """Points counted for pairing alone, by number, in round 1, 2, 3 and so on."""


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


class Unpairable(Refusal):
    """No legal round exists; the sentence says why."""
