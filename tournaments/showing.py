"""Which events somebody sees, and which he runs."""

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q, QuerySet

from accounts.models import Player
from tournaments.finding import may_direct
from tournaments.models import Event, State
from tournaments.refusals import NoSuchEvent

Viewer = Player | AnonymousUser


def visible_events(viewer: Viewer) -> QuerySet[Event]:
    """A draft is seen by those alone who prepare it."""
    events = Event.objects.select_related("organiser")
    if not isinstance(viewer, Player):
        return events.exclude(state=State.DRAFT)
    if viewer.acts_as_staff:
        return events
    mine = Event.objects.filter(directors__player=viewer).values("pk")
    return events.filter(~Q(state=State.DRAFT) | Q(organiser=viewer) | Q(pk__in=mine))


def visible_event(event_id: int, viewer: Viewer) -> Event:
    event = visible_events(viewer).filter(pk=event_id).first()
    if event is None:
        raise NoSuchEvent
    return event


def directs(event: Event, viewer: Viewer) -> bool:
    return isinstance(viewer, Player) and may_direct(event, viewer)
