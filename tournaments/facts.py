"""Facts of events that higher floors may want to hear."""

from dataclasses import dataclass

from games.events import Fact


@dataclass(frozen=True, kw_only=True)
class EventOpened(Fact, name="event_opened"):
    event_id: int


@dataclass(frozen=True, kw_only=True)
class EventCalledOff(Fact, name="event_called_off"):
    event_id: int


@dataclass(frozen=True, kw_only=True)
class EntrantInvited(Fact, name="entrant_invited"):
    """An organiser or director named a player, who has not said yes."""

    event_id: int
    entry_id: int
    by_id: int | None = None


@dataclass(frozen=True, kw_only=True)
class DirectorAppointed(Fact, name="director_appointed"):
    event_id: int
    player_id: int
    by_id: int


@dataclass(frozen=True, kw_only=True)
class EventHandedOver(Fact, name="event_handed_over"):
    """The organiser is gone, and a director has taken over."""

    event_id: int
    player_id: int


@dataclass(frozen=True, kw_only=True)
class InvitationDeclined(Fact, name="invitation_declined"):
    event_id: int
    entry_id: int


@dataclass(frozen=True, kw_only=True)
class EventStarted(Fact, name="event_started"):
    event_id: int


@dataclass(frozen=True, kw_only=True)
class RoundPaired(Fact, name="round_paired"):
    """Games were begun: the meetings from one to another, none where somebody only rests."""

    event_id: int
    rounds: list[int]
    first_meeting: int
    last_meeting: int


@dataclass(frozen=True, kw_only=True)
class RoundEnded(Fact, name="round_ended"):
    """All its results are in, so everyone's standing is known."""

    event_id: int
    round: int


@dataclass(frozen=True, kw_only=True)
class EntrantLeft(Fact, name="entrant_left"):
    event_id: int
    entry_id: int


@dataclass(frozen=True, kw_only=True)
class EventFinished(Fact, name="event_finished"):
    event_id: int
