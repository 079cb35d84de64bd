"""Runs the whole of Tripost from one terminal, and ends all of it again."""

import contextlib
import fcntl
import os
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

from config import leftovers
from config.processes import PROJECT, Crew, GivenUp, ignore_signals, interrupt_on_signals
from config.servers import PostgresServer, RedisServer
from config.surroundings import Trouble, surroundings, try_database, try_redis
from config.unprivileged import ServerFailure

READY_WITHIN = 60.0
LOGINS = 'log in as alice or bob, password "tripost"'

Server = PostgresServer | RedisServer


def main() -> int:
    interrupt_on_signals()
    try:
        with contextlib.ExitStack() as at_the_end:
            run(_home(), at_the_end)
    except KeyboardInterrupt:
        say("Tripost has stopped.")
        return 0
    except (Trouble, ServerFailure, GivenUp) as trouble:
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
    crew = Crew(environment, servers)
    at_the_end.callback(crew.stop)
    at_the_end.callback(ignore_signals)
    prepare(environment)
    threading.Thread(target=announce, args=[environment], daemon=True).start()
    crew.run()


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


def announce(environment: dict[str, str]) -> None:
    address = f"http://{environment['HOST']}:{environment['PORT']}"
    site = environment["SITE_URL"]
    give_up_at = time.monotonic() + READY_WITHIN
    while not (_answers(f"{address}/healthz") and _answers(f"{address}/readyz")):
        if time.monotonic() > give_up_at:
            say(f"\nTripost is still not ready; {site}/readyz says what is missing.\n")
            give_up_at = float("inf")
        time.sleep(0.5)
    say(f"\nTripost is ready: {site}  ·  {LOGINS}  ·  Ctrl-C stops it\n")


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


if __name__ == "__main__":
    sys.exit(main())
