"""Every transaction is an action's, and the order of its locks is recorded in every test."""

import ast
import re
from pathlib import Path

import pytest
from django.db import connection, transaction

from accounts import locks
from games.models import Game, Participant, RatingPool
from games.starting import lock_participants
from games.table import lock
from tests.conftest import recorder
from tests.lock_order import locks_of

ROOT = Path(__file__).parent.parent.parent
PACKAGES = ("accounts", "config", "games", "notifications", "tournaments")
DELETES = {"games/guests.py"}


def sources():
    for package in PACKAGES:
        for path in (ROOT / package).rglob("*.py"):
            name = str(path.relative_to(ROOT))
            if not re.search("/(migrations|management)/", name):
                yield name, path.read_text()


def test_every_transaction_is_begun_by_an_action():
    """So that the victim of a deadlock is repeated, wherever it comes from."""
    begun = {name for name, text in sources() if names_atomic(text)}
    assert begun == {"accounts/locks.py"}


@pytest.mark.parametrize(
    "text",
    [
        "transaction.atomic()",
        "from django.db.transaction import atomic",
        "from django.db import transaction as t\nt.atomic",
        "getattr(transaction, 'atomic')",
        "ATOMIC_REQUESTS = True",
    ],
)
def test_a_transaction_is_found_by_whatever_name(text):
    assert names_atomic(text)


def names_atomic(text):
    """In the code, not in a comment: as an attribute, an import, a name or a setting."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        names |= {getattr(node, part, None) for part in ("attr", "id", "name", "arg")}
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            names.add(node.value)
    return bool(names & {"atomic", "ATOMIC_REQUESTS"})


def test_rows_that_are_not_deleted_leave_their_key_to_others():
    strong = {
        name
        for name, text in sources()
        for call in re.findall(r"select_for_update\(((?:[^()]|\([^()]*\))*)\)", text)
        if "no_key=True" not in call
    }
    raw = {name for name, text in sources() if re.search(r"\bFOR UPDATE\b(?! is)", text)}
    assert (strong, raw - {"accounts/locks.py"}) == (DELETES, set())


def test_a_part_that_may_fail_alone_is_part_of_an_action(db):
    with pytest.raises(RuntimeError):
        locks.savepoint()


# What is recorded


def found_in(*acts):
    """In one transaction, as it would be reported at the end of a test."""
    with transaction.atomic():
        for act in acts:
            with connection.cursor() as cursor:
                act(cursor) if act.__code__.co_argcount else act()
    found = [one.partition(" (")[0] for one in dict.fromkeys(recorder.found)]
    recorder.found.clear()
    return found


@pytest.fixture
def reported(monkeypatch):
    """As if the tests here were the service."""
    monkeypatch.setattr("tests.lock_order._place", lambda: "here:1")


@pytest.fixture
def game(start, reported):
    return start()


def test_locks_in_the_order_are_fine(game, alice, bob):
    RatingPool.objects.create(key="tritt-classic", ruleset="tritt-classic")
    assert not found_in(
        lambda: lock(game.pk),
        lambda: lock_participants(bob, alice),
        lambda: RatingPool.objects.update(last_entry=1),
        lambda: Game.objects.filter(pk=game.pk).update(ply=1),
    )


def test_a_game_after_its_players_is_found(game, alice):
    assert found_in(lambda: lock_participants(alice), lambda: lock(game.pk)) == [
        "games_game after games_participant"
    ]


def test_a_statement_that_only_writes_is_found_too(game, alice):
    assert found_in(
        lambda: Participant.objects.filter(pk=alice.pk).update(running_games=3),
        lambda: Game.objects.filter(pk=game.pk).update(ply=1),
    ) == ["games_game after games_participant"]


def test_a_game_that_is_begun_after_its_players_is_nobody_elses(reported, start, alice, bob):
    assert not found_in(lambda: lock_participants(alice, bob), lambda: start())


def test_players_one_after_the_other_are_found(game, alice, bob):
    first, second = sorted([alice, bob], key=lambda player: player.pk)
    assert not found_in(lambda: lock_participants(first), lambda: lock_participants(second))
    assert found_in(lambda: lock_participants(second), lambda: lock_participants(first)) == [
        f"games_participant {first.pk} after {second.pk}"
    ]


def test_many_rows_in_no_order_are_found(game):
    assert found_in(lambda: Participant.objects.update(running_games=0)) == [
        "2 rows of games_participant in no order"
    ]


def test_a_row_outside_of_the_order_is_the_last(game, alice):
    seat = game.seats.get(player=alice)
    write = type(seat).objects.filter(pk=seat.pk).update
    assert not found_in(lambda: write(hides_chat=True))
    assert found_in(lambda: write(hides_chat=True), lambda: lock_participants(alice)) == [
        "games_participant after games_seat, which is held under no other row"
    ]


def test_for_update_is_found(game):
    held = Game.objects.select_for_update().filter(pk=game.pk)
    assert found_in(lambda: list(held)) == [
        "games_game FOR UPDATE, where FOR NO KEY UPDATE will do"
    ]


def test_an_advisory_lock_comes_first(game):
    assert found_in(
        lambda: lock(game.pk), lambda cursor: cursor.execute("SELECT pg_advisory_xact_lock(1)")
    ) == ["advisory after games_game"]


def test_what_skips_locked_rows_waits_for_none():
    sql = "SELECT id FROM games_game g WHERE id = %s FOR NO KEY UPDATE OF g SKIP LOCKED"
    (found,) = locks_of(sql, [1])
    assert (found.table, found.waits, found.params) == ("games_game", False, (1,))


def test_statements_within_a_statement_are_read_with_their_own_parameters():
    sql = (
        "WITH moved AS (UPDATE games_game SET ply = %s WHERE id = %s), told AS"
        " (INSERT INTO games_outboxmessage (fact) VALUES (%s))"
        " UPDATE games_participant p SET absent_since = %s FROM unnest(%s) AS e(id)"
        " WHERE p.player_id = e.id"
    )
    game, _told, participant = locks_of(sql, [7, 1, "x", None, [5]])
    assert (game.table, game.params[:1]) == ("games_game", (1,))
    assert (participant.table, participant.params) == ("games_participant", ([5],))
    assert participant.asks.startswith('SELECT "p"."player_id" FROM "games_participant" "p" ,')
