"""Facts that higher floors may want to hear; past tense, plain data, never changed."""

from dataclasses import dataclass
from typing import Any, ClassVar

FACTS: dict[str, "type[Fact]"] = {}
"""Every fact of every app that is loaded, by the name under which the outbox stores it."""


@dataclass(frozen=True, kw_only=True)
class Fact:
    """Something that happened; its fields are JSON.

    Its name is stored, so it stays what it is when the class is renamed.
    """

    name: ClassVar[str]

    def __init_subclass__(cls, *, name: str, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if name in FACTS:
            raise ValueError(f"two facts are named {name!r}")
        cls.name, FACTS[name] = name, cls


@dataclass(frozen=True, kw_only=True)
class GameStarted(Fact, name="game_started"):
    game_id: int


@dataclass(frozen=True, kw_only=True)
class MovePlayed(Fact, name="move_played"):
    game_id: int
    ply: int
    seat: int


@dataclass(frozen=True, kw_only=True)
class GameFinished(Fact, name="game_finished"):
    """Over for whatever reason, void games included."""

    game_id: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class DrawOffered(Fact, name="draw_offered"):
    game_id: int
    seat: int


@dataclass(frozen=True, kw_only=True)
class DrawDeclined(Fact, name="draw_declined"):
    game_id: int
    seat: int


@dataclass(frozen=True, kw_only=True)
class TakebackAsked(Fact, name="takeback_asked"):
    game_id: int
    seat: int


@dataclass(frozen=True, kw_only=True)
class TakebackDeclined(Fact, name="takeback_declined"):
    game_id: int
    seat: int


@dataclass(frozen=True, kw_only=True)
class MovesTakenBack(Fact, name="moves_taken_back"):
    game_id: int
    ply: int


@dataclass(frozen=True, kw_only=True)
class ChatWritten(Fact, name="chat_written"):
    game_id: int
    line_id: int


@dataclass(frozen=True, kw_only=True)
class ChallengeMade(Fact, name="challenge_made"):
    challenge_id: int


@dataclass(frozen=True, kw_only=True)
class ChallengeAnswered(Fact, name="challenge_answered"):
    """Accepted, declined, withdrawn or expired: `state` says which."""

    challenge_id: int
    state: str


@dataclass(frozen=True, kw_only=True)
class VacationChanged(Fact, name="vacation_changed"):
    """A vacation began or its end moved; `began` says which."""

    player_id: int
    began: bool
    automatic: bool


@dataclass(frozen=True, kw_only=True)
class PlanStopped(Fact, name="plan_stopped"):
    """A conditional move could not be played, or what it waited for did not come."""

    game_id: int
    seat: int
    ply: int


@dataclass(frozen=True, kw_only=True)
class RulingChanged(Fact, name="ruling_changed"):
    """A ruling was made, or undone."""

    ruling_id: int
    undone: bool


@dataclass(frozen=True, kw_only=True)
class RulingRequestSettled(Fact, name="ruling_request_settled"):
    """The staff have answered a player who asked for a ruling."""

    request_id: int
