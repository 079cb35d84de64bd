"""Conditional moves by the page: who sees them, what is kept, and what is refused with why."""

import re

import pytest
from django.utils import timezone

from games import conditional, plans, play
from games.foresight import Said, Stage, along, looked_at, thrown, totals_of
from games.models import Game, Seat
from games.rules.position import Roll
from games.rules.registry import RULESETS

MOST_QUERIES = 15


@pytest.fixture
def game(start, alice) -> Game:
    """Bob is to move, so Alice can plan."""
    game = start(now=timezone.now(), options={"swap": False})
    moved(game, "e8-g7")
    return game


def moved(game: Game, text: str) -> None:
    game.refresh_from_db()
    mover = game.seats.get(number=game.seat_to_move).player_id
    play.submit_move(
        game_id=game.pk, player_id=mover, text=text, ply=game.ply, now=timezone.now(), via="web"
    )


def address(game: Game, tail: str = "") -> str:
    return f"{game.get_absolute_url()}plan/{tail}"


def seen(browser, game: Game) -> str:
    html = browser.get(address(game)).content.decode()
    return re.search(r'name="seen" value="([^"]+)"', html)[1]


def added(browser, game: Game, **fields: str):
    sent = {"seen": seen(browser, game), **fields}
    return browser.post(address(game, "add/"), sent, follow=True)


def plan_of(game: Game, player) -> list[dict[str, object]]:
    return plans.of_seat(Seat.objects.get(game=game, player=player).pk).tree


def test_a_branch_is_kept_as_the_rules_write_it(game, alice, as_player):
    html = added(as_player(alice), game, move="G3 - g5", then="d5-f5").content.decode()
    assert "it will be played like this" in html
    assert plan_of(game, alice) == [{"move": "g3-g5", "dice": None, "then": "d5-f5", "next": []}]
    moved(game, "g3-g5")
    game.refresh_from_db()
    assert game.ply == 3


def test_nobody_else_sees_or_writes_a_plan(game, alice, bob, charlie, as_player, client):
    plans.write(game_id=game.pk, player_id=alice.pk, tree=[{"move": "a1-a3", "then": "d5-f5"}])
    assert "a1-a3" not in as_player(bob).get(address(game)).content.decode()
    assert as_player(charlie).get(address(game)).status_code == 404
    assert as_player(charlie).post(address(game, "add/"), {}).status_code == 404
    assert as_player(charlie).get(address(game, "board/")).status_code == 404
    assert "/login/" in client.get(address(game)).url


def test_the_page_costs_few_queries(game, alice, as_player, django_assert_max_num_queries):
    tree = [{"move": move, "then": "d5-f5"} for move in ("a1-a3", "k1-k3", "b1-b3")]
    plans.write(game_id=game.pk, player_id=alice.pk, tree=tree)
    browser = as_player(alice)
    with django_assert_max_num_queries(MOST_QUERIES):
        assert "3 replies are ready" in browser.get(address(game)).content.decode()


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"move": "a1-k9", "then": "d5-f5"}, "a1"),
        ({"move": "a1-a3", "then": "e8-g7"}, "e8"),
        ({"move": "", "then": ""}, "both are empty"),
        ({"move": "a1-a3", "dice": "seven", "then": "d5-f5"}, "such as: 7, 12"),
    ],
)
def test_what_cannot_be_is_refused_and_stays_in_the_fields(game, alice, as_player, fields, why):
    response = added(as_player(alice), game, **fields)
    html = response.content.decode()
    assert response.status_code == 422
    assert why in re.search(r'role="alert">(.+?)</p>', html, re.S)[1]
    assert f'value="{fields["move"]}"' in html
    assert plan_of(game, alice) == []


def test_a_second_reply_to_the_same_is_refused(game, alice, as_player):
    browser = as_player(alice)
    added(browser, game, move="a1-a3", then="d5-f5")
    html = added(browser, game, move="a1-a3", then="b1-b3").content.decode()
    assert "You have a reply to that already" in html
    assert [branch["then"] for branch in plan_of(game, alice)] == ["d5-f5"]


def test_whoever_saw_another_plan_or_ply_changes_nothing(game, alice, as_player):
    browser = as_player(alice)
    old = seen(browser, game)
    plans.write(game_id=game.pk, player_id=alice.pk, tree=[{"move": "a1-a3", "then": "d5-f5"}])
    sent = {"seen": old, "move": "k1-k3", "then": "d5-f5"}
    response = browser.post(address(game, "add/"), sent)
    assert response.status_code == 409
    assert "has changed meanwhile" in response.content.decode()
    assert browser.post(address(game, "remove/"), {"seen": old, "all": "yes"}).status_code == 409
    assert [branch["move"] for branch in plan_of(game, alice)] == ["a1-a3"]


def test_what_says_more_is_tried_first(game, alice, as_player):
    browser = as_player(alice)
    added(browser, game, move="", then="d5-f5")
    added(browser, game, move="a1-a3", then="resign")
    assert [branch["move"] for branch in plan_of(game, alice)] == ["a1-a3", None]


def test_a_branch_goes_with_all_that_hangs_on_it(game, alice, as_player):
    browser = as_player(alice)
    added(browser, game, move="a1-a3", then="d5-f5")
    added(browser, game, at="0", move="k1-k3", ask="yes", then="b1-b3")
    assert plan_of(game, alice)[0]["next"] == [
        {"move": "k1-k3", "dice": None, "then": None, "next": []}
    ]
    browser.post(address(game, "remove/"), {"seen": seen(browser, game), "branch": "0"})
    assert plan_of(game, alice) == []


def test_on_ones_own_move_there_is_nothing_to_plan_yet(game, bob, as_player):
    html = as_player(bob).get(address(game)).content.decode()
    assert "It is your move. Play it first" in html
    assert 'name="then"' not in html


def test_a_game_that_is_over_shows_what_became_of_the_plan(game, alice, bob, as_player):
    plans.write(game_id=game.pk, player_id=alice.pk, tree=[{"move": "a1-a3", "then": "d5-f5"}])
    browser = as_player(alice)
    old = seen(browser, game)
    moved(game, "a1-a3")
    play.resign(game_id=game.pk, player_id=bob.pk, now=timezone.now())
    assert "answered d5-f5 for you" in browser.get(address(game)).content.decode()
    sent = {"seen": old, "move": "k1-k3", "then": "b1-b3"}
    response = browser.post(address(game, "add/"), sent)
    assert response.status_code == 409
    assert "This game is over" in response.content.decode()


def test_the_board_is_told_without_touching_the_game(game, alice, as_player):
    browser = as_player(alice)
    ask = {"seen": seen(browser, game)}
    first = browser.get(address(game, "board/"), ask).json()
    assert first["stage"] == "their-move"
    assert {"token": "a1-a3", "spots": ["a1", "a2", "a3"], "whole": True} in first["choices"]
    then = browser.get(address(game, "board/"), ask | {"move": "a1-a3"}).json()
    assert then["stage"] == "my-move"
    assert browser.get(address(game, "board/"), ask | {"move": "x"}).status_code == 422
    assert browser.get(address(game, "board/"), {"seen": "0-0"}).status_code == 409
    game.refresh_from_db()
    assert game.ply == 1


# What can be foreseen


def test_a_throw_of_the_opponent_is_only_supposed():
    position = RULESETS["tritoc"].start({}).rolled((2, 3))
    after_mine = position.play(position.parse("1.5"))
    assert isinstance(after_mine.awaiting, Roll)
    asked = looked_at(after_mine, 0, Said())
    assert asked.stage == Stage.THEIR_THROW
    assert 7 in asked.totals
    assert looked_at(after_mine, 0, Said(supposed=7)).stage == Stage.THEIR_MOVE
    # Without a throw, one is found that makes the move possible.
    assert looked_at(after_mine, 0, Said(move="4.7")).stage == Stage.MY_THROW
    assert looked_at(after_mine, 0, Said(move="4.7", dice=(9,))).stage == Stage.MY_MOVE


def test_what_depends_on_dice_that_are_not_named_is_unknown():
    tree = conditional.tree([{"move": "1.5", "dice": None, "then": "4.7", "next": []}])
    position = RULESETS["tritoc"].start({}).rolled((2, 3))
    assert along(position, 1, tree, (0,)) is None


def test_every_total_has_a_throw():
    position = RULESETS["tritoc"].start({})
    for total in totals_of(position):
        assert thrown(position, total) is not None
    assert thrown(position, 13) is None
