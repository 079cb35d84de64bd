"""Every format that an event can have, by its key."""

from collections.abc import Mapping

from games.rules.position import JSON
from tournaments.formats import format as formats
from tournaments.formats.format import Format, InvalidSetting
from tournaments.formats.knockout import Knockout
from tournaments.formats.ladder import Ladder
from tournaments.formats.league import League
from tournaments.formats.round_robin import RoundRobin
from tournaments.formats.stages import Stages
from tournaments.formats.swiss import Swiss

FORMATS: dict[str, type[Format]] = {
    RoundRobin.key: RoundRobin,
    League.key: League,
    Swiss.key: Swiss,
    Knockout.key: Knockout,
    Ladder.key: Ladder,
    Stages.key: Stages,
}


def to_json(format: Format) -> JSON:
    """A format with all its settings."""
    return {"format": format.key, **formats.to_json(format)}


def from_json(data: Mapping[str, object]) -> Format:
    """The format that was meant; raises InvalidSetting."""
    settings = dict(data)
    key = settings.pop("format", None)
    if not isinstance(key, str) or key not in FORMATS:
        raise InvalidSetting(
            '"format" is one of {known}, not {key}.', known=", ".join(FORMATS), key=key
        )
    return formats.from_json(FORMATS[key], settings)
