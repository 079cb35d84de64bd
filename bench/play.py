"""Measures moves through HTTP against the barest view that stores, and against pgbench."""

import json
import random
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from itertools import count, cycle
from pathlib import Path
from socket import create_connection, socket
from typing import Any

from bench import _load, _stage
from bench._load import Load
from bench.rules import picked, stored_moves, units_a_second
from config.servers import postgres_program
from games.rules.position import Outcome
from games.rules.registry import RULESETS

CONNECTIONS = 16
REQUESTS = 960
SLICES = 5
PAIRS = 40
CLIENTS = 8
PGBENCH_SECONDS = 2
BOARDS = 800
MOST_STATEMENTS = 5
REPORTED: dict[str, dict[str, float]] = {
    "moves a second": {},
    "ratio to a bare DRF view": {"least": 1.0},
    "ratio to pgbench": {"least": 0.20},
    "bare DRF view, ratio to pgbench": {},
}

Lanes = list[list[bytes]]
Pair = tuple[tuple[Any, str], tuple[Any, str]]
"""Two players, each with the secret of a token."""


def main() -> None:
    with _stage.own_database():
        _make_boards()
        pairs = _pairs()
        with _server() as port:
            for ruleset in _cheapest_and_dearest():
                print(f"{ruleset}: {_statements(ruleset, pairs[0])} statements a move")
                figures = _stage.steady_rounds(partial(_round, port, ruleset, pairs))
                for what, bounds in REPORTED.items():
                    _stage.report(f"{ruleset}: {what}", figures.get(what, []), **bounds)


def _cheapest_and_dearest() -> tuple[str, str]:
    """By what the rules alone take to load, parse, play and save."""
    speeds = {key: units_a_second(stored_moves(rules)) for key, rules in RULESETS.items()}
    return max(speeds, key=speeds.__getitem__), min(speeds, key=speeds.__getitem__)


def _round(port: int, ruleset: str, pairs: Sequence[Pair]) -> dict[str, float]:
    moves, bare = _alternately(port, _moves(ruleset, pairs), _bare_moves(pairs))
    pgbench = _pgbench()
    return {
        "moves a second": moves,
        "ratio to a bare DRF view": moves / bare,
        "ratio to pgbench": moves / pgbench,
        "bare DRF view, ratio to pgbench": bare / pgbench,
    }


def _alternately(port: int, *loads: Lanes) -> list[float]:
    """Requests a second of each load, sent slice by slice in turn: a machine's moods hit all."""
    seconds = [0.0] * len(loads)
    for part in range(SLICES):
        for which, lanes in enumerate(loads):
            length = len(lanes[0]) // SLICES
            slices = [lane[part * length : (part + 1) * length] for lane in lanes]
            seconds[which] += _load.seconds_to_answer(Load(port, slices))
    return [REQUESTS / taken for taken in seconds]


# Who plays, and what is sent


def _pairs() -> list[Pair]:
    from accounts import tokens
    from accounts.models import Player

    def with_token(name: str) -> tuple[Any, str]:
        player = Player.objects.create_user(name)
        return player, tokens.mint(player=player, name="bench", scopes=["play"])[1]

    return [(with_token(f"First{n}"), with_token(f"Second{n}")) for n in range(PAIRS)]


def _moves(ruleset: str, pairs: Sequence[Pair]) -> Lanes:
    """New games, each played on one connection almost to its end."""
    lanes: Lanes = [[] for _ in range(CONNECTIONS)]
    chance = random.Random(0)
    for pair in cycle(pairs):
        lane = min(lanes, key=len)
        if len(lane) >= REQUESTS // CONNECTIONS:
            return [lane[: REQUESTS // CONNECTIONS] for lane in lanes]
        lane += _game(ruleset, pair, chance)
    raise AssertionError


def _game(ruleset: str, pair: Pair, chance: random.Random) -> list[bytes]:
    game = _started(ruleset, pair)
    return [
        _load.request(f"/api/v1/games/{game.pk}/moves", pair[seat][1], _body(ply, text))
        for ply, (seat, text) in enumerate(_script(game, chance))
    ][:-1]


def _started(ruleset: str, pair: Pair) -> Any:
    from django.utils import timezone

    from games.clock import PerMove
    from games.starting import start_game

    return start_game(
        ruleset=ruleset,
        options={},
        players=(pair[0][0], pair[1][0]),
        clock_settings=PerMove(3),
        now=timezone.now() - timedelta(hours=1),
    )


def _script(game: Any, chance: random.Random) -> Iterator[tuple[int, str]]:
    """Seats and moves to the end; the dice to come are derived from the seed, known here."""
    from games.play import throw_dice
    from games.table import Table, lock

    table: Table = lock(game.pk)
    throws = table.throws_made
    position = table.position
    while not isinstance(position.awaiting, Outcome):
        text = picked(position, chance)
        yield position.awaiting.seat, text  # type: ignore[union-attr]
        table.__dict__["throws_made"] = throws
        position, thrown = throw_dice(table, position.play(position.parse(text)))
        throws += len(thrown)


def _body(ply: int, text: str) -> bytes:
    return json.dumps({"ply": ply, "move": text}).encode()


def _statements(ruleset: str, pair: Pair) -> int:
    """The most that Django counts for one of some moves, BEGIN and COMMIT and token included."""
    from django.db import connection
    from django.test import Client
    from django.test.utils import CaptureQueriesContext

    game = _started(ruleset, pair)
    counts: dict[int, list[int]] = {0: [], 1: []}
    scripts = (list(_script(game, random.Random(seed))) for seed in count())
    long = next(script for script in scripts if len(script) > 8)
    for ply, (seat, text) in enumerate(long[:8]):
        client = Client(headers={"Host": "localhost", "Authorization": f"Bearer {pair[seat][1]}"})
        with CaptureQueriesContext(connection) as statements:
            path = f"/api/v1/games/{game.pk}/moves"
            answer = client.post(path, _body(ply, text), "application/json")
        assert answer.status_code == 201, answer.content
        counts[seat].append(len(statements))
    # At its first use in an hour a token notes that it was used.
    usual = max(max(of_seat[1:]) for of_seat in counts.values())
    assert usual <= MOST_STATEMENTS, counts
    return usual


# The yardsticks


def _make_boards() -> None:
    from django.db import connection

    from bench import _yardstick

    with connection.cursor() as cursor:
        cursor.execute(_yardstick.TABLES)


def _bare_moves(pairs: Sequence[Pair]) -> Lanes:
    from bench import _yardstick

    _yardstick.lay_out(BOARDS)
    secrets = cycle(secret for pair in pairs for _player, secret in pair)
    requests = [
        _load.request(f"/bare/{number % BOARDS + 1}/moves", next(secrets), _body(0, "c3-d4"))
        for number in range(REQUESTS)
    ]
    return [requests[lane::CONNECTIONS] for lane in range(CONNECTIONS)]


def _pgbench() -> float:
    """Transactions a second of the yardstick's three statements."""
    from django.db import connection

    from bench import _yardstick

    at = connection.settings_dict
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "move.sql"
        script.write_text(_yardstick.PGBENCH.format(boards=BOARDS))
        done = subprocess.run(
            [
                postgres_program("pgbench"), "--no-vacuum", "--client", str(CLIENTS),
                "--jobs", "2", "--time", str(PGBENCH_SECONDS), "--file", script,
                "--host", at["HOST"] or at["OPTIONS"].get("host", ""), "--username", at["USER"],
                at["NAME"],
            ],
            check=True, capture_output=True, text=True,
        )  # fmt: skip
    assert "number of failed transactions: 0" in done.stdout, done.stdout
    found = re.search(r"tps = ([\d.]+)", done.stdout)
    assert found
    return float(found[1])


# The server


@contextmanager
def _server() -> Iterator[int]:
    """The web process as the Procfile starts it, on a free port of this machine only."""
    with socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    command = [
        sys.executable, "-m", "granian", "--interface", "asginl", "config.asgi:application",
        "--host", "127.0.0.1", "--port", str(port), "--http", "1", "--workers", "2",
        "--no-ws", "--log-level", "warning",
    ]  # fmt: skip
    server = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait_for(port)
        yield port
    finally:
        server.terminate()
        server.wait(20)


def _wait_for(port: int) -> None:
    give_up_at = time.monotonic() + 30
    while time.monotonic() < give_up_at:
        try:
            create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError("the server does not answer")


if __name__ == "__main__":
    main()
