"""Feeds tell what waits, at the instant that the pages tell, to whoever has the link."""

import logging
from datetime import timedelta
from xml.etree import ElementTree

import pytest
from django.utils import timezone
from icalendar import Calendar

from accounts.models import Player
from config.logs import JsonLines, ReadableLines
from games import play, sweeps, vacations
from games.clock import PerMove
from games.events import VacationChanged
from games.models import Game
from notifications import feeds
from notifications.models import FeedLink
from tests.conftest import NOW

ATOM = "{http://www.w3.org/2005/Atom}"


@pytest.fixture
def calendar_link(alice):
    return path_of(feeds.link_of(player=alice, feed="calendar", now=NOW))


@pytest.fixture
def turns_link(alice):
    return path_of(feeds.link_of(player=alice, feed="turns", now=NOW))


def path_of(link: FeedLink) -> str:
    return feeds.address_of(link).removeprefix("http://localhost:8000")


def events_in(response) -> list:
    assert response["Content-Type"] == "text/calendar; charset=utf-8"
    return Calendar.from_ical(response.content).walk("VEVENT")


def entries_in(response) -> list:
    assert response["Content-Type"] == "application/atom+xml; charset=utf-8"
    return ElementTree.fromstring(response.content).findall(f"{ATOM}entry")


def move(game: Game, player: Player, ply: int, text: str) -> None:
    play.submit_move(
        game_id=game.pk, player_id=player.pk, text=text, ply=ply, now=timezone.now(), via="web"
    )


# The calendar


def test_every_deadline_of_mine_is_there_at_its_very_instant(start, client, calendar_link):
    later = start(clock=PerMove(7), now=timezone.now())
    sooner = start("tritoc", clock=PerMove(1), now=timezone.now())
    events = events_in(client.get(calendar_link))
    seconds = [game.deadline_at.replace(microsecond=0) for game in (sooner, later)]
    assert [event["DTSTART"].dt for event in events] == seconds
    assert [event["UID"] for event in events] == [
        f"g{sooner.pk}.p0.s0@localhost",
        f"g{later.pk}.p0.s0@localhost",
    ]
    assert events[0]["SUMMARY"] == "Flag falls: Tritoc against bob"
    assert events[0]["URL"] == f"http://localhost:8000/games/{sooner.pk}/"


def test_only_what_waits_for_me_is_there(start, client, alice, bob, calendar_link):
    game = start(now=timezone.now())
    start("tritt-classic", bob, alice, now=timezone.now())
    assert len(events_in(client.get(calendar_link))) == 1
    move(game, alice, 0, "a1-a3")
    assert events_in(client.get(calendar_link)) == []
    move(game, bob, 1, "k1-k3")
    [event] = events_in(client.get(calendar_link))
    assert event["UID"] == f"g{game.pk}.p2.s0@localhost"
    play.resign(game_id=game.pk, player_id=alice.pk, now=timezone.now())
    assert events_in(client.get(calendar_link)) == []


def test_a_deadline_that_moves_is_the_same_event_with_a_higher_sequence(
    start, client, alice, calendar_link
):
    joined = timezone.now() - timedelta(days=200)
    Player.objects.filter(pk=alice.pk).update(joined_at=joined)
    start(now=timezone.now() - timedelta(days=1))
    seen = [events_in(client.get(calendar_link))[0]]
    for change, seconds in ((vacations.begin, 20), (vacations.end, 10)):
        change(player_id=alice.pk, now=timezone.now() - timedelta(seconds=seconds))
        fact = VacationChanged(player_id=alice.pk, began=len(seen) == 1, automatic=False)
        sweeps.recount_after_vacation(fact)
        seen.append(events_in(client.get(calendar_link))[0])
    first, away, back = seen
    assert first["UID"] == away["UID"] == back["UID"]
    assert away["DTSTART"].dt > first["DTSTART"].dt
    assert back["DTSTART"].dt < away["DTSTART"].dt
    assert first["SEQUENCE"] < away["SEQUENCE"] < back["SEQUENCE"]
    assert first["LAST-MODIFIED"].dt < away["LAST-MODIFIED"].dt < back["LAST-MODIFIED"].dt


def test_the_words_are_in_the_players_language(start, client, alice, calendar_link):
    Player.objects.filter(pk=alice.pk).update(language="de")
    answer = client.get(calendar_link, headers={"Accept-Language": "en"})
    assert answer.status_code == 200
    assert answer["Content-Language"] == "de"


# The feed of turns


def test_every_turn_of_mine_is_an_entry(start, client, alice, bob, turns_link):
    game = start(now=timezone.now())
    move(game, alice, 0, "a1-a3")
    assert entries_in(client.get(turns_link)) == []
    move(game, bob, 1, "k1-k3")
    [entry] = entries_in(client.get(turns_link))
    assert entry.findtext(f"{ATOM}title") == "Your turn: Tritt (2009) against bob"
    assert entry.findtext(f"{ATOM}id") == f"tag:localhost,2026:g{game.pk}.p2.s0"
    link = entry.find(f"{ATOM}link").get("href")
    assert link == f"http://localhost:8000/games/{game.pk}/"
    text = entry.findtext(f"{ATOM}summary")
    assert "Last move: k1-k3" in text
    assert "Orange is to move." in text


def test_a_turn_keeps_its_name_and_date(start, client, turns_link):
    start(now=timezone.now() - timedelta(hours=1))
    first = client.get(turns_link).content
    assert client.get(turns_link).content == first


# Links


@pytest.mark.parametrize("feed", ["calendar", "turns"])
def test_what_has_not_changed_costs_a_304(start, client, alice, feed):
    link = path_of(feeds.link_of(player=alice, feed=feed, now=NOW))
    for game in (None, start):
        if game:
            game(now=timezone.now())
        answer = client.get(link)
        again = client.get(link, headers={"If-None-Match": answer["ETag"]})
        assert (answer.status_code, again.status_code, again.content) == (200, 304, b"")
        assert again["ETag"] == answer["ETag"]
    assert answer["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize("feed", ["calendar", "turns"])
def test_a_feed_costs_the_same_however_much_waits(
    start, client, alice, feed, django_assert_max_num_queries
):
    link = path_of(feeds.link_of(player=alice, feed=feed, now=NOW))
    start(now=timezone.now())
    with django_assert_max_num_queries(6) as few:
        client.get(link)
    for _ in range(12):
        start(now=timezone.now())
    with django_assert_max_num_queries(6) as many:
        client.get(link)
    assert len(few) == len(many)


def test_a_new_link_makes_the_old_one_lead_nowhere(client, alice, as_player, calendar_link):
    browser = as_player(alice)
    assert client.get(calendar_link).status_code == 200
    browser.post("/letters/channels/feeds/calendar/", {"act": "make"})
    assert client.get(calendar_link).status_code == 404
    renewed = path_of(FeedLink.objects.get())
    assert client.get(renewed).status_code == 200
    assert renewed in browser.get("/letters/channels/").text
    browser.post("/letters/channels/feeds/calendar/", {"act": "revoke"})
    assert client.get(renewed).status_code == 404


def test_a_key_opens_its_own_feed_alone(client, calendar_link, turns_link):
    assert client.get(calendar_link.replace(".ics", ".atom")).status_code == 404
    assert client.get(turns_link.replace(".atom", ".ics")).status_code == 404
    assert client.get("/letters/feeds/guess.ics").status_code == 404
    assert client.get(calendar_link.replace(".ics", ".pdf")).status_code == 404


def test_the_feed_of_a_closed_account_is_closed(client, alice, calendar_link):
    Player.objects.filter(pk=alice.pk).update(is_active=False)
    assert client.get(calendar_link).status_code == 404


def test_a_feed_is_only_looked_at(client, calendar_link):
    assert client.post(calendar_link).status_code == 405
    assert client.head(calendar_link).status_code == 200


def test_the_key_is_not_in_the_log(client, calendar_link, caplog):
    with caplog.at_level(logging.INFO, "tripost.request"):
        client.get(calendar_link)
    assert "/letters/feeds/….ics" in caplog.text
    assert FeedLink.objects.get().key not in caplog.text


@pytest.mark.parametrize("lines", [JsonLines(), ReadableLines()])
def test_the_key_is_not_in_the_log_when_something_breaks(
    client, calendar_link, caplog, monkeypatch, lines
):
    monkeypatch.setattr(feeds, "turns_of", None)
    client.raise_request_exception = False
    with caplog.at_level(logging.INFO):
        assert client.get(calendar_link).status_code == 500
    written = "\n".join(lines.format(record) for record in caplog.records)
    assert "Internal Server Error: /letters/feeds/….ics" in written
    assert FeedLink.objects.get().key not in written


def test_an_address_writes_no_line_of_its_own_into_the_log(client, caplog):
    with caplog.at_level(logging.INFO):
        client.get("/players/%0a21:00:00 web FAKE%1b[31m")
    written = [ReadableLines().format(record) for record in caplog.records]
    assert any(r"/players/\n21:00:00 web FAKE\x1b[31m" in line for line in written)
    assert not any("\n" in line or "\x1b" in line for line in written)


def test_a_private_game_is_linked_by_its_private_address(start, client, calendar_link):
    game = start(now=timezone.now(), private=True)
    [event] = events_in(client.get(calendar_link))
    assert event["URL"] == f"http://localhost:8000/g/{game.private_link}/"


# By the API


def test_a_program_makes_and_revokes_links(alice, api_of, client):
    api = api_of(alice)
    made = api.post("/api/v1/me/feeds/turns").json()
    address = made["address"].removeprefix("http://localhost:8000")
    assert client.get(address).status_code == 200
    assert api.get("/api/v1/me/feeds").json()["feeds"] == [
        {"feed": "turns", "created_at": made["created_at"], "token": alice.tokens.get().pk}
    ]
    assert api.delete("/api/v1/me/feeds/turns").status_code == 204
    assert client.get(address).status_code == 404
    assert api.post("/api/v1/me/feeds/weather").status_code == 404
