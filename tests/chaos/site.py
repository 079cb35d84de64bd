"""A whole site as `make run` starts it, with every process within reach."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import psutil

from config import leftovers
from config.processes import PROJECT, procfile
from config.servers import PostgresServer, RedisServer
from tests.chaos.peers import free_port

OUTAGE_AFTER = 8.0
"""Seconds: an absence as long as some of the faults is an outage here."""
AUTHSERV_ID = "mx.chaos.example"
"""The mail server before ours, which vouches for senders: nobody asks DNS."""
READY = "Tripost is ready: "
STARTS_WITHIN = 180.0
NOT_FOR_CHAOS = ("TRIPOST_HOME", "PORT", "HOST", "MAKEFLAGS", "MAKELEVEL", "DJANGO_SETTINGS_MODULE")
FAKETIME = [
    *Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"),
    *Path("/usr/local/lib").glob("faketime/libfaketimeMT.so.1"),
]


class Site:
    """Its PostgreSQL and Redis are not the supervisor's, so that they can be away for a while."""

    def __init__(self, home: Path, mail_port: int) -> None:
        self.home, self.port = home, free_port()
        self.log = home / "output"
        self.clock = home / "clock"
        self.database, self.redis = PostgresServer(home), RedisServer(home)
        self.mail_port = mail_port
        self.faketime = self._faketime()

    def _faketime(self) -> str:
        given = os.environ.get("LIBFAKETIME", "")
        return given or next((str(path) for path in FAKETIME), "")

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: value for name, value in os.environ.items() if name not in NOT_FOR_CHAOS}
        return kept | {
            "SECRET_KEY": "only-chaos-knows-this-secret-and-it-guards-nothing-whatsoever",
            "DATABASE_URL": self.database.url,
            "REDIS_URL": self.redis.url,
            "EMAIL_URL": f"smtp://127.0.0.1:{self.mail_port}",
            "SITE_URL": f"http://localhost:{self.port}",
            "DEBUG": "1",
            "DEMO": "0",
            "LETTER_PAUSE": "2",
            "OUTAGE_AFTER": str(OUTAGE_AFTER),
            "MAIL_DOMAIN": "localhost",
            "MAIL_AUTHSERV_ID": AUTHSERV_ID,
            "LOG_LEVEL": "WARNING",
            "HUNG_AFTER": "15",
            "API_LIMIT_READS": "0",
            "API_LIMIT_WRITES": "0",
        }

    def start(self) -> None:
        self.home.mkdir(parents=True, exist_ok=True)
        self.set_clock(0)
        self.database.start()
        self.redis.start()
        own = {"TRIPOST_HOME": str(self.home), "PORT": str(self.port)}
        with self.log.open("w") as output:
            self.supervisor = subprocess.Popen(
                [sys.executable, "-m", "config.supervisor"],
                cwd=PROJECT,
                env=self.environment | own | self._with_a_false_clock(),
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        give_up_at = time.monotonic() + STARTS_WITHIN
        while READY not in self.log.read_text():
            if self.supervisor.poll() is not None or time.monotonic() > give_up_at:
                raise AssertionError(f"The site does not start:\n{self.log.read_text()[-3000:]}")
            time.sleep(0.2)

    def stop(self) -> int:
        self.supervisor.terminate()
        try:
            return self.supervisor.wait(timeout=60)
        finally:
            leftovers.kill(lambda: leftovers.processes_of(self.home))

    def end(self) -> None:
        """Whatever has happened, nothing is left running."""
        with contextlib.suppress(AttributeError):
            self.supervisor.kill()
            self.supervisor.wait()
        leftovers.kill(lambda: leftovers.processes_of(self.home))
        self.database.stop()
        self.redis.stop()

    @property
    def mail_port_in(self) -> int:
        """Where it takes mail; it looks for a free port itself."""
        found = re.findall(r"listening for mail on \S+:(\d+)", self.log.read_text())
        return int(found[-1])

    # Its processes

    def names(self) -> list[str]:
        return list(procfile())

    def leader(self, name: str) -> psutil.Process:
        started = re.findall(rf"{name} started \(pid=(\d+)\)", self.log.read_text())
        return psutil.Process(int(started[-1]))

    def family(self, name: str) -> list[psutil.Process]:
        """The leader first; none while it is down."""
        with contextlib.suppress(psutil.NoSuchProcess):
            leader = self.leader(name)
            return [leader, *leader.children(recursive=True)]
        return []

    def postmaster(self) -> psutil.Process:
        recorded = (self.database.data / "postmaster.pid").read_text().split("\n")[0]
        return psutil.Process(int(recorded))

    def redis_process(self) -> psutil.Process:
        return psutil.Process(int((self.redis.folder / "pid").read_text()))

    # Its clock

    def _with_a_false_clock(self) -> dict[str, str]:
        if not self.faketime:
            return {}
        return {
            "LD_PRELOAD": self.faketime,
            "FAKETIME_TIMESTAMP_FILE": str(self.clock),
            "FAKETIME_CACHE_DURATION": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
        }

    def set_clock(self, seconds: int) -> None:
        """How far it is ahead; renamed into place, so that nobody reads half of it."""
        new = self.clock.with_suffix(".new")
        new.write_text(f"{seconds:+d}\n")
        new.rename(self.clock)


def end(process: psutil.Process, number: int = signal.SIGKILL) -> None:
    with contextlib.suppress(psutil.NoSuchProcess):
        process.send_signal(number)
