"""Run the Procfile's processes and restart what falls: python -m config.processes."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping
from pathlib import Path
from types import FrameType
from typing import NoReturn, Protocol

from config.hangs import HangWatch
from config.surroundings import Trouble, wanted_port
from config.unprivileged import ServerFailure

PROJECT = Path(__file__).resolve().parent.parent
LOOK_EVERY = 0.25
MOST_RESTARTS = 10
WINDOW = 600.0
"""Whatever falls again after MOST_RESTARTS within so many seconds is given up."""
FIRST_WAIT = 0.5
LONGEST_WAIT = 30.0
STOPS_WITHIN = 12.0
"""Longer than the web server takes to finish what it has accepted; see the Procfile."""


class GivenUp(Exception):
    """Restarting does not help; the text says what fell, in a sentence."""


class Part(Protocol):
    """Something that can fall and be started again: a process or a server."""

    def start(self) -> None: ...

    def is_alive(self) -> bool: ...

    @property
    def fate(self) -> str:
        """How it fell, as far as that is known."""
        ...


class Process:
    """One line of the Procfile, with everything that it starts itself."""

    def __init__(self, name: str, command: str, environment: Mapping[str, str]) -> None:
        self.name, self.command, self.environment = name, command, environment
        self.child: subprocess.Popen[str] | None = None

    def start(self) -> None:
        self.child = subprocess.Popen(  # noqa: S603
            ["/bin/sh", "-c", self.command],
            cwd=PROJECT,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            start_new_session=True,
        )
        report(f"{self.name} started (pid={self.child.pid})")
        threading.Thread(target=_print_output, args=[self.name, self.child], daemon=True).start()

    def is_alive(self) -> bool:
        if self.child is None or self.child.returncode is not None:
            return False
        # Looked at, not reaped: until it is, nobody else can get its number, and the group that
        # is killed with it is certainly its own.
        if os.waitid(os.P_PID, self.child.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
            return True
        self.kill()
        return False

    @property
    def fate(self) -> str:
        code = self.child.returncode if self.child else None
        if code is None:
            return ""
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def terminate(self) -> None:
        """Its leader alone, which ends the others in order."""
        if self.child and self.is_alive():
            os.kill(self.child.pid, signal.SIGTERM)

    def kill(self) -> None:
        if self.child and self.child.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self.child.pid, signal.SIGKILL)
            self.child.wait()


class Restarts:
    """How long to wait after each fall: twice as long each time, and not without end."""

    def __init__(self) -> None:
        self.falls: deque[float] = deque()

    def wait_after_fall(self, now: float) -> float:
        """Raise GivenUp after too many."""
        self.falls.append(now)
        while self.falls[0] <= now - WINDOW:
            self.falls.popleft()
        if len(self.falls) > MOST_RESTARTS:
            raise GivenUp
        return float(min(LONGEST_WAIT, FIRST_WAIT * 2 ** (len(self.falls) - 1)))


class Keeper:
    """Keep one part running."""

    def __init__(self, name: str, part: Part) -> None:
        self.name, self.part = name, part
        self.restarts = Restarts()
        self.starts_at: float | None = None

    def tend(self, now: float) -> None:
        if self.starts_at is None and not self.part.is_alive():
            self.starts_at = now + self._wait(now)
        elif self.starts_at is not None and now >= self.starts_at:
            self.starts_at = None
            self._start()

    def _wait(self, now: float) -> float:
        try:
            wait = self.restarts.wait_after_fall(now)
        except GivenUp:
            raise GivenUp(
                f"{self.name} fell again after {MOST_RESTARTS} restarts in {WINDOW / 60:g} "
                "minutes, so everything was stopped; see the lines above."
            ) from None
        count = len(self.restarts.falls)
        how = f" ({self.part.fate})" if self.part.fate else ""
        report(f"{self.name} fell{how}; restart {count} of {MOST_RESTARTS} in {wait:g} s")
        return wait

    def _start(self) -> None:
        try:
            self.part.start()
        except ServerFailure as failure:
            report(str(failure))


class Crew:
    """All processes of a site, and the servers that were started for it."""

    def __init__(self, environment: Mapping[str, str], servers: Mapping[str, Part] = {}) -> None:
        self.processes = {
            name: Process(name, command, environment) for name, command in procfile().items()
        }
        parts: dict[str, Part] = {**servers, **self.processes}
        self.keepers = [Keeper(name, part) for name, part in parts.items()]
        self.hang_watch = HangWatch(environment, report)

    def run(self) -> NoReturn:
        """Until something raises: an interruption, or GivenUp."""
        for process in self.processes.values():
            process.start()
        while True:
            now = time.monotonic()
            for keeper in self.keepers:
                keeper.tend(now)
            self.hang_watch.look(self._leaders(), now)
            time.sleep(LOOK_EVERY)

    def stop(self) -> None:
        for process in self.processes.values():
            process.terminate()
        give_up_at = time.monotonic() + STOPS_WITHIN
        while self._leaders() and time.monotonic() < give_up_at:
            time.sleep(0.05)
        for process in self.processes.values():
            process.kill()

    def _leaders(self) -> dict[str, int]:
        return {
            name: process.child.pid
            for name, process in self.processes.items()
            if process.is_alive() and process.child
        }


def procfile(text: str = "") -> dict[str, str]:
    text = text or (PROJECT / "Procfile").read_text()
    return dict(re.findall(r"^([\w-]+):\s*(.+)$", text, re.MULTILINE))


def report(text: str, name: str = "system") -> None:
    # One call for the whole line: threads write at the same time.
    sys.stdout.write(f"{time.strftime('%H:%M:%S')} {name:<8} | {text}\n")
    sys.stdout.flush()


def _print_output(name: str, child: subprocess.Popen[str]) -> None:
    for line in child.stdout or ():
        report(line.rstrip("\n"), name)


def interrupt_on_signals() -> None:
    # SIGINT too: a shell that starts us in the background hands it down as ignored.
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)


def require_free_ports(environment: Mapping[str, str]) -> None:
    """Granian shares its ports, so that a second site would get a part of the requests."""
    host = environment.get("HOST") or "127.0.0.1"
    for name, usual in re.findall(r"--port \$\{(\w+):-(\d+)\}", "\n".join(procfile().values())):
        wanted_port(environment.get(name) or usual, host, name=name, command="")


def ignore_signals() -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt


def main() -> int:
    interrupt_on_signals()
    try:
        require_free_ports(os.environ)
    except Trouble as trouble:
        print(trouble, file=sys.stderr)
        return 1
    own_programs = str(Path(sys.executable).parent)
    path = os.pathsep.join([own_programs, os.environ.get("PATH", os.defpath)])
    crew = Crew({"PYTHONUNBUFFERED": "1", **os.environ, "PATH": path})
    try:
        crew.run()
    except KeyboardInterrupt:
        return 0
    except GivenUp as reason:
        print(reason, file=sys.stderr)
        return 1
    finally:
        ignore_signals()
        crew.stop()


if __name__ == "__main__":
    sys.exit(main())
