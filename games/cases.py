"""A game that is ruled on: locked, with the rulings that stand and the clocks they make."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from games import clock, courses
from games.models import Game, Ruling, Seat
from games.refusals import TooLate
from games.rules.position import Turn
from games.table import Table, lock


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """A locked game with the rulings that make it what it is."""

    table: Table
    game: Game
    standing: list[Ruling]

    @property
    def mover(self) -> int | None:
        """The seat that is to move if the game runs; none if the rules have ended it."""
        awaited = self.table.position.awaiting
        return awaited.seat if isinstance(awaited, Turn) else None

    def bare_time(self, now: datetime) -> timedelta:
        """What the mover's clock would show without any ruling, now or when it was stopped."""
        table, game, seat = self.table, self.game, self.mover
        assert seat is not None
        pauses = table.pauses(table.seats[seat])
        if game.is_running:
            left = table.time_left - clock.used(table.clock_from, now, pauses)
            return left - courses.credit(self.standing, seat)
        if courses.clock_was_stopped(game, self.standing):
            return table.time_left
        ended_at = courses.played(game).ended_at
        assert ended_at is not None
        return clock.time_left(table.clock_from, table.time_left, ended_at, pauses)

    def bare_bank(self, seat: int) -> timedelta:
        return self.table.seats[seat].bank - courses.credit(self.standing, seat)

    def bare_clock(self, seat: int, now: datetime) -> timedelta:
        return self.bare_time(now) if seat == self.mover else self.bare_bank(seat)


def take_up(game_id: int) -> Case:
    """Locks the game; if it has gone on since the last ruling, it is remembered as it is now."""
    table = lock(game_id)
    game = Game.objects.get(pk=game_id)
    standing = courses.present_stretch(game)
    if standing is None:
        game.as_played = courses.remembered(game)
    return Case(table=table, game=game, standing=standing or [])


# Clocks


def set_clocks(case: Case, standing: list[Ruling], now: datetime, *, runs: bool) -> None:
    """Gives both clocks what these rulings make of them; the game is still to be saved."""
    _set_bank(case, standing)
    if runs:
        _run_clock(case, standing, now)
    else:
        _stop_clock(case, standing, now)


def _stop_clock(case: Case, standing: list[Ruling], now: datetime) -> None:
    """While a game is over, the clock of the seat to move stands still and shows no credit."""
    game = case.game
    if game.is_running:
        game.clock_from, game.time_left = now, case.bare_time(now)
    if not courses.clock_was_stopped(game, standing):
        _restore_clock(game)
    game.seat_to_move = game.deadline_at = None


def _run_clock(case: Case, standing: list[Ruling], now: datetime) -> None:
    game, seat = case.game, case.mover
    assert seat is not None
    assert game.time_left is not None
    credit = courses.credit(standing, seat)
    left = case.bare_time(now) + credit
    if game.is_running:
        change = credit - courses.credit(case.standing, seat)
        _require_time(left, change)
        game.time_left += change
    else:
        game.clock_from, game.time_left = now, max(left, clock.NOTHING)
    assert game.clock_from is not None
    pauses = case.table.pauses(case.table.seats[seat])
    game.seat_to_move = seat
    game.deadline_at = clock.deadline(game.clock_from, game.time_left, pauses)


def _restore_clock(game: Game) -> None:
    """Play ended the game, so its clock is again what it was then."""
    assert game.as_played is not None
    game.clock_from = datetime.fromisoformat(game.as_played["clock_from"])
    game.time_left = timedelta(seconds=game.as_played["time_left_seconds"])


def _set_bank(case: Case, standing: list[Ruling]) -> None:
    """The clock of the seat that waits."""
    for seat in case.table.seats:
        bank = case.bare_bank(seat.number) + courses.credit(standing, seat.number)
        if seat.number != case.mover and bank != seat.bank:
            _require_time(bank, bank - seat.bank)
            Seat.objects.filter(pk=seat.id).update(bank=bank)


def _require_time(left: timedelta, change: timedelta) -> None:
    if change < clock.NOTHING and left <= clock.NOTHING:
        raise TooLate("Without this ruling the clock would have run out; correct it instead.")
