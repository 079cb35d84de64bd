"""Games of a pairing are begun in slices by a worker: each its own transaction, none twice."""

import logging
import math
from datetime import datetime

from celery.exceptions import SoftTimeLimitExceeded
from django.db import InterfaceError, OperationalError
from django.db.models import QuerySet

from accounts import locks
from accounts.background import TimeBox
from accounts.models import Player
from games import clock, outbox
from games.starting import lock_participants, start_game
from tournaments import errands, event_dice, event_log
from tournaments.facts import RoundPaired
from tournaments.finding import lock
from tournaments.models import Event, Meeting, State

logger = logging.getLogger(__name__)
SLICE = 50
PASSES = 20
"""Slices of each event before other work has its turn."""


def begin_waiting_games(*, now: datetime, seconds: float = math.inf) -> int:
    """A slice of each event in turn; how many games were begun. What is left is begun next."""
    box = TimeBox(seconds)
    begun = 0
    for _ in range(PASSES):
        waiting = Event.objects.exclude(unbegun_from=None).order_by("unbegun_from")
        in_this_pass = 0
        for event_id in list(waiting.values_list("pk", flat=True)):
            if box.is_over:
                errands.ring()
                return begun + in_this_pass
            in_this_pass += _try(event_id, now)
        begun += in_this_pass
        if not in_this_pass:
            return begun
    errands.ring()
    return begun


def _try(event_id: int, now: datetime) -> int:
    try:
        return begin_slice(event_id=event_id, now=now)
    except Exception:
        logger.exception("games of event %s do not begin", event_id)
        return 0


@locks.action
def begin_slice(*, event_id: int, now: datetime) -> int:
    """The event's row is held, so that nobody leaves meanwhile and no other worker begins these."""
    event = lock(event_id)
    if event.unbegun_from is None or event.state != State.RUNNING:
        _note_all_begun(event)
        return 0
    waiting = _unbegun(event).select_related("first__player", "second__player").order_by("id")
    meetings = list(waiting[:SLICE])
    # All at once and in one order, so that no two events wait for each other.
    lock_participants(*{player for one in meetings for player in _players(one)})
    for meeting in meetings:
        _begin_or_report(event, meeting, now)
    if not _unbegun(event).exists():
        _tell(event, now)
        _note_all_begun(event)
    return len(meetings)


def _begin_or_report(event: Event, meeting: Meeting, now: datetime) -> None:
    """A game that cannot begin holds up no other: directors are asked to rule on it."""
    try:
        with locks.savepoint():
            begin_game(event, meeting, now=now)
    except (InterfaceError, OperationalError, SoftTimeLimitExceeded):
        # No fault of this game: a lost connection, a deadlock, a worker's time. Tried again.
        raise
    except Exception:
        logger.exception("game of meeting %s does not begin", meeting.pk)
        first, second = (player.name for player in _players(meeting))
        event_log.write(
            event, "not-begun", now=now, meeting=meeting.pk, first=first, second=second,
            round=meeting.round,
        )  # fmt: skip


def begin_game(event: Event, meeting: Meeting, *, now: datetime) -> None:
    """Both entrants and their players must have been fetched."""
    meeting.game = start_game(
        ruleset=event.ruleset, options=event.options, players=_players(meeting),
        clock_settings=clock.from_json(event.clock), now=now, rated=event.rated,
        weekends=event.weekends, vacation_allowed=event.vacation_allowed, event_id=event.pk,
        commitment=event_dice.commitment(event, meeting, now=now),
        salts=(meeting.first.salt, meeting.second.salt),
    )  # fmt: skip
    meeting.save()


def _players(meeting: Meeting) -> tuple[Player, Player]:
    return meeting.first.player, meeting.second.player


def _unbegun(event: Event) -> QuerySet[Meeting]:
    """A meeting that was decided before its turn came is never begun."""
    without = event.meetings.filter(game=None, settled_at=None)
    return without.exclude(pk__in=event_log.meetings_not_begun(event))


def _tell(event: Event, now: datetime) -> None:
    """Once all games are there, so that everybody gets one letter about all of theirs."""
    paired = event.meetings.filter(pk__gte=event.unbegun_from).order_by("pk")
    ids = list(paired.values_list("pk", flat=True))
    rounds = sorted(set(paired.values_list("round", flat=True)))
    fact = RoundPaired(event_id=event.pk, rounds=rounds, first_meeting=ids[0], last_meeting=ids[-1])
    outbox.record(fact, now=now)


def _note_all_begun(event: Event) -> None:
    if event.unbegun_from is not None:
        event.unbegun_from = None
        event.save(update_fields=["unbegun_from"])
