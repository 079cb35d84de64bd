"""The front page: a game that plays itself, a board to try, what waits for members, open seeks."""

from itertools import pairwise

import pytest
from django.urls import reverse
from django.utils import timezone

from games import lobby
from games.clock import PerMove
from games.lobby import Terms
from games.rules.registry import RULESETS
from tests.conftest import make_player

MOST_QUERIES = 15
TERMS = Terms(ruleset="tritoc", clock=PerMove(3))


def html_of(response) -> str:
    return response.content.decode()


def test_a_visitor_can_try_a_move_and_sees_who_looks_for_a_game(bob, client):
    lobby.seek(challenger=bob, terms=TERMS, now=timezone.now())
    html = html_of(client.get("/"))
    assert "data-trial" in html
    assert "Sign in to play" in html


def test_a_member_is_led_to_what_waits(start, alice, bob, as_player):
    game = start(now=timezone.now())
    lobby.challenge(challenger=bob, opponent=alice, terms=TERMS, now=timezone.now())
    html = html_of(as_player(alice).get("/"))
    assert "1 game waits for your move" in html
    assert game.get_absolute_url() in html
    assert "1 player has challenged you." in html
    assert "Nothing waits for your move" in html_of(as_player(bob).get("/"))


def test_the_front_page_costs_the_same_whether_few_or_many(
    start, alice, bob, as_player, django_assert_max_num_queries
):
    browser = as_player(alice)
    start(now=timezone.now())
    lobby.seek(challenger=bob, terms=TERMS, now=timezone.now())
    with django_assert_max_num_queries(MOST_QUERIES) as few:
        browser.get("/")
    for number in range(10):
        start(now=timezone.now())
        lobby.seek(challenger=make_player(f"p{number}"), terms=TERMS, now=timezone.now())
    with django_assert_max_num_queries(len(few)):
        browser.get("/")


# The game that plays itself


@pytest.mark.parametrize("key", RULESETS)
def test_a_recorded_game_of_every_kind_goes_from_its_start_to_its_end(key, client):
    recording = client.get(reverse("selfplay", args=[key])).json()
    drawn = ["".join(recording["parts"][n] for n in frame) for frame in recording["frames"]]
    assert len(drawn) == len(recording["says"]) >= 7
    assert recording["root"].startswith("<svg ")
    assert recording["says"][0] == "The game begins."
    assert "and wins:" in recording["says"][-1]
    assert all(before != after for before, after in pairwise(drawn))


def test_the_page_shows_the_recording_that_is_asked_for_without_script(db, client):
    recording = client.get(reverse("selfplay", args=["tritoc"])).json()
    last = "".join(recording["parts"][n] for n in recording["frames"][-1])
    assert last in html_of(client.get("/", {"watch": "tritoc"}))
    assert last not in html_of(client.get("/", {"watch": "chess"}))


def test_a_recording_that_is_known_costs_nothing_again(client):
    address = reverse("selfplay", args=["tri-trac"])
    known = client.get(address)["ETag"]
    again = client.get(address, headers={"If-None-Match": known})
    assert (again.status_code, again.content) == (304, b"")
    german = client.get(address, headers={"If-None-Match": known, "Accept-Language": "de"})
    assert german.status_code == 200
    assert client.get(reverse("selfplay", args=["chess"])).status_code == 404


def test_a_member_sees_what_waits_and_no_recording(alice, as_player):
    assert "data-selfplay" not in html_of(as_player(alice).get("/"))
