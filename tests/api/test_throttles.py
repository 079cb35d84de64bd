"""Whoever asks too much is told to wait, and for how long."""

import os

import pytest
import redis
from django.conf import settings as the_settings

from config import throttles


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
    settings.API_LIMITS = {"anonymous": 2, "read": 4, "write": 3}


@pytest.fixture
def still(monkeypatch):
    """A clock that stands still, 20 seconds into a minute."""
    monkeypatch.setattr(throttles.time, "time", lambda: 1_800_000_020.0)


def test_a_visitor_has_his_minute(limits, still, client, db):
    assert [client.get("/api/v1/rulesets").status_code for _ in range(3)] == [200, 200, 429]
    answer = client.get("/api/v1/rulesets")
    assert answer["Retry-After"] == "40"
    assert answer.json()["code"] == "throttled"
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


def test_the_next_minute_is_a_new_one(limits, monkeypatch, client, db):
    for second in (1_800_000_059.0, 1_800_000_060.0):
        monkeypatch.setattr(throttles.time, "time", lambda second=second: second)
        assert [client.get("/api/v1/rulesets").status_code for _ in range(2)] == [200, 200]


def test_without_redis_everybody_is_let_through(limits, counts, monkeypatch, client, db):
    monkeypatch.setattr(throttles, "_tried_again_at", 0.0)
    nowhere = redis.Redis(unix_socket_path="/nowhere/redis.sock")
    tried = []
    monkeypatch.setattr(throttles, "_redis", lambda: tried.append(1) or nowhere)
    assert {client.get("/api/v1/rulesets").status_code for _ in range(4)} == {200}
    assert len(tried) == 1


def test_without_a_limit_nothing_is_counted(settings, monkeypatch, client, db):
    settings.API_LIMITS = {}
    monkeypatch.setattr(throttles, "_count", lambda *_: pytest.fail("counted"))
    assert "RateLimit-Limit" not in client.get("/api/v1/rulesets")
