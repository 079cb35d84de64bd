"""A game against a bot of the house, at once; without an account it is a private one."""

from dataclasses import replace
from datetime import datetime

from accounts import locks
from accounts.models import Player
from games import commitments, dice, house_bots, salts
from games.clock import PRESETS
from games.models import Game
from games.refusals import BadRequest
from games.starting import lock_participants, start_game

CLOCK = PRESETS["7d"]


def begin(
    *,
    player: Player,
    ruleset: str,
    level: str,
    now: datetime,
    rated: bool = False,
    side: int | None = None,
    salt: str = "",
) -> Game:
    """The bot agrees to a rated game, a guest has no rating; who begins is drawn by lot."""
    bot = house_bots.of_level(level)
    if side not in (None, 0, 1):
        raise BadRequest("The side is 0, 1 or none.")
    return _begin(
        player, bot, salts.checked(salt), side, ruleset=ruleset,
        rated=rated and not player.is_guest, private=player.is_guest, now=now,
    )  # fmt: skip


@locks.action
def _begin(
    player: Player,
    bot: Player,
    salt: str,
    side: int | None,
    *,
    ruleset: str,
    rated: bool,
    private: bool,
    now: datetime,
) -> Game:
    # No two games of theirs may have the same number: the first would tell the second's seed.
    lock_participants(player, bot)
    commitment = commitments.with_a_bot(player, bot, now=now)
    if side is None:
        side = 0 if dice.challenger_begins(seed=commitment.seed, salts=[salt, ""]) else 1
        commitment = replace(commitment, challenger=side)
    return start_game(
        ruleset=ruleset,
        options={},
        players=(player, bot) if side == 0 else (bot, player),
        salts=(salt, "") if side == 0 else ("", salt),
        clock_settings=CLOCK,
        rated=rated,
        private=private,
        commitment=commitment,
        now=now,
    )
