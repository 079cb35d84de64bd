"""Conditional moves of the players: in a table of their own, consulted after every move."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from accounts import locks
from games import conditional, outbox
from games.conditional import Branch, Event, Tree
from games.events import PlanStopped
from games.models import ConditionalMoves, Seat
from games.refusals import GameIsOver
from games.table import Table, lock

LONGEST_LOG = 30
MOST_DEAD_SHOWN = 10
LONGEST_REASON = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What was just played, as plans see it."""

    seat: int
    ply: int
    text: str
    total: int | None
    seat_to_move: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What a plan has its owner do now; `rest` is the plan from there on."""

    moves: ConditionalMoves
    text: str
    rest: Tree

    @property
    def seat(self) -> Seat:
        return self.moves.seat


# Reading them


def of_seat(seat_id: int) -> ConditionalMoves:
    """An empty one, not stored, where there is none."""
    found = ConditionalMoves.objects.filter(seat_id=seat_id).first()
    return found or ConditionalMoves(seat_id=seat_id)


def has_log(seat_id: int) -> bool:
    return ConditionalMoves.objects.filter(seat_id=seat_id).exclude(log=[]).exists()


# Writing one


@locks.action
def write(*, game_id: int, player_id: int, tree: object) -> list[dict[str, Any]]:
    """Stores a player's plan in place of the one before; what is returned is what is stored.

    An empty tree takes the plan away.
    """
    shaped = conditional.checked(tree)
    table = lock(game_id)
    at = table.seat_of(player_id)
    if not table.is_running:
        raise GameIsOver("This game is over; nothing more can be played in it.")
    stored = conditional.canonical(shaped, table.position, at.number)
    ConditionalMoves.objects.update_or_create(seat_id=at.id, defaults={"tree": stored})
    Seat.objects.filter(pk=at.id).update(has_conditional_moves=bool(stored))
    return stored


# Following them


def reply_to(table: Table, line: Line, *, now: datetime) -> Reply | None:
    """Carries both plans past a line; the move that one of them has ready for it, if any."""
    reply = None
    for moves in _waiting(table):
        found = _carry(moves, line, now)
        reply = found or reply
    return reply


def _waiting(table: Table) -> list[ConditionalMoves]:
    of_game = ConditionalMoves.objects.filter(
        seat__game_id=table.id, seat__has_conditional_moves=True
    )
    return list(of_game.select_related("seat").order_by("seat__number"))


def _carry(moves: ConditionalMoves, line: Line, now: datetime) -> Reply | None:
    branches = conditional.tree(moves.tree)
    number = moves.seat.number
    event = Event(
        move=None if line.seat == number else line.text,
        total=line.total,
        is_my_turn=line.seat_to_move == number,
    )
    branch = conditional.chosen(branches, event)
    if branch is None:
        if not _stands(branches, event):
            _stop(moves, line.ply, "unforeseen", now, died=branches)
        return None
    died = tuple(other for other in branches if other is not branch)
    if not event.is_my_turn:
        _store(moves, branch.next, {"ply": line.ply, "what": "went on"}, died)
        return None
    if branch.then is None:
        _stop(moves, line.ply, "asked", now, died=died)
        return None
    _store(moves, branch.next, {"ply": line.ply, "what": "answered", "move": branch.then}, died)
    return Reply(moves=moves, text=branch.then, rest=branch.next)


def _stands(branches: Tree, event: Event) -> bool:
    """A plan is not touched by its owner's own moves, nor while the opponent has not done."""
    return event.move is None or conditional.still_waits(branches, event)


def refuse(reply: Reply, why: str, *, ply: int, now: datetime) -> None:
    """The reply was illegal when its time came: the plan ends here and its owner is told."""
    why = why[:LONGEST_REASON]
    _stop(reply.moves, ply, "illegal", now, died=reply.rest, move=reply.text, why=why)


def forget(table: Table, *, now: datetime) -> None:
    """Moves were taken back: what was planned no longer fits."""
    for moves in _waiting(table):
        _stop(moves, table.ply + 1, "taken back", now, died=conditional.tree(moves.tree))


def drop(tables: Sequence[Table]) -> None:
    """The games are over: nothing waits in them any more."""
    seats = [seat.id for table in tables if table.has_plans for seat in table.seats]
    if seats:
        ConditionalMoves.objects.filter(seat__in=seats).exclude(tree=[]).update(tree=[])
        Seat.objects.filter(pk__in=seats).update(has_conditional_moves=False)


def _stop(
    moves: ConditionalMoves, ply: int, what: str, now: datetime, *, died: Tree, **more: object
) -> None:
    _store(moves, (), {"ply": ply, "what": what, **more}, died)
    seat = moves.seat
    outbox.record(PlanStopped(game_id=seat.game_id, seat=seat.number, ply=ply), now=now)


def _store(
    moves: ConditionalMoves, branches: Tree, entry: dict[str, Any], died: tuple[Branch, ...]
) -> None:
    if died:
        entry["died"] = [replace(branch, next=()).to_json() for branch in died[:MOST_DEAD_SHOWN]]
    moves.tree = [branch.to_json() for branch in branches]
    moves.log = [*moves.log, entry][-LONGEST_LOG:]
    moves.save(update_fields=["tree", "log"])
    if not branches:
        Seat.objects.filter(pk=moves.seat_id).update(has_conditional_moves=False)
