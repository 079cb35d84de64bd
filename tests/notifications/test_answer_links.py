"""A link plays one move for one seat at one ply: looking changes nothing, and it never logs in."""

import logging
from datetime import timedelta
from threading import Barrier, Thread
from zoneinfo import ZoneInfo

import pytest
from django.db import connection
from django.test import Client
from django.utils import timezone

from accounts.models import Player
from games import play
from games.models import Move
from notifications import answer_links
from notifications.models import ReplyToken
from notifications.reply_address import token_for


@pytest.fixture
def game(start):
    return start(now=timezone.now())


@pytest.fixture
def token(game, alice):
    return token_of(game, alice)


def token_of(game, player, *, seat=0, ply=0) -> ReplyToken:
    return token_for(game_id=game.pk, seat=seat, ply=ply, player_id=player.pk, now=timezone.now())


def path_of(token) -> str:
    return answer_links.link_for(token).removeprefix("http://localhost:8000")


def bob_moves(game, bob, ply=1, text="k1-k3") -> None:
    play.submit_move(
        game_id=game.pk, player_id=bob.pk, text=text, ply=ply, now=timezone.now(), via="web"
    )


def moves_of(game) -> list[str]:
    return list(Move.objects.filter(game=game, ply__gt=0).values_list("text", flat=True))


def test_a_button_plays_the_move_without_a_log_in(client, game, token):
    page = client.post(path_of(token), {"move": "a1-a3"}, follow=True)
    assert moves_of(game) == ["a1-a3"]
    assert "You played a1-a3 as move 1." in page.text
    assert "bob is to move." in page.text
    assert "sessionid" not in client.cookies
    assert not page.context["user"].is_authenticated


@pytest.mark.parametrize("method", ["get", "head"])
def test_looking_plays_nothing_even_if_it_names_a_move(client, game, token, method):
    answer = getattr(client, method)(path_of(token), {"move": "a1-a3", "play": "1"})
    assert answer.status_code == 200
    assert moves_of(game) == []


@pytest.mark.parametrize(("method", "is_noted"), [("get", False), ("head", False), ("post", True)])
def test_whoever_answers_has_been_here_and_a_scanner_has_not(
    client, game, alice, token, method, is_noted
):
    Player.objects.update(seen_at=None)
    getattr(client, method)(path_of(token), {"move": "a1-a3"})
    alice.refresh_from_db()
    assert (alice.seen_at is not None) == is_noted


def test_the_page_shows_the_board_the_deadline_and_the_form(client, game, token):
    page = client.get(path_of(token)).text
    assert "<svg" in page
    assert "It is your move." in page
    assert "Time runs out on" in page
    assert 'name="move"' in page


def test_the_deadline_is_told_in_the_zone_of_the_link_s_player(client, game, alice, token):
    there = timezone.localtime(game.deadline_at, ZoneInfo(alice.zone))
    assert f"{there:%H:%M}</time>" in client.get(path_of(token)).text


def test_nothing_keeps_or_passes_on_the_address(client, token):
    for answer in (client.get(path_of(token)), client.post(path_of(token), {"move": "nonsense"})):
        assert answer["Cache-Control"] == "private, no-store"
        assert answer["Referrer-Policy"] == "no-referrer"
        assert answer["X-Robots-Tag"] == "noindex, nofollow"


def test_the_address_does_not_give_away_the_one_for_mail(token, client, caplog):
    assert token.token not in answer_links.link_for(token)
    page = client.get(path_of(token)).text
    assert token.token not in page
    with caplog.at_level(logging.INFO, "tripost.request"):
        client.get(path_of(token))
    assert f"/letters/answer/{token.pk}/…/" in caplog.text
    assert answer_links.secret_of(token) not in caplog.text


def test_the_same_answer_again_shows_the_same_result(client, game, token):
    for _ in range(2):
        page = client.post(path_of(token), {"move": "a1-a3"}, follow=True)
        assert page.status_code == 200
        assert "You played a1-a3 as move 1." in page.text
    assert moves_of(game) == ["a1-a3"]


def test_another_answer_after_the_first_plays_nothing(client, game, token):
    client.post(path_of(token), {"move": "a1-a3"})
    page = client.post(path_of(token), {"move": "b1-b3"})
    assert page.status_code == 409
    assert "nothing was played" in page.text
    assert "You had written: b1-b3" in page.text
    assert moves_of(game) == ["a1-a3"]


def test_the_power_ends_with_the_ply(client, game, token, alice, bob):
    client.post(path_of(token), {"move": "a1-a3"})
    bob_moves(game, bob)
    page = client.get(path_of(token)).text
    assert "It is your turn again" in page
    assert "can only show the game" in page
    assert "<form" not in page
    assert "answer.js" not in page
    answer = client.post(path_of(token), {"move": "b1-b3"})
    assert answer.status_code == 409
    assert moves_of(game) == ["a1-a3", "k1-k3"]
    newer = client.post(path_of(token_of(game, alice, ply=2)), {"move": "b1-b3"}, follow=True)
    assert "You played b1-b3 as move 3." in newer.text


def test_a_link_for_later_has_no_power_yet(client, game, bob):
    early = token_of(game, bob, seat=1, ply=1)
    assert "<form" not in client.get(path_of(early)).text
    assert client.post(path_of(early), {"move": "k1-k3"}).status_code == 409
    assert moves_of(game) == []


def test_an_illegal_move_is_explained_and_can_be_corrected(client, game, token):
    page = client.post(path_of(token), {"move": "a1-a9"})
    assert page.status_code == 422
    assert 'role="alert"' in page.text
    assert 'value="a1-a9"' in page.text
    assert client.post(path_of(token), {"move": "a1-a3"}).status_code == 302
    assert moves_of(game) == ["a1-a3"]


def test_one_may_look_first(client, game, token):
    page = client.post(path_of(token), {"move": "a1-a3", "preview": ""})
    assert "This is how it would stand after a1-a3." in page.text
    assert moves_of(game) == []


def test_a_game_that_is_over_is_only_shown(client, game, token, alice):
    play.resign(game_id=game.pk, player_id=alice.pk, now=timezone.now())
    page = client.get(path_of(token)).text
    assert "No result: called off" in page
    assert "<form" not in page
    assert client.post(path_of(token), {"move": "a1-a3"}).status_code == 409


def test_a_move_after_the_flag_is_too_late(client, start, alice):
    late = start(now=timezone.now() - timedelta(days=4))
    page = client.post(path_of(token_of(late, alice)), {"move": "a1-a3"})
    assert page.status_code == 409
    assert "Your time ran out" in page.text
    assert moves_of(late) == []


@pytest.mark.parametrize("act", ["resign", "draw", "accept", "abort"])
def test_there_is_nothing_to_do_here_but_to_move(client, game, token, act):
    client.post(path_of(token), {"act": act, "sure": "yes", "move": act})
    game.refresh_from_db()
    assert game.is_running
    assert game.draw_offered_by is None
    assert moves_of(game) == []


def test_a_secret_that_is_wrong_revoked_or_another_s_leads_nowhere(client, game, token, bob):
    other = token_of(game, bob, seat=1, ply=1)
    mixed = path_of(token).replace(answer_links.secret_of(token), answer_links.secret_of(other))
    assert client.get(mixed).status_code == 404
    assert client.get(f"/letters/answer/{token.pk}/{'0' * 32}/").status_code == 404
    assert client.post(mixed, {"move": "a1-a3"}).status_code == 404
    ReplyToken.objects.filter(pk=token.pk).update(revoked_at=timezone.now())
    assert client.get(path_of(token)).status_code == 404
    assert client.post(path_of(token), {"move": "a1-a3"}).status_code == 404
    assert moves_of(game) == []


def test_it_works_where_the_browser_tells_no_origin(game, token):
    strict = Client(enforce_csrf_checks=True, headers={"Origin": "null"})
    assert strict.post(path_of(token), {"move": "a1-a3"}).status_code == 302
    assert moves_of(game) == ["a1-a3"]


def test_it_plays_for_its_own_player_whoever_is_signed_in(game, token, bob, as_player):
    as_player(bob).post(path_of(token), {"move": "a1-a3"})
    assert Move.objects.get(game=game, ply=1).seat == 0


def test_what_can_be_picked_is_told_for_this_ply_alone(client, game, token):
    told = client.get(f"{path_of(token)}choices/", {"ply": 0, "prefix": ""})
    assert told.json()["choices"]
    assert "<svg" in told.json()["board"]
    assert client.get(f"{path_of(token)}choices/", {"ply": 1}).status_code == 409
    assert client.post(f"{path_of(token)}choices/").status_code == 405
    client.post(path_of(token), {"move": "a1-a3"})
    assert client.get(f"{path_of(token)}choices/", {"ply": 0}).status_code == 409


def test_a_private_game_is_shown_to_who_has_the_link(client, start, alice):
    private = start(now=timezone.now(), private=True)
    page = client.get(path_of(token_of(private, alice)))
    assert page.status_code == 200
    assert "It is your move." in page.text


@pytest.mark.django_db(transaction=True)
def test_many_clicks_at_once_play_once(game, token):
    barrier, statuses = Barrier(6), []

    def click(number):
        barrier.wait()
        text = "a1-a3" if number % 2 else "b1-b3"
        statuses.append(Client().post(path_of(token), {"move": text}).status_code)
        connection.close()

    threads = [Thread(target=click, args=[number]) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [302] * 3 + [409] * 3
    assert len(moves_of(game)) == 1


def test_the_page_costs_a_fixed_number_of_queries(
    client, game, token, alice, bob, django_assert_num_queries
):
    with django_assert_num_queries(6):
        client.get(path_of(token))
    client.post(path_of(token), {"move": "a1-a3"})
    bob_moves(game, bob)
    newer = path_of(token_of(game, alice, ply=2))
    with django_assert_num_queries(6):
        client.get(newer)
