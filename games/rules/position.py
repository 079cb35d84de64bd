"""The contract between a game's rules and everything that plays, stores or shows it."""

import sys
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, Self

JSON = dict[str, Any]
Translate = Callable[[str], str]

WHOLE_NUMBERS = range(1, sys.maxsize)
"""Choices of an option that takes any whole number from 1."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A seat is to decide."""

    seat: int


@dataclass(frozen=True, slots=True)
class Roll:
    """The service must throw this many dice of this many sides."""

    dice: int
    sides: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """The game is over; `points` only where the game keeps score."""

    scores: tuple[float, float]
    reason: str
    points: tuple[int, ...] = ()


class Term(str):
    """A word inside an error's parameters that is translated like the sentence around it."""

    __slots__ = ()


class Refusal(ValueError):
    """What a person asked for was refused, as a sentence: a template and what goes into it.

    The template is the key of its translation, so it is always a literal.
    """

    def __init__(self, template: str, **parameters: object) -> None:
        super().__init__(template, parameters)
        self.template = template
        self.parameters = parameters

    def __str__(self) -> str:
        return self.sentence(str)

    def sentence(self, translate: Translate) -> str:
        words = {
            name: translate(value) if isinstance(value, Term) else value
            for name, value in self.parameters.items()
        }
        return translate(self.template).format(**words)


class MoveError(Refusal):
    """A refused move."""


class InvalidMove(MoveError):
    """The text is no move of this game; the sentence shows what one looks like."""


class AmbiguousMove(MoveError):
    """The text could be several moves; the sentence names them."""


class IllegalMove(MoveError):
    """The move is well formed but a rule forbids it; the sentence says which rule and where."""


class InvalidOption(Refusal):
    """A game was to be started with an option that its rules do not have."""


class Move(Hashable, Protocol):
    """Whatever a ruleset calls a move; `str` gives its canonical text."""

    def __str__(self) -> str: ...


@dataclass(frozen=True, slots=True)
class Choice:
    """One way to go on from the beginning of a move.

    `token` is appended to the prefix as it is; `spots` are the places on the board
    that it stands for; `whole` says that prefix and token together are a legal move
    (which may still be one that can be gone on with).
    """

    token: str
    spots: tuple[str, ...]
    whole: bool


class Position(Protocol):
    """One moment of a game, immutable, awaiting a move, a throw or nothing."""

    @property
    def awaiting(self) -> Turn | Roll | Outcome: ...

    def legal_moves(self) -> Sequence[Any]:
        """Every legal move once; none unless a turn is awaited."""
        ...

    def choices(self, prefix: str = "") -> Sequence[Choice]:
        """The tokens that can follow `prefix`, a chain of earlier tokens."""
        ...

    def parse(self, text: str) -> Any:
        """The legal move that `text` names; raises one of the three move errors."""
        ...

    def play(self, move: Any) -> Self: ...

    def rolled(self, dice: tuple[int, ...]) -> Self: ...

    def forfeited_by(self, seat: int) -> Outcome: ...

    def to_json(self) -> JSON: ...


@dataclass(frozen=True, slots=True)
class Option:
    """A setting of a ruleset; `choices` holds the values it can take."""

    name: str
    default: bool | int | str
    choices: Sequence[bool | int | str]

    def checked(self, value: object) -> bool | int | str:
        """The value itself, `on` and `off` read as switches; raises InvalidOption."""
        if isinstance(self.default, bool) and isinstance(value, str):
            value = {"on": True, "off": False}.get(value, value)
        if type(value) is type(self.default) and value in self.choices:
            return value
        if isinstance(self.choices, range):
            raise InvalidOption(
                "{option} cannot be {value}; it is a whole number from {least}.",
                option=self.name,
                value=repr(value),
                least=self.choices.start,
            )
        raise InvalidOption(
            "{option} cannot be {value}; it is one of: {choices}.",
            option=self.name,
            value=repr(value),
            choices=", ".join(str(choice) for choice in self.choices),
        )


@dataclass(frozen=True, slots=True)
class Ruleset:
    """A game as the registry knows it."""

    key: str
    name: str
    version: int
    options: tuple[Option, ...]
    start: Callable[[Mapping[str, object]], Position]
    load: Callable[[JSON], Position]

    @property
    def has_dice(self) -> bool:
        """A game with dice begins with a throw."""
        return isinstance(self.start({}).awaiting, Roll)


def checked_options(
    options: Sequence[Option], given: Mapping[str, object]
) -> dict[str, bool | int | str]:
    """`given` with defaults filled in; raises InvalidOption for an unknown name or value."""
    known = {option.name for option in options}
    for name in given:
        if name not in known:
            raise InvalidOption(
                "There is no option {option}; there are: {known}.",
                option=repr(name),
                known=", ".join(sorted(known)) or "-",
            )
    return {
        option.name: option.checked(given[option.name]) if option.name in given else option.default
        for option in options
    }
