"""Events for the tests: Alice runs them, the others play, and a clock is moved by hand."""

from collections.abc import Callable

import pytest

from accounts.models import Player
from config.subscriptions import SUBSCRIPTIONS
from games import outbox
from tests.conftest import make_player
from tests.tournaments.life import Stage

OF_EVENTS = ("event_", "ladders.")


@pytest.fixture(autouse=True)
def _held_bell(monkeypatch: pytest.MonkeyPatch) -> None:
    """No other worker is rung: each test is its own."""
    monkeypatch.setattr(outbox, "ring", lambda: None)
    monkeypatch.setattr("tournaments.errands.ring", lambda: None)
    monkeypatch.setattr("notifications.desk.ring", lambda: None)


@pytest.fixture(autouse=True)
def _only_events_hear(monkeypatch: pytest.MonkeyPatch) -> None:
    """Letters about turns have their own tests; those about events are written here."""
    heard = {
        fact: tuple(path for path in paths if path.startswith(OF_EVENTS))
        for fact, paths in SUBSCRIPTIONS.items()
    }
    monkeypatch.setattr(outbox, "subscriptions", lambda: heard)


@pytest.fixture
def stage(alice: Player) -> Stage:
    return Stage(alice)


@pytest.fixture
def crowd(db: None) -> Callable[[int], list[Player]]:
    """So many players, the strongest first if anybody asks for an order."""

    def people(number: int) -> list[Player]:
        return [make_player(f"player{at:02}") for at in range(1, number + 1)]

    return people
