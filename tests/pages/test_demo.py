"""The demo world: every page has something true to show."""

from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command
from django.utils import timezone

from accounts.models import Player
from games import demo
from games.invariants import breaches
from games.models import Challenge, Game, OutboxMessage, Rating
from games.pages.mine import turns_of
from games.rules.registry import RULESETS


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fewer games of each kind than the real demo has."""
    monkeypatch.setattr(demo, "GAMES", dict.fromkeys(RULESETS, 3))
    monkeypatch.setattr(demo, "BEGUN_LATELY", 2)


def test_the_demo_has_every_ruleset_running_and_over_and_a_turn_for_the_first(db, small):
    now = timezone.now()
    players, games = demo.load(now=now)
    assert (players, games) == (Player.objects.count(), Game.objects.count()) == (12, 15)
    for key in RULESETS:
        assert Game.objects.filter(ruleset=key, started_at__gt=now - timedelta(days=3)).exists()
    assert Game.objects.filter(status="finished").exists()
    assert turns_of(Player.objects.get(name="alice")).exists()
    assert Rating.objects.exists()
    assert Challenge.objects.filter(opponent=None, link=None).count() == 5
    assert not OutboxMessage.objects.exists()
    assert not Game.objects.filter(deadline_at__lte=now).exists()
    assert not list(breaches(now=now))


def test_the_demo_is_loaded_into_an_empty_service_alone(alice):
    said = StringIO()
    call_command("load_demo", stdout=said)
    assert "nothing loaded" in said.getvalue()
    assert Player.objects.count() == 1
