"""Statements that run all day long: PostgreSQL plans each once a connection, not each time."""

import sys
from contextlib import AbstractContextManager
from typing import Any

import psycopg
from django.db import connection


class _PreparingCursor(psycopg.Cursor[tuple[Any, ...]]):
    def execute(self, query: Any, params: Any = None, **options: Any) -> Any:
        return super().execute(query, params, prepare=True, **options)


def cursor() -> AbstractContextManager[Any]:
    """A cursor whose statements stay prepared; Django counts and logs them as any other.

    Behind a pooler that hands a connection to many, where nothing can stay prepared, it is
    Django's own: DISABLE_SERVER_SIDE_CURSORS says so.
    """
    if connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"):
        return connection.cursor()
    connection.ensure_connection()
    # Django sets no threshold, which turns preparing off; this one is for others never reached.
    connection.connection.prepare_threshold = sys.maxsize
    wrapped: Any = (
        connection.make_debug_cursor if connection.queries_logged else connection.make_cursor
    )
    return wrapped(_PreparingCursor(connection.connection))
