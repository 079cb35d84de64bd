"""The page of a game: what it shows to whom, and every act by its forms."""

import gzip
import re
from zoneinfo import ZoneInfo

import pytest
from django.utils import timezone

from games import play, talk
from games.models import Game, Move
from tests.conftest import days

ALL = ["tritt-classic", "tritt-reloaded", "tritoc", "tri-trac", "triotrio"]
MOST_BYTES = 60_000
MOST_QUERIES = 15


@pytest.fixture
def game(start) -> Game:
    return start(now=timezone.now())


def html_of(response) -> str:
    return response.content.decode()


def play_both(game: Game, *moves: str) -> None:
    """The two play in turn, through the door."""
    for ply, text in enumerate(moves):
        game.refresh_from_db()
        player = game.seats.get(number=game.seat_to_move).player_id
        play.submit_move(
            game_id=game.pk, player_id=player, text=text, ply=ply, now=timezone.now(), via="web"
        )


# Looking


@pytest.mark.parametrize("key", ALL)
def test_every_ruleset_has_its_board_on_a_small_page_by_few_queries(
    key, start, as_player, client, django_assert_max_num_queries
):
    game = start(key, now=timezone.now())
    mover = game.seats.get(number=game.seat_to_move).player
    for browser in (client, as_player(mover)):
        with django_assert_max_num_queries(MOST_QUERIES):
            response = browser.get(game.get_absolute_url())
        assert response.status_code == 200
        assert "<svg" in html_of(response)
        assert len(gzip.compress(response.content)) < MOST_BYTES


def test_a_long_game_costs_as_many_queries_as_a_short_one(
    game, alice, bob, as_player, django_assert_num_queries, django_assert_max_num_queries
):
    browser = as_player(alice)
    with django_assert_max_num_queries(MOST_QUERIES) as short:
        browser.get(game.get_absolute_url())
    play_both(game, "a1-a3", "k1-k3", "c1-c3", "i1-i3")
    for player in (alice, bob) * 3:
        talk.say(game_id=game.pk, player_id=player.pk, text="hello", now=timezone.now())
    with django_assert_num_queries(len(short)):
        browser.get(game.get_absolute_url())


def test_the_page_runs_nothing_inline(game, alice, as_player):
    html = html_of(as_player(alice).get(game.get_absolute_url()))
    scripts = re.findall(r"<script(?![^>]*\ssrc=)[^>]*>", html)
    assert scripts == ['<script type="application/json">']
    assert not re.search(r"<[^>]+\s(style|on\w+)\s*=", html)


def test_the_one_to_move_gets_the_form_and_the_other_the_deadline(game, alice, bob, as_player):
    mine = html_of(as_player(alice).get(game.get_absolute_url()))
    theirs = html_of(as_player(bob).get(game.get_absolute_url()))
    assert 'name="move"' in mine
    assert "<title>Your move" in mine
    assert 'name="move"' not in theirs
    assert "alice is to move." in theirs
    deadline = game.deadline_at.astimezone(ZoneInfo(bob.zone))
    assert f'<time datetime="{deadline.isoformat()}">' in theirs


def test_a_watcher_sees_neither_form_nor_chat(game, alice, client):
    talk.say(game_id=game.pk, player_id=alice.pk, text="between us", now=timezone.now())
    html = html_of(client.get(game.get_absolute_url()))
    assert "between us" not in html
    assert "<form" not in html.partition("<main")[2].partition("</main>")[0]


def test_a_watcher_who_has_seen_it_gets_a_304_until_the_game_goes_on(game, client):
    first = client.get(game.get_absolute_url())
    again = client.get(game.get_absolute_url(), headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 304
    play_both(game, "a1-a3")
    later = client.get(game.get_absolute_url(), headers={"If-None-Match": first["ETag"]})
    assert later.status_code == 200


def test_a_private_game_is_found_by_its_link_alone(start, alice, charlie, as_player, client):
    game = start(private=True, now=timezone.now())
    by_number = f"/games/{game.pk}/"
    assert client.get(by_number).status_code == 404
    assert as_player(charlie).get(f"{by_number}board.svg").status_code == 404
    assert client.get(game.get_absolute_url()).status_code == 200
    assert as_player(alice).get(by_number).url == game.get_absolute_url()


def test_the_clock_of_one_on_vacation_stands_still(game, alice, client):
    alice.vacations.create(began_at=timezone.now() - days(1), ends_at=timezone.now() + days(2))
    assert "the clock stands still until" in html_of(client.get(game.get_absolute_url()))


# Moving


def test_a_move_by_the_form_is_played(game, alice, as_player):
    sent = {"move": "A1 - a3", "ply": 0}
    response = as_player(alice).post(f"{game.get_absolute_url()}move/", sent)
    assert response.url == game.get_absolute_url()
    line = Move.objects.get(game=game, ply=1)
    assert (line.text, line.via) == ("a1-a3", "web")


def test_a_refused_move_says_why_and_keeps_what_was_typed(game, alice, as_player):
    sent = {"move": "a1-k9", "ply": 0}
    response = as_player(alice).post(f"{game.get_absolute_url()}move/", sent)
    assert response.status_code == 422
    html = html_of(response)
    assert 'role="alert"' in html
    assert 'value="a1-k9"' in html
    assert not Move.objects.filter(game=game, ply=1).exists()


def test_a_move_for_an_older_ply_plays_nothing_and_says_so(game, alice, as_player):
    play_both(game, "a1-a3", "k1-k3")
    sent = {"move": "c1-c3", "ply": 0}
    response = as_player(alice).post(f"{game.get_absolute_url()}move/", sent)
    assert response.status_code == 409
    assert "the game has gone on to ply 2" in html_of(response)
    game.refresh_from_db()
    assert game.ply == 2


def test_a_script_that_sends_a_move_gets_what_has_changed(game, alice, as_player):
    address = f"{game.get_absolute_url()}move/"
    script = {"HX-Request": "true"}
    refused = as_player(alice).post(address, {"move": "a1-k9", "ply": 0}, headers=script)
    assert (refused.status_code, 'value="a1-k9"' in html_of(refused)) == (422, True)
    html = html_of(as_player(alice).post(address, {"move": "a1-a3", "ply": 0}, headers=script))
    assert "<html" not in html
    assert re.findall('id="(table-[a-z]+)"', html) == [
        "table-board", "table-move", "table-moves", "table-seats", "table-state", "table-chat",
        "table-listen",
    ]  # fmt: skip
    assert "Move 1: a1-a3." in html


def test_one_who_does_not_play_here_cannot_move(game, charlie, as_player):
    sent = {"move": "a1-a3", "ply": 0}
    response = as_player(charlie).post(f"{game.get_absolute_url()}move/", sent)
    assert response.status_code == 403
    game.refresh_from_db()
    assert game.ply == 0


def test_looking_first_shows_the_board_and_plays_nothing(game, alice, as_player):
    sent = {"move": "a1-a3", "ply": 0, "preview": ""}
    html = html_of(as_player(alice).post(f"{game.get_absolute_url()}move/", sent))
    assert "would stand after a1-a3" in html
    game.refresh_from_db()
    assert game.ply == 0


def test_the_picker_is_told_what_comes_next_for_this_ply_alone(game, alice, bob, as_player):
    address = f"{game.get_absolute_url()}choices/"
    told = as_player(alice).get(address, {"ply": 0, "prefix": ""}).json()
    assert {"token": "a1-a3", "spots": ["a1", "a2", "a3"], "whole": True} in told["choices"]
    assert told["board"].startswith("<svg")
    assert as_player(alice).get(address, {"ply": 7, "prefix": ""}).status_code == 409
    assert as_player(bob).get(address, {"ply": 0, "prefix": ""}).status_code == 409


# Acts


def acted(browser, game, act, **more):
    return browser.post(f"{game.get_absolute_url()}act/", {"act": act, **more})


def test_resigning_is_asked_about_first(game, alice, as_player):
    play_both(game, "a1-a3", "k1-k3")
    browser = as_player(alice)
    assert "Do you really want to resign?" in html_of(acted(browser, game, "resign"))
    game.refresh_from_db()
    assert game.is_running
    acted(browser, game, "resign", sure="yes")
    html = html_of(browser.get(game.get_absolute_url()))
    assert "bob won: resignation." in html
    assert "Play again" in html


def test_a_game_that_has_not_begun_is_called_off(game, bob, as_player):
    browser = as_player(bob)
    acted(browser, game, "abort", sure="yes")
    html = html_of(browser.get(game.get_absolute_url()))
    assert "No result: called off before both had moved." in html


def test_a_draw_is_offered_withdrawn_declined_and_accepted(game, alice, bob, as_player):
    hers, his = as_player(alice), as_player(bob)
    play_both(game, "a1-a3", "k1-k3")
    acted(hers, game, "offer-draw", sure="yes")
    assert "alice offers a draw" in html_of(his.get(game.get_absolute_url()))
    acted(hers, game, "withdraw-draw")
    assert "alice offers a draw" not in html_of(his.get(game.get_absolute_url()))
    play.submit_move(
        game_id=game.pk, player_id=alice.pk, text="c1-c3", ply=2, now=timezone.now(), via="web"
    )
    acted(hers, game, "offer-draw", sure="yes")
    acted(his, game, "decline-draw")
    assert Game.objects.get().draw_offered_by is None
    acted(his, game, "offer-draw", sure="yes")
    acted(hers, game, "accept-draw", sure="yes")
    assert "A draw: agreed." in html_of(his.get(game.get_absolute_url()))


def test_a_move_is_taken_back_with_consent(game, alice, bob, as_player):
    play_both(game, "a1-a3")
    acted(as_player(alice), game, "ask-takeback")
    assert "alice asks to take" in html_of(as_player(bob).get(game.get_absolute_url()))
    acted(as_player(bob), game, "accept-takeback")
    html = html_of(as_player(alice).get(game.get_absolute_url()))
    assert "<s>a1-a3</s>" in html
    assert 'name="move"' in html


def test_a_refused_act_is_told_in_its_sentence(game, alice, as_player):
    browser = as_player(alice)
    acted(browser, game, "decline-draw")
    assert "There is no such offer" in html_of(browser.get(game.get_absolute_url()))


def test_there_is_no_act_of_another_name(game, alice, as_player):
    assert acted(as_player(alice), game, "cheat").status_code == 404


def test_a_rematch_is_offered_and_accepted(game, alice, bob, as_player):
    play_both(game, "a1-a3", "k1-k3")
    play.resign(game_id=game.pk, player_id=alice.pk, now=timezone.now())
    address = f"{game.get_absolute_url()}rematch/"
    as_player(alice).post(address)
    assert "Accept the rematch" in html_of(as_player(bob).get(game.get_absolute_url()))
    begun = as_player(bob).post(address)
    second = Game.objects.exclude(pk=game.pk).get()
    assert begun.url == second.get_absolute_url()


def test_the_two_talk_and_each_keeps_notes(game, alice, bob, as_player):
    hers, his = as_player(alice), as_player(bob)
    hers.post(f"{game.get_absolute_url()}say/", {"text": "<b>hello</b>"})
    hers.post(f"{game.get_absolute_url()}note/", {"note": "watch the corner"})
    html = html_of(his.get(game.get_absolute_url()))
    assert "&lt;b&gt;hello&lt;/b&gt;" in html
    assert "watch the corner" not in html
    assert "watch the corner" in html_of(hers.get(game.get_absolute_url()))


def test_what_the_opponent_writes_can_be_reported_and_hidden(game, alice, bob, as_player):
    line = talk.say(game_id=game.pk, player_id=alice.pk, text="rude", now=timezone.now())
    his = as_player(bob)
    his.post(f"{game.get_absolute_url()}chat/", {"report": line.pk})
    line.refresh_from_db()
    assert line.reported_at
    his.post(f"{game.get_absolute_url()}chat/", {"hide": "yes"})
    assert "rude" not in html_of(his.get(game.get_absolute_url()))
    his.post(f"{game.get_absolute_url()}chat/", {"hide": "no"})
    assert "rude" in html_of(his.get(game.get_absolute_url()))


# News


def listened(html: str) -> str:
    address = re.search(r'hx-get="([^"]+/news/[^"]+)"', html)
    return address[1].replace("&amp;", "&")


def test_no_news_cost_next_to_nothing_and_say_nothing(
    game, bob, as_player, django_assert_max_num_queries
):
    browser = as_player(bob)
    address = listened(html_of(browser.get(game.get_absolute_url())))
    with django_assert_max_num_queries(5):
        response = browser.get(address)
    assert (response.status_code, response.content) == (204, b"")


def test_a_move_is_news_and_brings_the_board_and_the_form(game, bob, as_player):
    browser = as_player(bob)
    address = listened(html_of(browser.get(game.get_absolute_url())))
    play_both(game, "a1-a3")
    html = html_of(browser.get(address))
    for part in ("table-board", "table-move", "table-moves", "table-seats", "table-listen"):
        assert re.search(rf'id="{part}"[^>]*hx-swap-oob="true"', html), part
    assert "<title>Your move" in html
    assert browser.get(listened(html)).status_code == 204


def test_a_chat_line_is_news_that_leaves_a_half_made_move_alone(game, alice, bob, as_player):
    browser = as_player(alice)
    address = listened(html_of(browser.get(game.get_absolute_url())))
    talk.say(game_id=game.pk, player_id=bob.pk, text="take your time", now=timezone.now())
    html = html_of(browser.get(address))
    assert "take your time" in html
    assert 'id="table-board"' not in html
    assert 'id="table-move"' not in html


# Replay and downloads


def test_every_ply_can_be_looked_at_again(game, client):
    play_both(game, "a1-a3", "k1-k3")
    html = html_of(client.get(game.get_absolute_url(), {"ply": 1}))
    assert "This is how it stood after move 1." in html
    assert f'href="{game.get_absolute_url()}?ply=0"' in html
    assert f'href="{game.get_absolute_url()}?ply=2"' in html
    assert "hx-get" not in html.partition('id="table-listen"')[2].partition(">")[0]


@pytest.mark.parametrize("asked", ["99", "-1", "x", "9" * 50])
def test_a_ply_that_there_is_not_shows_the_latest(game, asked, client):
    play_both(game, "a1-a3")
    html = html_of(client.get(game.get_absolute_url(), {"ply": asked}))
    assert "This is how it stood" not in html


def test_the_board_is_downloaded_as_text_drawing_and_picture(game, client):
    play_both(game, "a1-a3", "k1-k3")
    address = game.get_absolute_url()
    assert client.get(f"{address}board.txt").content.startswith(b"Tritt (2009)")
    svg = client.get(f"{address}board.svg", {"ply": 1})
    assert svg["Content-Type"] == "image/svg+xml"
    assert b"<style>" in svg.content
    assert svg.content != client.get(f"{address}board.svg").content
    assert client.get(f"{address}board.png").content.startswith(b"\x89PNG")


def test_the_whole_game_is_downloaded_for_programs_and_for_people(game, client):
    play_both(game, "a1-a3", "k1-k3")
    moves = client.get(f"{game.get_absolute_url()}game.json").json()["moves"]
    assert [line["move"] for line in moves][1:] == ["a1-a3", "k1-k3"]
    assert b"a1-a3" in client.get(f"{game.get_absolute_url()}game.txt").content


def test_a_ruling_is_shown_with_its_reason(game, alice, client):
    game.rulings.create(
        kind="time", reason="The post was late.", made_by=alice, made_at=timezone.now()
    )
    assert "The post was late." in html_of(client.get(game.get_absolute_url()))


def test_the_dice_are_promised_and_proved(start, bob, as_player, client):
    game = start("tritoc", now=timezone.now())
    address = f"{game.get_absolute_url()}dice/"
    html = html_of(as_player(bob).get(address))
    assert game.commitment in html
    assert bytes(game.seed).hex() not in html
    assert "Salt of bob" in html
    play.abort(game_id=game.pk, player_id=bob.pk, now=timezone.now())
    html = html_of(client.get(address))
    assert bytes(game.seed).hex() in html
    assert "Worked out again from the published seed" in html
    assert client.get(f"{game.get_absolute_url()}dice.json").json()["commitment"] == game.commitment


# Where one is, and where next


def current(html: str) -> list[str]:
    nav = html.partition('<ul class="nav">')[2].partition("</ul>")[0]
    return re.findall(r'aria-current="\w+">([^<]+)<', nav)


def test_my_games_is_where_i_am_at_my_own_table_alone(game, alice, charlie, as_player):
    mine = html_of(as_player(alice).get(game.get_absolute_url()))
    assert current(mine) == ["My games"]
    watched = html_of(as_player(charlie).get(game.get_absolute_url()))
    assert current(watched) == []


def test_the_previous_turn_is_the_one_ahead_in_the_list(start, alice, as_player):
    first, second, third = (start(now=timezone.now()) for _ in range(3))
    browser = as_player(alice)
    for asked, wanted in (
        ({}, first),
        ({"after": first.pk}, second),
        ({"after": third.pk}, first),
        ({"before": second.pk}, first),
        ({"before": first.pk}, third),
        ({"before": 0}, third),
    ):
        assert browser.get("/games/next/", asked).url == wanted.get_absolute_url()


def test_the_stream_is_named_to_those_alone_who_may_hear_it(
    start, alice, charlie, as_player, client
):
    open_game = start(now=timezone.now())
    private = start(private=True, now=timezone.now())
    address = f"/api/v1/stream?game={open_game.pk}"
    assert address in html_of(as_player(charlie).get(open_game.get_absolute_url()))
    assert "data-stream" not in html_of(client.get(open_game.get_absolute_url()))
    assert "data-stream" not in html_of(as_player(charlie).get(private.get_absolute_url()))
    assert "data-stream" in html_of(as_player(alice).get(private.get_absolute_url()))


def test_a_move_is_played_at_once_only_by_those_who_wish_it(game, alice, as_player):
    assert "data-plays-at-once" not in html_of(as_player(alice).get(game.get_absolute_url()))
    alice.confirms_moves = False
    alice.save()
    assert "data-plays-at-once" in html_of(as_player(alice).get(game.get_absolute_url()))
