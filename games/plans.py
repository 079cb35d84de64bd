"""Conditional moves of the players: kept with their seats, consulted after every line."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from games import conditional, outbox
from games.conditional import Branch, Event, Tree
from games.events import PlanStopped
from games.models import Seat
from games.refusals import GameIsOver
from games.table import Table, lock

LONGEST_LOG = 30


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

    seat: Seat
    text: str
    rest: Tree


# Writing one


def write(*, game_id: int, player_id: int, tree: object) -> list[dict[str, Any]]:
    """Stores a player's plan in place of the one before; what is returned is what is stored.

    An empty tree takes the plan away.
    """
    shaped = conditional.checked(tree)
    with transaction.atomic():
        table = lock(game_id)
        at = table.seat_of(player_id)
        if not table.is_running:
            raise GameIsOver("This game is over; nothing more can be played in it.")
        stored = conditional.canonical(shaped, table.position, at.number)
        Seat.objects.filter(pk=at.id).update(plan=stored or None)
    return stored


# Following them


def reply_to(table: Table, line: Line, *, now: datetime) -> Reply | None:
    """Carries both plans past a line; the move that one of them has ready for it, if any."""
    reply = None
    for seat in Seat.objects.filter(game_id=table.id, plan__isnull=False):
        found = _carry(seat, line, now)
        reply = found or reply
    return reply


def _carry(seat: Seat, line: Line, now: datetime) -> Reply | None:
    assert seat.plan is not None
    branches = conditional.tree(seat.plan)
    event = Event(
        move=None if line.seat == seat.number else line.text,
        total=line.total,
        is_my_turn=line.seat_to_move == seat.number,
    )
    branch = conditional.chosen(branches, event)
    if branch is None:
        if not _stands(branches, event):
            _stop(seat, line.ply, "unforeseen", now, died=branches)
        return None
    died = tuple(other for other in branches if other is not branch)
    if not event.is_my_turn:
        _store(seat, branch.next, {"ply": line.ply, "what": "went on"}, died)
        return None
    if branch.then is None:
        _stop(seat, line.ply, "asked", now, died=died)
        return None
    _store(seat, branch.next, {"ply": line.ply, "what": "answered", "move": branch.then}, died)
    return Reply(seat=seat, text=branch.then, rest=branch.next)


def _stands(branches: Tree, event: Event) -> bool:
    """A plan is not touched by its owner's own moves, nor while the opponent has not done."""
    return event.move is None or conditional.still_waits(branches, event)


def refuse(reply: Reply, why: str, *, ply: int, now: datetime) -> None:
    """The reply was illegal when its time came: the plan ends here and its owner is told."""
    reply.seat.refresh_from_db()
    _stop(reply.seat, ply, "illegal", now, died=reply.rest, move=reply.text, why=why)


def forget(table: Table, *, now: datetime) -> None:
    """Moves were taken back: what was planned no longer fits."""
    for seat in Seat.objects.filter(game_id=table.id, plan__isnull=False):
        _stop(seat, table.ply + 1, "taken back", now, died=conditional.tree(seat.plan or []))


def _stop(seat: Seat, ply: int, what: str, now: datetime, *, died: Tree, **more: object) -> None:
    _store(seat, (), {"ply": ply, "what": what, **more}, died)
    outbox.record(PlanStopped(game_id=seat.game_id, seat=seat.number, ply=ply), now=now)


def _store(seat: Seat, branches: Tree, entry: dict[str, Any], died: tuple[Branch, ...]) -> None:
    if died:
        entry["died"] = [branch.to_json() for branch in died]
    seat.plan = [branch.to_json() for branch in branches] or None
    seat.plan_log = [*(seat.plan_log or []), entry][-LONGEST_LOG:]
    seat.save(update_fields=["plan", "plan_log"])
