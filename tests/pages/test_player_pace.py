"""How reliable a player is and how fast, as his page tells it."""

from datetime import timedelta

import pytest
from django.utils import timezone

from games import play
from games.clock import PerMove
from games.models import Game, WayIn
from games.pages.pace import pace_of

DAY = timedelta(days=1)


def moved(game: Game, player, text: str, ply: int, now) -> None:
    play.submit_move(game_id=game.pk, player_id=player.pk, text=text, ply=ply, now=now, via="web")


@pytest.fixture
def lost_on_time(start, alice, bob):
    """Alice took two hours and then six; Bob took four, and did not come back."""

    def lost() -> Game:
        begun = timezone.now() - 20 * DAY
        game = start("tritt-classic", alice, bob, clock=PerMove(3), now=begun)
        hour = timedelta(hours=1)
        moved(game, alice, "a1-a3", 0, begun + 2 * hour)
        moved(game, bob, "k1-k3", 1, begun + 6 * hour)
        moved(game, alice, "e8-g7", 2, begun + 12 * hour)
        now = timezone.now()
        play.forfeit_on_time(due_by=dict.fromkeys(WayIn.values, now), now=now, most=10)
        game.refresh_from_db()
        assert (game.reason, game.score) == ("time", 2)
        return game

    return lost


def test_a_game_lost_on_time_counts_against_its_loser_alone(lost_on_time, alice, bob):
    lost_on_time()
    assert (pace_of(alice.pk).reliability, pace_of(bob.pk).reliability) == (100, 0)


def test_the_usual_time_is_the_median_of_what_moves_took(lost_on_time, alice, bob):
    lost_on_time()
    assert pace_of(alice.pk).reply == timedelta(hours=4)
    assert pace_of(bob.pk).reply == timedelta(hours=4)


def test_who_has_not_played_has_no_pace(charlie, client):
    pace = pace_of(charlie.pk)
    assert (pace.reliability, pace.reply) == (None, None)
    assert "Reliability" not in client.get(charlie.get_absolute_url()).content.decode()


def test_the_page_says_both_and_asks_the_database_once_in_a_while(
    lost_on_time, alice, client, django_assert_num_queries
):
    lost_on_time()
    html = client.get(alice.get_absolute_url()).content.decode()
    assert "100 % of 1 game not lost on time" in html
    assert "4 h" in html
    with django_assert_num_queries(0):
        pace_of(alice.pk)
