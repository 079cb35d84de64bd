"""What time alone brings about in events; each sweep costs what is due, not what there is."""

import logging
import math
from collections.abc import Iterable
from datetime import datetime

from celery.exceptions import SoftTimeLimitExceeded
from django.utils.translation import gettext

from accounts import locks
from accounts.background import SetAside, TimeBox
from accounts.models import Player
from games.models import Game
from tournaments import advancing, event_log
from tournaments.deciding import Scores, decide
from tournaments.finding import lock
from tournaments.models import Event, Meeting, State
from tournaments.results import seat_awaited

logger = logging.getLogger(__name__)
BATCH = 50

failed = SetAside()


def look_at_due_events(*, now: datetime, seconds: float = math.inf) -> int:
    """Starts, ends rounds and ends seasons whose time has come; the number looked at."""
    box = TimeBox(seconds)
    due = Event.objects.filter(due_at__lte=now).exclude(pk__in=list(failed))
    ids = list(due.order_by("due_at", "id").values_list("pk", flat=True)[:BATCH])
    for number, event_id in enumerate(ids):
        if box.is_over:
            return number
        try:
            look_at(event_id=event_id, now=now)
        except SoftTimeLimitExceeded:
            raise
        except Exception:
            failed.add(event_id)
            logger.exception("event %s was due and failed", event_id)
    return len(ids)


def look_at(*, event_id: int, now: datetime) -> None:
    """Games are decided in one step and begun in another; asked again, nothing is due any more."""
    if _do_what_is_due(event_id, now):
        advancing.advance(event_id=event_id, now=now)


@locks.action
def _do_what_is_due(event_id: int, now: datetime) -> bool:
    """Whether the event goes on after it."""
    event = lock(event_id)
    if event.due_at is None or event.due_at > now:
        return False
    if event.state == State.OPEN:
        advancing.start(event_id=event.pk, by=None, now=now)
        return False
    if event.state == State.RUNNING:
        _decide_what_is_late(event, now)
    return True


def _decide_what_is_late(event: Event, now: datetime) -> None:
    open_games = event.meetings.filter(settled_at=None).order_by("id")
    if event.ends_at is not None and event.ends_at <= now:
        games = decide_by_rule(event, open_games, now=now)
        event_log.write(event, "ended", now=now, games=games)
        return
    if event.round_end == Event.RoundEnd.WAIT:
        return
    late = list(event.rounds.filter(sealed_at=None, deadline_at__lte=now))
    rounds = [round.number for round in late]
    open_late = list(open_games.filter(round__in=rounds))
    decide_by_rule(event, open_late, now=now)
    for number in rounds:
        games = sum(meeting.round == number for meeting in open_late)
        if games:
            event_log.write(event, "round-ended", now=now, round=number, games=games)


def decide_by_rule(
    event: Event, meetings: Iterable[Meeting], *, by: Player | None = None, now: datetime
) -> int:
    """As declared; on the last day nothing can wait, so what runs then is drawn."""
    reason = gettext("Decided at the deadline by the rule of the event.")
    judge = _whoever_is_to_move_loses if event.round_end == Event.RoundEnd.FORFEIT else _drawn
    return decide(event, list(meetings), judge, reason=reason, by=by, now=now)


def _whoever_is_to_move_loses(meeting: Meeting, game: Game | None) -> Scores:
    if game is None:
        return 1, 1
    return (0, 2) if seat_awaited(game) == 0 else (2, 0)


def _drawn(meeting: Meeting, game: Game | None) -> Scores:
    return 1, 1
