"""A game against a bot of the house, at once; without an account it is a private one."""

import secrets
from datetime import datetime

from accounts.models import Player
from games import house_bots
from games.clock import PRESETS
from games.models import Game
from games.refusals import BadRequest
from games.starting import start_game

CLOCK = PRESETS["7d"]


def begin(
    *,
    player: Player,
    ruleset: str,
    level: str,
    now: datetime,
    rated: bool = False,
    side: int | None = None,
) -> Game:
    """The bot agrees to a rated game, a guest has no rating; who begins is drawn by lot."""
    bot = house_bots.of_level(level)
    if side not in (None, 0, 1):
        raise BadRequest("The side is 0, 1 or none.")
    if side is None:
        side = secrets.randbelow(2)
    return start_game(
        ruleset=ruleset,
        options={},
        players=(player, bot) if side == 0 else (bot, player),
        clock_settings=CLOCK,
        rated=rated and not player.is_guest,
        private=player.is_guest,
        now=now,
    )
