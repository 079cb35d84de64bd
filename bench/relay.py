"""Measures how many facts one relay process carries up, with the subscribers of the service.

A fact is one thing that happened, with all its subscribers: a move played is one fact, carried in
one transaction to the bots, the letters and the reminders. Games of two people are started and
played by random moves to their ends, all a move at a time, and what that has recorded is carried
after each move; so the mix of facts is that of play. Only carrying is timed: in seconds of this
process's own CPU, of which PostgreSQL's is no part, and by the clock on the wall.
"""

import random
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from bench import _stage
from bench.rules import picked

GAMES = 40
MOST_MOVES = 16
RULESETS = ("tritoc", "tri-trac", "triotrio")
FEW = 500
BACKLOG = 50_000
CLAIMS = 500
TARGET = 400
SLOWDOWN = 1.3


def main() -> None:
    with _stage.own_database():
        _let_everyone_hear()
        players = _people()
        carried: Counter[str] = Counter()
        figures = _stage.steady_rounds(lambda: _round(players, carried))
        print(f"carried: {dict(carried)}")
        _stage.report("facts per CPU second, one process", figures.get("cpu", []), least=TARGET)
        _stage.report("facts per second on the wall, one process", figures.get("wall", []))
        figures = _stage.steady_rounds(_slowdown)
        what = f"time of a claim, {BACKLOG} rows waiting against {FEW}"
        _stage.report(what, figures.get("slowdown", []), most=SLOWDOWN)


def _let_everyone_hear() -> None:
    """The other benchmarks have one subscriber, who does nothing."""
    from django.conf import settings

    # The worker has loaded them before its first fact.
    import tournaments.tasks  # noqa: F401
    from games import outbox

    settings.SUBSCRIPTIONS = "config.subscriptions.SUBSCRIPTIONS"
    outbox.subscriptions.cache_clear()


def _people() -> list[Any]:
    """Most have chosen nothing, some have quiet hours, a digest, push or fewer letters."""
    from accounts.models import Player
    from notifications.models import Habits, Preference

    people = [
        Player.objects.create_user(f"Player{n}", zone=("Europe/Berlin", "America/Lima")[n % 2])
        for n in range(2 * GAMES)
    ]
    for number, player in enumerate(people):
        match number % 10:
            case 6:
                Habits.objects.create(player=player, quiet_from=22, quiet_until=7)
            case 7:
                Preference.objects.create(player=player, kind="turn", timing="digest")
            case 8:
                Preference.objects.create(player=player, kind="turn", channels=["mail", "push"])
            case 9:
                Preference.objects.create(player=player, kind="reminder", timing="off")
    return people


def _round(players: list[Any], carried: Counter[str]) -> dict[str, float]:
    chance = random.Random(5)
    cpu = wall = facts = 0.0
    for _ in _moves_of_all(players, chance):
        recorded = _recorded()
        carried += recorded
        facts += recorded.total()
        cpu_before, wall_before = time.process_time(), time.perf_counter()
        _carry()
        cpu += time.process_time() - cpu_before
        wall += time.perf_counter() - wall_before
    return {"cpu": facts / cpu, "wall": facts / wall}


def _carry() -> None:
    from django.utils import timezone

    from games import outbox
    from games.models import OutboxMessage

    outbox.relay(now=timezone.now())
    assert not OutboxMessage.objects.exists()


def _recorded() -> Counter[str]:
    from games.models import OutboxMessage

    rows = OutboxMessage.objects.values_list("fact", "payload").distinct()
    return Counter(fact for fact, _payload in rows)


def _moves_of_all(players: list[Any], chance: random.Random) -> Iterator[None]:
    """Games begin, go on a move at a time, and end by the rules or because somebody resigns."""
    from django.utils import timezone

    from games import play

    chance.shuffle(players)
    now = timezone.now() - timedelta(hours=1)
    games = [
        _started(RULESETS[n % len(RULESETS)], players[2 * n : 2 * n + 2], now) for n in range(GAMES)
    ]
    yield
    for _ in range(MOST_MOVES):
        games = [game for game in games if _move(game, chance)]
        yield
    for game in games:
        player_id = game.seats.get(number=0).player_id
        play.resign(game_id=game.pk, player_id=player_id, now=timezone.now())
    yield


def _started(ruleset: str, players: list[Any], now: Any) -> Any:
    from games.clock import PerMove
    from games.starting import start_game

    return start_game(
        ruleset=ruleset,
        options={},
        players=(players[0], players[1]),
        clock_settings=PerMove(3),
        now=now,
    )


def _move(game: Any, chance: random.Random) -> bool:
    """Whether it goes on after the move."""
    from django.utils import timezone

    from games import play
    from games.models import Via
    from games.rules.registry import ruleset

    game.refresh_from_db()
    position = ruleset(game.ruleset, game.version).load(game.position)
    play.submit_move(
        game_id=game.pk,
        player_id=game.seats.get(number=game.seat_to_move).player_id,
        text=picked(position, chance),
        ply=game.ply,
        now=timezone.now(),
        via=Via.WEB,
    )
    game.refresh_from_db()
    return bool(game.is_running)


# With many that wait


def _slowdown() -> dict[str, float]:
    return {"slowdown": _seconds_to_claim(BACKLOG) / _seconds_to_claim(FEW)}


def _seconds_to_claim(waiting: int) -> float:
    """On the wall, for some facts that nothing is done about, half of the rows being of one game.

    Another worker holds that game, so that these rows are in the way of all the others.
    """
    from itertools import islice

    from django.db import connection
    from django.utils import timezone

    from games import outbox
    from games.models import OutboxMessage

    with connection.cursor() as cursor:
        cursor.execute(WAITING, [waiting])
        cursor.execute("VACUUM ANALYZE games_outboxmessage")
    with _stage.psycopg.connect(**connection.get_connection_params()) as other:
        other.execute("SELECT pg_advisory_xact_lock(%s)", [outbox.QUEUES // 2])
        steps = islice(outbox._carry_fresh(timezone.now()), min(CLAIMS, waiting // 2))
        seconds = _stage.timed(lambda: [None for _ in steps]) / min(CLAIMS, waiting // 2)
    OutboxMessage.objects.all().delete()
    return seconds


WAITING = """
INSERT INTO games_outboxmessage
    (fact, subscriber, payload, queue, recorded_at, due_at, attempts, error)
SELECT 'game_started', 'bench._stage.hear', jsonb_build_object('game_id', n),
       CASE n %% 2 WHEN 0 THEN 2::bigint ^ 55 ELSE random() * 2::bigint ^ 56 END,
       now(), now(), 0, ''
FROM generate_series(1, %s) AS n
"""


if __name__ == "__main__":
    sys.exit(main())
