"""From the front page to the first game and the first call of the API, as a person does it."""

import json
import urllib.request

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import Player
from games import lobby
from games.clock import PerMove
from games.lobby import Terms
from games.models import Game
from tests.conftest import PASSWORD, make_player
from tests.flows.tables import play, sign_up

pytestmark = [pytest.mark.flow, pytest.mark.django_db(transaction=True)]


def test_a_newcomer_signs_up_verifies_and_calls_the_api(page: Page, site: str):
    sign_up(page, site)
    page.goto(f"{site}/settings/")
    expect(page.get_by_label("Time zone")).to_have_value("Australia/Sydney")
    page.get_by_label("Time zone").select_option("Europe/Vienna")
    page.locator("form:has(#id_zone) button[type=submit]").click()
    expect(page.get_by_role("status")).to_have_text("Saved.")
    assert Player.objects.get(name="dora").zone == "Europe/Vienna"

    page.goto(f"{site}/settings/tokens/")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Go on").click()
    page.get_by_label("Name", exact=True).fill("my bot")
    page.get_by_role("button", name="Make the token").click()
    secret = page.locator("#secret").inner_text()
    request = urllib.request.Request(
        f"{site}/api/v1/me", headers={"Authorization": f"Bearer {secret}"}
    )
    with urllib.request.urlopen(request) as answer:
        me = json.load(answer)
    assert (me["name"], me["zone"], me["scopes"]) == ("dora", "Europe/Vienna", ["read"])


def test_a_newcomer_is_at_the_first_game_within_a_few_clicks(page: Page, site: str):
    terms = Terms(ruleset="tritt-classic", clock=PerMove(3), side=1)
    lobby.seek(challenger=make_player("bob"), terms=terms, now=timezone.now())
    sign_up(page, site)
    page.goto(site)
    page.get_by_role("button", name="Accept and play").click()
    expect(page.locator("#move")).to_be_visible()
    game = Game.objects.get()
    play(page, game, "a1-a3")
    game.refresh_from_db()
    assert (game.ply, game.seat_to_move) == (1, 1)
    page.goto(f"{site}/games/")
    expect(page.get_by_role("link", name="bob").or_(page.get_by_text("bob")).first).to_be_visible()


def test_a_browser_that_asks_for_german_gets_german(browser, site: str):
    context = browser.new_context(locale="de-DE")
    page = context.new_page()
    page.goto(f"{site}/accounts/login/")
    expect(page.locator("html")).to_have_attribute("lang", "de")
    context.close()
