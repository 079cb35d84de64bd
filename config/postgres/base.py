"""Connections that give up on a server that does not reply, and leave an absent one alone."""

from collections.abc import Iterator
from contextlib import contextmanager
from types import SimpleNamespace
from typing import Any

import psycopg
from django.conf import settings
from django.db.backends.postgresql import base
from psycopg.errors import _WaitTimeout

from accounts.breaker import Breaker
from config import absences

GRACE = 2.0
"""Seconds beyond `STATEMENT_TIMEOUT`, within which a server that lives has cancelled."""
HEALTH_CHECK = 3.0

server = Breaker(rest=1.0)


class Connection(psycopg.Connection[Any]):
    """Waits for replies only so long: a server that hangs does not enforce its own limits."""

    patience: float | None = (
        settings.STATEMENT_TIMEOUT + GRACE if settings.STATEMENT_TIMEOUT else None
    )

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:
        try:
            return super().wait(gen, interval, timeout or self.patience)
        except _WaitTimeout as error:
            # The reply may still come, and would be taken for that of the next statement.
            self.pgconn.finish()
            raise psycopg.OperationalError("the server does not reply") from error


class DatabaseWrapper(base.DatabaseWrapper):
    may_have_committed = False
    """Since whoever wants to know has made it false: a COMMIT that was not answered counts."""

    # psycopg itself, but for the class of its connections.
    Database = SimpleNamespace(**vars(psycopg) | {"connect": Connection.connect})  # type: ignore[assignment]

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        if not server.may_try():
            raise psycopg.OperationalError("the server was away a moment ago")
        try:
            connection = super().get_new_connection(conn_params)
        except psycopg.OperationalError:
            server.failed()
            raise
        server.succeeded()
        absences.connected()
        return connection

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.execute_wrappers.append(_note_writing)

    def _commit(self) -> None:
        self.may_have_committed = True
        super()._commit()  # type: ignore[misc]

    def is_usable(self) -> bool:
        with self._patience(HEALTH_CHECK):
            return super().is_usable()

    @contextmanager
    def _patience(self, seconds: float) -> Iterator[None]:
        usual = self.connection.patience
        self.connection.patience = min(seconds, usual or seconds)
        try:
            yield
        finally:
            self.connection.patience = usual


def _note_writing(execute: Any, sql: Any, params: Any, many: bool, context: Any) -> Any:
    """Outside of a transaction a statement commits by itself."""
    connection = context["connection"]
    if not connection.in_atomic_block and not (isinstance(sql, str) and sql.startswith("SELECT")):
        connection.may_have_committed = True
    return execute(sql, params, many, context)
