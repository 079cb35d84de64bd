"""What a game came to: the fold of how it was played and of the rulings that stand, in order.

A stretch of rulings is over as soon as the game goes on; the next ruling begins a new one, from
how the game stands then. Times are reckoned the same way: what a clock would show without any
ruling, and the credit that the standing ones make together.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from games.models import Game, Ruling, Status
from games.rules.position import Outcome, Position

Kind = Ruling.Kind
REASON = "ruling"


@dataclass(frozen=True, slots=True, kw_only=True)
class Course:
    """The end of a game, or that there is none yet."""

    status: str
    score: int | None = None
    points: tuple[int, ...] = ()
    reason: str = ""
    ended_at: datetime | None = None

    @property
    def is_running(self) -> bool:
        return self.status == Status.RUNNING


RUNNING = Course(status=Status.RUNNING)


def of(game: Game) -> Course:
    return Course(
        status=game.status,
        score=game.score,
        points=tuple(game.points),
        reason=game.reason,
        ended_at=game.ended_at,
    )


def remembered(game: Game) -> dict[str, Any]:
    """How the game stands, before the first ruling of a stretch."""
    assert game.clock_from is not None
    assert game.time_left is not None
    last = Ruling.objects.filter(game=game).order_by("pk").last()
    return {
        "ply": game.ply,
        "after_ruling": last.pk if last else 0,
        "status": game.status,
        "score": game.score,
        "points": list(game.points),
        "reason": game.reason,
        "ended_at": game.ended_at.isoformat() if game.ended_at else None,
        "clock_from": game.clock_from.isoformat(),
        "time_left_seconds": game.time_left.total_seconds(),
    }


def present_stretch(game: Game) -> list[Ruling] | None:
    """The standing rulings since the game last went on; None if it went on after the last."""
    if game.as_played is None or game.as_played["ply"] != game.ply:
        return None
    since = Ruling.objects.filter(game=game, pk__gt=game.as_played["after_ruling"])
    standing = list(since.filter(undone_at=None).order_by("pk"))
    ended_by_play = folded(game, standing).is_running and not game.is_running
    return None if ended_by_play else standing


def folded(game: Game, standing: Iterable[Ruling], points: tuple[int, ...] = ()) -> Course:
    """`points` are those on the board, which a result that is set leaves to the players."""
    course = played(game)
    for ruling in standing:
        ended_at = course.ended_at or ruling.made_at
        if ruling.kind == Kind.VOID:
            course = Course(status=Status.VOID, reason=REASON, ended_at=ended_at)
        elif ruling.kind == Kind.RESULT:
            course = Course(
                status=Status.FINISHED,
                score=ruling.detail["score"],
                points=points,
                reason=REASON,
                ended_at=ended_at,
            )
        elif ruling.kind == Kind.REOPEN:
            course = RUNNING
    return course


def points_on(position: Position) -> tuple[int, ...]:
    """What the players have on the board."""
    awaited = position.awaiting
    return (awaited if isinstance(awaited, Outcome) else position.forfeited_by(0)).points


def played(game: Game) -> Course:
    """What it was when it was remembered."""
    remembered = game.as_played or {}
    ended_at = remembered["ended_at"]
    return Course(
        status=remembered["status"],
        score=remembered["score"],
        points=tuple(remembered["points"]),
        reason=remembered["reason"],
        ended_at=datetime.fromisoformat(ended_at) if ended_at else None,
    )


def clock_was_stopped(game: Game, standing: Iterable[Ruling]) -> bool:
    """Whether it was a ruling and not play that stopped the clock last.

    Such a clock is set to what it shows without any credit: it may be less than nothing.
    """
    return played(game).is_running or any(ruling.kind == Kind.REOPEN for ruling in standing)


def credit(standing: Iterable[Ruling], seat: int) -> timedelta:
    """What the rulings add to a seat's clock: gifts add up, a correction replaces them."""
    total = timedelta()
    for ruling in standing:
        if ruling.detail.get("seat") != seat:
            continue
        if ruling.kind == Kind.CLOCK:
            total = timedelta(seconds=ruling.detail["credit_seconds"])
        else:
            total += timedelta(hours=ruling.detail["hours"])
    return total
