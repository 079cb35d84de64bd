"""A game that is over is gone through once, in slices, for whoever asks."""

import threading
from datetime import timedelta

import pytest
from django.db import connection

from games import bot_moves, outbox, play, reviews
from games.bots.search import Limit
from games.models import Game, Review, Via
from games.refusals import NotAllowed, TooMany
from games.rules.position import Roll
from tests.conftest import NOW
from tests.games.acts import as_stored, move, to_move


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """No bells, and a search that needs no time."""
    monkeypatch.setattr(outbox, "ring", lambda: None)
    monkeypatch.setattr(bot_moves, "ring", lambda: None)
    monkeypatch.setattr(reviews, "EFFORT", Limit(30))
    monkeypatch.setattr(reviews, "SLICE", 2)


@pytest.fixture
def over(start):
    """Five moves, then given up."""

    def played(ruleset: str = "tritt-classic") -> Game:
        game = start(ruleset)
        for _ in range(5):
            move(game)
        play.resign(game_id=game.pk, player_id=to_move(game).pk, now=NOW)
        return as_stored(game)

    return played


def go_through(now=NOW) -> int:
    slices = 0
    while reviews.go_on(now=now):
        slices += 1
    return slices


@pytest.mark.parametrize(
    "ruleset", ["tritt-classic", "tritt-reloaded", "tritoc", "tri-trac", "triotrio"]
)
def test_every_turn_has_its_judgement(over, alice, ruleset):
    game = over(ruleset)
    asked = reviews.ask(game=game, player=alice, now=NOW)
    assert (asked.turns, asked.judgements) == (5, [])
    assert go_through() == 3
    done = Review.objects.get()
    assert [one["ply"] for one in done.judgements] == [1, 2, 3, 4, 5]
    assert done.done_at == NOW
    assert all(0 <= one["value"] <= 1 and 0 <= one["swing"] <= 1 for one in done.judgements)


def test_a_move_that_was_taken_back_is_not_judged(start, alice, bob):
    game = start()
    move(game)
    play.ask_takeback(game_id=game.pk, player_id=alice.pk, now=NOW)
    play.accept_takeback(game_id=game.pk, player_id=bob.pk, now=NOW, via=Via.WEB)
    move(game)
    move(game)
    play.resign(game_id=game.pk, player_id=alice.pk, now=NOW)
    reviews.ask(game=as_stored(game), player=alice, now=NOW)
    go_through()
    assert [one["ply"] for one in Review.objects.get().judgements] == [3, 4]


def test_luck_is_not_held_against_a_player(over, alice):
    """Between a turn and the throw that follows stands the position that the move led to."""
    game = over("tritoc")
    course = reviews.course_of(game, reviews.replay.standing_lines(game.pk))
    after = [course.positions[at + 1] for at in course.turns]
    assert any(isinstance(position.awaiting, Roll) for position in after)


def test_a_review_is_made_once_whoever_asks(over, alice, bob):
    game = over()
    reviews.ask(game=game, player=alice, now=NOW)
    go_through()
    again = reviews.ask(game=game, player=bob, now=NOW + timedelta(hours=1))
    assert (again.asked_by, again.done_at) == (alice, NOW)


def test_a_running_game_is_not_reviewed(start, alice):
    with pytest.raises(NotAllowed, match="over"):
        reviews.ask(game=start(), player=alice, now=NOW)


def test_a_player_asks_for_so_many_a_day(over, alice, bob, monkeypatch):
    monkeypatch.setattr(reviews, "MOST_A_DAY", 1)
    first, second = over(), over()
    reviews.ask(game=first, player=alice, now=NOW)
    with pytest.raises(TooMany, match="1 reviews within a day"):
        reviews.ask(game=second, player=alice, now=NOW)
    assert reviews.ask(game=first, player=alice, now=NOW)
    assert reviews.ask(game=second, player=alice, now=NOW + timedelta(days=1))


def test_a_slice_that_nobody_finished_is_taken_up_again(over, alice):
    reviews.ask(game=over(), player=alice, now=NOW)
    reviews._taken(NOW)
    assert not reviews.go_on(now=NOW + timedelta(seconds=59))
    assert reviews.go_on(now=NOW + timedelta(seconds=60))


@pytest.mark.django_db(transaction=True)
def test_two_workers_take_two_reviews(over, alice, monkeypatch):
    for _ in range(2):
        reviews.ask(game=over(), player=alice, now=NOW)
    look, both = reviews.review, threading.Barrier(2)

    def look_while_the_other_does(*positions, **limits):
        both.wait(30)
        return look(*positions, **limits)

    def worker():
        reviews.go_on(now=NOW)
        connection.close()

    monkeypatch.setattr(reviews, "review", look_while_the_other_does)
    threads = [threading.Thread(target=worker) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert [len(one.judgements) for one in Review.objects.order_by("game_id")] == [2, 2]


# Where it is seen


def test_the_page_shows_how_far_it_has_come_and_then_the_table(over, alice, as_player):
    game = over()
    client = as_player(alice)
    assert f"/games/{game.pk}/review/" in client.get(f"/games/{game.pk}/").content.decode()
    address = f"/games/{game.pk}/review/"
    assert "Review this game" in client.get(address).content.decode()
    client.post(f"{address}ask/")
    reviews.go_on(now=NOW)
    page = client.get(address).content.decode()
    assert "2 of 5 moves are looked at" in page
    assert "hx-trigger" in page
    go_through()
    part = client.get(address, headers={"HX-Request": "true"}).content.decode()
    assert "<html" not in part
    assert "hx-trigger" not in part
    assert part.count("<tr>") == 6


def test_a_visitor_reads_a_review_but_asks_for_none(over, alice, client):
    game = over()
    reviews.ask(game=game, player=alice, now=NOW)
    assert client.get(f"/games/{game.pk}/review/").status_code == 200
    assert client.post(f"/games/{game.pk}/review/ask/").url.startswith("/accounts/login/")


def test_the_page_costs_the_same_for_any_number_of_moves(
    over, alice, client, django_assert_max_num_queries
):
    game = over()
    reviews.ask(game=game, player=alice, now=NOW)
    go_through()
    with django_assert_max_num_queries(5):
        client.get(f"/games/{game.pk}/review/")


def test_a_program_asks_and_reads(over, alice, api_of):
    game = over()
    api = api_of(alice)
    address = f"/api/v1/games/{game.pk}/review"
    assert api.get(address).status_code == 404
    assert api.post(address).json() == {
        "game": game.pk, "turns": 5, "is_done": False, "judgements": [],
    }  # fmt: skip
    go_through()
    body = api.get(address).json()
    assert body["is_done"]
    assert len(body["judgements"]) == 5


def test_a_private_game_is_reviewed_for_its_players_alone(start, alice, charlie, api_of):
    game = start(private=True)
    move(game)
    move(game)
    play.resign(game_id=game.pk, player_id=alice.pk, now=NOW)
    assert api_of(charlie).post(f"/api/v1/games/{game.pk}/review").status_code == 404
    assert api_of(alice).post(f"/api/v1/games/{game.pk}/review").status_code == 202


def test_the_last_turn_of_a_slice_sees_where_it_led(over, alice, monkeypatch):
    seen, review = [], reviews.review

    def looking(positions, **how):
        seen.append(len(positions))
        return review(positions, **how)

    monkeypatch.setattr(reviews, "review", looking)
    reviews.ask(game=over(), player=alice, now=NOW)
    go_through()
    assert seen == [3, 3, 2]
