"""The status page: ways in, duties and outages, also while the database is away."""

from datetime import datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from config import probes
from games import outages
from games.models import EntryPoint, Outage, WayIn
from notifications.models import Kind, Letter

HOUR = timedelta(hours=1)


def status(client, **headers):
    return client.get(reverse("status"), headers=headers)


def test_it_says_that_all_is_well_and_which_ways_are_open(db, client):
    outages.beat(way_in=WayIn.WEB, node="one:8000")
    outages.beat(way_in=WayIn.WEB, node="two:8000")
    outages.beat(way_in=WayIn.MAIL, node="one:8025")
    outages.note_worker(now=timezone.now())
    page = status(client)
    assert "Everything is running." in page.text
    ways_in = {one.way_in: (one.is_open, len(one.nodes)) for one in page.context["ways_in"]}
    assert ways_in == {"web": (True, 2), "mail": (True, 1)}


def test_it_says_that_no_mail_can_go_out(db, client, settings):
    outages.beat(way_in=WayIn.WEB, node="one:8000")
    outages.note_worker(now=timezone.now())
    assert "No way for e-mail to go out" not in status(client).text
    settings.EMAIL_BACKEND = settings.MAILBOX_BACKEND
    page = status(client).text
    assert "No way for e-mail to go out is set up" in page
    assert "Everything is running." not in page


def test_mail_that_is_out_of_order_is_shown_while_the_web_is_open(db, client):
    EntryPoint.objects.create(way_in=WayIn.MAIL, beat_at=timezone.now() - HOUR)
    outages.note_silence(now=timezone.now())
    page = status(client).text
    assert "out of order" in page
    assert "goes on" in page
    told = client.get(reverse("status_json")).json()
    assert told["ways_in"]["mail"]["open"] is False
    assert told["ways_in"]["web"]["open"] is True
    assert [one["is_over"] for one in told["outages"]] == [False]


def test_an_outage_is_listed_with_its_length(db, client):
    now = timezone.now()
    Outage.objects.create(began_at=now - 5 * HOUR, ended_at=now - 3 * HOUR)
    assert "2 h" in status(client).text


def test_a_duty_that_is_late_is_named_and_is_no_outage(alice, client):
    now = timezone.now()
    waiting = {"kind": Kind.EVENT, "player": alice, "written_at": now}
    Letter.objects.create(key="old", due_at=now - timedelta(minutes=7), **waiting)
    Letter.objects.create(key="to come", due_at=now + HOUR, **waiting)
    Letter.objects.create(key="digest", due_at=now - 24 * HOUR, digest=True, **waiting)
    page = status(client)
    late = {duty.name: duty.lag for duty in page.context["duties"] if duty.is_late}
    assert list(late) == ["letters"]
    assert timedelta(minutes=7) <= late["letters"] < timedelta(minutes=8)
    assert "Something is late" in page.text
    assert not Outage.objects.exists()
    assert client.get(reverse("status_json")).json()["duties"]["letters"]["late"] is True


LATE_WORKER = "The worker that watches the clocks has not reported"


def test_a_worker_that_is_late_is_a_state_of_its_own_and_no_outage(db, client):
    """Also while nothing is due."""
    outages.beat(way_in=WayIn.WEB)
    at = timezone.now() - outages.WORKER_IS_LATE_AFTER
    outages.note_worker(now=at)
    page = status(client)
    assert LATE_WORKER in page.text
    assert "Something is late" in page.text
    assert "überwacht, hat sich" in status(client, **{"Accept-Language": "de"}).text
    told = client.get(reverse("status_json")).json()
    assert told["worker"]["late"] is True
    assert datetime.fromisoformat(told["worker"]["last_beat"]) - at < timedelta(seconds=1)
    assert not any(duty["late"] for duty in told["duties"].values())
    assert told["ways_in"]["web"]["open"] is True
    assert told["outages"] == []


def test_a_worker_that_beats_is_on_time(db, client):
    outages.note_worker(now=timezone.now())
    assert LATE_WORKER not in status(client).text
    assert client.get(reverse("status_json")).json()["worker"]["late"] is False


def test_a_worker_that_has_never_beaten_is_late(db, client):
    assert LATE_WORKER in status(client).text
    assert client.get(reverse("status_json")).json()["worker"] == {"late": True, "last_beat": None}


@pytest.fixture
def no_database(monkeypatch):
    monkeypatch.setattr(probes.database, "replies", lambda: False)


def test_without_a_database_it_says_so_in_the_reader_s_language(no_database, client):
    page = status(client)
    assert (page.status_code, page["Retry-After"]) == (503, "30")
    assert "The database does not reply" in page.text
    assert "If it lasts longer than a minute, clocks are credited" in page.text
    assert "Datenbank" in status(client, **{"Accept-Language": "de"}).text
    told = client.get(reverse("status_json"))
    assert told.status_code == 503
    assert told.json()["database"] is False


def test_its_number_of_queries_is_fixed(alice, as_player, django_assert_max_num_queries):
    browser = as_player(alice)
    status(browser)
    with django_assert_max_num_queries(14):
        status(browser)
