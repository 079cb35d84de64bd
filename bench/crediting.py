"""Measures how an outage is credited to 100 000 running games, and how long a move waits meanwhile.

Every tenth game rests at weekends, and of each ten players one is on vacation, so that a part is
reckoned game by game. The yardstick is one SQL statement that moves the same deadlines.
"""

import threading
from datetime import timedelta
from functools import partial

from bench import _stage
from bench.sweep import DAY, LARGE, MANY, START, _Lot, _run

OUTAGE = (START + timedelta(hours=1), START + timedelta(hours=2))
CHEAPEST = """
UPDATE games_game SET deadline_at = deadline_at + interval '1 hour' WHERE status = 'running'
"""
PAUSE = 0.005
MOST_WAIT = 500
"""Milliseconds; a slice holds its games for a small part of it."""


def main() -> None:
    with _stage.own_database(LARGE):
        lot = _Lot(LARGE, MANY)
        _set_up_pauses()
        figures = _stage.steady_rounds(lambda: _round(lot))
    among = f"an outage for {MANY:,} games".replace(",", " ")
    _stage.report(f"{among}: seconds", figures.get("seconds", []), most=5)
    _stage.report(f"{among}: ratio to the cheapest SQL", figures.get("to SQL", []))
    _stage.report(f"{among}: longest wait of a move, ms", figures.get("wait", []), most=MOST_WAIT)


def _round(lot: "_Lot") -> dict[str, float]:
    sql = _stage.timed(lambda: _run(CHEAPEST))
    _set_up_anew()
    waits = _Waits(lot)
    waits.start()
    seconds = _stage.timed(_credit)
    waits.end()
    return {"seconds": seconds, "to SQL": seconds / sql, "wait": waits.longest * 1000}


def _set_up_pauses() -> None:
    _run("UPDATE games_game SET weekends = true WHERE id % 10 = 0")
    _run("UPDATE games_game SET vacation_allowed = true")
    _run(
        "INSERT INTO games_vacation (player_id, began_at, ends_at, automatic)"
        f" SELECT player_id, '{START}', '{START + DAY}', false FROM games_participant"
        " WHERE player_id % 20 < 2"
    )
    _run("ANALYZE games_vacation")


def _set_up_anew() -> None:
    from games.models import Game, Outage

    Outage.objects.all().delete()
    Outage.objects.create(began_at=OUTAGE[0], ended_at=OUTAGE[1])
    running = Game.objects.filter(status="running")
    running.update(clock_from=START, time_left=9999 * DAY, deadline_at=START + 9999 * DAY)
    _run("VACUUM ANALYZE games_game")
    _run("CHECKPOINT")


def _credit() -> None:
    from games.crediting import credit_outages

    assert credit_outages(now=OUTAGE[1]) == MANY + 1


def _lock(game_id: int) -> None:
    from django.db import transaction

    from games.table import lock

    with transaction.atomic():
        lock(game_id)


class _Waits(threading.Thread):
    """Locks one game after the other, as a move does, and notes how long that took."""

    def __init__(self, lot: "_Lot") -> None:
        super().__init__()
        self.first, self.longest = lot.template.pk, 0.0
        self.over = threading.Event()

    def run(self) -> None:
        from django.db import connection

        number = 0
        while not self.over.wait(PAUSE):
            number = (number + 997) % MANY
            self.longest = max(self.longest, _stage.timed(partial(_lock, self.first + number)))
        connection.close()

    def end(self) -> None:
        self.over.set()
        self.join()


if __name__ == "__main__":
    main()
