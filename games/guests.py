"""Guests: whoever wants to try a game has a seat without an account, for as long as he comes."""

import logging
import math
import secrets
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import ProtectedError
from django.utils.crypto import salted_hmac

from accounts import locks
from accounts.background import TimeBox
from accounts.models import Player
from games.models import Challenge, Game, Status, Visit
from games.refusals import TooMany

logger = logging.getLogger(__name__)

MOST_A_DAY = 10
"""From one address: a class room has one, and so has somebody who fills the table with rows."""
IDLE = timedelta(days=30)
BATCH = 100


@locks.action
def welcome(*, address: str, zone: str, language: str, now: datetime) -> Player:
    digest = salted_hmac("guest", address, algorithm="sha256").hexdigest()
    with connection.cursor() as cursor:
        # No row stands for an address, so two guests who come at once wait for each other here.
        cursor.execute("SELECT pg_advisory_xact_lock(hashtext(%s))", [f"guest {digest}"])
    lately = Visit.objects.filter(address=digest, came_at__gt=now - timedelta(days=1))
    if lately.count() >= MOST_A_DAY:
        raise TooMany(
            "There were {most} guests from your address within a day; sign up to play on.",
            most=MOST_A_DAY,
            retry_after=timedelta(days=1).total_seconds(),
        )
    name = f"Guest {secrets.token_hex(4)}"
    player = Player.objects.create_user(name, is_guest=True, zone=zone, language=language)
    Visit.objects.create(player=player, address=digest, came_at=now, look_again_at=now + IDLE)
    return player


def send_off(*, now: datetime, seconds: float = math.inf) -> int:
    """Forgets guests who were not here for 30 days, with their games; the number forgotten.

    Whoever has an account by now is no guest any more.
    """
    box = TimeBox(seconds)
    forgotten = 0
    while due := list(
        Visit.objects.filter(look_again_at__lte=now).order_by("look_again_at")[:BATCH]
    ):
        for guest in due:
            if box.is_over:
                return forgotten
            forgotten += _try(guest.pk, now)
    return forgotten


def _try(player_id: int, now: datetime) -> bool:
    """A guest that cannot be forgotten is looked at again tomorrow and holds up no other."""
    try:
        return _look_at(player_id, now)
    except Exception:
        logger.exception("guest %s could not be forgotten", player_id)
        Visit.objects.filter(pk=player_id).update(look_again_at=now + timedelta(days=1))
        return False


@locks.action
def _look_at(player_id: int, now: datetime) -> bool:
    player = Player.objects.select_for_update().filter(pk=player_id).first()
    guest = Visit.objects.filter(pk=player_id).first()
    if player is None or guest is None:
        return False
    if not player.is_guest:
        guest.delete()
        return False
    last_here = max(player.seen_at or guest.came_at, guest.came_at)
    if last_here + IDLE > now:
        Visit.objects.filter(pk=player_id).update(look_again_at=last_here + IDLE)
        return False
    if Game.objects.filter(seats__player=player, status=Status.RUNNING).exists():
        # The clock ends it sooner or later, and counts it as over.
        Visit.objects.filter(pk=player_id).update(look_again_at=now + timedelta(days=1))
        return False
    return _forget(player, now)


def _forget(player: Player, now: datetime) -> bool:
    """Where something holds on to a game, such as a ruling, the guest stays as well."""
    games = list(Game.objects.filter(seats__player=player).values_list("pk", flat=True))
    held = Game.objects.select_for_update().filter(pk__in=games).order_by("pk")
    try:
        with locks.savepoint():
            Challenge.objects.filter(challenger=player).delete()
            list(held)
            Game.objects.filter(pk__in=games).delete()
            player.delete()
    except ProtectedError:
        Visit.objects.filter(pk=player.pk).update(look_again_at=now + IDLE)
        return False
    return True
