"""The search page: games by player, game, result, first moves and day."""

from datetime import UTC, datetime, timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from games import play
from games.models import Game
from tests.conftest import make_player

MOST_QUERIES = 15


def found(browser, **asked) -> list[Game]:
    response = browser.get(reverse("search"), asked)
    assert response.status_code == 200
    return [row["game"] for row in response.context.get("rows", ())]


def finished(start, winner, loser) -> Game:
    now = timezone.now()
    game = start("tritt-classic", winner, loser, now=now)
    for ply, (player, text) in enumerate(((winner, "a1-a3"), (loser, "k1-k3"))):
        play.submit_move(
            game_id=game.pk, player_id=player.pk, text=text, ply=ply, now=now, via="web"
        )
    play.resign(game_id=game.pk, player_id=loser.pk, now=now)
    game.refresh_from_db()
    return game


def test_nothing_is_asked_and_nothing_is_found_before_the_first_search(start, client):
    start(now=timezone.now())
    assert client.get(reverse("search")).context.get("rows") is None


def test_games_are_found_by_what_is_known_of_them(start, alice, bob, charlie, client):
    won = finished(start, alice, bob)
    other = start("tritoc", bob, charlie, now=timezone.now())
    assert found(client, player="ALICE") == [won]
    assert found(client, player="bob") == [other, won]
    assert found(client, player="bob", opponent="charlie") == [other]
    assert found(client, player="alice", result="won") == [won]
    assert found(client, player="bob", result="won") == []
    assert found(client, ruleset="tritoc") == [other]
    assert found(client, status="finished") == [won]
    assert found(client, opening="a1-a3; k1-k3") == [won]
    assert found(client, opening="k1-k3") == []
    assert found(client, player="nobody") == []


def test_days_are_those_of_the_readers_zone(start, alice, as_player):
    # In Berlin this is the third of March already.
    game = start(now=datetime(2026, 3, 2, 23, 30, tzinfo=UTC))
    browser = as_player(alice)
    assert found(browser, since="2026-03-03", until="2026-03-03") == [game]
    assert found(browser, until="2026-03-02") == []


def test_a_private_game_is_not_found(start, alice, as_player):
    start(private=True, now=timezone.now())
    assert found(as_player(alice), player="alice") == []


@pytest.mark.parametrize(
    ("asked", "sentence"),
    [
        ({"result": "won"}, "Name the player whose games these are."),
        ({"since": "2026-03-03", "until": "2026-03-02"}, "The last day is before the first one."),
        ({"ruleset": "chess"}, "Select a valid choice"),
        ({"since": "soon"}, "Enter a valid date."),
    ],
)
def test_what_cannot_be_searched_for_is_refused_beside_its_field(asked, sentence, db, client):
    assert sentence in client.get(reverse("search"), asked).content.decode()


def test_pages_go_on_where_the_last_ended_and_cost_the_same(
    start, alice, client, django_assert_max_num_queries
):
    begun = timezone.now()
    games = [start("tritoc", alice, make_player("p0"), now=begun)]
    with django_assert_max_num_queries(MOST_QUERIES) as few:
        found(client, player="alice")
    for number in range(1, 30):
        later = begun + timedelta(seconds=number)
        games.append(start("tritoc", alice, make_player(f"p{number}"), now=later))
    with django_assert_max_num_queries(len(few)):
        first = found(client, player="alice")
    assert first == games[:4:-1]
    with django_assert_max_num_queries(len(few)):
        assert found(client, player="alice", before=first[-1].pk) == games[4::-1]
    assert found(client, player="alice", before="everything") == first
