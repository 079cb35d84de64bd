"""The front page: a board to try for visitors, what waits for members, open seeks for all."""

from django.utils import timezone

from games import lobby
from games.clock import PerMove
from games.lobby import Terms
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
