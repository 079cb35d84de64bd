"""Finds and ends what a killed run left behind, and touches nobody else's processes."""

import contextlib
import os
import time
from collections.abc import Callable
from pathlib import Path

import psutil  # type: ignore[import-untyped]

MARK = "TRIPOST_HOME"
"""Every process of a run carries its folder under this name in its environment."""


def processes_of(home: Path) -> list[psutil.Process]:
    return _matching(lambda process: process.environ().get(MARK) == str(home))


def processes_titled(prefix: str) -> list[psutil.Process]:
    return _matching(lambda process: " ".join(process.cmdline()).startswith(prefix))


def is_alive(pid: int) -> bool:
    # A zombie counts as dead: where nobody reaps orphans it stays for ever.
    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def is_running(pid: int, name: str, argument: str) -> bool:
    try:
        process = psutil.Process(pid)
        return process.name() == name and argument in process.cmdline()
    except psutil.Error:
        return False


def kill(find: Callable[[], list[psutil.Process]], patience: float = 10.0) -> None:
    """Ends whatever `find` finds, until it finds nothing.

    Not once: a parent that dies second may first have put a new child in the first one's place.
    """
    give_up_at = time.monotonic() + patience
    while (doomed := find()) and time.monotonic() < give_up_at:
        for process in doomed:
            with contextlib.suppress(psutil.NoSuchProcess):
                process.kill()
        while time.monotonic() < give_up_at and any(is_alive(process.pid) for process in doomed):
            time.sleep(0.02)


def _matching(fits: Callable[[psutil.Process], bool]) -> list[psutil.Process]:
    return [process for process in psutil.process_iter() if _is(process, fits)]


def _is(process: psutil.Process, fits: Callable[[psutil.Process], bool]) -> bool:
    try:
        return process.pid != os.getpid() and is_alive(process.pid) and fits(process)
    except psutil.Error:
        return False
