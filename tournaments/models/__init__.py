"""Events as they are stored."""

from tournaments.models.events import Director, Event, Guest, LogLine, State
from tournaments.models.places import Entry, EntryState, Errand, Meeting, Rest, Round

__all__ = [
    "Director",
    "Entry",
    "EntryState",
    "Errand",
    "Event",
    "Guest",
    "LogLine",
    "Meeting",
    "Rest",
    "Round",
    "State",
]
