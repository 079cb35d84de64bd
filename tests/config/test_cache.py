"""What counts in the cache goes on counting without Redis."""

import pytest
from django.core.cache import cache

from config.cache import ForgivingRedisCache
from tests.conftest import PASSWORD


@pytest.fixture
def away(monkeypatch):
    """A cache whose Redis is gone, in the place of the usual one."""
    nowhere = ForgivingRedisCache("unix:///nowhere/redis.sock", {})
    nowhere.clear()
    for name in ("get", "set", "add", "incr", "delete", "get_many", "has_key", "touch"):
        monkeypatch.setattr(type(cache._connections["default"]), name, getattr(nowhere, name))
    return nowhere


def test_it_remembers_in_this_process(away):
    assert away.get("key", "none") == "none"
    assert away.add("key", 1, 60)
    assert not away.add("key", 5, 60)
    assert away.incr("key") == 2
    with pytest.raises(ValueError, match="not found"):
        away.incr("other")
    away.delete("key")
    assert away.get("key") is None


def test_sign_ins_are_limited_without_redis(away, alice, client):
    wrong = {"login": "alice", "password": "wrong-horse-battery"}
    answers = [client.post("/accounts/login/", wrong) for _ in range(12)]
    right = client.post("/accounts/login/", {"login": "alice", "password": PASSWORD})
    assert right.status_code != 302
    assert any("Too many" in answer.content.decode() for answer in answers)
