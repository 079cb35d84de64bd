"""The locks of every statement of every test, recorded: none is taken out of `locks.ORDER`.

What a statement is going to lock is asked first, by a SELECT with the statement's own conditions.
Rows that the transaction has added itself are nobody else's to wait for.
"""

import re
import traceback
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from django.apps import apps
from django.db.backends.signals import connection_created

from accounts import locks

ROOT = Path(__file__).parent.parent
PASSED = {Path(__file__), ROOT / "config" / "postgres" / "base.py"}
"""Every statement comes through these; the place of a statement is further up."""
ADVISORY = "advisory"
ORDER = (ADVISORY, *locks.ORDER)
UNDER = {
    "games_seat": {"games_game"},
    "games_move": {"games_game"},
    "games_conditionalmoves": {"games_game"},
    "games_gamedice": {"games_game"},
    "games_ruling": {"games_game"},
    "games_visit": {"accounts_player"},
    "games_entrynode": {"games_entrypoint"},
    "games_outage": {"games_entrypoint"},
    "games_rating": {"games_ratingpool"},
    "games_ratingentry": {"games_ratingpool"},
    "tournaments_dicebook": {"tournaments_event"},
    "tournaments_errand": {"tournaments_event"},
    "tournaments_meeting": {"tournaments_event", "games_game"},
    "tournaments_round": {"tournaments_event"},
    "accounts_apitoken": {"accounts_player"},
    "accounts_player_groups": {"accounts_player"},
    "accounts_player_user_permissions": {"accounts_player"},
    "notifications_feedlink": {"accounts_player"},
    "notifications_pushsubscription": {"accounts_player"},
    "notifications_webhook": {"accounts_player"},
}
"""Tables outside of the order: whoever locks their rows and then more holds one of these."""
LEAVES = {
    "games_outboxmessage": "claimed with SKIP LOCKED",
    "notifications_habits": "one row, of the player who asks",
    "notifications_preference": "rows of the player who asks",
    "notifications_letter": "whose victim in the relay is put off and delivered again",
}
"""Tables outside of the order of which no transaction waits for a row while it holds others."""
GONE = ("accounts/daily.py", "notifications/inbound.py")
"""Delete many at once in no order: days and mails that are over, which nobody else locks."""
DELETERS = ("games/guests.py", "site-packages/allauth/")
"""May lock FOR UPDATE."""

LOCKING = re.compile(
    r"\s+FOR\s+(?P<mode>NO KEY UPDATE|UPDATE|SHARE|KEY SHARE)"
    r"(?:\s+OF\s+(?P<of>[\w\", ]+?))?(?P<skip>\s+SKIP LOCKED)?\s*$"
)
NO_ALIAS = {"ON", "WHERE", "INNER", "LEFT", "JOIN", "ORDER", "LIMIT", "SET", "FROM", "CROSS"}


@dataclass(frozen=True, kw_only=True)
class Lock:
    """What a statement locks in one table; `asks` selects the keys of the rows."""

    table: str
    asks: str = ""
    params: Any = ()
    waits: bool = True
    is_sorted: bool = False
    is_for_update: bool = False


@dataclass
class Transaction:
    """What is locked in it so far; `newest` are the last keys of its beginning."""

    newest: dict[str, int]
    held: dict[str, set[Any]] = field(default_factory=dict)
    touched: set[str] = field(default_factory=set)
    """Tables with rows that it holds or has added."""
    loose: str = ""
    """A row outside of the order that was locked under none: nothing may be waited for after it."""


class Recorder:
    """Collects what is out of order while it is on, in all threads."""

    def __init__(self) -> None:
        self.is_on = False
        self.found: list[str] = []
        connection_created.connect(self._follow)

    def _follow(self, sender: object, connection: Any, **_: object) -> None:
        if self._look not in connection.execute_wrappers:
            connection.execute_wrappers.append(self._look)

    def _look(
        self, execute: Any, sql: Any, params: Any, many: bool, context: dict[str, Any]
    ) -> Any:
        connection = context["connection"]
        if self.is_on and isinstance(sql, str) and not many:
            for lock in locks_of(sql, params):
                if lock.table in TABLES:
                    self._note(lock, _transaction(connection), connection)
        return execute(sql, params, many, context)

    def _note(self, lock: Lock, transaction: Transaction, connection: Any) -> None:
        rows = {row for (row,) in _ask(connection, lock.asks, lock.params)} if lock.asks else set()
        newest = transaction.newest.get(lock.table)
        held = transaction.held.setdefault(lock.table, set())
        new = {row for row in rows - held if newest is None or row <= newest}
        if lock.waits and (new or not lock.asks):
            self._report(list(_wrongs(lock, new, transaction)))
        held |= new
        if rows or not lock.asks:
            transaction.touched.add(lock.table)

    def _report(self, wrongs: list[str]) -> None:
        """What a test or the emptying of the database does itself is nobody's action."""
        place = _place() if wrongs else ""
        if place and not place.startswith("tests/") and "/migrations/" not in place:
            self.found += [f"{wrong} ({place})" for wrong in wrongs]


def _wrongs(lock: Lock, new: set[Any], transaction: Transaction) -> Iterator[str]:
    table, held = lock.table, transaction.held
    if table not in ORDER and not lock.asks:
        return
    if transaction.loose and transaction.loose != table:
        yield f"{table} after {transaction.loose}, which is held under no other row"
    if table not in ORDER:
        if table not in LEAVES and not UNDER.get(table, set()) & transaction.touched:
            transaction.loose = transaction.loose or table
        return
    for later in ORDER[ORDER.index(table) + 1 :]:
        if held.get(later):
            yield f"{table} after {later}"
    if lock.is_for_update and not _is_called_from(DELETERS):
        yield f"{table} FOR UPDATE, where FOR NO KEY UPDATE will do"
    if table == "tournaments_entry" and held.get("tournaments_event"):
        return
    if len(new) > 1 and not lock.is_sorted and not _is_called_from(GONE):
        yield f"{len(new)} rows of {table} in no order"
    if new and held.get(table) and min(new) < max(held[table]):
        yield f"{table} {min(new)} after {max(held[table])}"


# Asking the database


def _transaction(connection: Any) -> Transaction:
    """Of the outermost block that is no test case's; a statement outside of all is its own."""
    blocks = [b for b in connection.atomic_blocks if not getattr(b, "_from_testcase", False)]
    outermost = blocks[0] if blocks else None
    known = getattr(connection, "_recorded", None)
    if known is None or outermost is None or known[0] is not outermost:
        known = connection._recorded = (outermost, Transaction(_newest(connection)))
    return known[1]


def _newest(connection: Any) -> dict[str, int]:
    tables = [table for table in locks.ORDER if KEYS[table] == "id"]
    asks = ", ".join(f"(SELECT max(id) FROM {table})" for table in tables)
    (found,) = _ask(connection, f"SELECT {asks}", ())
    return {table: newest or 0 for table, newest in zip(tables, found, strict=True)}


def _ask(connection: Any, sql: str, params: Any) -> list[tuple[Any, ...]]:
    """Past Django, which counts statements."""
    if not isinstance(params, dict):
        params = tuple(params)[: sql.count("%s")]
    with connection.connection.cursor() as cursor:
        return cursor.execute(sql, params or None).fetchall()


def _place() -> str:
    for frame in reversed(traceback.extract_stack()):
        path = Path(frame.filename)
        if path.is_relative_to(ROOT) and ".venv" not in path.parts and path not in PASSED:
            return f"{path.relative_to(ROOT)}:{frame.lineno}"
    return ""


def _is_called_from(paths: tuple[str, ...]) -> bool:
    return any(path in frame.filename for frame in traceback.extract_stack() for path in paths)


# Reading a statement


def locks_of(sql: str, params: Any) -> Iterator[Lock]:
    sql = sql.strip().rstrip(";")
    for offset, part in _parts(sql):
        before = sql[:offset].count("%s")
        mine = params if isinstance(params, dict) else tuple(params or ())[before:]
        yield from _locks_of_part(part.strip(), mine)


def _parts(sql: str) -> Iterator[tuple[int, str]]:
    """The statement itself and those in its WITH clauses, each with its offset."""
    end = depth = begun = 0
    for bracket in re.finditer(r"[()]", sql) if sql.startswith("WITH") else ():
        depth += 1 if bracket.group() == "(" else -1
        if bracket.group() == "(" and depth == 1:
            begun = bracket.end()
        elif depth == 0 and re.search(r"\bAS\s*$", sql[: begun - 1]):
            yield begun, sql[begun : bracket.start()]
            end = bracket.end()
    yield end, sql[end:]


def _locks_of_part(sql: str, params: Any) -> Iterator[Lock]:
    verb = sql.partition(" ")[0].upper()
    if verb == "UPDATE":
        yield _updated(sql, params)
    elif verb == "DELETE":
        table = _name(sql.split(None, 3)[2])
        yield Lock(table=table, asks=f"SELECT {_key(table)} {sql[6:]}", params=params)
    elif verb == "INSERT":
        # Waits only for another that adds the same key, which is asked for in ON CONFLICT.
        yield Lock(table=_name(sql.split(None, 3)[2]), waits="ON CONFLICT" in sql)
    elif "pg_advisory_xact_lock" in sql:
        yield Lock(table=ADVISORY)
    elif locking := LOCKING.search(sql):
        yield from _selected(sql[: locking.start()], params, locking)


def _selected(sql: str, params: Any, locking: re.Match[str]) -> Iterator[Lock]:
    at = _words_at_top(sql, "FROM", "ORDER")
    rest = sql[at["FROM"] :]
    tables = dict(_sources(rest))
    for alias in [_name(one) for one in (locking["of"] or next(iter(tables))).split(",")]:
        table = tables[alias]
        order = sql[at["ORDER"] :] if "ORDER" in at else ""
        yield Lock(
            table=table,
            asks=f"SELECT {_key(table, alias)} {rest}",
            params=_after(sql[: at["FROM"]], params),
            waits=not locking["skip"],
            is_sorted=bool(re.match(rf'ORDER BY (\S+\.)?"?{KEYS.get(table, "id")}\b', order)),
            is_for_update=locking["mode"] == "UPDATE",
        )


def _updated(sql: str, params: Any) -> Lock:
    at = _words_at_top(sql, "SET", "FROM", "WHERE", "RETURNING")
    table, *alias = sql[len("UPDATE") : at["SET"]].split()
    table, alias = _name(table), _name((alias or [table])[-1])
    begin = min(at.get("FROM", len(sql)), at.get("WHERE", len(sql)))
    rest = re.sub(r"^FROM", ",", sql[begin : at.get("RETURNING", len(sql))])
    return Lock(
        table=table,
        asks=f'SELECT {_key(table, alias)} FROM "{table}" "{alias}" {rest}',
        params=_after(sql[:begin], params),
    )


def _words_at_top(sql: str, *words: str) -> dict[str, int]:
    """Where each stands first outside of all brackets."""
    found: dict[str, int] = {}
    depth = 0
    for token in re.finditer(r"[()]|'[^']*'|\b\w+\b", sql):
        depth += {"(": 1, ")": -1}.get(token.group(), 0)
        if depth == 0 and token.group() in words:
            found.setdefault(token.group(), token.start())
    return found


def _sources(text: str) -> Iterator[tuple[str, str]]:
    for table, alias in re.findall(r'(?:FROM|JOIN)\s+"?(\w+)"?(?:\s+"?(\w+)"?)?', text):
        yield (table if not alias or alias in NO_ALIAS else alias), table


def _after(text: str, params: Any) -> Any:
    return params if isinstance(params, dict) else params[text.count("%s") :]


def _key(table: str, alias: str = "") -> str:
    return f'"{alias or table}"."{KEYS.get(table, "id")}"'


def _name(text: str) -> str:
    return text.strip().strip('"')


KEYS = {
    model._meta.db_table: str(model._meta.pk.column)
    for model in apps.get_models(include_auto_created=True)
}
OURS = ("accounts_", "games_", "tournaments_", "notifications_")
TABLES = {table for table in KEYS if table.startswith(OURS)} | {ADVISORY}
