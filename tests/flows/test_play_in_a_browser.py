"""Games played as people play them: two browsers, a mouse, a keyboard, no script at all."""

from collections.abc import Iterator

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect

from accounts.models import Player
from games.clock import PerMove
from games.models import Game
from games.play import submit_move
from games.rules.position import Position
from games.rules.registry import RULESETS
from games.starting import start_game
from tests.conftest import PASSWORD, make_player

pytestmark = [pytest.mark.flow, pytest.mark.django_db(transaction=True)]

WAITS_FOR_NEWS_MS = 20_000
SHORT_GAME = ["e8-g7", "g3-g5", "g3-g5>g4-g6", "d5-f5", "h3-h5", "h3-h5>h2-h4"]


@pytest.fixture
def two(transactional_db: None) -> tuple[Player, Player]:
    return make_player("alice"), make_player("bob")


def begin(two: tuple[Player, Player], key: str, **options: object) -> Game:
    return start_game(
        ruleset=key,
        options=options,
        players=two,
        clock_settings=PerMove(3),
        now=timezone.now(),
    )


def sign_in(context: BrowserContext, site: str, name: str) -> Page:
    page = context.new_page()
    page.goto(f"{site}/accounts/login/")
    page.locator("[name=login]").fill(name)
    page.locator("[name=password]").fill(PASSWORD)
    page.locator("main button[type=submit]").first.click()
    expect(page.locator("header .menu-name")).to_have_text(name)
    return page


@pytest.fixture
def pages(browser: Browser, site: str, two: tuple[Player, Player]):
    """Alice's and Bob's browser, each signed in."""
    contexts = [browser.new_context(locale="en-GB") for _ in two]
    for context in contexts:
        context.set_default_timeout(15_000)
    yield [
        sign_in(context, site, player.name) for context, player in zip(contexts, two, strict=True)
    ]
    for context in contexts:
        context.close()


def picked_by(position: Position, text: str) -> Iterator[tuple[list[str], str]]:
    """The spots to point at for each part of a move, and what is written after it."""
    done = ""
    while done != text:
        choices = position.choices(done)
        fitting = [choice for choice in choices if text.startswith(done + choice.token)]
        wanted = max(fitting, key=lambda choice: len(choice.token))
        spots: list[str] = []
        for spot in wanted.spots:
            spots.append(spot)
            if sum(set(spots) <= set(choice.spots) for choice in choices) == 1:
                break
        done += wanted.token
        yield spots, done


def position_of(game: Game) -> Position:
    game.refresh_from_db()
    return RULESETS[game.ruleset].load(game.position)


def pick(page: Page, game: Game, text: str, point) -> None:
    """Puts a move together on the board, or by the buttons for what has no place there."""
    for spots, written in picked_by(position_of(game), text):
        for spot in spots:
            point(page.locator(f"[data-picker-board] .choice[data-spot='{spot}']"))
        if not spots:
            page.get_by_role("button", name=written, exact=True).click()
        expect(page.locator("#move")).to_have_value(written)


def by_mouse(spot: Locator) -> None:
    spot.click()


def by_key(spot: Locator) -> None:
    spot.focus()
    spot.press("Enter")


def play_by_mouse(page: Page, game: Game, text: str) -> None:
    expect(page.locator("#move")).to_be_visible(timeout=WAITS_FOR_NEWS_MS)
    pick(page, game, text, by_mouse)
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator(".moves a").last).to_have_text(text)


def test_two_play_a_game_to_its_end_by_mouse_and_see_each_other_move(pages, site, two):
    game = begin(two, "tritt-classic", swap=False)
    alice, bob = pages
    for page in pages:
        page.goto(site + game.get_absolute_url())
    for ply, text in enumerate(SHORT_GAME):
        page = (alice, bob)[ply % 2]
        if ply > 1:
            page.reload()  # To wait for the news once is enough.
        play_by_mouse(page, game, text)
    for page in pages:
        expect(page.locator("#table-state")).to_contain_text(
            "bob won: a line of three", timeout=WAITS_FOR_NEWS_MS
        )
    game.refresh_from_db()
    assert (game.score, game.reason, game.ply) == (0, "line", len(SHORT_GAME))


def test_a_half_made_move_is_undone_and_another_made(pages, site, two):
    game = begin(two, "tritt-classic")
    page = pages[0]
    page.goto(site + game.get_absolute_url())
    pick(page, game, "a1-a3", by_mouse)
    page.get_by_role("button", name="Undo").click()
    expect(page.locator("#move")).to_have_value("")
    play_by_mouse(page, game, "e8-g7")


def test_a_move_is_made_by_keyboard_alone_and_read_out(pages, site, two):
    game = begin(two, "tri-trac")
    alice, bob = pages
    for page in pages:
        page.goto(site + game.get_absolute_url())
    pick(alice, game, "place c4 wn", by_key)
    alice.get_by_role("button", name="Play", exact=True).press("Enter")
    expect(alice.locator(".moves a").last).to_have_text("place c4 wn")
    expect(bob.locator("[data-table-says]")).to_contain_text(
        "place c4 wn", timeout=WAITS_FOR_NEWS_MS
    )


def test_a_game_is_stepped_through_by_keys_without_loading_the_page(pages, site, two):
    game = begin(two, "tritt-classic", swap=False)
    for ply, text in enumerate(SHORT_GAME):
        submit_move(
            game_id=game.pk, player_id=two[ply % 2].pk, text=text, ply=ply,
            now=timezone.now(), via="web",
        )  # fmt: skip
    page = pages[0]
    page.goto(site + game.get_absolute_url())
    page.evaluate("window.isTheSamePage = true")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".steps-ply")).to_have_text("5 / 6")
    page.keyboard.press("Home")
    expect(page.locator(".steps-ply")).to_have_text("0 / 6")
    assert page.url.endswith("?ply=0")
    page.get_by_role("button", name="Play it").click()
    expect(page.locator(".steps-ply")).to_have_text("2 / 6")
    assert page.evaluate("window.isTheSamePage")


def test_a_game_is_played_and_resigned_without_script(browser, site, two):
    game = begin(two, "tritt-classic")
    context = browser.new_context(java_script_enabled=False, locale="en-GB")
    page = sign_in(context, site, "alice")
    page.goto(site + game.get_absolute_url())
    page.locator("#move").fill("a1-k1")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.locator("#move")).to_have_value("a1-k1")
    page.locator("#move").fill("e8-g7")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("#table-state")).to_contain_text("bob is to move.")
    submit_move(
        game_id=game.pk, player_id=two[1].pk, text="g3-g5", ply=1, now=timezone.now(), via="web"
    )
    page.reload()
    page.get_by_role("button", name="Resign").click()
    page.get_by_role("button", name="Resign").click()
    expect(page.locator("#table-state")).to_contain_text("bob won: resignation.")
    context.close()


def test_a_touch_on_a_narrow_screen_is_enough(browser, site, two):
    game = begin(two, "tritt-reloaded")
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True, locale="en-GB"
    )
    page = sign_in(context, site, "alice")
    page.goto(site + game.get_absolute_url())
    pick(page, game, "f6-h4", lambda spot: spot.tap())
    page.get_by_role("button", name="Play", exact=True).tap()
    expect(page.locator(".moves a").last).to_have_text("f6-h4")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    context.close()


def test_a_visitor_wins_on_the_front_page(page, site):
    page.goto(site)
    page.locator("#trial-move").fill("c5-e7 g6-g8>g7-g9")
    page.locator("[data-trial]").get_by_role("button", name="Play", exact=True).click()
    expect(page.locator("[data-trial-story]")).to_contain_text("Orange has won")
    expect(page.locator("h1")).to_contain_text("Board games by post")
