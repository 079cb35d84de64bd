"""Background tasks of games; each may run twice and find nothing left to do."""

from datetime import datetime

from accounts import background
from games import (
    bell,
    bot_moves,
    crediting,
    guests,
    outages,
    outbox,
    refolding,
    reviews,
    sweeps,
)

SHORT = 3.0
"""Seconds of a duty that shares its process with the clocks: none keeps another waiting long."""


@background.task("games.beat", one_runner=False)
def beat(*, now: datetime, seconds: float) -> bool:
    outages.note_worker(now=now)
    return False


@background.task("games.relay")
def relay(*, now: datetime, seconds: float) -> bool:
    return outbox.relay(now=now, seconds=seconds)


@background.task("games.end_games_on_time", seconds=SHORT)
def end_games_on_time(*, now: datetime, seconds: float) -> None:
    """By the clock of the database, as the ledger is: the worker's own may run ahead."""
    sweeps.end_games_on_time(now=outages.database_now(), seconds=seconds)


@background.task("games.expire_challenges", seconds=SHORT)
def expire_challenges(*, now: datetime, seconds: float) -> None:
    sweeps.expire_challenges(now=now, seconds=seconds)


@background.task("games.credit_outages", seconds=SHORT)
def credit_outages(*, now: datetime, seconds: float) -> None:
    crediting.credit_outages(now=now, seconds=seconds)


@background.task("games.send_guests_off", seconds=SHORT)
def send_guests_off(*, now: datetime, seconds: float) -> None:
    guests.send_off(now=now, seconds=seconds)


@background.task("games.recalculate_ratings")
def recalculate_ratings(*, now: datetime, seconds: float) -> bool:
    """It asks for another turn itself."""
    refolding.recalculate_all(seconds=seconds)
    return False


@background.task("games.serve_bots", one_runner=False)
def serve_bots(*, now: datetime, seconds: float) -> bool:
    """Moves come first, and a slice of a review only when no bot is waited for."""
    bell.heard(bot_moves.BELL)
    return bot_moves.serve(seconds=seconds, in_between=reviews.go_on)
