"""Events as they are stored."""

from tournaments.models.events import Director, Event, Guest, LogLine, State
from tournaments.models.places import Entry, EntryState, Meeting, Rest, Round

__all__ = [
    "Director",
    "Entry",
    "EntryState",
    "Event",
    "Guest",
    "LogLine",
    "Meeting",
    "Rest",
    "Round",
    "State",
]
