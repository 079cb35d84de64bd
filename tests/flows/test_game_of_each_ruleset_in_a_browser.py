"""A newcomer and a member play a game of each kind from the offer to its end, all with a mouse."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from accounts.models import Player
from games.models import Game
from games.pages.wording import OPTION_NAMES
from games.rules.registry import RULESETS
from tests.conftest import make_player
from tests.flows.tables import PATIENCE_MS, look_again, play, sign_in, sign_up
from tests.flows.written import shortest
from tests.rules.playthroughs import Options

pytestmark = [pytest.mark.flow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def bob(transactional_db: None) -> Player:
    return make_player("bob")


@pytest.fixture
def bobs(browser: Browser, site: str, bob: Player) -> Iterator[Page]:
    """The page in front of him."""
    context = browser.new_context(locale="en-GB")
    yield sign_in(context, site, bob)
    context.close()


def offer(page: Page, key: str, options: Options) -> None:
    """From the front page, to begin oneself."""
    page.get_by_role("link", name="New game").first.click()
    page.get_by_label(RULESETS[key].name, exact=True).click()
    for name, value in options.items():
        field = page.locator(f"[data-of='{key}']").get_by_label(str(OPTION_NAMES[name]))
        if isinstance(value, bool):
            field.set_checked(value)
        else:
            field.fill(str(value))
    page.get_by_label("I begin").click()
    page.get_by_role("button", name="Offer this game").click()
    expect(page.get_by_text("Your offer is in the lobby.")).to_be_visible()


def sit_down_together(doras: Page, bobs: Page, site: str) -> Game:
    bobs.goto(site)
    bobs.get_by_role("link", name="Lobby").first.click()
    bobs.get_by_role("button", name="Accept and play").click()
    expect(bobs.locator("#table-state")).to_contain_text("dora is to move.")
    doras.get_by_role("link", name="My games").first.click()
    doras.locator(".turn-link").click()
    return Game.objects.get()


@pytest.mark.parametrize("key", RULESETS)
def test_a_newcomer_plays_a_whole_game_by_mouse(key, page, bobs, site, loaded_dice):
    written = shortest(key)
    loaded_dice(*written.throws)
    sign_up(page, site)
    page.goto(site)
    offer(page, key, written.options)
    game = sit_down_together(page, bobs, site)
    both = (page, bobs)
    for ply, text in enumerate(written.moves, 1):
        game.refresh_from_db()
        mover = game.seat_to_move
        play(both[mover], game, text)
        see(both[1 - mover], ply, text)
    game.refresh_from_db()
    assert (game.reason, game.ply) == (written.end, len(written.moves))
    for seen in both:
        expect(seen.locator("#table-state")).to_contain_text("It ended on")
        expect(seen.get_by_role("button", name="Play again")).to_be_visible()


def see(page: Page, ply: int, text: str) -> None:
    """What the other has played is there without loading the page, and is read out."""
    look_again(page)
    expect(page.locator(".move-ply").last).to_have_text(str(ply), timeout=PATIENCE_MS)
    expect(page.locator(".moves a").last).to_have_text(text)
    expect(page.locator("[data-table-says]")).to_contain_text(f"Move {ply}: {text}.")
