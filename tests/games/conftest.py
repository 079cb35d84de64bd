"""The games by themselves: of what goes up, only the clocks hear."""

import random
from types import SimpleNamespace

import pytest

from games import dice, outbox
from games.events import VacationChanged

BY_THEMSELVES = {VacationChanged: ("games.sweeps.recount_after_vacation",)}


@pytest.fixture(autouse=True)
def _the_games_alone_hear(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unless the test is marked to have the whole house listening."""
    if not request.node.get_closest_marker("whole_house"):
        monkeypatch.setattr(outbox, "subscriptions", lambda: BY_THEMSELVES)


@pytest.fixture
def fate(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same dice and lots every time, where the numbers of the games are the same too."""
    seeds = random.Random(5)
    # Not `new_secret` itself: the default of a model's field is bound to it.
    monkeypatch.setattr(dice, "secrets", SimpleNamespace(token_bytes=seeds.randbytes))
