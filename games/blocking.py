"""To block a player, and to unblock them."""

from datetime import datetime

from accounts import locks
from accounts.models import Block, Player
from games import lobby
from games.refusals import BadRequest, NotAllowed, TooMany
from games.starting import lock_participants

MOST_BLOCKS = 500


@locks.outermost
def block(*, blocker: Player, blocked: Player, now: datetime) -> Block:
    """Blocking twice is the same as once; open challenges between the two are closed."""
    if blocker.is_guest:
        raise NotAllowed("Guests meet nobody. Sign up to block players.")
    if blocked == blocker:
        raise BadRequest("You cannot block yourself.")
    if blocked.bot_level is not None or blocked.is_guest:
        raise BadRequest("{name} cannot be blocked.", name=blocked.name)
    made = _note(blocker, blocked, now)
    # In a transaction of its own, because a challenge is locked before its players.
    lobby.close_between(blocker=blocker, blocked=blocked, now=now)
    return made


@locks.action
def _note(blocker: Player, blocked: Player, now: datetime) -> Block:
    # A challenge that is being made holds one of them: it is there by now, or sees the block.
    lock_participants(blocker, blocked)
    made = Block.objects.filter(blocker=blocker, blocked=blocked).first()
    if made is None:
        _require_room(blocker)
        made = Block.objects.create(blocker=blocker, blocked=blocked, created_at=now)
    return made


def unblock(*, blocker: Player, blocked: Player) -> None:
    Block.objects.filter(blocker=blocker, blocked=blocked).delete()


def _require_room(blocker: Player) -> None:
    if Block.objects.filter(blocker=blocker).count() >= MOST_BLOCKS:
        raise TooMany("You can block {most} players. Unblock one first.", most=MOST_BLOCKS)
