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
    """A cursor whose statements stay prepared.

    It is Django's own where statements are counted and logged, and behind a pooler that hands
    a connection to many, where nothing can stay prepared: DISABLE_SERVER_SIDE_CURSORS says so.
    """
    if connection.queries_logged or connection.settings_dict.get("DISABLE_SERVER_SIDE_CURSORS"):
        return connection.cursor()
    connection.ensure_connection()
    # Django sets no threshold, which turns preparing off; this one is for others never reached.
    connection.connection.prepare_threshold = sys.maxsize
    preparing: Any = _PreparingCursor(connection.connection)
    return connection.make_cursor(preparing)
