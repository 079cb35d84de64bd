"""An account says that a program plays with it, before anybody was rated against it."""

from accounts import locks
from accounts.models import Player
from games.models import Seat
from games.refusals import NotAllowed
from games.starting import lock_participants


@locks.action
def mark(*, player: Player, is_bot: bool) -> None:
    """Once a rated game has begun, its opponent knew whom he played, and that stays so."""
    Player.objects.select_for_update(no_key=True).get(pk=player.pk)
    # Games begin under the same lock.
    lock_participants(player)
    player.refresh_from_db()
    if player.is_bot == is_bot:
        return
    if player.is_guest or player.is_staff:
        raise NotAllowed("Guests and staff cannot be marked as bots.")
    if Seat.objects.filter(player=player, game__rated=True).exists():
        raise NotAllowed("An account is marked as a bot, or as none, before its first rated game.")
    player.is_bot = is_bot
    player.save(update_fields=["is_bot"])
