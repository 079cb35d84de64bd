"""The bots of the house: players like others, one for each level, always ready for a game."""

from accounts import locks
from accounts.models import Player
from games.bots.levels import LEVELS, Level
from games.refusals import BadRequest


@locks.action
def settle() -> list[Player]:
    """Those that are there and those that were missing, the weakest first."""
    known = {bot.bot_level: bot for bot in Player.objects.filter(bot_level__isnull=False)}
    for number, level in enumerate(LEVELS.values(), start=1):
        if number not in known:
            known[number] = Player.objects.create_user(
                _free_name(level.name), is_bot=True, bot_level=number
            )
    return [known[number] for number in range(1, len(LEVELS) + 1)]


def _free_name(wished: str) -> str:
    """A person may have had the name before."""
    name, more = wished, 1
    while Player.objects.named_like(name).exists():
        name, more = f"{wished}-bot{more if more > 1 else ''}", more + 1
    return name


def everyone() -> list[Player]:
    """The weakest first."""
    bots = list(Player.objects.filter(bot_level__isnull=False).order_by("bot_level"))
    return bots if len(bots) == len(LEVELS) else settle()


def of_level(key: str) -> Player:
    if key not in LEVELS:
        raise BadRequest(
            "There is no bot {key}; there are: {keys}.", key=key, keys=", ".join(LEVELS)
        )
    return everyone()[list(LEVELS).index(key)]


def level_of(bot: Player) -> Level:
    assert bot.bot_level is not None
    return list(LEVELS.values())[bot.bot_level - 1]


def is_of_the_house(player: Player) -> bool:
    return player.bot_level is not None
