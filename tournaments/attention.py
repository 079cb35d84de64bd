"""What an organiser should look at first, each kind in one statement."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Q, QuerySet, Subquery

from games.models import RulingRequest
from games.table import BOTH_SEATS
from tournaments import event_log
from tournaments.models import Entry, EntryState, Event, LogLine, Meeting, Round, State

MOST = 20
"""Of a kind; whoever has so many of one kind begins with these."""
NO_SHOW_AFTER = timedelta(days=3)


@dataclass(frozen=True, kw_only=True)
class Attention:
    rulings_asked: Sequence[RulingRequest]
    late: Sequence[Meeting]
    """Still running although their round should have ended."""
    no_shows: Sequence[Meeting]
    """Begun some days ago, and not both have moved."""
    timed_out: Sequence[Entry]
    """Have lost on time once; the next time they are withdrawn."""
    waiting: Sequence[Entry]
    unpairable: Sequence[LogLine]
    not_begun: Sequence[Meeting]
    """Failed to begin, and nobody has ruled on them."""

    def __bool__(self) -> bool:
        return any(
            (self.rulings_asked, self.late, self.no_shows, self.timed_out, self.waiting,
             self.unpairable, self.not_begun)
        )  # fmt: skip


def needed(*, event: Event, now: datetime) -> Attention:
    is_before_start = event.state in (State.DRAFT, State.OPEN)
    running = _running(event)
    entered = event.entries.filter(state=EntryState.ENTERED).select_related("player")
    waiting = event.entries.filter(state=EntryState.WAITING).select_related("player")
    asked = RulingRequest.objects.filter(game__event_id=event.pk, settled_at=None)
    no_show = ~Q(game__seats_moved=BOTH_SEATS) & Q(game__started_at__lte=now - NO_SHOW_AFTER)
    # Both in one query: whatever is late has a game, and what has not begun has none.
    both = _late(event, running, now)[:MOST].union(_not_begun(event)[:MOST], all=True)
    stuck = sorted(both, key=lambda meeting: (meeting.round, meeting.pk))
    return Attention(
        rulings_asked=list(
            asked.select_related("game", "player").order_by("asked_at", "id")[:MOST]
        ),
        late=[meeting for meeting in stuck if meeting.game_id is not None],
        no_shows=list(running.filter(no_show).order_by("game__started_at", "id")[:MOST]),
        timed_out=list(entered.filter(timeouts__gt=0).order_by("-timeouts", "number", "id")[:MOST]),
        waiting=list(waiting.order_by("entered_at", "id")[:MOST]) if is_before_start else [],
        unpairable=_unpairable(event),
        not_begun=[meeting for meeting in stuck if meeting.game_id is None],
    )


def _running(event: Event) -> QuerySet[Meeting]:
    running = event.meetings.filter(settled_at=None, game__isnull=False)
    return running.select_related("game", "first__player", "second__player")


def _late(event: Event, running: QuerySet[Meeting], now: datetime) -> QuerySet[Meeting]:
    over = Round.objects.filter(event=event.pk, deadline_at__lte=now).values("number")
    return running.filter(round__in=over).order_by("round", "id")


def _not_begun(event: Event) -> QuerySet[Meeting]:
    failed = event.meetings.filter(pk__in=event_log.meetings_not_begun(event), settled_at=None)
    return failed.select_related("game", "first__player", "second__player").order_by("id")


def _unpairable(event: Event) -> Sequence[LogLine]:
    """Rounds that were refused and have not been paired since."""
    paired = Round.objects.filter(event=event.pk).order_by("-number").values("number")[:1]
    refused = event.log.filter(what="unpairable").annotate(last=Subquery(paired))
    return [line for line in refused[:MOST] if line.words["round"] > (line.last or 0)]
