"""A visitor tries a move on each rules page, by pointing, by keyboard and by typing."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

pytestmark = [pytest.mark.flow, pytest.mark.django_db(transaction=True)]

BY_POINTING = {
    "tritt-reloaded": (["c5", "d6", "e7", "g6", "g9", "g7"], "c5-e7 g6-g8>g7-g9"),
    "tritt-classic": (["h4", "h2"], "h3-h5>h2-h4"),
    "tritoc": (["4.9"], "4.9"),
    "tri-trac": (["c4", "c4.wn"], "place c4 wn"),
    "triotrio": (["f1", "f5"], "f1-f5"),
}


@pytest.fixture(autouse=True)
def _no_error_in_the_console(page: Page):
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
    yield
    assert errors == []


def spot(page: Page, name: str) -> Locator:
    return page.locator(f'[data-trial] .choice[data-spot="{name}"]')


@pytest.mark.parametrize("key", BY_POINTING)
def test_a_visitor_makes_a_move_by_pointing(page: Page, site: str, key: str):
    spots, text = BY_POINTING[key]
    page.goto(f"{site}/rules/{key}/#try")
    for name in spots:
        spot(page, name).click()
    expect(page.get_by_label("Your move")).to_have_value(text)
    page.get_by_role("button", name="Play").click()
    expect(page.locator("[data-trial-story]")).to_contain_text(f"Played: {text}")
    expect(page.locator("[data-trial-says]")).to_contain_text(text)
    page.get_by_role("button", name="Take back").click()
    expect(page.locator("[data-trial-story]")).not_to_contain_text("Played:")
    expect(spot(page, spots[0])).to_be_visible()


def test_buttons_tell_apart_what_the_board_cannot(page: Page, site: str):
    page.goto(f"{site}/rules/tri-trac/#try")
    spot(page, "c6").click()
    page.get_by_role("button", name="move c6").click()
    spot(page, "c4").click()
    spot(page, "c4.wn").click()
    expect(page.get_by_label("Your move")).to_have_value("move c6 c4 wn")


def test_undo_goes_back_step_by_step(page: Page, site: str):
    page.goto(f"{site}/rules/triotrio/#try")
    undo = page.get_by_role("button", name="Undo")
    expect(undo).to_be_hidden()
    spot(page, "f1").click()
    spot(page, "f5").click()
    undo.click()
    expect(page.get_by_label("Your move")).to_have_value("f1")
    expect(spot(page, "f5")).to_be_visible()
    undo.click()
    expect(spot(page, "b1")).to_be_visible()
    expect(undo).to_be_hidden()


def test_a_move_can_be_picked_by_keyboard(page: Page, site: str):
    page.goto(f"{site}/rules/triotrio/#try")
    spot(page, "f1").focus()
    page.keyboard.press("Enter")
    expect(spot(page, "f5")).to_be_visible()
    spot(page, "f5").focus()
    page.keyboard.press("Space")
    expect(page.get_by_label("Your move")).to_have_value("f1-f5")


def test_after_a_roll_the_die_is_told(page: Page, site: str):
    page.goto(f"{site}/rules/triotrio/#try")
    page.get_by_label("Your move").fill("f1-f5")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="roll", exact=True).click()
    page.get_by_role("button", name="Play").click()
    expect(page.locator("[data-trial-story]")).to_contain_text(re.compile(r"Thrown: [1-6]"))


def test_a_refused_text_is_explained(page: Page, site: str):
    page.goto(f"{site}/rules/tritoc/#try")
    page.get_by_label("Your move").fill("5.7")
    page.get_by_role("button", name="Play").click()
    expect(page.locator("[data-trial] .alert--error")).to_contain_text("You threw 9")


def test_a_page_fits_a_telephone(page: Page, site: str):
    page.set_viewport_size({"width": 360, "height": 740})
    for key in BY_POINTING:
        page.goto(f"{site}/rules/{key}/")
        assert page.evaluate("document.documentElement.scrollWidth") == 360
