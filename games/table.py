"""A game and its seats, read in one statement and locked: how every act at a table begins."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any
from zoneinfo import ZoneInfo

from django.db import connection

from games import clock, prepared
from games.clock import Interval, Pauses
from games.models import Status, WayIn
from games.refusals import NoSuchGame, NotAtThisTable
from games.rules.position import Position, Ruleset
from games.rules.registry import ruleset

BOTH_SEATS = 0b11
MOVES_BY_MAIL = 6
"""Its place among the columns by seat."""

# One statement instead of the ORM's three: acts at the table are what the service does all day.
# Pauses are those that can touch the turn under way; weekends come from the zone.
READ = """
SELECT g.id, g.ruleset, g.version, g.options, g.rated, g.clock, g.weekends, g.vacation_allowed,
       g.event_id, g.status, g.position, g.ply, g.seat_to_move, g.seats_moved,
       g.draw_offered_by, g.takeback_asked_by,
       g.clock_from, g.time_left, g.deadline_at, g.dice_scheme, g.seed, g.throws_made,
       s0.has_conditional_moves OR s1.has_conditional_moves,
       ARRAY[s0.id, s1.id], ARRAY[s0.player_id, s1.player_id], ARRAY[s0.bank, s1.bank],
       ARRAY[s0.zone, s1.zone], ARRAY[s0.salt, s1.salt],
       ARRAY[s0.salted_after_throw, s1.salted_after_throw],
       ARRAY[s0.moves_by_mail, s1.moves_by_mail],
       ARRAY(SELECT ARRAY[v.began_at, v.ends_at] FROM games_vacation v
             WHERE v.player_id = s0.player_id AND v.ends_at > g.clock_from ORDER BY v.began_at),
       ARRAY(SELECT ARRAY[v.began_at, v.ends_at] FROM games_vacation v
             WHERE v.player_id = s1.player_id AND v.ends_at > g.clock_from ORDER BY v.began_at),
       ARRAY(SELECT ARRAY[o.began_at, o.ended_at] FROM games_outage o
             WHERE o.way_in = 'web' AND o.ended_at > g.clock_from ORDER BY o.began_at),
       ARRAY(SELECT ARRAY[o.began_at, o.ended_at] FROM games_outage o
             WHERE o.way_in = 'mail' AND o.ended_at > g.clock_from ORDER BY o.began_at)
FROM games_game g
JOIN games_seat s0 ON s0.game_id = g.id AND s0.number = 0
JOIN games_seat s1 ON s1.game_id = g.id AND s1.number = 1
"""
SEVERAL = READ + "WHERE g.id = ANY(%s)"
# The seats are locked with the game: after waiting, only locked rows are read as they are now.
ONE = READ + "WHERE g.id = %s FOR NO KEY UPDATE OF g, s0, s1"
# Whoever else holds a game will settle it; the next sweep looks again. The first condition is
# for the index, the second asks for the way in of whoever is to move.
WHERE_DUE = """
WHERE g.status = 'running' AND g.deadline_at <= GREATEST(%(web)s, %(mail)s)
  AND g.deadline_at <= CASE WHEN CASE g.seat_to_move WHEN 0 THEN s0.moves_by_mail
                                 ELSE s1.moves_by_mail END THEN %(mail)s ELSE %(web)s END
  AND NOT g.id = ANY(%(but)s)
ORDER BY g.deadline_at, g.id LIMIT %(most)s
"""
DUE = READ + WHERE_DUE + "FOR NO KEY UPDATE OF g, s0, s1 SKIP LOCKED"
DUE_IDS = (
    """
SELECT g.id FROM games_game g
JOIN games_seat s0 ON s0.game_id = g.id AND s0.number = 0
JOIN games_seat s1 ON s1.game_id = g.id AND s1.number = 1
"""
    + WHERE_DUE
)


@dataclass(slots=True, frozen=True)
class SeatAtTable:
    id: int
    number: int
    player_id: int
    bank: timedelta
    zone: str
    salt: str
    salted_after_throw: int
    moves_by_mail: bool
    vacations: tuple[Interval, ...]
    outages: tuple[Interval, ...]
    """Of the player's way in."""

    @property
    def way_in(self) -> str:
        return WayIn.MAIL if self.moves_by_mail else WayIn.WEB


@dataclass(frozen=True)
class Table:
    """A locked game; nobody else changes it until the transaction ends."""

    id: int
    ruleset_key: str
    version: int
    options: dict[str, Any]
    rated: bool
    clock: clock.Clock
    weekends: bool
    vacation_allowed: bool
    event_id: int | None
    status: str
    position_json: str
    ply: int
    seat_to_move: int | None
    seats_moved: int
    draw_offered_by: int | None
    takeback_asked_by: int | None
    clock_from: datetime
    time_left: timedelta
    deadline_at: datetime | None
    dice_scheme: int
    seed: bytes
    throws_made: int
    has_plans: bool
    seats: tuple[SeatAtTable, SeatAtTable]

    @property
    def ruleset(self) -> Ruleset:
        return ruleset(self.ruleset_key, self.version)

    @cached_property
    def position(self) -> Position:
        return self.ruleset.load(json.loads(self.position_json))

    @property
    def is_running(self) -> bool:
        return self.status == Status.RUNNING

    @property
    def both_have_moved(self) -> bool:
        return self.seats_moved == BOTH_SEATS

    @property
    def mover(self) -> SeatAtTable:
        assert self.seat_to_move is not None
        return self.seats[self.seat_to_move]

    def seat_of(self, player_id: int) -> SeatAtTable:
        for seat in self.seats:
            if seat.player_id == player_id:
                return seat
        raise NotAtThisTable

    def pauses(self, seat: SeatAtTable) -> Pauses:
        return Pauses(
            vacations=seat.vacations if self.vacation_allowed else (),
            weekends=ZoneInfo(seat.zone) if self.weekends else None,
            outages=seat.outages,
        )

    def flag_falls_at(self) -> datetime:
        """By all pauses that are known now; the stored deadline may be older."""
        return clock.deadline(self.clock_from, self.time_left, self.pauses(self.mover))

    def ran_out(self, due_by: Mapping[str, datetime]) -> bool:
        """Whether time ran out by the moment that `due_by` has for the mover's way in.

        The one condition of a time-out: later than that, nobody knows yet whether moves got in.
        """
        return self.flag_falls_at() <= due_by[self.mover.way_in]

    def used(self, now: datetime) -> timedelta:
        return clock.used(self.clock_from, now, self.pauses(self.mover))


def lock(game_id: int) -> Table:
    """Must be called inside a transaction; raises NoSuchGame."""
    with prepared.cursor() as cursor:
        cursor.execute(ONE, [game_id])
        row = cursor.fetchone()
    if row is None:
        raise NoSuchGame
    return _table(row)


def look(game_ids: Sequence[int]) -> list[Table]:
    """The games as they are, without a lock: to be looked at again before anything is done."""
    with prepared.cursor() as cursor:
        cursor.execute(SEVERAL, [list(game_ids)])
        return [_table(row) for row in cursor.fetchall()]


def lock_due(*, due_by: Mapping[str, datetime], but: Collection[int], most: int) -> list[Table]:
    """The games whose stored deadline has passed, `but` for some, that nobody else holds.

    `due_by` is the moment for each way in.
    """
    with connection.cursor() as cursor:
        cursor.execute(DUE, {**due_by, "but": list(but), "most": most})
        return [_table(row) for row in cursor.fetchall()]


def due(*, due_by: Mapping[str, datetime], but: Collection[int], most: int) -> list[int]:
    """The ids of what `lock_due` would look at next, whoever holds it."""
    with connection.cursor() as cursor:
        cursor.execute(DUE_IDS, {**due_by, "but": list(but), "most": most})
        return [game_id for (game_id,) in cursor.fetchall()]


def _table(row: tuple[Any, ...]) -> Table:
    (game_id, ruleset_key, version, options, rated, clock_json, weekends, vacation_allowed,
     event_id, status, position, ply, seat_to_move, seats_moved, draw_offered_by, takeback_asked_by,
     clock_from, time_left, deadline_at, dice_scheme, seed, throws_made, has_plans, *by_seat,
     first_vacations, second_vacations, web_outages, mail_outages) = row  # fmt: skip
    by_seat.append([_intervals(first_vacations), _intervals(second_vacations)])
    outages = {False: _intervals(web_outages), True: _intervals(mail_outages)}
    by_seat.append([outages[by_mail] for by_mail in by_seat[MOVES_BY_MAIL]])
    first, second = (
        SeatAtTable(seat_id, number, *rest)
        for number, (seat_id, *rest) in enumerate(zip(*by_seat, strict=True))
    )
    return Table(
        id=game_id,
        ruleset_key=ruleset_key,
        version=version,
        options=json.loads(options),
        rated=rated,
        clock=clock.from_json(json.loads(clock_json)),
        weekends=weekends,
        vacation_allowed=vacation_allowed,
        event_id=event_id,
        status=status,
        position_json=position,
        ply=ply,
        seat_to_move=seat_to_move,
        seats_moved=seats_moved,
        draw_offered_by=draw_offered_by,
        takeback_asked_by=takeback_asked_by,
        clock_from=clock_from,
        time_left=time_left,
        deadline_at=deadline_at,
        dice_scheme=dice_scheme,
        seed=bytes(seed),
        throws_made=throws_made,
        has_plans=has_plans,
        seats=(first, second),
    )


def _intervals(pairs: list[list[datetime]]) -> tuple[Interval, ...]:
    return tuple(Interval(start, end) for start, end in pairs)
