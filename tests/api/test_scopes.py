"""Scopes mean what they say: what tokens are shown, what they make, and those of the staff."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone
from rest_framework.test import APIClient

from accounts import tokens
from accounts.models import ApiToken, Scope
from config.access import ANSWERED_TO_ANY_TOKEN, OPERATIONS
from games.models import Ruling
from notifications import calls, channels, feeds, webhooks
from notifications.models import FeedLink, Webhook
from tests.belongings import SECRET, Belongings
from tests.config.test_access import changed, undone
from tests.conftest import make_player
from tests.described import description
from tests.games.acts import both_move
from tests.tournaments.life import Stage
from tournaments.models import State

CHANGES = {
    operation["operationId"]: method
    for methods in description()["paths"].values()
    for method, operation in methods.items()
    if method != "get"
}
BY_TOKEN = {name: method for name, method in CHANGES.items() if OPERATIONS[name].scopes}
UNSEEN = {"try_webhook", "change_me"}
"""The first writes nothing, and a visit writes to the table of the second anyway."""
BLIND = [scope.value for scope in Scope if scope != Scope.READ]


@pytest.fixture
def any_address(monkeypatch):
    monkeypatch.setattr(calls, "target_of", lambda url: url)


@pytest.fixture
def own(db, any_address, monkeypatch) -> Belongings:
    monkeypatch.setattr(calls, "post", lambda *_args, **_more: 200)
    return Belongings()


def test_every_change_is_tried(own):
    assert own.changes().keys() == CHANGES.keys()


def test_answers_to_changes_show_nothing_private_without_the_scope_read(own, api_of):
    """They succeed, and say what was sent and what it has become, or nothing at all."""
    wrong = []
    for name, answer, tables in tried(own, api_of(own.alice, *BLIND)):
        told = answer.content.decode()
        if Scope.READ in OPERATIONS[name].scopes:
            is_right = (answer.status_code, tables) == (403, set()) and "missing_scope" in told
        elif name in ANSWERED_TO_ANY_TOKEN:
            shows = [word for word in (SECRET, own.alice.email) if word in told]
            is_right = answer.status_code in (200, 201) and tables and not shows
        else:
            is_right = (answer.status_code, told) == (204, "")
            is_right = is_right and (tables or name in UNSEEN)
        wrong += [] if is_right else [(name, answer.status_code, told, tables)]
    assert wrong == []


def test_with_the_scope_read_every_change_succeeds(own, api_of):
    answers = {name: answer for name, answer, _tables in tried(own, api_of(own.alice))}
    failed = {name: one.content for name, one in answers.items() if one.status_code >= 300}
    assert failed == {}


def tried(own, client):
    """Each change as if it were the first; with the tables that it has written to."""
    changes = own.changes()
    for name, method in BY_TOKEN.items():
        with undone(client):
            changes[name].before()
            with CaptureQueriesContext(connection) as queries:
                answer = changes[name].send(client, method)
        yield name, answer, changed(queries)


def test_without_the_scope_read_a_token_does_not_see_what_its_owner_may(alice, api_of, begin):
    private = begin(private=True)
    address = f"/api/v1/games/{private.pk}"
    assert api_of(alice, "play").get(address).json()["code"] == "missing_scope"
    assert api_of(alice, "read").get(address).status_code == 200


# What a token makes


@pytest.mark.usefixtures("any_address")
def test_what_a_token_made_ends_when_it_is_revoked(alice, api_of):
    program = api_of(alice, "connect", "read")
    hook = program.post("/api/v1/me/webhooks", {"url": "https://a.example/"}, format="json")
    link = program.post("/api/v1/me/feeds/turns").json()["address"]
    mine = webhooks.register(player=alice, url="https://b.example/", now=timezone.now())
    assert hook.json()["token"] == ApiToken.objects.get().pk
    alice.tokens.get().delete()
    assert list(Webhook.objects.all()) == [mine]
    assert not FeedLink.objects.exists()
    assert APIClient().get(link).status_code == 404


@pytest.mark.usefixtures("any_address")
def test_what_a_token_made_ends_when_it_expires(alice, client):
    now = timezone.now()
    token, _secret = tokens.mint(player=alice, name="brief", scopes=["connect", "read"])
    webhooks.register(player=alice, url="https://a.example/", now=now, token=token)
    link = feeds.link_of(player=alice, feed="turns", now=now, token=token)
    way = channels.WAYS["webhook"]
    assert len(way.targets(alice.pk)) == 1
    assert client.get(feeds.address_of(link)).status_code == 200
    alice.tokens.update(expires_at=now - timedelta(seconds=1))
    assert way.targets(alice.pk) == []
    assert client.get(feeds.address_of(link)).status_code == 404


@pytest.mark.usefixtures("any_address")
def test_what_a_token_without_read_made_in_older_versions_tells_nothing(alice, client):
    now = timezone.now()
    token, _secret = tokens.mint(player=alice, name="old", scopes=["connect"])
    webhooks.register(player=alice, url="https://a.example/", now=now, token=token)
    link = feeds.link_of(player=alice, feed="turns", now=now, token=token)
    assert channels.WAYS["webhook"].targets(alice.pk) == []
    assert client.get(feeds.address_of(link)).status_code == 404


@pytest.mark.usefixtures("any_address")
def test_feeds_and_webhooks_are_listed_with_tokens(alice, as_player, in_person):
    now = timezone.now()
    token, _secret = tokens.mint(player=alice, name="my bot", scopes=["connect", "read"])
    webhooks.register(player=alice, url="https://a.example/", now=now, token=token)
    feeds.link_of(player=alice, feed="calendar", now=now)
    listed = in_person(alice).get("/api/v1/me/tokens").json()
    assert [one["id"] for one in listed["tokens"]] == [token.pk]
    assert [(one["kind"], one["token"]) for one in listed["connections"]] == [
        ("feed", None),
        ("webhook", token.pk),
    ]
    page = as_player(alice).get("/settings/tokens/").content.decode()
    assert "https://a.example/" in page
    assert "calendar of my deadlines" in page


@pytest.mark.usefixtures("any_address")
def test_the_list_of_access_costs_the_same_for_many(alice, as_player):
    browser = as_player(alice)

    def queries() -> int:
        token, _secret = tokens.mint(player=alice, name="many", scopes=["connect", "read"])
        url = "https://a.example/"
        webhooks.register(player=alice, url=url, now=timezone.now(), token=token)
        with CaptureQueriesContext(connection) as asked:
            browser.get("/settings/tokens/")
        return len(asked)

    assert queries() == queries() == queries()


# Staff


def test_a_token_of_the_staff_rules_only_on_events_of_their_own(alice, bob, api_of, begin):
    dora = make_player("dora", is_staff=True)
    game = begin()
    both_move(game, now=timezone.now())
    asked = {"kind": "void", "reason": "The server lied."}
    address = f"/api/v1/games/{game.pk}/rulings"
    assert api_of(dora).post(address, asked, format="json").json()["code"] == "not_allowed"
    assert not Ruling.objects.exists()

    theirs, hers = Stage(alice).open(), Stage(dora).open()
    reason = {"reason": "Rain."}
    refused = api_of(dora).post(f"/api/v1/events/{theirs.pk}/call-off", reason, format="json")
    assert refused.status_code == 403
    called_off = api_of(dora).post(f"/api/v1/events/{hers.pk}/call-off", reason, format="json")
    assert called_off.status_code == 200
    hers.refresh_from_db()
    assert hers.state == State.CALLED_OFF


def test_staff_rule_in_person_on_any_game(alice, bob, in_person, begin):
    dora = make_player("dora", is_staff=True)
    game = begin()
    both_move(game, now=timezone.now())
    asked = {"kind": "void", "reason": "The server lied."}
    answer = in_person(dora).post(f"/api/v1/games/{game.pk}/rulings", asked, format="json")
    assert answer.status_code == 201
