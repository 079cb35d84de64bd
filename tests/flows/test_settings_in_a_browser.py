"""Settings, German, and a site without script, in a real browser."""

import pytest
from django.utils import timezone
from playwright.sync_api import Browser, Locator, Page, expect

from games import lobby
from games.clock import PerMove
from games.lobby import Terms
from games.models import Challenge, Game, Participant
from tests.flows.tables import sign_in

pytestmark = [pytest.mark.flow, pytest.mark.django_db(transaction=True)]

GERMAN_HEADINGS = {
    "/": "Nichts wartet auf deinen Zug",
    "/lobby/": "Lobby",
    "/rules/": "Die Regeln",
    "/settings/": "Einstellungen",
}


@pytest.fixture
def page(browser: Browser, site: str, two) -> Page:
    context = browser.new_context(locale="en-GB")
    yield sign_in(context, site, two[0])
    context.close()


def test_what_is_set_is_kept_and_the_page_speaks_german_at_once(page: Page, site: str, two):
    alice = two[0]
    page.goto(f"{site}/settings/")
    page.get_by_label("Time zone").select_option("Asia/Tokyo")
    page.get_by_label("Ask me before a move is played").uncheck()
    page.get_by_label("Language").select_option("de")
    page.locator("form:has(#id_zone) button[type=submit]").click()
    expect(page.locator("html")).to_have_attribute("lang", "de")
    expect(page.locator("#id_zone")).to_have_value("Asia/Tokyo")
    expect(page.locator("#id_confirms_moves")).not_to_be_checked()
    alice.refresh_from_db()
    assert (alice.zone, alice.language, alice.confirms_moves) == ("Asia/Tokyo", "de", False)


def test_a_vacation_that_begins_by_itself_is_switched_on_and_off(page: Page, site: str, two):
    page.goto(f"{site}/settings/")
    switch = page.get_by_label("Begin a vacation by itself before a flag of mine falls")
    for wanted in (True, False):
        switch.set_checked(wanted)
        page.locator("form:has(#automatic) button").click()
        expect(page.get_by_role("status")).to_have_text("Saved.")
        participant = Participant.objects.get(player=two[0])
        assert participant.takes_vacation_automatically is wanted


def test_a_member_who_reads_german_finds_german_headings(page: Page, site: str, two):
    alice = two[0]
    alice.language = "de"
    alice.save(update_fields=["language"])
    for path, heading in GERMAN_HEADINGS.items():
        page.goto(site + path)
        expect(page.locator("html")).to_have_attribute("lang", "de")
        expect(page.locator("h1")).to_have_text(heading)


# Without script


@pytest.fixture
def plain(browser: Browser, site: str, two) -> Page:
    context = browser.new_context(locale="en-GB", java_script_enabled=False)
    yield sign_in(context, site, two[0])
    context.close()


def test_without_script_a_game_is_found_and_played(plain: Page, site: str, two):
    bob = two[1]
    terms = Terms(ruleset="tritt-classic", clock=PerMove(3), side=1)
    lobby.seek(challenger=bob, terms=terms, now=timezone.now())
    plain.goto(f"{site}/lobby/")
    plain.get_by_role("button", name="Accept and play").click()
    game = Game.objects.get()
    assert game.get_absolute_url() in plain.url
    plain.locator("#move").fill("a1-a3")
    plain.get_by_role("button", name="Play", exact=True).click()
    expect(plain.locator(".moves a").last).to_have_text("a1-a3")
    game.refresh_from_db()
    assert (game.ply, game.seat_to_move) == (1, 1)


def test_without_script_a_challenge_is_made(plain: Page, site: str, two):
    plain.goto(f"{site}/challenge/")
    plain.get_by_label("Tritoc", exact=True).check()
    plain.get_by_label("a player", exact=True).check()
    plain.get_by_label("Name of the player").fill("bob")
    plain.get_by_role("button", name="Offer this game").click()
    offer = Challenge.objects.get()
    assert (offer.ruleset, offer.opponent) == ("tritoc", two[1])


def test_without_script_a_visitor_tries_a_move_and_watches_another_game(
    browser: Browser, site: str, transactional_db
):
    context = browser.new_context(locale="en-GB", java_script_enabled=False)
    visitor = context.new_page()
    visitor.goto(site)
    _games_to_watch(visitor).get_by_role("link", name="Tritoc").click()
    expect(visitor.locator("[data-selfplay-board] svg.tritoc")).to_be_visible()
    visitor.locator("#trial-move").fill("c5-e7 g6-g8>g7-g9")
    visitor.get_by_role("button", name="Play", exact=True).click()
    expect(visitor.locator("[data-trial-story]")).to_contain_text("c5-e7 g6-g8>g7-g9")
    context.close()


# With script, on the front page


def test_a_recorded_game_plays_on_until_it_is_paused(browser: Browser, site: str, transactional_db):
    context = browser.new_context(locale="en-GB", reduced_motion="no-preference")
    visitor = context.new_page()
    visitor.goto(site)
    says = visitor.locator("[data-selfplay-says]")
    _games_to_watch(visitor).get_by_role("link", name="Tritoc").click()
    expect(visitor.locator("[data-selfplay-board] svg.tritoc")).to_be_visible()
    expect(says).to_have_text("Thrown: 6 + 2")
    expect(says).to_have_text("Red: 5.8")
    visitor.get_by_role("button", name="Pause").click()
    expect(visitor.get_by_role("button", name="Watch it")).to_be_visible()
    context.close()


def test_whoever_wants_things_to_keep_still_sees_a_game_as_it_ended(
    browser: Browser, site: str, transactional_db
):
    context = browser.new_context(locale="en-GB", reduced_motion="reduce")
    visitor = context.new_page()
    visitor.goto(site)
    expect(visitor.get_by_role("button", name="Watch it")).to_be_visible()
    _games_to_watch(visitor).get_by_role("link", name="TrioTrio").click()
    expect(visitor.locator("[data-selfplay-says]")).to_contain_text("and wins:")
    context.close()


def _games_to_watch(visitor: Page) -> Locator:
    return visitor.get_by_role("navigation", name="Games to watch")
