"""What every answer says to browsers and caches."""

import re
from collections.abc import Iterable, Iterator
from datetime import timedelta
from http import HTTPStatus
from typing import Any

import pytest
from django.test import override_settings
from django.urls import resolve
from django.utils import timezone

from accounts.models import Player, Scope, TaskRun
from config import access, metrics
from config.access import ADDRESSES, Standing
from games import outages, talk
from games.models import OutboxMessage
from tests import site_map
from tests.config.test_access import ALL, Role, World, undone
from tests.config.test_deploy import PRODUCTION, manage
from tests.conftest import PASSWORD
from tests.pages.test_every_page import world

__all__ = ["world"]

HOUR = timedelta(hours=1)
PARTS_OF_A_ROUTE = re.compile(r"<\w+:\w+>|\(\?P<\w+>")
OF_THE_STAFF = {"<path:object_id>", "<path:content_type_id>", "(?P<app_label>", "(?P<url>"}
"""Parts of the addresses of Django's admin, where everything is private."""


@pytest.fixture
def people(db: None) -> World:
    return World()


def test_every_page_of_a_session_is_private_and_kept_by_nobody(world, alice, as_player):
    member = as_player(alice)
    looks = site_map.looks(alice)
    assert kept(member.get(look.address) for look in looks) == {}


def kept(answers: Iterable[Any]) -> dict[str, str]:
    """What says anything else to caches than to keep nothing."""
    return {
        f"{answer.request['REQUEST_METHOD']} {answer.request['PATH_INFO']}": said
        for answer in answers
        if (said := answer.get("Cache-Control", "")) != "private, no-store"
    }


def all_asked(people: World, client: Any, routes: Iterable[str]) -> Iterator[Any]:
    for route in routes:
        for method in ("get", "post"):
            with undone(client):
                yield getattr(client, method)(people.at(route))


PLAYER = Role("player", Standing.PLAYER)
STAFF = Role("staff", Standing.STAFF)
SAY_THEMSELVES = re.compile(r"board\.(png|svg)|game\.svg|push-worker\.js|tripost-keys\.json")
"""Pictures, feeds and what is the same for all; nothing else can be kept."""


@pytest.mark.parametrize("role", [PLAYER, STAFF], ids=str)
def test_every_address_is_private_for_whoever_is_logged_in(people, role):
    asked = all_asked(people, people.client(role), ADDRESSES)
    assert [name for name in kept(asked) if not SAY_THEMSELVES.search(name)] == []


def test_logging_in_is_private(alice, client):
    answer = client.post("/accounts/login/", {"login": alice.email, "password": PASSWORD})
    assert answer.status_code == HTTPStatus.FOUND
    assert kept([answer]) == {}


def test_every_page_of_the_staff_is_private(people):
    Player.objects.filter(name=people.people["staff"].name).update(is_superuser=True)
    routes = [route for route in access.routes() if route.startswith("staff/")]
    assert len(routes) > 100
    for role in (STAFF, Role("visitor", Standing.VISITOR)):
        assert kept(all_asked(people, people.client(role), routes)) == {}


@pytest.mark.parametrize("role", [PLAYER, PLAYER._replace(scope=Scope.READ)], ids=str)
def test_every_operation_is_private_for_a_session_and_a_token(people, role):
    client = people.client(role)

    def answers() -> Iterator[Any]:
        for operation in ALL:
            if operation.name != "stream":
                with undone(client):
                    yield getattr(client, operation.method)(people.at(operation.address))

    assert kept(answers()) == {}


def test_every_page_behind_a_secret_is_private(world, alice, client, start):
    secret = [
        look.address
        for look in site_map.looks(alice)
        if access.has_secret(resolve(look.address.partition("?")[0]).route)
    ]
    game = start(private=True)
    secret += [game.get_absolute_url() + page for page in ("", "news/", "dice/", "game.json")]
    secret.append(f"/api/v1/games/{game.pk}?link={game.private_link}")
    assert len(secret) > 10
    assert kept(client.get(address) for address in secret) == {}


def test_a_secret_that_leads_nowhere_is_private_too(people, client):
    routes = [route for route in access.routes() if access.has_secret(route)]
    asked = all_asked(people, client, routes)
    assert [name for name in kept(asked) if not SAY_THEMSELVES.search(name)] == []


def test_every_part_of_an_address_is_a_secret_or_none():
    """Planted names fail until `config.access` says which they are."""
    parts = {part for route in access.routes() for part in PARTS_OF_A_ROUTE.findall(route)}
    assert len(parts) > 10
    undecided = {
        part
        for part in parts
        if not access.SECRETS.search(part) and not access.NO_SECRETS.search(part)
    }
    assert undecided == OF_THE_STAFF


@pytest.mark.parametrize("name", ["board.png", "board.svg", "game.svg"])
def test_a_picture_of_a_private_game_is_kept_by_its_viewers_alone(client, start, name):
    said = client.get(start(private=True).get_absolute_url() + name)["Cache-Control"]
    assert "private" in said
    assert "public" not in said


def test_every_answer_says_what_it_may_be_used_for(world, alice, client):
    addresses = [look.address for look in site_map.looks(alice)]
    addresses += ["/nowhere/", "/healthz", "/api/v1/rulesets", "/api/v1/nowhere"]
    for address in addresses:
        answer = client.get(address)
        assert "camera=()" in answer["Permissions-Policy"], address
        assert answer["Cross-Origin-Resource-Policy"] == "same-origin", address


def test_pictures_of_boards_can_be_shown_elsewhere(client, start):
    game = start()
    for name in ("board.svg", "board.png", "game.svg"):
        answer = client.get(game.get_absolute_url() + name)
        assert answer["Cross-Origin-Resource-Policy"] == "cross-origin"


def test_a_file_of_a_session_is_private(as_player, alice):
    assert as_player(alice).get("/settings/download/")["Cache-Control"] == "private, no-store"


# Asking too much


def test_every_quota_says_when_to_come_again(api_of, alice, start, monkeypatch):
    game = start()
    monkeypatch.setattr(talk, "MOST_LINES", 0)
    answer = api_of(alice).post(f"/api/v1/games/{game.pk}/chat", {"text": "hi"}, format="json")
    assert (answer.status_code, answer["Retry-After"]) == (HTTPStatus.TOO_MANY_REQUESTS, "60")


# Debugging


@pytest.mark.parametrize("address", ["/nowhere/", "/games/999999/", "/players/nobody/"])
@pytest.mark.parametrize("debug", [True, False])
def test_what_is_not_there_is_said_by_the_site_s_own_page(client, db, settings, debug, address):
    settings.DEBUG = debug
    answer = client.get(address)
    assert answer.status_code == HTTPStatus.NOT_FOUND
    assert "There is nothing here" in answer.content.decode()
    assert "DEBUG" not in answer.content.decode()


# Of the operator


@pytest.mark.parametrize(
    ("allowed", "token", "sent", "status"),
    [
        ([], "", {}, 404),
        ([], "", {"HTTP_AUTHORIZATION": "Bearer "}, 404),
        (["127.0.0.1"], "", {}, 200),
        (["10.0.0.0/8"], "", {}, 404),
        (["10.0.0.0/8"], "", {"REMOTE_ADDR": "10.1.2.3"}, 200),
        ([], "open-sesame", {"HTTP_AUTHORIZATION": "Bearer open-sesame"}, 200),
        ([], "open-sesame", {"HTTP_AUTHORIZATION": "Bearer closed"}, 404),
    ],
)
def test_metrics_are_closed_unless_allowed(db, rf, allowed, token, sent, status):
    with override_settings(METRICS_ADDRESSES=allowed, METRICS_TOKEN=token):
        try:
            answer = metrics.metrics(rf.get("/metrics", **sent)).status_code
        except metrics.Http404:
            answer = 404
    assert answer == status


def test_metrics_say_how_late_each_duty_is(db, rf):
    now = timezone.now()
    OutboxMessage.objects.create(
        fact="game_started", subscriber="x", payload={}, queue=1, recorded_at=now, due_at=now - HOUR
    )
    TaskRun.objects.create(name="games.relay", ran_at=now - HOUR)
    with override_settings(METRICS_ADDRESSES=["127.0.0.1"]):
        told = metrics.metrics(rf.get("/metrics")).content.decode()
    assert re.search(r'^tripost_duty_lag_seconds{duty="facts"} 36\d\d\.', told, re.M)
    assert re.search(r'^tripost_duty_lag_seconds{duty="clocks"} 0\.0$', told, re.M)
    assert re.search(r'^tripost_duty_last_run_seconds{duty="facts"} 36\d\d\.', told, re.M)


@pytest.mark.parametrize(("age", "late"), [(timedelta(seconds=5), 0), (HOUR, 1)])
def test_metrics_say_whether_the_worker_is_late(db, rf, age, late):
    outages.note_worker(now=timezone.now() - age)
    with override_settings(METRICS_ADDRESSES=["127.0.0.1"]):
        told = metrics.metrics(rf.get("/metrics")).content.decode()
    assert f"\ntripost_worker_late {late}.0\n" in told
    seconds = re.search(r"^tripost_worker_beat_seconds (\S+)$", told, re.M)
    assert seconds
    assert age.total_seconds() <= float(seconds[1]) < age.total_seconds() + 60


@pytest.mark.parametrize(("given", "said"), [({}, "False"), ({"HSTS_PRELOAD": "1"}, "True")])
def test_the_lists_of_browsers_are_the_operator_s_choice(given, said):
    code = "from django.conf import settings; print(settings.SECURE_HSTS_PRELOAD)"
    assert manage("shell", "-v0", "-c", code, **PRODUCTION, **given).stdout.strip() == said
