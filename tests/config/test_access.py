"""Every address and every operation, by everyone: each may do what the table grants, no more."""

import ast
import copy
import inspect
import itertools
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import pytest
from allauth.account.models import EmailAddress
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import path, resolve
from django.utils import timezone
from rest_framework.exceptions import APIException
from rest_framework.test import APIClient

from accounts import tokens
from accounts.models import ApiToken, Scope
from accounts.tokens import scopes_for
from config import access, urls
from config.access import (
    ADDRESSES,
    CONSOLE,
    DIRECTOR,
    GUEST,
    OPERATIONS,
    ORGANISER,
    PLAYER,
    STAFF,
    UNVERIFIED,
    VISITOR,
    Standing,
)
from games import guests, lobby, ruling_requests, rulings
from games.clock import PerMove
from games.refusals import NotAllowed
from notifications import calls
from tests.belongings import SECRET, Belongings
from tests.config.test_deploy import PRODUCTION, manage
from tests.conftest import PASSWORD, log_in, make_player
from tests.described import _template, description
from tests.games.acts import both_move
from tests.tournaments.life import Stage
from tournaments import directing, opening
from tournaments.models import Event
from tournaments.pages.console import ACTS
from tournaments.refusals import NotYourEvent

CHANGES = re.compile(
    r'\b(?:INSERT INTO|DELETE FROM|(?<!FOR )(?<!KEY )(?<!DO )UPDATE)\s+"?([a-z]\w+)"?'
)
"""Also within a WITH clause, as the raw statements of moves and endings have them."""
BY_THE_WAY = {"django_session", "accounts_player", "accounts_apitoken"}
"""Written by every visit: the session, when a player was seen and a token used."""
DECIDED_BY_MORE = re.compile(
    r"link|secret|plan/|signed|<\w+:key>|pool|mailbox|<str:name>/$|^accounts/"
    r"|^games/<int:pk>/\w|^g/|^settings/\w+/<int:pk>|^letters/channels/|^lobby/<|/stay/|^events/<int:pk>/challenge"
)
"""Addresses with a secret in them, or with something that belongs to one player."""

PARTS = re.compile(r"<\w+:(\w+)>|{(\w+)}|\(\?P<\w+>(?:\[[^]]*\]\+|\.\+)\)")
"""Of a route, of a described address and of an expression."""


class Role(NamedTuple):
    """Who asks; `standing` is theirs at the event of the walk."""

    person: str
    standing: Standing
    scope: Scope | None = None

    def __str__(self) -> str:
        return f"{self.person}-{self.scope}" if self.scope else self.person


IN_PERSON = [
    Role("visitor", VISITOR),
    Role("unverified", UNVERIFIED),
    Role("guest", GUEST),
    Role("player", PLAYER),
    Role("organiser-elsewhere", PLAYER),
    Role("director", DIRECTOR),
    Role("organiser", ORGANISER),
    Role("staff", STAFF),
]
ABOUT_EVENTS = (Scope.READ, Scope.ORGANISE)
"""Where it matters who a token's owner is."""
BY_TOKEN = [
    Role(person, standing, scope)
    for person, standing, scopes in (
        ("player", PLAYER, Scope),
        ("organiser-elsewhere", PLAYER, ABOUT_EVENTS),
        ("director", DIRECTOR, ABOUT_EVENTS),
        ("organiser", ORGANISER, ABOUT_EVENTS),
        ("staff", PLAYER, ABOUT_EVENTS),
    )
    for scope in scopes
]


class World:
    """An event of Alice's that Bob directs, with a game that runs, and somebody of each role."""

    def __init__(self) -> None:
        alice, bob = make_player("alice"), make_player("bob")
        dora, emil = make_player("dora"), make_player("emil")
        stage = Stage(alice)
        stage.now = timezone.now()
        self.event = stage.started(dora, emil)
        directing.appoint(event_id=self.event.pk, by=alice, player=bob, now=stage.now)
        self.meeting = self.event.meetings.get()
        self.game = self.meeting.game
        both_move(self.game, now=stage.now)
        elsewhere = Stage(make_player("frida"))
        elsewhere.now = stage.now
        elsewhere.started(make_player("gustav"), make_player("hanna"))
        self.people = {
            "guest": guests.welcome(address="::1", zone="UTC", language="en", now=stage.now),
            "player": make_player("charlie"),
            "organiser-elsewhere": elsewhere.organiser,
            "director": bob,
            "organiser": alice,
            "staff": make_player("heike", is_staff=True),
        }
        act = {"game_id": self.game.pk, "now": stage.now}
        judge = make_player("judge", is_staff=True)
        self.asked = ruling_requests.ask(**act, player=dora, text="He cheats.")
        self.ruling = rulings.give_time(**act, seat=0, hours=9, by=judge, reason="Rain.")
        terms = lobby.Terms(ruleset="tritoc", clock=PerMove(3))
        self.offer = lobby.seek(challenger=dora, terms=terms, now=stage.now)

    def client(self, role: Role) -> APIClient:
        """Also opens pages: it is Django's with JSON."""
        client = APIClient()
        if role.scope:
            minted = tokens.mint(player=self.people[role.person], name="w", scopes=[role.scope])
            client.credentials(HTTP_AUTHORIZATION=f"Bearer {minted[1]}")
        elif role.person == "unverified":
            _try_to_log_in(client)
        elif role.person in self.people:
            log_in(client, self.people[role.person])
        return client

    def at(self, route: str) -> str:
        """The route's address, about this event, its game, its people."""

        def value(found: re.Match[str]) -> str:
            number = self.number(route)
            known = {"pk": number, "id": number, "meeting": self.meeting.pk, "name": "dora"}
            return str((known | {"feed": "turns"}).get(found[1] or found[2], 1))

        filled = PARTS.sub(value, route)
        return "/" + filled.strip("^").replace("$", "").removeprefix("/")

    def number(self, route: str) -> int:
        things = {
            "games/": self.game, "events/": self.event, "ruling-requests/": self.asked,
            "rulings/": self.ruling, "challenges/": self.offer, "lobby/": self.offer,
        }  # fmt: skip
        inside = route.lstrip("/").removeprefix("api/v1/")
        return next((one.pk for start, one in things.items() if inside.startswith(start)), 1)


def _try_to_log_in(client: Client) -> None:
    """Whoever has signed up and has not confirmed the address knows the password, no more."""
    player = make_player("ida")
    EmailAddress.objects.filter(user=player).update(verified=False)
    client.post("/accounts/login/", {"login": player.email, "password": PASSWORD})


@pytest.fixture
def world(db: None) -> World:
    return World()


@contextmanager
def undone(client: Client) -> Iterator[CaptureQueriesContext]:
    """What is asked within leaves no trace; acts take it for a test's own transaction."""
    cookies = copy.deepcopy(client.cookies)
    block = transaction.atomic()
    block._from_testcase = True
    with block, CaptureQueriesContext(connection) as queries:
        yield queries
        transaction.set_rollback(True)
    client.cookies = cookies


def changed(queries: CaptureQueriesContext) -> set[str]:
    return written(queries) - BY_THE_WAY


def written(queries: CaptureQueriesContext) -> set[str]:
    tables = {table for query in queries for table in CHANGES.findall(query["sql"])}
    return tables - {"django_session"}


def is_turned_away(answer: Any) -> bool:
    to_way_in = answer.status_code == 302 and answer["Location"].startswith(
        ("/accounts/login/", "/accounts/signup/")
    )
    return to_way_in or answer.status_code in (401, 403, 404)


# Pages


def test_every_address_is_decided() -> None:
    assert access.undecided() == []


def test_an_address_that_is_not_decided_is_found_and_closed(client, monkeypatch) -> None:
    """Planted as anybody would add one."""
    new = path("brand-new/", lambda request: pytest.fail("it was reached"))
    monkeypatch.setattr(urls, "urlpatterns", urls.urlpatterns)
    urls.urlpatterns.insert(0, new)
    try:
        assert access.undecided() == ["brand-new/"]
        assert client.get("/brand-new/").status_code == 403
    finally:
        urls.urlpatterns.remove(new)


@pytest.mark.parametrize("address", ["metrics-export/", "metrics/all", "staffroom/"])
def test_what_only_begins_like_an_area_is_not_in_it(client, monkeypatch, address) -> None:
    new = path(address, lambda request: pytest.fail("it was reached"))
    monkeypatch.setattr(urls, "urlpatterns", urls.urlpatterns)
    urls.urlpatterns.insert(0, new)
    try:
        assert access.undecided() == [address]
        assert client.get(f"/{address}").status_code == 403
    finally:
        urls.urlpatterns.remove(new)


MOUNTED = """
from django.conf import settings
from django.test import Client
plain = "django.contrib.staticfiles.storage.StaticFilesStorage"
settings.STORAGES = settings.STORAGES | {"staticfiles": {"BACKEND": plain}}
from config import access
print(access.undecided())
print(sorted(r for r in access.routes() if access.has_own_guard(r) and r[:3] not in ("api", "sta")))
for address in ("/metrics", "/anymail/sendgrid/tracking/"):
    client = Client(HTTP_HOST="play.example.org")
    for asks in (client.get, client.post):
        print(address, asks(address, secure=True).status_code)
"""


def test_areas_that_tests_do_not_mount_are_closed_where_they_are(db) -> None:
    """In a process of its own, set up as a site with metrics and a mail provider."""
    setup = {"METRICS": "1", "ANYMAIL": "WEBHOOK_SECRET=a:b"}
    said = manage("shell", "-v0", "-c", MOUNTED, **PRODUCTION, **setup)
    undecided, mounted, *answers = said.stdout.strip().splitlines()
    assert undecided == "[]"
    areas = {route.partition("/")[0] for route in ast.literal_eval(mounted)}
    assert areas == {"metrics", "anymail"}
    closed = ["/metrics 404", "/metrics 405"]
    closed += ["/anymail/sendgrid/tracking/ 405", "/anymail/sendgrid/tracking/ 400"]
    assert answers == closed


def test_no_decision_is_about_an_address_that_is_gone() -> None:
    assert set(ADDRESSES) - set(access.routes()) == set()


@pytest.mark.parametrize("role", [*IN_PERSON, Role("organiser", VISITOR, Scope.ORGANISE)], ids=str)
def test_pages_are_for_whom_the_table_says(world, role) -> None:
    """A token opens no page; who may not is turned away and changes nothing."""
    client, wrong = world.client(role), []
    for route, decided in ADDRESSES.items():
        address = world.at(route.replace("console/<slug:name>", "console/finish"))
        assert resolve(address).route == route
        for method, needed in (("get", decided.look), ("post", decided.act)):
            with undone(client) as queries:
                answer = getattr(client, method)(address)
            if needed is None:
                is_right = answer.status_code == 405
            elif role.standing < needed:
                is_right = is_turned_away(answer) and not changed(queries)
            else:
                is_right = bool(DECIDED_BY_MORE.search(route)) or not is_turned_away(answer)
            wrong += [] if is_right else [(route, method, answer.status_code, changed(queries))]
    assert wrong == []


FILLED = {"player": "charlie", "reason": "Rain.", "sure": "yes", "level": "river", "kind": "F"}


def test_every_act_of_the_console_is_decided() -> None:
    assert CONSOLE.keys() == ACTS.keys()


@pytest.mark.parametrize("role", IN_PERSON, ids=str)
def test_acts_of_the_console_are_for_whom_the_table_says(world, role) -> None:
    client = world.client(role)
    done = set()
    for name, needed in CONSOLE.items():
        with undone(client) as queries:
            client.post(f"/events/{world.event.pk}/console/{name}/", FILLED)
        assert role.standing >= needed or not changed(queries), name
        done |= {name} if changed(queries) else set()
    may = {"finish"} if role.standing >= DIRECTOR else set()
    assert done >= (may | {"appoint"} if role.standing >= ORGANISER else may)


GIVEN = {
    "reason": "Rain.", "level": "river", "kind": "F", "score": 2, "other_score": 0,
    "starts_at": None, "closes_at": None,
}  # fmt: skip


@pytest.mark.parametrize("name", CONSOLE)
def test_acts_of_the_console_refuse_others_by_themselves(world, name) -> None:
    """The page and the API turn them away too: each guard must hold without the other."""
    others = ["player"] if CONSOLE[name] == DIRECTOR else ["player", "director"]
    door = ACTS[name].door
    known = {**GIVEN, "event_id": world.event.pk, "player": world.people["player"]}
    given = {key: known[key] for key in inspect.signature(door).parameters if key in known}
    for person in others:
        with pytest.raises(NotYourEvent):
            door(**given, by=world.people[person], now=timezone.now())


def test_only_staff_open_the_pages_of_the_staff(world) -> None:
    routes = [route for route in access.routes() if route.startswith("staff/")]
    assert len(routes) > 100
    for role in (IN_PERSON[0], IN_PERSON[-2]):
        client = world.client(role)
        for route in routes:
            for method in ("get", "post"):
                with undone(client) as queries:
                    answer = getattr(client, method)(world.at(route))
                assert answer.status_code in (302, 403, 404), (role.person, route, method)
                assert not changed(queries), (role.person, route, method)
    with undone(client := world.client(IN_PERSON[-1])):
        assert client.get("/staff/").status_code == 200


def test_a_guest_gets_no_token_organises_nothing_and_invites_nobody(world) -> None:
    alice = world.people["organiser"]
    guest, stage = world.client(Role("guest", GUEST)), Stage(alice)
    guest.post("/settings/tokens/", {"name": "t", "scopes": ["read", "play", "organise"]})
    guest.post("/events/new/", {"name": "Mine"})
    guest.post("/challenge/", {"opponent": alice.name})
    guest.post("/api/v1/me/tokens", {"name": "t", "scopes": ["organise"]}, format="json")
    guest.post("/api/v1/events", {"name": "Mine"}, format="json")
    with pytest.raises(APIException, match="Sign up"):
        tokens.mint(player=world.people["guest"], name="t", scopes=["organise"])
    with pytest.raises(NotAllowed, match="with an account"):
        opening.prepare(plan=stage.plan(), organiser=world.people["guest"], now=stage.now)
    assert not ApiToken.objects.exists()
    assert Event.objects.count() == 2
    assert not alice.challenges_received.exists()


# The API


class Described(NamedTuple):
    address: str
    method: str
    name: str


ALL = [
    Described(address, method, operation["operationId"])
    for address, methods in description()["paths"].items()
    for method, operation in methods.items()
]
PAGES_OF_THE_API = {"api/v1/", "api/v1/docs", "api/v1/docs/", "api/v1/schema"}
"""Its description, for everybody to read."""
BELONGS_TO_ONE = {
    "accept", "decline", "withdraw", "leave_event", "stay_in_league", "enter_event",
    "challenge_on_ladder", "event_preview", "my_import", "my_imported_file", "my_imported_text",
    "delete_import", "remove_webhook", "switch_webhook_on", "try_webhook", "revoke_token",
    "invitation", "report_chat", "block", "event_bracket", "event_report", "leaders",
}  # fmt: skip
"""Those about something of one player's, or that not every event has."""


def is_decided_by_more(operation: Described) -> bool:
    of_a_seat = operation.address.startswith("/api/v1/games/{id}/")
    is_ruling = OPERATIONS[operation.name].standing > PLAYER
    return operation.name in BELONGS_TO_ONE or (of_a_seat and not is_ruling)


def test_every_operation_is_decided() -> None:
    assert {operation.name for operation in ALL} == OPERATIONS.keys()
    served = {route for route in access.routes() if route.startswith("api/v1/")}
    described = {operation.address for operation in ALL}
    assert {route for route in served if _template(route) not in described} == PAGES_OF_THE_API


def test_every_method_of_the_api_is_described() -> None:
    """So that a view answers to no method that the table does not know."""
    for address, methods in description()["paths"].items():
        view = resolve(re.sub(r"{(\w+)}", "1", address)).func.cls
        answered = {name for name in view.http_method_names if hasattr(view, name)}
        assert answered - {"options"} == methods.keys(), address


def test_every_view_asks_for_the_scope_that_the_table_names() -> None:
    for address, method, name in ALL:
        if name != "stream":
            view = resolve(re.sub(r"{(\w+)}", "1", address)).func.cls
            assert scopes_for(view, method) == OPERATIONS[name].scopes, name


@pytest.mark.parametrize("role", [*IN_PERSON, *BY_TOKEN], ids=str)
def test_operations_are_for_whom_the_table_says(world, role) -> None:
    """By session and by a token of each scope, of somebody of each standing."""
    client, wrong = world.client(role), []
    for operation in ALL:
        granted = OPERATIONS[operation.name]
        if operation.name == "stream" and role.scope:
            continue
        with undone(client) as queries:
            answer = _call(client, world.at(operation.address), operation.method)
        code = answer.json()["code"] if answer.status_code in (401, 403, 404) else ""
        if role.scope and granted.scopes != (role.scope,):
            refusal = "missing_scope" if granted.scopes else "session_only"
            is_right = code == refusal and not changed(queries)
        elif role.standing < granted.standing:
            is_right = is_turned_away(answer) and not changed(queries)
        elif is_decided_by_more(operation):
            is_right = code not in ("missing_scope", "session_only", "not_authenticated")
        else:
            is_right = not is_turned_away(answer)
        wrong += [] if is_right else [(operation.name, answer.status_code, code, changed(queries))]
    assert wrong == []


def _call(client: APIClient, address: str, method: str) -> Any:
    if method == "get":
        return client.get(address)
    return getattr(client, method)(address, {}, format="json")


# What belongs to one player


FOR_ANYBODY = {"enter_event", "g/<str:link>/review/ask/"}
"""Name something of somebody else's, and are open to all, or to all who were given a link."""
NOT_HERS = re.compile(
    r"^events/<int:pk>/(enter|edit|console)|<str:(secret|signed)>|<str:key>|mailbox|^invite/|^rules/"
)
"""For all, for directors (whose acts are walked above), or for whoever has a letter."""
READ_BY_HER = {
    "/api/v1/games/{id}/note", "/api/v1/games/{id}/chat", "/api/v1/games/{id}/plan",
    "/api/v1/games/{id}/ruling-requests", "/api/v1/me/webhooks", "/api/v1/me/letters",
    "/api/v1/me/imports", "/api/v1/me/imports/{id}", "/api/v1/me/imports/{id}/file",
    "/api/v1/me/tokens", "/api/v1/challenges", "/api/v1/events/{id}",
    "g/<str:link>/", "lobby/", "events/<int:pk>/", "letters/channels/",
    "settings/tokens/", "letters/",
}  # fmt: skip
LOGGED_IN = ("guest", "stranger", "staff")
ASKERS = re.compile('"(charlie|heike)"')
READ_BY_STAFF = {
    "/api/v1/ruling-requests", "/api/v1/events/{id}", "events/<int:pk>/", "events/<int:pk>/log/",
}  # fmt: skip
"""What players ask them, and drafts of events."""


@pytest.fixture
def own(db: None, monkeypatch: pytest.MonkeyPatch) -> Belongings:
    monkeypatch.setattr(calls, "target_of", lambda url: url)
    monkeypatch.setattr(calls, "post", lambda *_args, **_more: 200)
    return Belongings()


@pytest.fixture
def others(own: Belongings) -> dict[str, APIClient]:
    guest = guests.welcome(address="::1", zone="UTC", language="en", now=own.now)
    stranger = make_player("charlie")
    _token, secret = tokens.mint(player=stranger, name="w", scopes=Scope.values)
    program = APIClient()
    program.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return {
        "visitor": APIClient(),
        "guest": log_in(APIClient(), guest),
        "stranger": log_in(APIClient(), stranger),
        "stranger's program": program,
        "staff": log_in(APIClient(), make_player("heike", is_staff=True)),
    }


def rows_of(table: str) -> set[str]:
    """Without the moments that every visit writes."""
    with connection.cursor() as cursor:
        row = "(to_jsonb(t) - 'seen_at' - 'last_login' - 'last_used_at')::text"
        cursor.execute(f'SELECT {row} FROM "{table}" t')
        return {row for (row,) in cursor.fetchall()}


class Stored:
    """Everything in the database, to be compared with what is there after a request."""

    def __init__(self) -> None:
        self.rows = {table: rows_of(table) for table in connection.introspection.table_names()}

    def altered(self, queries: CaptureQueriesContext) -> set[str]:
        return {table for table in written(queries) if rows_of(table) != self.rows[table]}

    def lost(self, queries: CaptureQueriesContext) -> list[str]:
        """Rows, but those about the ones who ask: they may change what is theirs."""
        lost = {row for table in written(queries) for row in self.rows[table] - rows_of(table)}
        return [row for row in lost if not ASKERS.search(row)]


def names_a_thing(address: str) -> bool:
    return "{id}" in address


ASK_NOT_AGAIN = {
    "change_me", "change_letter_preferences", "try_address_again", "switch_webhook_on",
    "try_webhook",
}  # fmt: skip
"""Make no access that lasts; at most they use what was made after the password was asked for."""


def test_a_session_alone_makes_no_access_that_lasts(own) -> None:
    """Whatever needs `connect`, or no token may do, is decided here."""
    client, changes, asking = APIClient(), own.changes(), set()
    client.force_login(own.alice)
    for operation in ALL:
        scopes = OPERATIONS[operation.name].scopes
        if operation.method in ("get", "delete") or (scopes and Scope.CONNECT not in scopes):
            continue
        with undone(client):
            answer = changes[operation.name].send(client, operation.method)
        if answer.status_code == 403 and answer.json()["code"] == "confirmation_required":
            asking.add(operation.name)
        else:
            assert operation.name in ASK_NOT_AGAIN
    assert asking == {"make_token", "make_webhook", "make_feed_link"}


def test_nobody_else_changes_what_a_player_has_by_api(own, others) -> None:
    """By requests that succeed for its owner, as `tests/api/test_scopes.py` shows."""
    stored, changes, wrong = Stored(), own.changes(), []
    for operation, (who, client) in itertools.product(ALL, others.items()):
        name = operation.name
        may = who == "staff" and OPERATIONS[name].standing > PLAYER
        if operation.method == "get" or name in FOR_ANYBODY or may:
            continue
        with undone(client) as queries:
            answer = changes[name].send(client, operation.method)
            if names_a_thing(operation.address):
                is_right = answer.status_code >= 400 and not stored.altered(queries)
            else:
                is_right = not stored.lost(queries)
        wrong += [] if is_right else [(name, who, answer.status_code, changed(queries))]
    assert wrong == []


def test_nobody_else_changes_what_a_player_has_on_pages(own, others) -> None:
    stored, wrong = Stored(), []
    hers = log_in(APIClient(), own.alice)
    for route, thing, fields in own.forms():
        address = "/" + re.sub(r"<(int:pk|str:link)>", thing, route)
        assert resolve(address).route == route
        for who, client in {"alice": hers, **others}.items():
            with undone(client) as queries:
                answer = client.post(address, fields, format="multipart")
                may = who == "alice" or (route in FOR_ANYBODY and who in LOGGED_IN)
                is_right = bool(stored.altered(queries)) == may
            wrong += [] if is_right else [(route, who, answer.status_code, changed(queries))]
    assert wrong == []


def test_every_form_about_something_of_a_player_is_tried(own) -> None:
    decided = {
        route
        for route, access in ADDRESSES.items()
        if access.act is not None
        and re.search("<(int:pk|str:link)>", route)
        and not NOT_HERS.search(route)
    }
    assert {route for route, _thing, _fields in own.forms()} == decided


def test_nobody_else_reads_what_only_a_player_may(own, others) -> None:
    """Not even where they may look otherwise, such as by the link of a private game."""
    looks = [op.address for op in ALL if op.method == "get" and op.name != "stream"]
    looks += [route for route, access in ADDRESSES.items() if access.look is not None]
    looks = [route for route in looks if not NOT_HERS.search(route)]
    hers = log_in(APIClient(), own.alice)
    lookers = {"alice": hers, **{who: others[who] for who in ("visitor", "stranger", "staff")}}
    read: dict[str, set[str]] = {who: set() for who in lookers}
    for route, (who, client) in itertools.product(looks, lookers.items()):
        for address in own.at(route):
            with undone(client):
                if SECRET in content_of(client.get(address)):
                    read[who].add(route)
    assert read.pop("alice") >= READ_BY_HER
    assert read.pop("staff") <= READ_BY_STAFF
    assert not any(read.values()), read


def content_of(answer: Any) -> str:
    return b"".join(answer).decode("utf-8", "replace")


def test_standings_are_in_order() -> None:
    assert list(Standing) == [VISITOR, UNVERIFIED, GUEST, PLAYER, DIRECTOR, ORGANISER, STAFF]
