"""Who is who in the tests: Alice plays, Bob is her opponent, Charlie has no access."""

import os
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta

import hypothesis
import pytest
from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.cache import cache
from django.db.backends.postgresql.operations import DatabaseOperations
from django.test import Client
from django.utils import timezone, translation
from rest_framework.test import APIClient

from accounts import tokens
from accounts.breaker import redis_breaker
from accounts.models import Player, Scope
from games import dice, outbox, rendering
from games.clock import Clock, PerMove
from games.events import FACTS
from games.models import Game
from games.starting import start_game
from tests import every_action
from tests.described import DescribedClient
from tests.lock_order import Recorder

NOW = datetime(2026, 3, 2, 12, 0, tzinfo=UTC)
PASSWORD = "correct-horse-battery"
THREE_DAYS = PerMove(3)

recorder = Recorder()

# A machine that is busy with other things has done nothing wrong.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--every-action", action="store_true", help=every_action.__doc__)


def pytest_configure(config: pytest.Config) -> None:
    """Tests need no slow hashes, no collected files and no patience between requests."""
    if config.getoption("--every-action"):
        config.pluginmanager.register(every_action.Watch())
    plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
    settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": plain}}
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    settings.API_LIMITS = {}
    settings.PAGE_LIMITS = {}
    _empty_by_deleting()
    settings.REDIS_URL = _redis_of_this_worker()
    settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": settings.REDIS_URL}}


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A flow drives browsers, servers and mail programs of its own: one more try, told as such."""
    for item in items:
        if item.get_closest_marker("flow"):
            item.add_marker(pytest.mark.flaky(reruns=1, reruns_delay=2))


def _empty_by_deleting() -> None:
    """After a test with real commits; truncating some seventy tables takes far longer."""
    truncate = DatabaseOperations.sql_flush

    def sql_flush(self, style, tables, *, reset_sequences=False, allow_cascade=False):
        if reset_sequences:
            return truncate(self, style, tables, reset_sequences=True, allow_cascade=allow_cascade)
        return [f"DELETE FROM {self.quote_name(table)}" for table in tables]

    DatabaseOperations.sql_flush = sql_flush


def _redis_of_this_worker() -> str:
    """Emptying a cache empties its whole database, so tests side by side need one each."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    return f"{settings.REDIS_URL.partition('?')[0]}?db={1 + worker % 8}"


@pytest.fixture(autouse=True)
def _empty_cache() -> None:
    """Rate limits and pictures of one test must not reach the next."""
    redis_breaker.cache_clear()
    cache.clear()
    rendering.kept.clear()


@pytest.fixture(autouse=True)
def _english() -> None:
    """A request in another language leaves it behind in this thread."""
    translation.activate("en")


@pytest.fixture(autouse=True)
def _locks_in_order(request: pytest.FixtureRequest) -> Iterator[None]:
    """Whatever is done in a test takes its locks in the one order."""
    recorder.found.clear()
    recorder.is_on = not request.node.get_closest_marker("locks_in_any_order")
    yield
    recorder.is_on = False
    assert recorder.found == [], "\n".join(recorder.found)


def make_player(name: str, **fields: object) -> Player:
    """Somebody who has just been here, so that no request is the one that notes it."""
    email = f"{name}@example.org"
    seen = {"seen_at": timezone.now(), **fields}
    player = Player.objects.create_user(name, email, PASSWORD, **seen)
    EmailAddress.objects.create(user=player, email=email, verified=True, primary=True)
    return player


@pytest.fixture
def alice(db: None) -> Player:
    return make_player("alice", zone="Europe/Berlin")


@pytest.fixture
def bob(db: None) -> Player:
    return make_player("bob", zone="America/New_York")


@pytest.fixture
def charlie(db: None) -> Player:
    return make_player("charlie", language="de")


@pytest.fixture
def staff(db: None) -> Client:
    """A browser in which somebody is logged in who may see the staff pages."""
    return log_in(Client(), make_player("dora", is_staff=True, is_superuser=True))


def log_in(client: Client, player: Player) -> Client:
    """As if the player had just shown the password once more."""
    client.force_login(player)
    session = client.session
    session["account_authentication_methods_user"] = str(player.pk)
    session["account_authentication_methods"] = [
        {"method": "password", "at": time.time(), "reauthenticated": True}
    ]
    session.save()
    return client


@pytest.fixture
def as_player() -> Callable[[Player], Client]:
    """A browser in which this player is logged in."""
    return lambda player: log_in(Client(), player)


@pytest.fixture
def in_person() -> Callable[[Player], APIClient]:
    """The API as the player's own browser calls it, with a session."""
    return lambda player: log_in(DescribedClient(), player)


@pytest.fixture
def api_of() -> Callable[..., APIClient]:
    """A program that acts for this player with a token."""

    def with_token(player: Player, *scopes: str) -> APIClient:
        _token, secret = tokens.mint(player=player, name="test", scopes=scopes or Scope.values)
        client = DescribedClient()
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
        return client

    return with_token


@pytest.fixture
def start(alice: Player, bob: Player) -> Callable[..., Game]:
    """A game between Alice, who begins, and Bob, three days a move unless a clock is given."""

    def started(
        ruleset: str = "tritt-classic",
        *players: Player,
        clock: Clock = THREE_DAYS,
        now: datetime = NOW,
        options: dict[str, object] | None = None,
        **terms: object,
    ) -> Game:
        return start_game(
            ruleset=ruleset,
            options=options or {},
            players=players or (alice, bob),
            clock_settings=clock,
            now=now,
            **terms,
        )

    return started


@pytest.fixture
def loaded_dice(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Dice that show these throws, one after the other, and no more."""

    def load(*throws: tuple[int, ...]) -> None:
        waiting = list(throws)

        def throw(*, dice: int, sides: int, **_derivation: object) -> tuple[int, ...]:
            faces = waiting.pop(0)
            assert len(faces) == dice
            assert max(faces) <= sides
            return faces

        monkeypatch.setattr(dice, "throw", throw)

    return load


@pytest.fixture
def everything_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every fact has one subscriber: tests.games.hearing.hear."""
    everyone = dict.fromkeys(FACTS.values(), ("tests.games.hearing.hear",))
    monkeypatch.setattr(outbox, "subscriptions", lambda: everyone)


def days(number: float) -> timedelta:
    return timedelta(days=number)
