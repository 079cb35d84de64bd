"""What the games of an event came to, written into it once and corrected when a ruling says so."""

import logging
import math
from datetime import datetime

from celery.exceptions import SoftTimeLimitExceeded
from django.utils import timezone

from accounts import locks
from accounts.background import SetAside, TimeBox
from games.events import GameFinished, RulingChanged
from games.models import Game, Ruling, Status
from games.rules.position import Turn
from games.rules.registry import ruleset
from tournaments import advancing, beginning, errands, leaving
from tournaments.facts import EntrantLeft
from tournaments.finding import lock
from tournaments.models import Entry, EntryState, Errand, Event, Meeting, State

logger = logging.getLogger(__name__)
TIMEOUTS_TO_VANISH = 2

failed = SetAside()


# What is heard is noted at once and done by a worker that holds one event at a time


def hear_of_the_end(fact: GameFinished) -> None:
    _note(fact.game_id, now=timezone.now())


def hear_of_a_ruling(fact: RulingChanged) -> None:
    """A result that was changed afterwards changes the table, never a pairing."""
    _note(Ruling.objects.get(pk=fact.ruling_id).game_id, now=timezone.now())


def hear_of_a_leave(fact: EntrantLeft) -> None:
    errands.note(fact.event_id, now=timezone.now())


def _note(game_id: int, *, now: datetime) -> None:
    event_id = Meeting.objects.filter(game=game_id).values_list("event_id", flat=True).first()
    if event_id is not None:
        errands.note(event_id, game_id=game_id, now=now)


def catch_up_all(*, now: datetime, seconds: float = math.inf) -> int:
    """Every event in which something happened goes on, then games begin; none holds up another."""
    errands.heard()
    box = TimeBox(seconds)
    noted = Errand.objects.exclude(event__in=list(failed)).order_by("event")
    waiting = list(noted.values_list("event", flat=True).distinct())
    for number, event_id in enumerate(waiting):
        if box.is_over:
            return number
        try:
            catch_up(event_id=event_id, now=now)
        except SoftTimeLimitExceeded:
            raise
        except Exception:
            failed.add(event_id)
            logger.exception("event %s does not go on", event_id)
    return len(waiting) + beginning.begin_waiting_games(now=now, seconds=box.left)


def catch_up(*, event_id: int, now: datetime) -> None:
    """Step by step, so that nobody holds a rating pool while he begins games.

    The errands go with the last step: whoever is killed before leaves them to the next.
    """
    noted = _settle_noted(event_id, now)
    while _take_out_who_vanished(event_id, now):
        pass
    if noted:
        _go_on(event_id, noted, now)


@locks.action
def _settle_noted(event_id: int, now: datetime) -> list[int]:
    event = lock(event_id)
    noted = list(event.errands.order_by("id"))
    for game_id in sorted({each.game_id for each in noted if each.game_id}):
        settle(event, game_id, now=now)
    return [errand.pk for errand in noted]


@locks.action
def _go_on(event_id: int, noted: list[int], now: datetime) -> None:
    event = lock(event_id)
    done, _ = Errand.objects.filter(pk__in=noted).delete()
    if done and event.state == State.RUNNING:
        advancing.go_on(event, now=now)


def settle(event: Event, game_id: int, *, now: datetime) -> None:
    """The event is held still, or the entrants of a ladder are."""
    meeting = (
        event.meetings.select_related("game", "first__player", "second__player")
        .filter(game=game_id)
        .first()
    )
    if meeting is None or meeting.ruled or meeting.game is None:
        return
    was_open = meeting.settled_at is None
    if meeting.game.is_running:
        _reopen(meeting)
        return
    _write(meeting, meeting.game, now)
    if was_open and meeting.game.reason == "time":
        _count_timeout(meeting)


def _write(meeting: Meeting, game: Game, now: datetime) -> None:
    """A void game was a no-show: lost by whoever did not move, and never met."""
    if game.status == Status.VOID:
        meeting.score, meeting.other_score = _no_show(game)
    else:
        assert game.score is not None
        meeting.score, meeting.other_score = game.score, 2 - game.score
    meeting.forfeit = game.status == Status.VOID or game.seats_moved != 3
    meeting.settled_at = meeting.settled_at or now
    meeting.save(update_fields=["score", "other_score", "forfeit", "settled_at"])


def _no_show(game: Game) -> tuple[int, int]:
    """Whoever was to move and let his time pass loses; without one both have nothing."""
    seat = seat_awaited(game) if game.reason == "time" else None
    if seat is None:
        return 0, 0
    return (0, 2) if seat == 0 else (2, 0)


def seat_awaited(game: Game) -> int | None:
    """Whose move the board waits for; a game that has ended still shows it."""
    awaited = ruleset(game.ruleset, game.version).load(game.position).awaiting
    return awaited.seat if isinstance(awaited, Turn) else None


def _reopen(meeting: Meeting) -> None:
    meeting.score = meeting.other_score = meeting.settled_at = None
    meeting.forfeit = False
    meeting.save(update_fields=["score", "other_score", "forfeit", "settled_at"])


def _count_timeout(meeting: Meeting) -> None:
    loser = _who_ran_out(meeting)
    if loser is not None:
        loser.timeouts += 1
        loser.save(update_fields=["timeouts"])


def _who_ran_out(meeting: Meeting) -> Entry | None:
    assert meeting.game is not None
    seat = seat_awaited(meeting.game)
    return None if seat is None else (meeting.first, meeting.second)[seat]


@locks.action
def _take_out_who_vanished(event_id: int, now: datetime) -> bool:
    event = lock(event_id)
    gone = event.entries.filter(state=EntryState.ENTERED, timeouts__gte=TIMEOUTS_TO_VANISH)
    entry = gone.select_related("player").first()
    if entry is None or event.state != State.RUNNING:
        return False
    leaving.take_out(event, entry, EntryState.VANISHED, now=now)
    return True
