"""What every format promises: entrants and history in, games to start out; settings in words."""

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from typing import Any, ClassVar, Protocol, TypeVar

from games.rules.position import JSON, Refusal
from tournaments.formats.history import Draw, Entrant, History

MOST_GAMES = 20_000
"""That one event may make in all."""
MOST_AT_ONCE = 200
"""That one player may have running in one event."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Games:
    """How many games an event makes at most; no number where its players decide."""

    per_player: int | None
    total: int | None
    at_once: int
    """Of a player at the same time."""


class Format(Protocol):
    """A frozen dataclass of settings; pure, and the same answer for the same history and seed.

    `next` never asks for what the history already has, so it may be asked at any time and as
    often as one likes; `check` refuses settings that so many entrants cannot play; `last_round`
    is the number of the last round there can be, 0 where nobody knows; `games_for` is how many
    games so many entrants would play.
    """

    key: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def next(self, history: History, *, seed: str) -> Draw: ...

    def check(self, entrants: int) -> None: ...

    def last_round(self, entrants: Sequence[Entrant]) -> int: ...

    def games_for(self, entrants: int) -> Games: ...


class InvalidSetting(Refusal):
    """A setting that the format does not have or cannot take; the sentence says what it can."""


class TooFew(Refusal):
    """So many entrants are not enough for this format with these settings."""


class TooManyGames(Refusal):
    """So many entrants would make more games than an event may have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What one setting of a format can be: a yes or no, a number in bounds, or one of several."""

    name: str
    default: bool | int | str
    least: int = 0
    most: int = 0
    choices: tuple[str, ...] = ()


def whole(default: int, *, least: int, most: int) -> Any:
    """A dataclass field for a whole number within bounds."""
    return field(default=default, metadata={"least": least, "most": most})


def choice(*choices: str) -> Any:
    """A dataclass field for one of several words; the first is the default."""
    return field(default=choices[0], metadata={"choices": choices})


def settings(of: type[Format]) -> tuple[Setting, ...]:
    """Every setting of a format, for forms and for checking."""
    return tuple(
        Setting(name=each.name, default=each.default, **each.metadata)
        for each in fields(of)
        if each.default is not MISSING
    )


def to_json(format: Format) -> JSON:
    """All settings of a format, by name."""
    return {each.name: getattr(format, each.name) for each in settings(type(format))}


Some = TypeVar("Some", bound=Format)


def from_json(of: type[Some], data: Mapping[str, object]) -> Some:
    """A format with these settings, the others at their defaults; raises InvalidSetting."""
    known = {setting.name: setting for setting in settings(of)}
    for name, value in data.items():
        if name not in known:
            raise InvalidSetting(
                'This format has no setting "{name}". It has: {known}.',
                name=name,
                known=", ".join(known),
            )
        _check(known[name], value)
    return of(**data)


def _check(setting: Setting, value: object) -> None:
    if setting.choices:
        _check_word(setting, value)
    elif isinstance(setting.default, bool):
        _check_flag(setting, value)
    else:
        _check_number(setting, value)


def _check_word(setting: Setting, value: object) -> None:
    if value not in setting.choices:
        raise InvalidSetting(
            '"{name}" is one of {choices}, not {value}.',
            name=setting.name,
            choices=", ".join(setting.choices),
            value=value,
        )


def _check_flag(setting: Setting, value: object) -> None:
    if not isinstance(value, bool):
        raise InvalidSetting(
            '"{name}" is true or false, not {value}.', name=setting.name, value=value
        )


def _check_number(setting: Setting, value: object) -> None:
    if (
        not isinstance(value, int)
        or isinstance(value, bool)
        or not setting.least <= value <= setting.most
    ):
        raise InvalidSetting(
            '"{name}" is a whole number from {least} to {most}, not {value}.',
            name=setting.name,
            least=setting.least,
            most=setting.most,
            value=value,
        )


def check_enough(entrants: int, least: int) -> None:
    if entrants < least:
        raise TooFew(
            "This event needs at least {least} entrants; it has {entrants}.",
            least=least,
            entrants=entrants,
        )


def check_games(format: Format, entrants: int) -> None:
    """Refuses what would make more games than an event or a player can have."""
    games = format.games_for(entrants)
    if (games.total or 0) > MOST_GAMES:
        raise TooManyGames(
            "{entrants} players would make {games} games; an event can have at most {most}. "
            "Allow fewer entrants, or choose sections, divisions or a Swiss event.",
            entrants=entrants,
            games=games.total,
            most=MOST_GAMES,
        )
    if games.at_once > MOST_AT_ONCE:
        raise TooManyGames(
            "With {entrants} players everybody would play {games} games at once; the most is "
            "{most}. Allow fewer entrants, or fewer games at the same time.",
            entrants=entrants,
            games=games.at_once,
            most=MOST_AT_ONCE,
        )
