"""Find what hangs and kill it: stopped processes, and web workers that do not reply."""

import contextlib
import http.client
import os
import threading
from collections.abc import Callable, Mapping
from queue import SimpleQueue

import psutil  # type: ignore[import-untyped]

PATIENCE = 30.0
LOOK_EVERY = 2.0


class HangWatch:
    """Look every few seconds at the sessions of some processes.

    A hung web worker still accepts connections, and only a request through the front door shows
    that none of its threads replies. The process that holds the other end of that connection is
    the one.
    """

    def __init__(self, environment: Mapping[str, str], report: Callable[[str], None]) -> None:
        self.patience = float(environment.get("HUNG_AFTER") or PATIENCE)
        self.host = environment.get("HOST") or "127.0.0.1"
        self.port = int(environment.get("PORT") or 8000)
        self.report = report
        self.next_look_at = 0.0
        self.stopped_since: dict[psutil.Process, float] = {}
        self.unanswered: SimpleQueue[http.client.HTTPConnection] = SimpleQueue()

    def look(self, leaders: Mapping[str, int], now: float) -> None:
        if now < self.next_look_at:
            return
        self.next_look_at = now + LOOK_EVERY
        self._kill_stopped(leaders, now)
        if "web" in leaders:
            self._kill_silent(leaders["web"])
            threading.Thread(target=self._ask, daemon=True).start()

    def _kill_stopped(self, leaders: Mapping[str, int], now: float) -> None:
        stopped = [process for process in _members(*leaders.values()) if _is_stopped(process)]
        self.stopped_since = {process: self.stopped_since.get(process, now) for process in stopped}
        for process, since in self.stopped_since.items():
            # Sooner than a request is given up: those that wait for a stopped worker are then
            # cut off, and nobody seeks another culprit.
            if now - since >= self.patience / 3:
                self._kill(process, f"has been stopped for {now - since:.0f} s")

    def _kill_silent(self, web: int) -> None:
        while not self.unanswered.empty():
            # Open until now: a closed one would be let go by whoever holds its other end.
            with contextlib.closing(self.unanswered.get()) as connection:
                members = _members(web)
                for process in _holders(members, connection, self.port) or members:
                    self._kill(process, f"has not replied for {self.patience:g} s")

    def _kill(self, process: psutil.Process, why: str) -> None:
        with contextlib.suppress(psutil.NoSuchProcess):
            self.report(f"process {process.pid} {why} and is killed")
            process.kill()

    def _ask(self) -> None:
        """Only a 200 shows a thread that runs; no connection is for those who restart what fell."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=self.patience)
        try:
            connection.request("GET", "/healthz")
            is_well = connection.getresponse().status == http.client.OK
            # Once it is closed, nothing tells whose it was.
            is_well = is_well or connection.sock is None
        except TimeoutError:
            is_well = False
        except (OSError, http.client.HTTPException):
            is_well = True
        if is_well:
            connection.close()
        else:
            self.unanswered.put(connection)


def _members(*sessions: int) -> list[psutil.Process]:
    found = []
    for pid in psutil.pids():
        with contextlib.suppress(ProcessLookupError, psutil.NoSuchProcess):
            if os.getsid(pid) in sessions:
                found.append(psutil.Process(pid))
    return found


def _is_stopped(process: psutil.Process) -> bool:
    try:
        return bool(process.status() == psutil.STATUS_STOPPED)
    except psutil.NoSuchProcess:
        return False


def _holders(
    processes: list[psutil.Process], connection: http.client.HTTPConnection, port: int
) -> list[psutil.Process]:
    """Those with the server's end of the connection; none if it was not accepted yet."""
    if not connection.sock:
        return []
    ends = (port, connection.sock.getsockname()[1])
    return [process for process in processes if ends in _connections(process)]


def _connections(process: psutil.Process) -> set[tuple[int, int]]:
    """The own and the other port of each."""
    try:
        return {
            (end.laddr.port, end.raddr.port) for end in process.net_connections("tcp") if end.raddr
        }
    except psutil.Error:
        return set()
