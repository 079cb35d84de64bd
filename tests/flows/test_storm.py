"""Everybody does everything at once: nobody deadlocks, and all that is stored stays true."""

import logging
import time

import pytest
from django.db import connection

from games import elo, invariants, refolding
from tests.conftest import make_player
from tests.flows import storm
from tests.flows.storm import Sea
from tests.tournaments.life import JOINED, Stage

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sea(monkeypatch):
    """Six players in many games, a ladder and a round robin; a recalculation has many slices."""
    monkeypatch.setattr(refolding, "SLICE", 5)
    monkeypatch.setattr(elo, "MOST_K_TIMES_GAMES", 40)
    for ring in ("games.outbox", "tournaments.errands", "notifications.desk", "games.refolding"):
        monkeypatch.setattr(f"{ring}.ring", lambda: None)
    monkeypatch.setattr("games.bot_moves.ring", lambda: None)
    monkeypatch.setattr("accounts.closing._wake_worker", lambda: None)
    players = [make_player(f"sailor{at}", joined_at=JOINED) for at in range(6)]
    staff = make_player("dora", is_staff=True, is_superuser=True)
    stage = Stage(make_player("olga"))
    events = [
        stage.started(*players, format="ladder", name="Ladder", late_entry=True),
        stage.started(*players, format="round-robin", drop_out="forfeit", name="All play all"),
    ]
    return Sea(players=players, staff=staff, events=events)


def deadlocks():
    with connection.cursor() as cursor:
        cursor.execute("SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()")
        return cursor.fetchone()[0]


def is_put_off(record):
    return record.name == "games.outbox" and "deadlock detected" in str(record.exc_info)


@pytest.mark.long
@pytest.mark.parametrize("seconds", [8, 90])
def test_nothing_is_lost_and_nobody_waits_in_a_circle(sea, seconds, caplog):
    before = deadlocks()
    caplog.set_level(logging.ERROR)
    storm.rage(sea, seconds=seconds)

    # A connection reports what it has seen when it is closed, a moment later.
    time.sleep(1)
    assert [f"{type(e).__name__}: {e} {e.__notes__}" for e in sea.failed] == []
    # Facts are relayed several to a transaction, which can meet another over letters; the victim
    # is put off, and the letters are written later. No action is ever the victim.
    put_off = [record for record in caplog.records if is_put_off(record)]
    assert [one.getMessage() for one in caplog.records if one not in put_off] == []
    assert deadlocks() - before == len(put_off)
    now = storm.until_calm(sea)
    assert list(invariants.breaches(now=now)) == []
