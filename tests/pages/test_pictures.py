"""Pictures of boards are made once, kept, and never made in a pile."""

import threading

import pytest

from games import pictures, play, rendering, rulings
from tests.conftest import NOW
from tests.games.acts import both_move, move

PICTURES = ("board.svg", "board.png", "game.svg")


@pytest.fixture
def game(start):
    game = start("tritt-reloaded")
    both_move(game)
    return game


@pytest.fixture
def painted(monkeypatch):
    """How often a picture was painted."""
    times = []
    paint = pictures.png_apart
    monkeypatch.setattr(pictures, "png_apart", lambda *a, **k: times.append(1) or paint(*a, **k))
    return times


def end(game):
    play.resign(game_id=game.pk, player_id=game.seats.get(number=0).player_id, now=NOW)


@pytest.mark.parametrize("name", PICTURES)
def test_what_a_browser_has_is_not_sent_again(game, client, name):
    address = game.get_absolute_url() + name
    first = client.get(address)
    assert first["Cache-Control"] == "no-cache, public"
    again = client.get(address, HTTP_IF_NONE_MATCH=first["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    move(game)
    assert client.get(address, HTTP_IF_NONE_MATCH=first["ETag"]).status_code == 200


@pytest.mark.parametrize("name", PICTURES)
def test_once_the_game_is_over_a_picture_is_immutable(game, client, as_player, alice, name):
    end(game)
    address = f"{game.get_absolute_url()}{name}?ply=1"
    said = client.get(address)["Cache-Control"]
    assert "immutable" in said
    assert "public" in said
    assert "private" in as_player(alice).get(address)["Cache-Control"]


@pytest.mark.parametrize("name", PICTURES)
@pytest.mark.parametrize("asked", ["", "?ply=999", "?ply=x"])
def test_the_last_picture_is_asked_for_again_for_a_ruling_may_reopen_the_game(
    game, client, charlie, name, asked
):
    end(game)
    address = game.get_absolute_url() + name + asked
    last = client.get(address)
    assert last["Cache-Control"] == "no-cache, public"
    rulings.reopen(game_id=game.pk, hours=5, by=charlie, reason="A mistake", now=NOW)
    move(game)
    assert client.get(address, HTTP_IF_NONE_MATCH=last["ETag"]).status_code == 200


def test_many_visitors_cause_one_painting(game, client, painted):
    for _ in range(8):
        assert client.get(f"{game.get_absolute_url()}board.png").status_code == 200
    assert len(painted) == 1
    client.get(f"{game.get_absolute_url()}board.png", {"theme": "dark"})
    client.get(f"{game.get_absolute_url()}board.png", {"ply": 1})
    assert len(painted) == 3


def test_a_web_process_does_not_paint(game, client, monkeypatch):
    """To paint holds the interpreter, and all other requests of the process with it."""
    monkeypatch.setattr(pictures.resvg_py, "svg_to_bytes", lambda **_: pytest.fail("painted here"))
    assert client.get(f"{game.get_absolute_url()}board.png").content[:4] == b"\x89PNG"


def test_those_who_come_while_it_is_painted_get_the_same():
    started, go_on = threading.Event(), threading.Event()
    made: list[int] = []

    def make() -> bytes:
        made.append(1)
        started.set()
        go_on.wait(5)
        return b"picture"

    got: list[bytes] = []
    visitors = [
        threading.Thread(target=lambda: got.append(rendering.made_once("key", make)))
        for _ in range(8)
    ]
    for visitor in visitors:
        visitor.start()
    started.wait(5)
    go_on.set()
    for visitor in visitors:
        visitor.join()
    assert (len(made), got) == (1, [b"picture"] * 8)


def test_a_pile_of_paintings_is_refused_with_a_time_to_come_again(game, client, monkeypatch):
    monkeypatch.setattr(rendering, "PATIENCE", 0.01)
    with rendering._easel:
        answer = client.get(f"{game.get_absolute_url()}board.png")
    assert (answer.status_code, answer["Retry-After"]) == (503, "3")
    assert "Try again in a few seconds" in answer.content.decode()
    assert client.get(f"{game.get_absolute_url()}board.png").status_code == 200


def crash(monkeypatch):
    monkeypatch.setattr(pictures.sys, "executable", "/bin/false")


def take_too_long(monkeypatch):
    monkeypatch.setattr(pictures, "LONGEST_SECONDS", 0.001)


@pytest.mark.parametrize("fail", [crash, take_too_long])
def test_a_painting_that_fails_is_no_error_and_is_tried_again(game, client, monkeypatch, fail):
    address = f"{game.get_absolute_url()}board.png"
    with monkeypatch.context() as for_now:
        fail(for_now)
        answer = client.get(address)
    assert (answer.status_code, answer["Retry-After"]) == (503, "3")
    assert "This picture cannot be made at the moment." in answer.content.decode()
    assert client.get(address).status_code == 200


def test_what_is_kept_is_bounded_in_bytes():
    kept = rendering.Kept(10)
    for key in "abc":
        kept.put(key, b"1234")
    assert [kept.get(key) for key in "abc"] == [None, b"1234", b"1234"]
    kept.put("d", b"x" * 11)
    assert [kept.get(key) for key in "abcd"] == [None] * 4
