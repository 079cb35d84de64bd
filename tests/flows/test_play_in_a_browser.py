"""Moves made as people make them: quickly, by keyboard, by touch, and with no script at all."""

import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings as the_settings
from django.contrib.sessions.models import Session
from django.db import connection
from django.utils import timezone
from playwright.sync_api import Locator, Page, Route, expect

from games import play as doors
from games import talk
from games.models import Game
from games.rules.registry import RULESETS
from tests.flows.tables import (
    PATIENCE_MS,
    Keys,
    Touch,
    begin,
    by_mouse,
    by_touch,
    look_again,
    pick,
    picked_by,
    play,
    played,
    position_of,
    sit_down,
)
from tests.flows.written import shortest

pytestmark = [pytest.mark.flow, pytest.mark.django_db(transaction=True)]


def test_a_half_made_move_is_undone_and_another_made(pages, site, two):
    game = begin(two, "tritt-classic")
    page = pages[0]
    page.goto(site + game.get_absolute_url())
    pick(page, position_of(game), "a1-a3", by_mouse)
    expect(page.get_by_text("The board shows how it would stand.")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#move")).to_have_value("")
    expect(page.get_by_text("The board shows how it would stand.")).to_be_hidden()
    play(page, game, "e8-g7")


@pytest.mark.parametrize("key", RULESETS)
def test_a_move_is_undone_and_made_after_the_answer_came_live(key, pages, site, two, loaded_dice):
    written = shortest(key)
    loaded_dice(*written.throws)
    game = begin(two, key, **written.options)
    seat = 1 - game.seat_to_move
    page = pages[seat]
    page.goto(site + game.get_absolute_url())
    for ply, text in enumerate(written.moves[:5]):
        game.refresh_from_db()
        if ply and game.seat_to_move == seat:
            pick(page, position_of(game), text, by_mouse)
            for _part in picked_by(position_of(game), text):
                page.get_by_role("button", name="Undo").click()
            expect(page.locator("#move")).to_have_value("")
        move(page, seat, game, text, by_mouse)


# Quick hands


def held_back(page) -> list[Route]:
    """Answers to what can follow wait in this list."""
    waiting: list[Route] = []
    page.route("**/choices/**", lambda route: waiting.append(route))
    return waiting


def test_what_is_picked_can_be_sent_before_the_board_has_answered(pages, site, two):
    game = begin(two, "tritt-classic")
    page = pages[0]
    waiting = held_back(page)
    page.goto(site + game.get_absolute_url())
    spots, text, _by_button = next(picked_by(position_of(game), "a1-a3"))
    for spot in spots:
        page.locator(f"[data-picker-board] .choice[data-spot='{spot}']").click()
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".moves a").last).to_have_text(text)
    assert len(waiting) == 1


def test_a_quick_roll_on_a_rules_page_is_not_lost(page, site):
    page.goto(f"{site}/rules/triotrio/#try")
    page.get_by_label("Your move").fill("f1-f5")
    page.keyboard.press("Enter")
    waiting = held_back(page)
    page.get_by_role("button", name="roll", exact=True).click()
    page.get_by_role("button", name="Play").click()
    expect(page.locator("[data-trial-story]")).to_contain_text("Played: roll")
    assert len(waiting) == 1


def test_what_is_typed_while_the_board_is_asked_stays(pages, site, two):
    game = begin(two, "tritt-classic")
    page = pages[0]
    waiting = held_back(page)
    page.goto(site + game.get_absolute_url())
    pick(page, position_of(game), "a1-a3", by_mouse)
    page.locator("#move").fill("e8-g7")
    waiting[0].continue_()
    expect(page.locator("[data-picker-board]")).not_to_have_attribute("aria-busy", "true")
    expect(page.locator("#move")).to_have_value("e8-g7")


TWO_CLICKS = """(button) => {
  const wasStopped = [];
  addEventListener("submit", (event) => {
    wasStopped.push(event.defaultPrevented);
    event.preventDefault();
  });
  button.click();
  button.click();
  return wasStopped;
}"""


def test_a_double_click_says_it_once(pages, site, two):
    game = begin(two, "tritt-classic")
    page = pages[0]
    page.goto(site + game.get_absolute_url())
    page.locator("#say").fill("hello")
    send = page.get_by_role("button", name="Send")
    assert send.evaluate(TWO_CLICKS) == [False, True]


def test_whoever_wishes_plays_without_a_button(pages, site, two):
    alice = two[0]
    alice.confirms_moves = False
    alice.save()
    game = begin(two, "tritt-reloaded")
    page = pages[0]
    page.goto(site + game.get_absolute_url())
    pick(page, position_of(game), "f6-h4", by_mouse)
    expect(page.locator(".moves a").last).to_have_text("f6-h4")
    played(game, "f4-d4")
    page.reload()
    # A slide may still follow an entry, so here one is asked.
    pick(page, position_of(game), "g3-i3", by_mouse)
    expect(page.locator("[data-picker-board]")).not_to_have_attribute("aria-busy", "true")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()
    game.refresh_from_db()
    assert game.ply == 2


# What the page is told of a move


def test_a_refused_move_is_answered_where_it_was_written(pages, site, two):
    game = begin(two, "tritt-classic")
    page = pages[0]
    page.goto(site + game.get_absolute_url())
    page.evaluate("globalThis.isTheSamePage = true")
    page.locator("#move").fill("a1-k1")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("a1-k1")
    expect(page.locator("#move")).to_have_value("a1-k1")
    page.locator("#move").fill("a1-a3")
    page.get_by_role("button", name="Look first").click()
    expect(page.locator("[data-table-says]")).to_contain_text("would stand after a1-a3")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".moves a").last).to_have_text("a1-a3")
    expect(page).to_have_title("Tritt (2009): alice – bob · Tripost")
    assert page.evaluate("globalThis.isTheSamePage")


def test_whoever_was_signed_out_meanwhile_is_asked_to_sign_in(pages, site, two):
    game = begin(two, "tritt-classic")
    page = pages[0]
    page.goto(site + game.get_absolute_url())
    Session.objects.all().delete()
    pick(page, position_of(game), "a1-a3", by_mouse)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("button", name="Sign in")).to_be_visible()


# Keyboard, touch, no script

ARROWS = {"L": "ArrowLeft", "R": "ArrowRight", "U": "ArrowUp", "D": "ArrowDown"}


def test_a_whole_game_is_won_by_keyboard_alone_and_read_out(pages, site, two, loaded_dice):
    written = shortest("tritoc")
    loaded_dice(*written.throws)
    game = begin(two, "tritoc", **written.options)
    page = pages[0]
    page.goto(site + game.get_absolute_url())
    keys = Keys(page)
    for ply, text in enumerate(written.moves, 1):
        pressed = keys.pressed
        move(page, 0, game, text, keys)
        # Only at first does one come from the top of the page; then the board keeps its place.
        assert ply == 1 or keys.pressed - pressed <= 8
        expect(page.locator("[data-table-says]")).to_contain_text(f"Move {ply}: {text}.")
        if ply < len(written.moves):
            expect(page.locator("[data-table-says]")).to_contain_text(thrown(game))
    expect(page.locator("#table-state")).to_contain_text("alice won: three fields in a row")
    expect(page.locator("[data-table-says]")).to_contain_text("Red has won")


def move(page: Page, seat: int, game: Game, text: str, touch: Touch) -> None:
    """A ply by whoever's it is: on this page by the seat, or elsewhere, and the page shows it."""
    game.refresh_from_db()
    if game.seat_to_move == seat:
        play(page, game, text, touch)
    else:
        played(game, text)
        look_again(page)
        expect(page.locator(".move-ply").last).to_have_text(str(game.ply + 1), timeout=PATIENCE_MS)


def thrown(game: Game) -> str:
    throws = game.moves.order_by("-ply")[0].throws
    return "Thrown: " + " · ".join("+".join(map(str, faces)) for faces in throws) + "."


def test_arrows_go_from_spot_to_spot(pages, site, two, loaded_dice):
    loaded_dice((1, 2))
    page = pages[0]
    page.goto(site + begin(two, "tritoc").get_absolute_url())
    expect(page.locator("[data-picker-board].is-live")).to_be_visible()
    here = page.locator("[data-picker-board] :focus")
    page.locator("[data-picker-board] [data-spot='1.3']").focus()
    for key, spot in zip("RDLLU", ("2.3", "5.3", "4.3", "4.3", "1.3"), strict=True):
        page.keyboard.press(ARROWS[key])
        expect(here).to_have_attribute("data-spot", spot)
    page.keyboard.press("Space")
    expect(page.locator("#move")).to_have_value("1.3")
    expect(page.get_by_role("button", name="Play", exact=True)).to_be_focused()


def test_arrows_go_from_row_to_row_of_a_board_with_six_sides(pages, site, two):
    page = pages[0]
    page.goto(site + begin(two, "tritt-classic").get_absolute_url())
    expect(page.locator("[data-picker-board].is-live")).to_be_visible()
    here = page.locator("[data-picker-board] :focus")
    page.locator("[data-picker-board] [data-spot='f6']").focus()
    for key, row in zip("UUDR", "ghgg", strict=True):
        page.keyboard.press(ARROWS[key])
        expect(here).to_have_attribute("data-spot", re.compile(row))


REACHED_BY_ARROWS = """(arrows) => {
  const spots = document.querySelectorAll("[data-picker-board] .choice");
  const reached = new Set([spots[0]]);
  for (const spot of reached) {
    for (const key of arrows) {
      spot.focus();
      spot.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
      reached.add(document.activeElement);
    }
  }
  return [reached.size, spots.length];
}"""


@pytest.mark.parametrize("key", ["tritt-classic", "tri-trac"])
def test_arrows_reach_every_spot_of_a_board_with_six_sides(key, pages, site, two):
    game = begin(two, key)
    played(game, *shortest(key).moves[:2])
    page = pages[0]
    page.goto(site + game.get_absolute_url())
    expect(page.locator("[data-picker-board].is-live")).to_be_visible()
    reached, spots = page.evaluate(REACHED_BY_ARROWS, list(ARROWS.values()))
    assert reached == spots > 10


def test_a_whole_game_is_played_by_touch_on_a_narrow_screen(browser, site, two):
    written = shortest("tritt-reloaded")
    game = begin(two, "tritt-reloaded", **written.options)
    # A phone of 390 by 844 pixels, less the bars of its browser.
    narrow = {"width": 390, "height": 664}
    context = browser.new_context(viewport=narrow, has_touch=True, is_mobile=True, locale="en-GB")
    page = sit_down(context, site, two[1], game)
    for ply, text in enumerate(written.moves, 1):
        move(page, 1, game, text, touch_in_sight)
        expect(page.locator("[data-table-says]")).to_contain_text(f"Move {ply}: {text}.")
    expect(page.locator("#table-state")).to_contain_text("the loser made a line of three")
    for address in ("", "analysis/", "plan/"):
        page.goto(site + game.get_absolute_url() + address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()


def touch_in_sight(spot: Locator) -> None:
    """Where one need not scroll: the board and what sends the move are on the screen together."""
    by_touch(spot)
    expect(spot.page.locator("[data-picker-board]")).to_be_in_viewport(ratio=1)
    assert spot.page.evaluate("scrollY") == 0


def test_a_game_is_played_and_resigned_without_script(browser, site, two):
    game = begin(two, "tritt-classic")
    context = browser.new_context(java_script_enabled=False, locale="en-GB")
    page = sit_down(context, site, two[0], game)
    page.locator("#move").fill("a1-k1")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.locator("#move")).to_have_value("a1-k1")
    page.locator("#move").fill("e8-g7")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#table-state")).to_contain_text("bob is to move.")
    played(game, "g3-g5")
    page.reload()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Resign").click()
    expect(page.locator("#table-state")).to_contain_text("bob won: resignation.")
    context.close()


def test_a_visitor_wins_on_the_front_page(page, site):
    page.goto(site)
    page.locator("#trial-move").fill("c5-e7 g6-g8>g7-g9")
    page.locator("[data-trial]").get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("[data-trial-story]")).to_contain_text("Orange has won")
    expect(page.locator("h1")).to_contain_text("Board games by post")


# From game to game


def test_keys_lead_to_the_next_and_the_previous_turn(pages, site, two):
    games = [begin(two, "tritt-classic") for _ in range(3)]
    addresses = [site + game.get_absolute_url() for game in games]
    page = pages[0]
    page.goto(f"{site}/games/")
    expect(page).to_have_title("(3) My games · Tripost")
    page.keyboard.press("n")
    page.wait_for_url(addresses[0])
    page.keyboard.press("n")
    page.wait_for_url(addresses[1])
    page.keyboard.press("p")
    page.wait_for_url(addresses[0])
    page.keyboard.press("p")
    page.wait_for_url(addresses[2])
    page.locator("#move").fill("")
    page.locator("#move").press_sequentially("np")
    assert (page.url, page.locator("#move").input_value()) == (addresses[2], "np")


# News by themselves


@pytest.fixture
def stream(site: str, settings) -> Iterator[None]:
    """The stream beside the site, in a process of its own."""
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = trial.getsockname()[1]
    settings.STREAM_URL = f"http://{urlsplit(site).hostname}:{port}"
    policy = settings.CONTENT_SECURITY_POLICY["DIRECTIVES"]
    listening = {"connect-src": [*policy["connect-src"], settings.STREAM_URL]}
    settings.CONTENT_SECURITY_POLICY = {"DIRECTIVES": policy | listening}
    name = connection.settings_dict["NAME"]
    database = urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}"))
    command = ["-m", "granian", "--interface", "asginl", "config.stream:application"]
    process = subprocess.Popen(
        [sys.executable, *command, "--port", str(port), "--no-ws", "--log-level", "warning"],
        cwd=the_settings.BASE_DIR,
        env={**os.environ, "DATABASE_URL": database, "SITE_URL": site},
    )
    _wait_until_it_listens(port)
    yield
    process.terminate()
    process.wait(30)


def _wait_until_it_listens(port: int) -> None:
    give_up_at = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            assert time.monotonic() < give_up_at
            time.sleep(0.05)


def test_moves_and_turns_appear_as_the_stream_tells_of_them(stream, pages, site, two):
    """The pages do not ask of their own accord: their clock stands still."""
    game = begin(two, "tritt-classic")
    alice, bob = pages
    for page in pages:
        page.add_init_script("globalThis.setInterval = () => 0")
    with bob.expect_response("**/api/v1/stream**"):
        bob.goto(site + game.get_absolute_url())
    with alice.expect_response("**/api/v1/stream**"):
        alice.goto(f"{site}/games/")
    expect(alice).to_have_title("(1) My games · Tripost")
    played(game, "e8-g7")
    expect(bob.locator(".moves a").last).to_have_text("e8-g7", timeout=PATIENCE_MS)
    expect(bob).to_have_title("Your move · Tritt (2009): alice – bob · Tripost")
    played(game, "g3-g5")
    doors.resign(game_id=game.pk, player_id=two[0].pk, now=timezone.now())
    expect(bob.locator("#table-state")).to_contain_text("bob won", timeout=PATIENCE_MS)
    begin(two, "tritt-classic")
    played(begin(two[::-1], "tritt-classic"), "e8-g7")
    expect(alice).to_have_title("(2) My games · Tripost", timeout=PATIENCE_MS)


def test_without_a_stream_the_page_asks_by_itself(pages, site, two):
    game = begin(two, "tritt-classic")
    bob = pages[1]
    bob.goto(site + game.get_absolute_url())
    talk.say(game_id=game.pk, player_id=two[0].pk, text="good luck", now=timezone.now())
    expect(bob.locator(".chat")).to_contain_text("good luck", timeout=PATIENCE_MS * 2)
