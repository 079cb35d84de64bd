"""Facts that higher floors may want to hear; past tense, plain data, never changed."""

from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Fact:
    """Something that happened; its fields are JSON."""


@dataclass(frozen=True, kw_only=True)
class GameStarted(Fact):
    game_id: int


@dataclass(frozen=True, kw_only=True)
class MovePlayed(Fact):
    game_id: int
    ply: int
    seat: int


@dataclass(frozen=True, kw_only=True)
class GameFinished(Fact):
    """Over for whatever reason, void games included."""

    game_id: int
    reason: str


@dataclass(frozen=True, kw_only=True)
class DrawOffered(Fact):
    game_id: int
    seat: int


@dataclass(frozen=True, kw_only=True)
class DrawDeclined(Fact):
    game_id: int
    seat: int


@dataclass(frozen=True, kw_only=True)
class TakebackAsked(Fact):
    game_id: int
    seat: int


@dataclass(frozen=True, kw_only=True)
class TakebackDeclined(Fact):
    game_id: int
    seat: int


@dataclass(frozen=True, kw_only=True)
class MovesTakenBack(Fact):
    game_id: int
    ply: int


@dataclass(frozen=True, kw_only=True)
class ChatWritten(Fact):
    game_id: int
    line_id: int


@dataclass(frozen=True, kw_only=True)
class ChallengeMade(Fact):
    challenge_id: int


@dataclass(frozen=True, kw_only=True)
class ChallengeAnswered(Fact):
    """Accepted, declined, withdrawn or expired: `state` says which."""

    challenge_id: int
    state: str


@dataclass(frozen=True, kw_only=True)
class VacationChanged(Fact):
    """A vacation began or its end moved; `began` says which."""

    player_id: int
    began: bool
    automatic: bool


@dataclass(frozen=True, kw_only=True)
class PlanStopped(Fact):
    """A conditional move could not be played, or what it waited for did not come."""

    game_id: int
    seat: int
    ply: int


@dataclass(frozen=True, kw_only=True)
class RulingChanged(Fact):
    """A ruling was made, or undone."""

    ruling_id: int
    undone: bool


@dataclass(frozen=True, kw_only=True)
class RulingRequestSettled(Fact):
    """The staff have answered a player who asked for a ruling."""

    request_id: int


FACTS: dict[str, type[Fact]] = {fact.__name__: fact for fact in Fact.__subclasses__()}
"""The facts of games; higher floors have their own."""


def fact_named(name: str) -> type[Fact]:
    """Of any floor."""
    if name in FACTS:
        return FACTS[name]
    return next(fact for fact in Fact.__subclasses__() if fact.__name__ == name)
