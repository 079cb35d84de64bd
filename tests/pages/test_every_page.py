"""What holds for every page: it is on the map, asks little of the database and is small."""

import gzip
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from games import lobby, play
from games.clock import PerMove
from games.lobby import Terms
from games.rules.registry import RULESETS
from tests import site_map

MOST_QUERIES = 14
MOST_HTML = 60_000
MOST_SCRIPT = 40_000


@pytest.fixture
def world(start, alice, bob, settings) -> None:
    """Something of everything; letters in the mailbox, whose page is open."""
    settings.DEBUG = True
    now = timezone.now()
    for key in RULESETS:
        start(key, now=now)
    over = start("tritt-classic", alice, bob, now=now)
    for ply, (player, text) in enumerate(((alice, "a1-a3"), (bob, "k1-k3"))):
        play.submit_move(
            game_id=over.pk, player_id=player.pk, text=text, ply=ply, now=now, via="web"
        )
    play.resign(game_id=over.pk, player_id=bob.pk, now=now)
    terms = Terms(ruleset="tritoc", clock=PerMove(3), message="Shall we?")
    lobby.seek(challenger=bob, terms=terms, now=now)
    lobby.challenge(challenger=bob, opponent=alice, terms=terms, now=now)


def test_every_name_of_an_address_is_on_the_map():
    mapped = {*site_map.FOR_ALL, *site_map.FOR_A_MEMBER, *site_map.WITH_MORE, *site_map.NO_PAGES}
    assert site_map.names_in_use() == mapped


def test_every_page_takes_few_queries_and_is_small(
    world, alice, client, as_player, django_assert_max_num_queries
):
    member = as_player(alice)
    trouble = {}
    for look in site_map.looks(alice):
        with django_assert_max_num_queries(1000) as asked:
            response = (member if look.is_member else client).get(look.address)
        weight = len(gzip.compress(response.content))
        is_page = response.status_code == 200 or look.title == "account_reset_password_from_key"
        if not is_page or len(asked) > MOST_QUERIES or weight > MOST_HTML:
            trouble[look.title] = (response.status_code, len(asked), weight)
    assert trouble == {}


def test_all_scripts_together_are_small():
    static = Path(settings.BASE_DIR) / "static"
    scripts = [*(static / "js").glob("*.js"), *(static / "vendor").glob("*.js")]
    assert len(scripts) > 5
    assert sum(len(gzip.compress(script.read_bytes())) for script in scripts) < MOST_SCRIPT


@pytest.mark.parametrize("name", ["home", "lobby", "leaders", "player"])
def test_a_page_that_many_watch_costs_nothing_while_it_stays_the_same(name, bob, client):
    address = reverse(name, args=["bob"] if name == "player" else [])
    # The first visit brings the cookie that the forms of all later ones are bound to.
    client.get(address)
    known = client.get(address)["ETag"]
    again = client.get(address, headers={"If-None-Match": known})
    assert (again.status_code, again.content) == (304, b"")
    other = client.get(address, headers={"If-None-Match": known, "Accept-Language": "de"})
    assert other.status_code == 200
    assert Client().get(address, headers={"If-None-Match": known}).status_code == 200


def test_a_page_that_has_changed_is_sent_again(bob, client):
    client.get(reverse("lobby"))
    known = client.get(reverse("lobby"))["ETag"]
    terms = Terms(ruleset="tritoc", clock=PerMove(3))
    lobby.seek(challenger=bob, terms=terms, now=timezone.now())
    assert client.get(reverse("lobby"), headers={"If-None-Match": known}).status_code == 200
