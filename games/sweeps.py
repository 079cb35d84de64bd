"""What time brings about with nobody on line; each sweep costs what is due, not what there is."""

import math
from datetime import datetime, timedelta
from time import monotonic

from django.db.models import F

from games import lobby, outages, play, unread, vacations
from games.events import VacationChanged
from games.models import Game, Seat, Status

BATCH = 500
GRACE = timedelta(seconds=30)
"""A move that arrived in time may still be waiting for its lock when the flag falls."""


def end_games_on_time(*, now: datetime, seconds: float = math.inf) -> int:
    """Ends every game whose flag has fallen, for some seconds at most; the number ended."""
    outages.note_silence(now=now)
    served = outages.served_until(now=now)
    due_by = {way_in: min(now - GRACE, until) for way_in, until in served.items()}
    give_up_at = monotonic() + seconds
    ended = 0
    while monotonic() < give_up_at:
        vacations.take_automatically(_players_due(now - GRACE), now=now - GRACE)
        looked_at, fallen = play.forfeit_on_time(due_by=due_by, now=now, most=BATCH)
        ended += fallen
        if looked_at < BATCH:
            return ended + _end_those_answered_too_late(now - GRACE)
    return ended


def _end_those_answered_too_late(due_by: datetime) -> int:
    """Whose answer waits to be read, but came after the flag."""
    answered = unread.answers(due_by=due_by)
    return sum(play.end_on_time(game_id=game_id, now=due_by) for game_id in answered)


def _players_due(due_by: datetime) -> list[int]:
    """Who is to move in the games that come next, where automatic vacation could help."""
    due = Seat.objects.filter(
        game__status=Status.RUNNING,
        game__deadline_at__lte=due_by,
        game__vacation_allowed=True,
        number=F("game__seat_to_move"),
        player__participant__takes_vacation_automatically=True,
    )
    return list(due.order_by("game__deadline_at").values_list("player_id", flat=True)[:BATCH])


def expire_challenges(*, now: datetime) -> int:
    expired = 0
    while done := lobby.expire(now=now):
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
