"""Runs a command on PostgreSQL and Redis servers of its own, which end with it."""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil  # type: ignore[import-untyped]

from config.servers import DURABLE, FORGETFUL, PostgresServer, RedisServer
from config.unprivileged import ServerFailure

HOMES = Path(__file__).resolve().parent.parent / "var" / "test"
SETTINGS = {
    "SECRET_KEY": "only-the-tests-know-this-secret-and-it-guards-nothing-at-all",
    "BEATS": "0",
}
NOT_FOR_TESTS = (
    "DEBUG", "DEMO", "EMAIL_URL", "ANYMAIL", "SITE_URL", "ALLOWED_HOSTS", "TRUSTED_PROXIES",
    "METRICS", "MAIL_DOMAIN", "MAIL_HOST", "MAIL_PORT", "LOG_FORMAT", "LOG_LEVEL",
    "HOST", "PORT", "STREAM_PORT", "OUTAGE_AFTER", "TRIPOST_HOME", "MAKEFLAGS", "MAKELEVEL",
)  # fmt: skip


def main(arguments: list[str]) -> int:
    durable = arguments[:1] == ["--durable"]
    try:
        with contextlib.ExitStack() as at_the_end:
            environment = _environment(DURABLE if durable else FORGETFUL, at_the_end)
            return _run(arguments[durable:], environment)
    except ServerFailure as failure:
        print(failure, file=sys.stderr)
        return 1


def _environment(settings: dict[str, str], at_the_end: contextlib.ExitStack) -> dict[str, str]:
    given = {name: value for name, value in os.environ.items() if name not in NOT_FOR_TESTS}
    clear_abandoned(HOMES)
    home = HOMES / str(os.getpid())
    at_the_end.callback(shutil.rmtree, home, ignore_errors=True)
    if not given.get("DATABASE_URL"):
        given["DATABASE_URL"] = at_the_end.enter_context(PostgresServer(home, settings)).url
    if not given.get("REDIS_URL"):
        given["REDIS_URL"] = at_the_end.enter_context(RedisServer(home)).url
    return given | SETTINGS


def clear_abandoned(homes: Path) -> None:
    """Ends what a killed run left: a folder is named after the process that uses it."""
    for home in homes.glob("*"):
        if int(home.name) == os.getpid() or not psutil.pid_exists(int(home.name)):
            PostgresServer(home).stop()
            RedisServer(home).stop()
            shutil.rmtree(home)


def _run(command: list[str], environment: dict[str, str]) -> int:
    child = subprocess.Popen(command, env=environment)
    # Ctrl-C reaches the child by itself; this process waits for it, then clears up.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    return child.wait()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
