"""Reminders are armed when a turn begins, and armed anew when its deadline moves."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

from django.db.models import F
from django.utils import timezone

from accounts import locks
from games import prepared
from games.events import RulingChanged, VacationChanged
from games.models import Game, Ruling, Status
from games.table import Table, look
from notifications import desk, timing
from notifications.models import Kind, Letter, State, Timing
from notifications.readers import Reader, readers

MOVED = timedelta(minutes=10)
"""A deadline that differs by less is the same one."""


class AboutGame(Protocol):
    @property
    def game_id(self) -> int: ...


# What is heard


def arm_for_turn(fact: AboutGame) -> None:
    """A game started, a move was played or taken back: somebody else is to be reminded.

    Nothing is recorded for it any more, as the letter about the turn is written with its reminders;
    but there may be rows from before.
    """
    arm([fact.game_id], now=timezone.now())


def arm_after_vacation(fact: VacationChanged) -> None:
    """The deadlines of a player have moved; the stored ones may not show it yet."""
    arm_games_of(fact.player_id, now=timezone.now())


def arm_after_ruling(fact: RulingChanged) -> None:
    ruling = Ruling.objects.get(pk=fact.ruling_id)
    arm([ruling.game_id], now=timezone.now())


# Arming


def arm_games_of(player_id: int, *, now: datetime) -> None:
    turns = Game.objects.filter(
        status=Status.RUNNING, seats__player=player_id, seats__number=F("seat_to_move")
    )
    arm(list(turns.values_list("pk", flat=True)), now=now)


def arm(game_ids: Sequence[int], *, now: datetime) -> None:
    """Makes the waiting reminders of these games what they should be; often as one likes."""
    for table in look(game_ids):
        _arm_game(table, now)


@locks.action
def _arm_game(table: Table, now: datetime) -> None:
    if not table.is_running:
        desk.cancel(game_id=table.id, kinds=[Kind.REMINDER], why="game-over", now=now)
        return
    desk.cancel(
        game_id=table.id, kinds=[Kind.REMINDER], why="played", before_ply=table.ply, now=now
    )
    known = readers([table.mover.player_id])
    desk.write_all(reminders_of(table, known[table.mover.player_id], now=now), now=now, known=known)


def reminders_of(table: Table, reader: Reader, *, now: datetime) -> list[Letter]:
    """What is still to be written for the turn under way; what waits for it already is moved."""
    deadline = table.flag_falls_at()
    moments = {}
    if reader.choice(Kind.REMINDER).timing != Timing.OFF:
        moments = timing.reminder_moments(
            reader.reminders, began=table.clock_from, deadline=deadline, now=now
        )
    earlier = _earlier(table)
    unwanted = [one.pk for one in earlier if one.details["moment"] not in moments]
    if unwanted:
        Letter.objects.filter(pk__in=unwanted, state=State.WAITING).update(
            state=State.CANCELLED, why="not-chosen", settled_at=now
        )
    drafts = [
        _reminder(table, moment, at, deadline, earlier, now) for moment, at in moments.items()
    ]
    return [draft for draft in drafts if draft is not None]


# Most turns have none yet, and the ORM takes longer to ask than PostgreSQL to reply.
HAS_EARLIER = """
SELECT EXISTS (
    SELECT 1 FROM notifications_letter WHERE game_id = %s AND kind = 'reminder' AND ply = %s
)
"""


def _earlier(table: Table) -> list[Letter]:
    with prepared.cursor() as cursor:
        cursor.execute(HAS_EARLIER, [table.id, table.ply])
        if not cursor.fetchone()[0]:
            return []
    rows = Letter.objects.select_for_update(no_key=True, of=("self",)).select_related("player")
    return list(rows.filter(game_id=table.id, kind=Kind.REMINDER, ply=table.ply).order_by("pk"))


def _reminder(
    table: Table,
    moment: str,
    at: datetime,
    deadline: datetime,
    earlier: Sequence[Letter],
    now: datetime,
) -> Letter | None:
    """Moves what waits; what was sent for another deadline is followed by a new one."""
    same = [one for one in earlier if one.details["moment"] == moment]
    waiting = [one for one in same if one.state == State.WAITING]
    for letter in waiting:
        move(letter, at=at, deadline=deadline, now=now)
    if waiting or any(_is_for(letter, deadline) for letter in same):
        return None
    rounds = len({letter.details["round"] for letter in same})
    key = f"g{table.id}.p{table.ply}.s{table.mover.number}.reminder-{moment}"
    return Letter(
        kind=Kind.REMINDER,
        player_id=table.mover.player_id,
        key=f"{key}-{rounds + 1}" if rounds else key,
        game_id=table.id,
        ply=table.ply,
        seat=table.mover.number,
        details={"moment": moment, "round": rounds + 1},
        deadline_at=deadline,
        written_at=now,
        due_at=at,
    )


def _is_for(letter: Letter, deadline: datetime) -> bool:
    """What was cancelled because it was not wanted, or not needed, does not count."""
    told = letter.state != State.CANCELLED
    return told and letter.deadline_at is not None and abs(letter.deadline_at - deadline) < MOVED


def move(letter: Letter, *, at: datetime, deadline: datetime, now: datetime) -> None:
    letter.deadline_at = deadline
    desk.due_for(letter, wanted=at, now=now)
    letter.save(update_fields=["deadline_at", "due_at", "digest", "why"])


# Before one is sent


def moved_to(letter: Letter, *, now: datetime) -> tuple[datetime, datetime] | None:
    """The new moment and deadline of a reminder whose deadline has moved away meanwhile."""
    for table in look([letter.game_id]) if letter.game_id else ():
        if not table.is_running or table.ply != letter.ply or letter.deadline_at is None:
            return None
        deadline = table.flag_falls_at()
        at = timing.reminder_moment(
            letter.details["moment"], began=table.clock_from, deadline=deadline
        )
        if at > now and abs(deadline - letter.deadline_at) >= MOVED:
            return at, deadline
    return None
