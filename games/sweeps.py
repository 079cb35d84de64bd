"""What time brings about with nobody on line; each sweep costs what is due, not what there is."""

import logging
import math
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError
from django.db.models import F

from accounts.background import SetAside, TimeBox
from games import lobby, outages, play, unread, vacations
from games.events import VacationChanged
from games.models import Game, Seat, Status
from games.table import due

logger = logging.getLogger(__name__)

BATCH = 500
failed = SetAside()
GRACE = timedelta(seconds=30)
"""A move that arrived in time may still be waiting for its lock when the flag falls."""


def end_games_on_time(*, now: datetime, seconds: float = math.inf) -> int:
    """Ends every game whose flag has fallen, for some seconds at most; the number ended."""
    outages.note_silence(now=now)
    due_by = outages.served_until(now=now - GRACE)
    box = TimeBox(seconds)
    ended = 0
    while not box.is_over:
        players = _players_due(max(due_by.values()))
        vacations.take_automatically(players, due_by=due_by, now=now - GRACE)
        looked_at, fallen = _end_batch(due_by, now, box)
        ended += fallen
        if looked_at < BATCH:
            answered_too_late = unread.answers(due_by=now - GRACE).keys() - set(failed)
            return ended + (_end_one_by_one(sorted(answered_too_late), now, box) or 0)
    return ended


def _end_batch(due_by: Mapping[str, datetime], now: datetime, box: TimeBox) -> tuple[int, int]:
    try:
        return play.forfeit_on_time(due_by=due_by, now=now, most=BATCH, but=list(failed))
    except SoftTimeLimitExceeded:
        raise
    except Exception:
        logger.exception("games could not be ended together")
        ended = _end_one_by_one(due(due_by=due_by, but=list(failed), most=BATCH), now, box)
        if ended is None:
            raise
        return BATCH, ended


def _end_one_by_one(game_ids: Iterable[int], now: datetime, box: TimeBox) -> int | None:
    """The number ended; none if no game is to blame."""
    ended = was_blamed = 0
    for game_id in game_ids:
        if box.is_over:
            break
        try:
            ended += play.end_on_time(game_id=game_id, now=now - GRACE)
        except (InterfaceError, OperationalError):
            raise
        except Exception:
            logger.exception("game %s could not be ended on time", game_id)
            failed.add(game_id)
            was_blamed += 1
    return ended if ended or was_blamed else None


def _players_due(due_by: datetime) -> list[int]:
    """Who is to move in the games that come next, where automatic vacation could help."""
    seats = Seat.objects.filter(
        game__status=Status.RUNNING,
        game__deadline_at__lte=due_by,
        game__vacation_allowed=True,
        number=F("game__seat_to_move"),
        player__participant__takes_vacation_automatically=True,
    )
    return list(seats.order_by("game__deadline_at").values_list("player_id", flat=True)[:BATCH])


def expire_challenges(*, now: datetime, seconds: float = math.inf) -> int:
    box = TimeBox(seconds)
    expired = 0
    while not box.is_over and (done := lobby.expire(now=now)):
        expired += done
    return expired


def recount_after_vacation(fact: VacationChanged) -> None:
    """A player's clocks stop, or run again: his deadlines are reckoned anew."""
    games = Game.objects.filter(
        status=Status.RUNNING, seats__player=fact.player_id, seats__number=F("seat_to_move")
    )
    # All in the relay's transaction, so by id: opponents may go on vacation at the same moment.
    for game_id in games.order_by("pk").values_list("pk", flat=True):
        play.recount_deadline(game_id)
