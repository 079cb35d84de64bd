"""Receipts: what became of every letter, by page and by API."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.urls import reverse

from notifications import receipts
from notifications.models import Kind, Letter, Preference
from tests.conftest import NOW, days
from tests.notifications.posting import send, write_news, write_turn

API = "/api/v1/me/letters"


def page_of(browser, **query) -> str:
    return browser.get(reverse("receipts"), query).content.decode()


@pytest.fixture
def four(start, alice, mailoutbox):
    """One letter in each state."""
    sent = write_news(alice, "v1.news")
    send(NOW)
    cancelled = write_turn(start())
    send(NOW + days(4))
    refused = write_news(alice, "v2.news")
    Letter.objects.filter(pk=refused.pk).update(
        state="refused", why="refused", error="550 no such <user>"
    )
    waiting = write_news(alice, "v3.news", at=NOW + days(9))
    return sent, cancelled, refused, waiting


def test_every_letter_is_shown_with_its_reason(four, alice, as_player):
    page = page_of(as_player(alice))
    assert "The time had run out before the letter could leave." in page
    assert "The receiving mail server refused it for good." in page
    assert "550 no such &lt;user&gt;" in page
    assert page.count('<th scope="row"') == 4


def test_the_newest_is_first(four, alice, as_player, api_of):
    ids = [one["id"] for one in api_of(alice).get(API).json()["results"]]
    assert ids == sorted(ids, reverse=True)


@pytest.mark.parametrize(
    ("view", "states"),
    [
        ("waiting", {"waiting"}),
        ("sent", {"sent"}),
        ("stopped", {"cancelled", "refused"}),
        ("all", {"waiting", "sent", "cancelled", "refused"}),
    ],
)
def test_one_can_look_at_one_sort(four, alice, as_player, api_of, view, states):
    found = api_of(alice).get(API, {"show": view}).json()["results"]
    assert {one["state"] for one in found} == states
    assert page_of(as_player(alice), show=view).count('scope="row"') == len(found)


def test_the_letters_of_others_are_not_shown(four, bob, as_player, api_of):
    assert "No letters yet" in page_of(as_player(bob))
    assert api_of(bob).get(API).json()["results"] == []


def test_a_wrong_sort_is_refused_by_the_api_and_ignored_by_the_page(alice, as_player, api_of):
    assert api_of(alice).get(API, {"show": "burnt"}).status_code == 400
    assert as_player(alice).get(reverse("receipts"), {"show": "burnt"}).status_code == 200


def test_the_page_costs_the_same_for_many_letters(
    alice, start, as_player, django_assert_num_queries, django_assert_max_num_queries
):
    write_turn(start())
    browser = as_player(alice)
    page_of(browser)
    with django_assert_max_num_queries(9) as few:
        page_of(browser)
    for _ in range(40):
        write_turn(start())
    with django_assert_num_queries(len(few)):
        assert "Page 1 of 2" in page_of(browser)


def test_the_api_costs_the_same_for_many_letters(alice, api_of, django_assert_num_queries):
    program = api_of(alice)
    program.get("/api/v1/me")
    for number in range(20):
        write_news(alice, f"v{number}.news")
    with django_assert_num_queries(2):
        assert len(program.get(API).json()["results"]) == 20


def test_a_letter_that_went_with_others_says_so(start, alice, as_player, mailoutbox):
    write_turn(start())
    write_turn(start())
    send()
    assert page_of(as_player(alice)).count("Together with others, in one letter.") == 2


def test_a_letter_that_waits_for_the_digest_says_so(alice, as_player):
    Preference.objects.create(player=alice, kind=Kind.EVENT, timing="digest")
    write_news(alice)
    assert "It waits for your daily digest." in page_of(as_player(alice))


def test_every_reason_that_is_ever_given_has_a_sentence():
    """Codes are written in several rooms; each must be known here."""
    given = set()
    for room in (Path(settings.BASE_DIR) / "notifications").glob("*.py"):
        text = room.read_text()
        given |= set(re.findall(r'why="([a-z-]+)"', text))
        given |= set(re.findall(r'_settle\(letter, State\.\w+, "([a-z-]+)"', text))
        if room.name == "topical.py":
            given |= set(re.findall(r'return "([a-z-]+)"', text))
            given |= set(re.findall(r'else "([a-z-]+)"', text))
    assert {"played", "superseded", "unanswered", "challenge-gone"} <= given
    assert given <= receipts.WHY.keys()
