"""What time brings about with nobody on line; each sweep costs what is due, not what there is."""

from datetime import datetime, timedelta

from django.db.models import F

from games import lobby, outages, play, unread, vacations
from games.events import VacationChanged
from games.models import Game, Outage, Seat, Status

BATCH = 500
GRACE = timedelta(seconds=30)
"""A move that arrived in time may still be waiting for its lock when the flag falls."""


def end_games_on_time(*, now: datetime) -> int:
    """Ends every game whose flag has fallen; the number ended."""
    due_by = now - GRACE
    ended = 0
    outages.break_silence(now=now)
    while True:
        vacations.take_automatically(_players_due(due_by), now=due_by)
        looked_at, fallen = play.forfeit_on_time(due_by=due_by, now=now, most=BATCH)
        ended += fallen
        if looked_at < BATCH:
            return ended + _end_those_answered_too_late(due_by)


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
    play.recount_deadlines(list(games.values_list("pk", flat=True)))


def credit_outages(*, now: datetime) -> int:
    """Moves the stored deadline of every running game after an outage; the number moved.

    It notes how far it has come after each batch, and goes on from there when it was killed.
    """
    moved = 0
    for outage in Outage.objects.filter(is_credited=False):
        running = Game.objects.filter(status=Status.RUNNING, clock_from__lt=outage.ended_at)
        while batch := list(
            running.filter(pk__gt=outage.credited_to)
            .order_by("pk")
            .values_list("pk", flat=True)[:BATCH]
        ):
            play.recount_deadlines(batch)
            outage.credited_to = batch[-1]
            outage.save(update_fields=["credited_to"])
            moved += len(batch)
        outage.is_credited = True
        outage.save(update_fields=["is_credited"])
    return moved
