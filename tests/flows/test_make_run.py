"""One command runs everything, ends everything, and comes back after any kill."""

import contextlib
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

import psutil
import psycopg
import pytest

from config import leftovers
from config.processes import procfile
from config.servers import PostgresServer, RedisServer

pytestmark = pytest.mark.flow

PROJECT = Path(__file__).resolve().parent.parent.parent
READY = "Tripost is ready: "
ALL_STARTED = "mail started (pid="


class Run:
    """One start of the supervisor on a folder and a port of the test's own."""

    def __init__(self, home: Path, **given: str) -> None:
        self.home, self.log = home, home / "output"
        home.mkdir(exist_ok=True)
        inherited = {name: value for name, value in os.environ.items() if not name.endswith("_URL")}
        with self.log.open("w") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "config.supervisor"],
                cwd=PROJECT,
                env={**inherited, "TRIPOST_HOME": str(home), **given},
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    @property
    def output(self) -> str:
        return self.log.read_text()

    def until(self, words: str) -> "Run":
        give_up_at = time.monotonic() + 150
        while words not in self.output:
            assert self.process.poll() is None, self.output
            assert time.monotonic() < give_up_at, self.output
            time.sleep(0.05)
        return self

    def pid_of(self, name: str) -> int:
        if name == "PostgreSQL":
            return int((self.home / "postgres/data/postmaster.pid").read_text().split("\n")[0])
        if name == "Redis":
            return int((self.home / "redis/pid").read_text())
        return int(re.findall(rf"{name} started \(pid=(\d+)\)", self.output)[-1])

    def kill(self, name: str) -> None:
        """And wait until another one has taken its place."""
        old = self.pid_of(name)
        os.kill(old, signal.SIGKILL)
        _wait_until(lambda: self._has_another(name, old), lambda: self.output)

    def _has_another(self, name: str, old: int) -> bool:
        with contextlib.suppress(OSError, ValueError):
            return self.pid_of(name) != old
        return False

    def ended(self, within: float = 30) -> tuple[int, str]:
        code = self.process.wait(timeout=within)
        return code, self.output.strip().split("\n")[-1]


@pytest.fixture
def port():
    """Free, and below those that the system lends to others while ours is down."""
    for port in random.sample(range(10_000, 32_000), 100):
        with socket.socket() as trial, contextlib.suppress(OSError):
            trial.bind(("127.0.0.1", port))
            return str(port)
    pytest.fail("no free port")


@pytest.fixture
def home(tmp_path):
    home = tmp_path / "run"
    yield home
    leftovers.kill(lambda: leftovers.processes_of(home))
    PostgresServer(home).stop()
    RedisServer(home).stop()


def test_everything_answers_and_ctrl_c_ends_everything(home, port):
    run = Run(home, PORT=port).until(READY)
    assert _status(port, "/healthz") == _status(port, "/readyz") == 200
    assert f"http://localhost:{port}  ·  log in as alice or bob" in run.output
    second = Run(home.with_name("second"), PORT=port).ended()
    third = _again(home, port)
    run.process.send_signal(signal.SIGINT)
    assert run.ended() == (0, "Tripost has stopped.")
    assert leftovers.processes_of(home) == []
    assert not PostgresServer(home).is_alive()
    assert not RedisServer(home).is_alive()
    _assert_free(port)
    assert second == (
        1,
        f"Port {port} is taken; stop what uses it or choose another: make run PORT={int(port) + 1}",
    )
    assert third == (
        1,
        f"Tripost is already running from this folder (http://localhost:{port}); "
        "stop it with Ctrl-C there first.",
    )


def test_whatever_is_killed_is_restarted_and_all_data_is_there(home, port):
    old_web = _killed_supervisor(home, port)
    run = Run(home, PORT=port, DEMO="0").until(READY)
    assert not leftovers.is_alive(old_web)
    for name in ("PostgreSQL", "Redis", *procfile()):
        run.kill(name)
    _wait_until(lambda: _status(port, "/readyz") == 200, lambda: run.output)
    _leave_a_note(home)
    run.process.terminate()
    assert run.ended()[0] == 0
    assert leftovers.processes_of(home) == []
    last = Run(home, PORT=port, DEMO="0").until(ALL_STARTED)
    assert _notes(home) == 2
    last.process.terminate()
    assert last.ended()[0] == 0


@pytest.mark.long
def test_a_stopped_web_worker_is_replaced(home, port):
    run = Run(home, PORT=port, DEMO="0", HUNG_AFTER="6").until(READY)
    workers = psutil.Process(run.pid_of("web")).children()
    workers[0].suspend()
    _wait_until(lambda: not leftovers.is_alive(workers[0].pid), lambda: run.output)
    assert leftovers.is_alive(workers[1].pid)
    _wait_until(
        lambda: len(psutil.Process(run.pid_of("web")).children()) == len(workers),
        lambda: run.output,
    )
    assert [_status(port, "/healthz") for _ in range(20)] == [200] * 20
    run.process.terminate()
    assert run.ended()[0] == 0


@pytest.mark.long
def test_what_falls_ten_times_more_ends_everything_with_a_sentence(home, port):
    run = Run(home, PORT=port, DEMO="0", WEB_WORKERS="none")
    assert run.ended(within=300) == (
        1,
        "web fell again after 10 restarts in 10 minutes, so everything was stopped; "
        "see the lines above.",
    )
    assert run.output.count("web started (pid=") == 11
    assert leftovers.processes_of(home) == []
    assert not PostgresServer(home).is_alive()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"DATABASE_URL": "nonsense"}, "DATABASE_URL must read postgres://user:password@host"),
        ({"DATABASE_URL": "postgres://a:b@127.0.0.1:1/c"}, "DATABASE_URL leads to no database: "),
        ({"DATABASE_URL": "postgres://a:b@host:port/c"}, "DATABASE_URL must read postgres://"),
        ({"REDIS_URL": "nonsense"}, "REDIS_URL leads to no Redis: "),
        ({"REDIS_URL": "redis://127.0.0.1:1/0"}, "REDIS_URL leads to no Redis: "),
        ({"PORT": "eighty"}, "PORT must be a number from 1 to 65535, not 'eighty'."),
    ],
)
def test_a_wrong_setting_is_one_sentence(home, port, given, sentence):
    run = Run(home, **{"PORT": port, **given})
    code, words = run.ended()
    assert (code, run.output.count("\n")) == (1, 1)
    assert words.startswith(sentence)


def test_a_missing_database_is_one_sentence(home, port):
    with PostgresServer(home) as server:
        missing = server.url.replace("/tripost?", "/missing?")
        run = Run(home.with_name("other"), PORT=port, DATABASE_URL=missing)
        code, words = run.ended()
    assert code == 1
    assert 'database "missing" does not exist' in words


def _killed_supervisor(home: Path, port: str) -> int:
    """It leaves its children behind, which the next start clears away; one of them."""
    run = Run(home, PORT=port, DEMO="0").until(READY)
    _leave_a_note(home)
    run.process.kill()
    run.process.wait()
    return run.pid_of("web")


def _again(home: Path, port: str) -> tuple[int, str]:
    """A second start in a folder in use, its output kept apart."""
    done = subprocess.run(
        [sys.executable, "-m", "config.supervisor"],
        cwd=PROJECT,
        env={**os.environ, "TRIPOST_HOME": str(home), "PORT": port},
        capture_output=True,
        text=True,
    )
    return done.returncode, done.stderr.strip()


def _wait_until(condition: Callable[[], bool], explain: Callable[[], str]) -> None:
    give_up_at = time.monotonic() + 90
    while not condition():
        assert time.monotonic() < give_up_at, explain()
        time.sleep(0.1)


def _status(port: str, path: str) -> int:
    """0 if nobody answers."""
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=5) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 0


def _assert_free(port: str) -> None:
    with socket.socket() as trial:
        trial.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        trial.bind(("127.0.0.1", int(port)))


def _leave_a_note(home: Path) -> None:
    with psycopg.connect(PostgresServer(home).url) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS note (written timestamptz DEFAULT now())")
        connection.execute("INSERT INTO note DEFAULT VALUES")


def _notes(home: Path) -> int:
    with psycopg.connect(PostgresServer(home).url) as connection:
        return connection.execute("SELECT count(*) FROM note").fetchone()[0]
