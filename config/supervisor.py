"""Runs the whole of Tripost from one terminal, and ends all of it again."""

import contextlib
import fcntl
import os
import signal
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path
from types import FrameType
from typing import Any

from honcho.environ import parse_procfile  # type: ignore[import-untyped]
from honcho.manager import Manager  # type: ignore[import-untyped]

from config import leftovers
from config.servers import PostgresServer, RedisServer
from config.surroundings import Trouble, surroundings, try_database, try_redis
from config.unprivileged import ServerFailure

PROJECT = Path(__file__).resolve().parent.parent
READY_WITHIN = 60.0
LOGINS = 'log in as alice or bob, password "tripost"'

Server = PostgresServer | RedisServer


def main() -> int:
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    try:
        with contextlib.ExitStack() as at_the_end:
            run(_home(), at_the_end)
    except KeyboardInterrupt:
        say("Tripost has stopped.")
        return 0
    except (Trouble, ServerFailure) as trouble:
        print(trouble, file=sys.stderr)
        return 1
    except PermissionError as error:
        print(f"{error.filename} belongs to another user, who alone can run it.", file=sys.stderr)
        return 1
    return 0


def run(home: Path, at_the_end: contextlib.ExitStack) -> None:
    lock = take_lock(home)
    leftovers.kill(lambda: leftovers.processes_of(home))
    environment = surroundings(os.environ, home)
    os.truncate(lock, 0)
    os.pwrite(lock, environment["SITE_URL"].encode(), 0)
    servers = start_servers(environment, home, at_the_end)
    at_the_end.callback(lambda: leftovers.kill(lambda: leftovers.processes_of(home)))
    at_the_end.callback(_be_deaf)
    prepare(environment)
    crew = Crew(environment, servers)
    crew.loop()
    if crew.fallen:
        raise Trouble(f"{crew.fallen} ended, so everything was stopped; see the lines above.")
    raise KeyboardInterrupt


def take_lock(home: Path) -> int:
    """Kept while this process lives, if it opens and closes the file nowhere else."""
    file = os.open(home / "lock", os.O_RDWR | os.O_CREAT, 0o600)
    try:
        # Not flock: a lock of that kind would live on in forked children after a kill -9.
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        where = os.read(file, 200).decode()
        raise Trouble(
            f"Tripost is already running from this folder ({where}); "
            "stop it with Ctrl-C there first."
        ) from None
    return file


def start_servers(
    environment: dict[str, str], home: Path, at_the_end: contextlib.ExitStack
) -> dict[str, Server]:
    """Those that are not given; the environment is told where they are."""
    servers: dict[str, Server] = {}
    if url := environment.get("DATABASE_URL"):
        try_database(url)
    else:
        servers["PostgreSQL"] = PostgresServer(home)
        environment["DATABASE_URL"] = servers["PostgreSQL"].url
    if url := environment.get("REDIS_URL"):
        try_redis(url)
    else:
        servers["Redis"] = RedisServer(home)
        environment["REDIS_URL"] = servers["Redis"].url
    for name, server in servers.items():
        say(f"· starting {name}")
        at_the_end.callback(server.stop)
        server.start()
    return servers


def prepare(environment: dict[str, str]) -> None:
    command = [sys.executable, "-m", "config.preparations"]
    if subprocess.run(command, cwd=PROJECT, env=environment).returncode:  # noqa: S603
        raise Trouble("Tripost could not be prepared; see above.")


class Crew(Manager):
    """The Procfile's processes; if one falls, all end."""

    def __init__(self, environment: dict[str, str], servers: dict[str, Server]) -> None:
        super().__init__()
        self.site = environment["SITE_URL"]
        self.address = f"http://{environment['HOST']}:{environment['PORT']}"
        self.servers = servers
        self.fallen = ""
        procfile = parse_procfile((PROJECT / "Procfile").read_text())
        for name, command in procfile.processes.items():
            self.add_process(name, command, env=environment, cwd=str(PROJECT))

    def terminate(self) -> None:
        if not self._all_started():
            raise KeyboardInterrupt
        if not self._terminating:
            ended = [name for name, process in self._processes.items() if "returncode" in process]
            self.fallen = self.fallen or " and ".join(ended)
        super().terminate()

    def _start(self) -> None:
        super()._start()
        # Only now: a process with threads should not be forked.
        for duty in (self._watch, self._announce):
            threading.Thread(target=duty, daemon=True).start()

    def _watch(self) -> None:
        while not self._terminating:
            self._bury_headless_groups()
            dead = [name for name, server in self.servers.items() if not server.is_alive()]
            if dead and not self._terminating:
                self.fallen = " and ".join(dead)
                os.kill(os.getpid(), signal.SIGTERM)
                return
            time.sleep(0.5)

    def _bury_headless_groups(self) -> None:
        # A process killed hard may leave children that hold its output open, and honcho
        # notices an end by the end of the output.
        for process in self._processes.values():
            pid = process.get("pid")
            if pid and "returncode" not in process and not leftovers.is_alive(pid):
                self._procmgr.kill(pid)

    def _announce(self) -> None:
        give_up_at = time.monotonic() + READY_WITHIN
        while not self._terminating:
            if _answers(f"{self.address}/healthz") and _answers(f"{self.address}/readyz"):
                say(f"\nTripost is ready: {self.site}  ·  {LOGINS}  ·  Ctrl-C stops it\n")
                return
            if time.monotonic() > give_up_at:
                say(f"\nTripost is still not ready; {self.site}/readyz says what is missing.\n")
                give_up_at = float("inf")
            time.sleep(0.5)


def say(text: str) -> None:
    print(text, flush=True)


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=5) as answer:  # noqa: S310
            return bool(answer.status == 200)
    except OSError:
        return False


def _home() -> Path:
    if not (said := os.environ.get(leftovers.MARK)):
        raise Trouble("Start Tripost with: make run")
    home = Path(said)
    home.mkdir(parents=True, exist_ok=True)
    return home


def _interrupt(number: int, frame: FrameType | None) -> Any:
    raise KeyboardInterrupt


def _be_deaf() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


if __name__ == "__main__":
    sys.exit(main())
