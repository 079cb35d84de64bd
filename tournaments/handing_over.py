"""Hand an event over to one of its directors; without one, call it off or leave it to the staff."""

from datetime import datetime
from typing import NamedTuple

from django.db.models import Q

from accounts.models import Player
from games import blocks, outbox
from tournaments import advancing, event_log
from tournaments.facts import EventHandedOver
from tournaments.models import Director, Event, LogLine, State


class Lines(NamedTuple):
    """What the event's log says of it."""

    to_director: str
    called_off: str
    to_staff: str


ACCOUNT_CLOSED = Lines("handed-over", "organiser-left", "staff-runs")
STEPPED_DOWN = Lines("passed-on", "organiser-stepped-down", "staff-took-over")
UNDER_STAFF = (ACCOUNT_CLOSED.to_staff, STEPPED_DOWN.to_staff)


def hand_over(event: Event, lines: Lines, *, now: datetime, by: Player | None = None) -> None:
    """To the first director who has not blocked the organiser; the event is held still."""
    heir = _heir(event)
    if heir is not None:
        _set_organiser(event, heir.player)
        heir.delete()
        event_log.write(event, lines.to_director, now=now, by=by, player=event.organiser.name)
        outbox.record(EventHandedOver(event_id=event.pk, player_id=event.organiser_id), now=now)
    elif event.state == State.DRAFT:
        event.delete()
    elif event.state == State.OPEN:
        advancing.call_off(event, lines.called_off, now)
    elif not event.log.filter(what__in=UNDER_STAFF).exists():
        _leave_to_staff(event)
        event_log.write(event, lines.to_staff, now=now, by=by)


def is_inherited(event: Event) -> bool:
    """Whether its organiser took it over, in this season or in one before."""
    first = event.series_id or event.pk
    lines = LogLine.objects.filter(Q(event=first) | Q(event__series=first))
    return lines.filter(what=ACCOUNT_CLOSED.to_director).exists()


def _heir(event: Event) -> Director | None:
    there = event.directors.filter(player__is_active=True).exclude(player=event.organiser_id)
    there = there.exclude(player__in=blocks.blockers_of(event.organiser_id))
    return there.select_related("player").order_by("id").first()


def _leave_to_staff(event: Event) -> None:
    """Its organiser is the closed account of whoever prepared it."""
    first = event.series or event
    prepared = first.log.select_related("by").get(what="created")
    assert prepared.by is not None
    _set_organiser(event, prepared.by)
    Event.objects.filter(pk=event.pk).update(renews=False)


def _set_organiser(event: Event, player: Player) -> None:
    event.organiser = player
    event.save(update_fields=["organiser"])
