"""Acts at the same time: real threads, each with its own connection to the database."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from django.db import connection, connections

PATIENCE = 20


def at_once(*acts: Callable[[], Any]) -> list[Any]:
    """What each act answers, or the error it ends with; all are let go at one moment."""
    gate = threading.Barrier(len(acts))

    def run(act: Callable[[], Any]) -> Any:
        try:
            connection.ensure_connection()
            gate.wait(PATIENCE)
            return act()
        except Exception as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as threads:
        return [done.result(PATIENCE) for done in [threads.submit(run, act) for act in acts]]


class Meanwhile:
    """An act in another thread that is begun while this one holds something it needs."""

    def __init__(self, act: Callable[[], Any]) -> None:
        self.answer: Any = None
        self._act = act
        self._thread = threading.Thread(target=self._run)

    def _run(self) -> None:
        try:
            self.answer = self._act()
        except Exception as error:
            self.answer = error
        finally:
            connections.close_all()

    def begin(self) -> "Meanwhile":
        self._thread.start()
        return self

    def wait_until_it_waits(self) -> "Meanwhile":
        """Returns once another connection is held up by this one."""
        for _ in range(PATIENCE * 100):
            if self._waits():
                return self
            time.sleep(0.01)
        raise AssertionError("nothing waits for a lock")

    def _waits(self) -> bool:
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(*) FROM pg_locks WHERE NOT granted"
                " AND pg_backend_pid() = ANY(pg_blocking_pids(pid))"
            )
            return bool(cursor.fetchone()[0])

    def wait_until_it_waits_or_ends(self) -> "Meanwhile":
        """For an act that need not wait any more."""
        while self._thread.is_alive() and not self._waits():
            time.sleep(0.01)
        return self

    def end(self) -> Any:
        self._thread.join(PATIENCE)
        assert not self._thread.is_alive()
        return self.answer
