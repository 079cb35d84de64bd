from datetime import timedelta

from django.utils import timezone

from games import outages
from games.models import Outage
from tests.conftest import NOW


def test_alive_needs_nothing(client):
    assert client.get("/healthz").content == b"ok\n"


def test_ready_needs_a_living_worker(db, client):
    assert client.get("/readyz").json() == {"database": True, "redis": True, "worker": False}
    outages.beat(now=timezone.now())
    answer = client.get("/readyz")
    assert answer.status_code == 200
    assert answer.json()["worker"] is True


def test_a_heartbeat_of_three_minutes_ago_is_no_life(db, client):
    outages.beat(now=timezone.now() - timedelta(minutes=3))
    assert client.get("/readyz").status_code == 503


def test_ready_says_so_when_redis_is_away(db, client, settings):
    from celery import current_app

    outages.beat(now=timezone.now())
    original = current_app.conf.broker_url
    current_app.conf.broker_url = "redis://127.0.0.1:1/0"
    try:
        answer = client.get("/readyz")
    finally:
        current_app.conf.broker_url = original
    assert answer.status_code == 503
    assert answer.json()["redis"] is False


def test_a_long_silence_becomes_an_outage_in_the_ledger(db):
    outages.beat(now=NOW)
    assert outages.beat(now=NOW + timedelta(minutes=1)) is None
    outages.beat(now=NOW + timedelta(hours=5))
    outage = Outage.objects.get()
    assert outage.began_at == NOW + timedelta(minutes=1)
    assert outage.ended_at == NOW + timedelta(hours=5)


def test_two_beats_at_one_moment_are_one(db):
    outages.beat(now=NOW)
    outages.beat(now=NOW + timedelta(hours=1))
    outages.beat(now=NOW + timedelta(hours=1))
    assert Outage.objects.count() == 1


def test_a_request_carries_its_id_back(client):
    def answered_id(given: str) -> str:
        return client.get("/healthz", headers={"X-Request-ID": given})["X-Request-ID"]

    assert answered_id("abc-12345678") == "abc-12345678"
    assert answered_id("evil\tid") != "evil\tid"


def test_a_key_in_an_address_does_not_reach_the_log(db, client, caplog):
    caplog.set_level("INFO")
    client.get("/accounts/confirm-email/MQ:1xSnt7:nGfY9s8A2agmHjY11JOFNx6siC8f3VPg/")
    assert "GET /accounts/confirm-email/…/" in caplog.text
    assert "nGfY9s8A2" not in caplog.text
