"""Whoever asks too much is told to wait, and for how long."""

import os

import pytest
import redis
from allauth.usersessions.models import UserSession
from django.conf import settings as the_settings
from django.http import HttpResponse

from accounts.models import Scope
from accounts.visitors import network_of
from config import throttles
from config.fair_share import FairShare
from tests.conftest import PASSWORD


@pytest.fixture
def counts(monkeypatch):
    """A Redis database that no other process of the test run empties."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:])
    client = redis.Redis.from_url(the_settings.REDIS_URL)
    client.connection_pool.connection_kwargs["db"] = 15 - worker % 15
    client.flushdb()
    monkeypatch.setattr(throttles, "_redis", lambda: client)
    return client


@pytest.fixture
def limits(settings, counts):
    settings.API_LIMITS = {"anonymous": 2, "read": 4, "write": 3, "refused": 3}
    settings.PAGE_LIMITS = {"visitor": 3, "player": 5, "picture": 2}


@pytest.fixture
def still(monkeypatch):
    """A clock that stands still, 20 seconds into a minute."""
    monkeypatch.setattr(throttles.time, "time", lambda: 1_800_000_020.0)


TOO_MANY = "You have made too many requests in a short time. Try again in 40 seconds."


def test_a_visitor_has_his_minute(limits, still, client, db):
    assert [client.get("/api/v1/rulesets").status_code for _ in range(3)] == [200, 200, 429]
    answer = client.get("/api/v1/rulesets")
    assert answer["Retry-After"] == "40"
    assert answer.json()["code"] == "throttled"
    assert answer.json()["detail"] == TOO_MANY
    assert client.get("/api/v1/rulesets", REMOTE_ADDR="192.0.2.7").status_code == 200


def test_a_player_has_more_and_writes_are_counted_apart(limits, still, alice, bob, api_of):
    mine = api_of(alice)
    reads = [mine.get("/api/v1/me").status_code for _ in range(5)]
    assert reads == [200] * 4 + [429]
    writes = [mine.patch("/api/v1/me", {}, format="json").status_code for _ in range(4)]
    assert writes == [200] * 3 + [429]
    assert api_of(bob).get("/api/v1/me").status_code == 200


def test_what_is_left_comes_with_each_answer(limits, still, alice, api_of):
    answer = api_of(alice).get("/api/v1/me")
    told = [answer[f"RateLimit-{name}"] for name in ("Limit", "Remaining", "Reset")]
    assert told == ["4", "3", "40"]


WRONG = {
    200: ("get", "/api/v1/rulesets", {}),
    304: ("get", "/api/v1/rulesets", {"HTTP_IF_NONE_MATCH": "*"}),
    400: ("get", "/api/v1/rulesets?nothing=1", {}),
    401: ("get", "/api/v1/me", {"HTTP_AUTHORIZATION": "Bearer tripost_guessed"}),
    403: ("get", "/api/v1/ruling-requests", {}),
    404: ("get", "/api/v1/nowhere", {}),
    405: ("put", "/api/v1/rulesets", {}),
    406: ("get", "/api/v1/rulesets", {"HTTP_ACCEPT": "image/png"}),
    413: ("post", "/api/v1/challenges", {"data": b"x" * 3_000_000, "content_type": "text/plain"}),
    415: ("post", "/api/v1/challenges", {"data": b"x", "content_type": "text/plain"}),
}


@pytest.mark.parametrize("status", WRONG)
def test_what_is_left_comes_with_every_status(limits, still, client, alice, as_player, status):
    method, address, more = WRONG[status]
    asking = as_player(alice) if status in (403, 405, 413, 415) else client
    for expected in (status, status, status, status, 429):
        answer = getattr(asking, method)(address, **more)
        told = [answer.get(f"RateLimit-{name}") for name in ("Limit", "Remaining", "Reset")]
        assert None not in told, (answer.status_code, told)
        if answer.status_code == 429:
            break
        assert answer.status_code == expected
    assert told[1:] == ["0", "40"]


def test_the_next_minute_is_a_new_one(limits, monkeypatch, client, db):
    for second in (1_800_000_059.0, 1_800_000_060.0):
        monkeypatch.setattr(throttles.time, "time", lambda second=second: second)
        assert [client.get("/api/v1/rulesets").status_code for _ in range(2)] == [200, 200]


@pytest.fixture
def without_redis(counts, monkeypatch):
    """The tries that were made to reach it."""
    monkeypatch.setattr(throttles, "here", throttles.CountsHere())
    nowhere = redis.Redis(unix_socket_path="/nowhere/redis.sock")
    tried: list[int] = []
    monkeypatch.setattr(throttles, "_redis", lambda: tried.append(1) or nowhere)
    return tried


def test_without_redis_limits_hold_in_each_process(limits, still, without_redis, client, db):
    assert [client.get("/api/v1/rulesets").status_code for _ in range(3)] == [200, 200, 429]
    assert client.get("/api/v1/rulesets", REMOTE_ADDR="192.0.2.7").status_code == 200
    assert len(without_redis) == 1


def test_counts_of_a_process_are_bounded_and_nobody_evades_them(monkeypatch):
    monkeypatch.setattr(throttles, "MOST_COUNTED_HERE", 3)
    counted = throttles.CountsHere()
    assert [counted.add(str(number), 1) for number in range(6)] == [1, 1, 1, 1, 2, 3]
    assert counted.add("9", 2) == 1


def test_without_a_limit_nothing_is_counted(settings, monkeypatch, client, db):
    settings.API_LIMITS = {}
    monkeypatch.setattr(throttles, "_count", lambda *_: pytest.fail("counted"))
    assert "RateLimit-Limit" not in client.get("/api/v1/rulesets")


# Bad tokens


def test_bad_tokens_are_throttled_by_address_and_good_ones_are_not(
    limits, still, api_of, alice, client
):
    bad = {"HTTP_AUTHORIZATION": "Bearer tripost_guessed"}
    answers = [client.get("/api/v1/me", **bad) for _ in range(5)]
    assert [answer.status_code for answer in answers] == [401, 401, 401, 429, 429]
    assert answers[-1]["Retry-After"] == "40"
    assert answers[-1].json()["code"] == "throttled"
    assert answers[-1].json()["detail"] == TOO_MANY
    assert api_of(alice).get("/api/v1/me").status_code == 200
    assert client.get("/api/v1/me", REMOTE_ADDR="192.0.2.7", **bad).status_code == 401


def test_bad_tokens_cost_a_good_one_at_the_same_address_nothing(
    limits, still, api_of, alice, client
):
    for _ in range(5):
        client.get("/api/v1/me", HTTP_AUTHORIZATION="Bearer tripost_guessed")
    reader = api_of(alice, Scope.READ)
    refused = [reader.patch("/api/v1/me", {}, format="json") for _ in range(4)]
    assert [answer.status_code for answer in refused] == [403, 403, 403, 429]


def test_bad_tokens_of_the_stream_are_counted_with_them(limits, still, client, db):
    from config import stream  # it sets up a process of its own

    scope = {"client": ("127.0.0.1", 4711)}
    assert client.get("/api/v1/me", HTTP_AUTHORIZATION="Bearer tripost_x").status_code == 401
    for _ in range(2):
        stream.count_refusal(scope, {})
    with pytest.raises(stream.Refused, match="too many requests"):
        stream.count_refusal(scope, {})


def test_streams_that_are_opened_count_as_reads(limits, still, alice, api_of):
    from config import stream

    for _ in range(3):
        stream.count_read(alice)
    assert api_of(alice).get("/api/v1/me").status_code == 200
    with pytest.raises(stream.Refused, match=TOO_MANY) as refused:
        stream.count_read(alice)
    assert refused.value.retry_after == 40


# Pages


@pytest.mark.parametrize("address", ["/", "/games/", "/nowhere/", "/accounts/login/", "/rules/"])
def test_every_page_has_a_limit_for_a_visitor(limits, still, client, db, address):
    assert 429 not in {client.get(address).status_code for _ in range(3)}
    answer = client.get(address)
    assert (answer.status_code, answer["Retry-After"]) == (429, "40")
    assert TOO_MANY in answer.content.decode()
    assert client.get(address, REMOTE_ADDR="192.0.2.7").status_code != 429


def test_a_player_has_a_limit_of_their_own(limits, still, client, as_player, alice, bob):
    browser = as_player(alice)
    assert [browser.get("/rules/").status_code for _ in range(6)] == [200] * 5 + [429]
    assert browser.post("/language/setlang/").status_code == 429
    assert as_player(bob).get("/rules/").status_code == 200
    assert client.get("/rules/").status_code == 200


def test_without_redis_pages_have_limits_too(limits, still, without_redis, client, db):
    assert [client.get("/rules/").status_code for _ in range(4)] == [200, 200, 200, 429]


@pytest.mark.parametrize("name", ["board.png", "board.svg", "game.svg"])
def test_pictures_have_a_smaller_share(limits, still, start, client, alice, as_player, name):
    address = start().get_absolute_url() + name
    for browser in (client, as_player(alice)):
        answers = [browser.get(address, {"ply": 0}) for _ in range(3)]
        assert [answer.status_code for answer in answers] == [200, 200, 429]
        assert answers[-1]["Retry-After"] == "40"
        assert browser.get("/rules/").status_code == 200


@pytest.mark.parametrize("address", ["/healthz", "/readyz"])
def test_probes_have_no_limit(limits, still, client, db, address):
    assert {client.get(address).status_code for _ in range(9)} == {200}


@pytest.mark.parametrize(
    "address",
    ["/static/nothing.css", "/healthzz", "/readyzz", "/metrics", "/metricsx", "/anymail/nothing/"],
)
def test_no_other_address_is_without_a_limit(limits, still, client, db, address):
    assert client.get(address).status_code != 429
    assert [client.get(address).status_code for _ in range(5)][-1] == 429
    assert client.get(address)["Retry-After"] == "40"


def test_metrics_that_are_shown_are_not_counted(limits, still, rf):
    shown = FairShare(lambda request: HttpResponse("shown"))
    assert {shown(rf.get("/metrics")).status_code for _ in range(9)} == {200}


def test_who_wants_to_log_in_does_not_wait_for_others_at_the_address(
    limits, still, client, alice, as_player
):
    assert [client.get("/rules/").status_code for _ in range(4)][-1] == 429
    fields = {"login": "alice", "password": PASSWORD}
    assert client.get("/accounts/login/").status_code == 200
    assert client.post("/accounts/login/", fields).status_code == 302
    assert client.get("/rules/").status_code == 200


def test_a_made_up_session_is_a_visitor_s(limits, still, client, db):
    for number in range(3):
        client.cookies["sessionid"] = f"made-up-{number:032}"
        assert client.get("/rules/").status_code == 200
    client.cookies["sessionid"] = "another" * 5
    assert client.get("/rules/").status_code == 429


def test_no_other_address_of_a_household_and_no_header_gets_more(limits, still, client, db):
    tries = [
        client.get(
            "/rules/",
            REMOTE_ADDR=f"2001:db8:1:2::{number}",
            HTTP_X_FORWARDED_FOR=f"6.6.6.{number}",
        ).status_code
        for number in range(4)
    ]
    assert tries == [200, 200, 200, 429]


def test_passwords_are_tried_by_a_household_not_by_an_address(client, alice):
    def tried(number):
        wrong = {"login": f"nobody{number}", "password": "wrong-horse-battery"}
        return client.post("/accounts/login/", wrong, REMOTE_ADDR=f"2001:db8:1:2::{number:x}")

    assert [tried(number).status_code for number in range(40)][-1] == 429


def test_a_page_costs_one_round_trip_to_redis(limits, still, counts, client, db, monkeypatch):
    sent = []
    execute = redis.client.Pipeline.execute
    monkeypatch.setattr(
        redis.client.Pipeline, "execute", lambda self: sent.append(1) or execute(self)
    )
    client.get("/rules/")
    assert len(sent) == 1


def test_a_429_costs_no_query(limits, still, client, db, django_assert_num_queries):
    for _ in range(3):
        client.get("/rules/")
    with django_assert_num_queries(0):
        assert client.get("/rules/").status_code == 429


# Who is who


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("unknown", "unknown"),
    ],
)
def test_a_household_counts_once(rf, address, network):
    assert network_of({"REMOTE_ADDR": address}) == network


def test_only_trusted_proxies_say_who_asks(rf, settings):
    request = rf.get("/", REMOTE_ADDR="10.0.0.1", HTTP_X_FORWARDED_FOR="6.6.6.6, 192.0.2.7")
    assert network_of(request.META) == "10.0.0.1"
    settings.TRUSTED_PROXIES = 1
    assert network_of(request.META) == "192.0.2.7"


@pytest.mark.parametrize(
    ("told", "known"),
    [
        ({}, "10.0.0.1"),
        ({"HTTP_X_FORWARDED_FOR": "192.0.2.7"}, "192.0.2.7"),
        ({"HTTP_X_FORWARDED_FOR": "192.0.2.7, 192.0.2.8"}, "192.0.2.7"),
        ({"HTTP_X_FORWARDED_FOR": "6.6.6.6, 192.0.2.7, 192.0.2.8"}, "192.0.2.7"),
    ],
)
def test_who_comes_past_a_proxy_can_log_in(client, alice, settings, told, known):
    settings.TRUSTED_PROXIES = 2
    fields = {"login": alice.email, "password": PASSWORD}
    answer = client.post("/accounts/login/", fields, REMOTE_ADDR="10.0.0.1", **told)
    assert answer.status_code == 302
    assert UserSession.objects.get().ip == known


@pytest.mark.parametrize("told", ["unknown", "", ",", "10.0.0.256", "x" * 5000])
def test_who_comes_from_nowhere_is_answered(client, alice, settings, told):
    settings.TRUSTED_PROXIES = 2
    fields = {"login": alice.email, "password": PASSWORD}
    sent = {"REMOTE_ADDR": "", "HTTP_X_FORWARDED_FOR": told}
    assert client.post("/accounts/login/", fields, **sent).status_code == 403
