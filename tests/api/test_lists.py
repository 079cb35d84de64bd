"""Lists cost the same, whatever is in them, and nothing when nothing has changed."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts import tokens
from games import elo, talk
from games.clock import PerMove
from games.lobby import Terms, seek
from games.models import Move, Outage, Rating, RatingPool
from games.play import resign
from tests.conftest import make_player
from tests.described import DescribedClient
from tests.games.acts import both_move

NOW = timezone.now()


def fill_games(world, number):
    for _ in range(number):
        world.begin()


def fill_challenges(world, number):
    terms = Terms(ruleset="tritoc", clock=PerMove(3))
    for each in range(number):
        seek(challenger=make_player(f"c{each}n{number}"), terms=terms, now=timezone.now())


def fill_moves(world, number):
    last = Move.objects.filter(game=world.game).latest("ply").ply
    for ply in range(last + 1, last + 1 + number):
        Move.objects.create(game=world.game, ply=ply, seat=0, text="x", via="api", played_at=NOW)


def fill_chat(world, number):
    for each in range(number):
        at = NOW + timedelta(minutes=each * number)
        talk.say(game_id=world.game.pk, player_id=world.alice.pk, text="x", now=at)


def fill_tokens(world, number):
    for _ in range(min(number, 15)):
        tokens.mint(player=world.alice, name="x", scopes=["read"])


def fill_ratings(world, number):
    pool, _made = RatingPool.objects.get_or_create(key="a-pool", ruleset="tritoc")
    for each in range(number):
        Rating.objects.create(
            pool=pool, player=make_player(f"r{each}n{number}"), rating=elo.START, games=99,
            peak=elo.START,
        )  # fmt: skip


def fill_pools(world, number):
    for each in range(number):
        RatingPool.objects.create(key=f"p{each}n{number}", ruleset="tritoc")


def fill_outages(world, number):
    there = Outage.objects.count()
    for each in range(there, there + number):
        at = NOW - timedelta(days=each)
        Outage.objects.create(began_at=at, ended_at=at + timedelta(hours=1))


def fill_opponents(world, number):
    for each in range(number):
        other = make_player(f"o{each}n{number}")
        game = world.begin("tritt-classic", world.alice, other)
        both_move(game, now=timezone.now())
        resign(game_id=game.pk, player_id=other.pk, now=timezone.now())


def fill_own_pools(world, number):
    for each in range(number):
        pool = RatingPool.objects.create(key=f"q{each}n{number}", ruleset="tritoc")
        Rating.objects.create(
            pool=pool, player=world.alice, rating=elo.START, games=1, peak=elo.START
        )


LISTS = {
    "games": (fill_games, "results"),
    "games?mine=true": (fill_games, "results"),
    "games?player=alice&status=running&ordering=id": (fill_games, "results"),
    "me/turns": (fill_games, "games"),
    "challenges": (fill_challenges, "results"),
    "games/{game}/moves": (fill_moves, "moves"),
    "games/{game}/chat": (fill_chat, "results"),
    "me/tokens": (fill_tokens, "tokens"),
    "leaders/a-pool": (fill_ratings, "results"),
    "pools": (fill_pools, "pools"),
    "outages": (fill_outages, "results"),
    "players/alice/opponents": (fill_opponents, "results"),
    "players/alice/ratings/tritt-classic": (fill_opponents, "history"),
    "players/alice": (fill_own_pools, "ratings"),
}


class World:
    def __init__(self, alice, begin):
        self.alice, self.begin = alice, begin
        self.game = begin()


@pytest.fixture
def world(alice, begin):
    return World(alice, begin)


@pytest.fixture
def page(alice):
    """In person, because tokens are listed to no token."""
    client = DescribedClient()
    client.force_login(alice)
    return client


@pytest.mark.parametrize("address", LISTS)
def test_a_list_costs_the_same_whatever_is_in_it(world, page, address):
    fill, name = LISTS[address]
    where = f"/api/v1/{address.format(game=world.game.pk)}"
    costs, lengths = [], []
    for number in (3, 27):
        fill(world, number)
        with CaptureQueriesContext(connection) as queries:
            answer = page.get(where)
        costs.append(len(queries))
        lengths.append(len(answer.json()[name]))
    assert 3 <= lengths[0] < lengths[1]
    assert costs[0] == costs[1]


@pytest.mark.parametrize("address", [*LISTS, "me", "me/vacation", "rulesets", "games/{game}/note"])
def test_what_has_not_changed_costs_an_empty_answer(world, page, address, monkeypatch):
    where = f"/api/v1/{address.format(game=world.game.pk)}"
    RatingPool.objects.create(key="a-pool", ruleset="tritoc")
    if address == "me/vacation":
        monkeypatch.setattr(timezone, "now", lambda: NOW)
    first = page.get(where)
    assert first.status_code == 200
    again = page.get(where, headers={"If-None-Match": first["ETag"]})
    assert (again.status_code, again.content, again["ETag"]) == (304, b"", first["ETag"])
    assert {"Authorization", "Cookie"} <= set(again["Vary"].split(", "))
    assert page.get(where, headers={"If-None-Match": '"other"'}).status_code == 200


def test_a_game_has_a_new_etag_for_everything_that_is_seen_to_change(world, page):
    address = f"/api/v1/games/{world.game.pk}"
    tags = [page.get(address)["ETag"]]
    both_move(world.game, now=timezone.now())
    tags.append(page.get(address)["ETag"])
    page.post(f"{address}/draw", {"action": "offer"}, format="json")
    tags.append(page.get(address)["ETag"])
    page.post(f"{address}/resign")
    tags.append(page.get(address)["ETag"])
    assert len(set(tags)) == 4


def test_a_page_leads_to_the_next_and_back(world, page):
    fill_games(world, 4)
    first = page.get("/api/v1/games", {"page_size": 2}).json()
    second = page.get(first["next"]).json()
    third = page.get(second["next"]).json()
    ids = [game["id"] for part in (first, second, third) for game in part["results"]]
    assert ids == sorted(ids, reverse=True)
    assert (len(set(ids)), third["next"]) == (5, None)
    assert page.get(third["previous"]).json()["results"] == second["results"]
    oldest = page.get("/api/v1/games", {"ordering": "id"}).json()["results"]
    assert [game["id"] for game in oldest] == sorted(ids)


def test_no_page_is_longer_than_a_hundred(world, page):
    fill_outages(world, 101)
    answer = page.get("/api/v1/outages", {"page_size": 1000})
    assert len(answer.json()["results"]) == 100


def test_the_state_of_the_service_is_told(client, db, settings):
    told = client.get("/api/v1/status").json()
    assert told["alive"] is False
    assert told["stream"] == f"{settings.STREAM_URL}/api/v1/stream"
