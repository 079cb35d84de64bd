"""A site with servers and processes of its own, to be stopped, frozen and overrun by a test."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import psutil
import psycopg
from django.conf import settings
from django.db import connection

from config.processes import procfile
from config.servers import FORGETFUL, PostgresServer, RedisServer, postgres_program
from tests.servers import SETTINGS

PATIENCE = 30.0
OWN = ("STATEMENT_TIMEOUT",)
"""Variables that each process of a site decides for itself."""


class Reply(NamedTuple):
    status: int
    headers: http.client.HTTPMessage
    body: bytes
    seconds: float

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class OwnSite:
    """PostgreSQL and Redis in a folder of their own, and what the Procfile starts on them."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.postgres, self.redis = PostgresServer(home, FORGETFUL), RedisServer(home)
        self.port, self.stream_port = _free_port(), _free_port()
        self.second_port, self.mail_port = _free_port(), _free_port()
        self.processes: dict[str, subprocess.Popen[bytes]] = {}

    @property
    def environment(self) -> dict[str, str]:
        # The web's timeout is in our own environment once a test has imported config.asgi.
        inherited = {name: value for name, value in os.environ.items() if name not in OWN}
        return {
            **inherited,
            **SETTINGS,
            "DEBUG": "1",
            "BEATS": "1",
            "DATABASE_URL": self.postgres.url,
            "REDIS_URL": self.redis.url,
            "SITE_URL": f"http://127.0.0.1:{self.port}",
            "PORT": str(self.port),
            "STREAM_PORT": str(self.stream_port),
            "PYTHONUNBUFFERED": "1",
            "PATH": f"{settings.BASE_DIR / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
            **{f"PAGE_LIMIT_{who}": "0" for who in ("VISITORS", "PLAYERS", "PICTURES")},
            **{f"API_LIMIT_{what}": "0" for what in ("ANONYMOUS", "READS", "WRITES", "REFUSED")},
        }

    # Servers

    def set_up(self) -> None:
        self.postgres.start()
        self.redis.start()
        _copy_test_database(self.postgres)

    def tear_down(self) -> None:
        for name in list(self.processes):
            self.stop(name)
        for server in (self.postgres, self.redis):
            self.thaw(server)
            server.stop()

    def freeze(self, server: PostgresServer | RedisServer) -> None:
        for process in self._processes_of(server):
            process.suspend()

    def thaw(self, server: PostgresServer | RedisServer) -> None:
        for process in self._processes_of(server):
            process.resume()

    @contextmanager
    def frozen(self, server: PostgresServer | RedisServer) -> Iterator[None]:
        self.freeze(server)
        try:
            yield
        finally:
            self.thaw(server)

    @contextmanager
    def without(self, server: PostgresServer | RedisServer) -> Iterator[None]:
        server.stop()
        try:
            yield
        finally:
            server.start()

    def _processes_of(self, server: PostgresServer | RedisServer) -> list[psutil.Process]:
        is_postgres = isinstance(server, PostgresServer)
        file = server.data / "postmaster.pid" if is_postgres else server.folder / "pid"
        try:
            first = psutil.Process(int(file.read_text().split("\n")[0]))
            # The first of them first, so that it starts no others meanwhile.
            return [first, *first.children(recursive=True)]
        except (FileNotFoundError, psutil.NoSuchProcess):
            return []

    # Processes

    def log(self, name: str) -> str:
        return (self.home / f"{name}.log").read_text()

    def start(self, name: str, *, as_: str = "", **more: str) -> None:
        """By its line of the Procfile, under another name if it is the second of its kind."""
        with (self.home / f"{as_ or name}.log").open("ab") as output:
            self.processes[as_ or name] = subprocess.Popen(
                ["/bin/sh", "-c", procfile()[name]],
                cwd=settings.BASE_DIR,
                env=self.environment | more,
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        ports = {"web": int(more.get("PORT", self.port)), "stream": self.stream_port}
        if name in ports:
            self._wait_for(as_ or name, ports[name])

    def kill(self, name: str) -> None:
        process = self.processes.pop(name)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE)

    def run_python(self, script: str, **more: str) -> str:
        """In a process of its own, with Django set up; what it prints."""
        done = subprocess.run(
            [sys.executable, "-c", f"import django; django.setup(); {script.strip()}"],
            cwd=settings.BASE_DIR,
            env=self.environment | {"DJANGO_SETTINGS_MODULE": "config.settings"} | more,
            timeout=PATIENCE,
            check=True,
            stdout=subprocess.PIPE,
            text=True,
        )
        return done.stdout

    def stop(self, name: str) -> None:
        process = self.processes.pop(name)
        process.send_signal(signal.SIGTERM)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(PATIENCE)

    def _wait_for(self, name: str, port: int) -> None:
        give_up_at = time.monotonic() + PATIENCE
        while True:
            try:
                self.get("/healthz", port=port)
                return
            except (OSError, http.client.HTTPException):
                assert self.processes[name].poll() is None, self.log(name)
                assert time.monotonic() < give_up_at, self.log(name)
                time.sleep(0.1)

    # Requests

    def get(self, path: str, **options: Any) -> Reply:
        return self.ask("GET", path, **options)

    def ask(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        headers: dict[str, str] | None = None,
        port: int = 0,
        from_: str = "127.0.0.1",
    ) -> Reply:
        began = time.monotonic()
        line = http.client.HTTPConnection(
            "127.0.0.1", port or self.port, timeout=PATIENCE, source_address=(from_, 0)
        )
        try:
            line.request(method, path, body, headers or {})
            reply = line.getresponse()
            return Reply(reply.status, reply.headers, reply.read(), time.monotonic() - began)
        finally:
            line.close()

    def connect(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.port), PATIENCE)


def _free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port: int = trial.getsockname()[1]
        return port


def _copy_test_database(to: PostgresServer) -> None:
    """Sooner done than the migrations."""
    at = connection.settings_dict
    host = at["HOST"] or at["OPTIONS"].get("host", "")
    with subprocess.Popen(
        [postgres_program("pg_dump"), "--no-owner", "-h", host, "-U", at["USER"], at["NAME"]],
        stdout=subprocess.PIPE,
    ) as dump:
        load = [postgres_program("psql"), "-q", "-h", str(to.sockets), "-U", "tripost", "tripost"]
        subprocess.run(load, stdin=dump.stdout, stdout=subprocess.DEVNULL, check=True)
    with psycopg.connect(host=str(to.sockets), user="tripost", dbname="tripost") as copied:
        assert copied.execute("SELECT count(*) > 50 FROM django_migrations").fetchone() == (True,)
