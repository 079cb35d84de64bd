"""With `--every-action`, the run fails if it left out an action: its locks were not recorded."""

from collections.abc import Callable, Generator
from functools import wraps
from typing import Any

import pytest

from accounts.locks import ACTIONS

ELSEWHERE: dict[str, str] = {}
"""Actions that only other processes of the tests carry out, and why."""


class Watch:
    """Notes which actions ran, in this process or in the workers that report to it."""

    def __init__(self) -> None:
        self.known: set[str] = set()
        self.ran: set[str] = set()

    def pytest_collection_finish(self) -> None:
        """By now everything that decorates actions is imported."""
        for run in ACTIONS:
            name = _name(run)
            if not name.startswith("tests."):
                self.known.add(name)
                self._put_in_front_of(run, name)

    def _put_in_front_of(self, run: Any, name: str) -> None:
        """Other modules hold the action itself already; what it calls is in a cell of its own."""
        cell = next(cell for cell in run.__closure__ if cell.cell_contents is run.__wrapped__)
        act: Callable[..., Any] = run.__wrapped__

        @wraps(act)
        def noted(*args: Any, **kwargs: Any) -> Any:
            self.ran.add(name)
            return act(*args, **kwargs)

        cell.cell_contents = noted

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        output = getattr(node, "workeroutput", {})
        self.known |= set(output.get("actions known", ()))
        self.ran |= set(output.get("actions ran", ()))

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Generator[None, None, None]:
        yield
        if hasattr(session.config, "workeroutput"):
            session.config.workeroutput["actions known"] = sorted(self.known)
            session.config.workeroutput["actions ran"] = sorted(self.ran)
        elif self.left_out and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @property
    def left_out(self) -> list[str]:
        return sorted(self.known - self.ran - set(ELSEWHERE))

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        for name in self.left_out:
            terminalreporter.write_line(f"No test carries out the action {name}.", red=True)


def _name(run: Callable[..., object]) -> str:
    return f"{run.__module__}.{run.__qualname__}"
