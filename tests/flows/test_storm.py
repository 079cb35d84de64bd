"""Everybody does everything at once: nobody deadlocks, and all that is stored stays true."""

import logging

import pytest

from games import elo, invariants, refolding
from tests import deadlocks
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


@pytest.mark.long
@pytest.mark.parametrize("seconds", [8, 90])
def test_nothing_is_lost_and_nobody_waits_in_a_circle(sea, seconds, caplog):
    caplog.set_level(logging.ERROR)
    with deadlocks.none():
        storm.rage(sea, seconds=seconds)
    assert [f"{type(e).__name__}: {e} {e.__notes__}" for e in sea.failed] == []
    assert [one.getMessage() for one in caplog.records] == []
    now = storm.until_calm(sea)
    assert list(invariants.breaches(now=now)) == []
