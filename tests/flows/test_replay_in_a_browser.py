"""Games gone through again: step by step, by keys, by themselves; and lines tried on the side."""

import re

import pytest
from playwright.sync_api import expect

from games.rules.registry import RULESETS
from tests.flows.tables import SHORT_GAME, begin, picked_by, played

pytestmark = [pytest.mark.flow, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def game(two):
    game = begin(two, "tritt-classic", swap=False)
    played(game, *SHORT_GAME)
    return game


def test_a_game_is_stepped_through_by_keys_without_loading_the_page(page, site, game):
    page.goto(site + game.get_absolute_url())
    page.evaluate("window.isTheSamePage = true")
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".steps-ply")).to_have_text("5 / 6")
    page.keyboard.press("Home")
    expect(page.locator(".steps-ply")).to_have_text("0 / 6")
    assert page.url.endswith("?ply=0")
    page.get_by_role("button", name="Replay").click()
    expect(page.locator(".steps-ply")).to_have_text("2 / 6")
    page.get_by_role("button", name="Replay").click()
    expect(page.get_by_role("button", name="Replay")).to_have_attribute("aria-pressed", "false")
    assert page.evaluate("window.isTheSamePage")


def test_a_link_leads_to_a_ply_and_the_way_back_is_kept(page, site, game):
    page.goto(f"{site}{game.get_absolute_url()}?ply=2")
    expect(page.locator(".steps-ply")).to_have_text("2 / 6")
    page.locator(".moves").get_by_text(SHORT_GAME[3], exact=True).click()
    expect(page.locator(".steps-ply")).to_have_text("4 / 6")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".steps-ply")).to_have_text("5 / 6")
    page.go_back()
    expect(page.locator(".steps-ply")).to_have_text("4 / 6")
    page.keyboard.press("End")
    expect(page.locator(".steps-ply")).to_have_text("6 / 6")


def test_a_line_is_tried_from_a_ply_and_the_game_is_not_touched(page, site, game):
    page.goto(f"{site}{game.get_absolute_url()}?ply=0")
    page.get_by_role("link", name="Analyse").click()
    spots, _text, _by_button = next(picked_by(RULESETS[game.ruleset].start(game.options), "a1-a3"))
    for spot in spots:
        page.locator(f"[data-picker-board] .choice[data-spot='{spot}']").click()
    expect(page.locator(".line a").last).to_have_text("a1-a3")
    expect(page.locator("[data-analysis-says]")).to_contain_text("Tried: a1-a3.")
    page.locator("#move").fill("k1-k9")
    page.get_by_role("button", name="Try it").click()
    expect(page.get_by_role("alert")).to_be_visible()
    page.locator("#move").fill("k1-k3")
    page.get_by_role("button", name="Try it").click()
    expect(page.locator(".line a")).to_have_text(["a1-a3", "k1-k3"])
    page.reload()
    expect(page.locator(".line a")).to_have_text(["a1-a3", "k1-k3"])
    page.keyboard.press("ArrowLeft")
    expect(page.locator(".line a")).to_have_text(["a1-a3"])
    page.go_back()
    expect(page.locator(".line a")).to_have_text(["a1-a3", "k1-k3"])
    page.locator("[data-picker-board] .choice").first.click()
    expect(page.get_by_role("button", name="Undo")).to_be_visible()
    game.refresh_from_db()
    assert game.ply == len(SHORT_GAME)


def test_dice_are_set_or_thrown_on_the_analysis_board(page, site, two, loaded_dice):
    loaded_dice((2, 3))
    game = begin(two, "tritoc")
    page.goto(f"{site}{game.get_absolute_url()}analysis/")
    page.locator("#move").fill("1.5")
    page.get_by_role("button", name="Try it").click()
    page.get_by_label("Die 1").select_option("4")
    page.get_by_label("Die 2").select_option("3")
    page.get_by_role("button", name="Set the dice").click()
    expect(page.locator(".line a")).to_have_text(["1.5", "4 + 3"])
    page.locator("#move").fill("1.7")
    page.get_by_role("button", name="Try it").click()
    page.get_by_role("button", name="Throw them").click()
    expect(page.locator(".line a").last).to_have_text(re.compile(r"^[1-6] \+ [1-6]$"))


def test_the_moving_picture_moves_when_it_is_opened_by_itself(page, site, game):
    page.goto(f"{site}{game.get_absolute_url()}game.svg")
    named = page.locator(".ply-0").evaluate("(part) => getComputedStyle(part).animationName")
    assert named == "seen"
    page.emulate_media(reduced_motion="reduce")
    expect(page.locator(f".ply-{len(SHORT_GAME)}")).to_have_css("visibility", "visible")
    expect(page.locator(".ply-0")).to_have_css("animation-name", "none")
