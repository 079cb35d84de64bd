"""How doors find an event and hold it still."""

from accounts.models import Player
from tournaments.formats import registry
from tournaments.formats.format import Format
from tournaments.models import Event, State
from tournaments.refusals import NoSuchEvent, NotYourEvent, WrongMoment


def lock(event_id: int) -> Event:
    """Whoever changes an event or pairs a round holds this row; others wait."""
    # Only the key is left to others: a line of the log or an errand waits for nobody.
    held = Event.objects.select_for_update(of=("self",), no_key=True)
    event = held.select_related("organiser").filter(pk=event_id).first()
    if event is None:
        raise NoSuchEvent
    return event


def format_of(event: Event) -> Format:
    return registry.from_json({"format": event.format, **event.settings})


def may_direct(event: Event, player: Player) -> bool:
    if player.pk == event.organiser_id or player.acts_as_staff:
        return True
    return event.directors.filter(player=player.pk).exists()


def require_director(event: Event, player: Player) -> None:
    if not may_direct(event, player):
        raise NotYourEvent


def require_organiser(event: Event, player: Player) -> None:
    if player.pk != event.organiser_id and not player.acts_as_staff:
        raise NotYourEvent


def require_state(event: Event, *states: State) -> None:
    if event.state not in states:
        raise WrongMoment(
            "This cannot be done now: the event is {state}.", state=State(event.state).label
        )
