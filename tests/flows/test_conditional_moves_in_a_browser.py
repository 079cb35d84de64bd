"""Conditional moves are planned on the board itself, kept as shown, and played as kept."""

import pytest
from playwright.sync_api import Page, expect

from games import plans
from games.models import Seat
from games.rules.position import Position
from tests.flows.tables import PATIENCE_MS, begin, by_mouse, pick, played, position_of, sit_down

pytestmark = [pytest.mark.flow, pytest.mark.django_db(transaction=True)]

SAYS = "[data-plan-says]"


def after(position: Position, *texts: str) -> Position:
    for text in texts:
        position = position.play(position.parse(text))
    return position


def plan_of(game, seat: int) -> list[dict[str, object]]:
    return plans.of_seat(Seat.objects.get(game=game, number=seat).pk).tree


def add(page: Page) -> None:
    page.get_by_role("button", name="Add to the plan").click()
    expect(page.locator(".alert--success")).to_contain_text("Added")


def test_a_line_is_planned_by_mouse_kept_and_played(pages, site, two):
    game = begin(two, "tritt-classic", swap=False)
    played(game, "e8-g7")
    now = position_of(game)
    page = pages[0]
    page.goto(f"{site}{game.get_absolute_url()}")
    page.get_by_role("link", name="Plan your answer now").click()
    expect(page.locator(SAYS)).to_contain_text("Pick a move of your opponent")
    pick(page, now, "g3-g5", by_mouse, "#plan-move")
    expect(page.locator(SAYS)).to_contain_text("Pick your reply")
    pick(page, after(now, "g3-g5"), "g3-g5>g4-g6", by_mouse, "#plan-then")
    add(page)
    page.get_by_role("link", name="Plan on from here").click()
    expect(page.locator(SAYS)).to_contain_text("Pick a move of your opponent")
    pick(page, after(now, "g3-g5", "g3-g5>g4-g6"), "d5-f5", by_mouse, "#plan-move")
    expect(page.locator(SAYS)).to_contain_text("Pick your reply")
    page.get_by_role("button", name="Resign then").click()
    expect(page.locator(".branch .lost")).to_have_text("resign")
    assert plan_of(game, 0) == [
        {"move": "g3-g5", "dice": None, "then": "g3-g5>g4-g6", "next": [
            {"move": "d5-f5", "dice": None, "then": "resign", "next": []}
        ]}
    ]  # fmt: skip
    played(game, "g3-g5")
    page.goto(f"{site}{game.get_absolute_url()}")
    expect(page.locator(".moves a")).to_have_text(["e8-g7", "g3-g5", "g3-g5>g4-g6"])
    expect(page.locator(".move-way")).to_have_text("conditional move")


def test_a_branch_is_removed_and_the_whole_plan_deleted(pages, site, two):
    game = begin(two, "tritt-classic", swap=False)
    played(game, "e8-g7")
    page = pages[0]
    for move in ("a1-a3", "k1-k3"):
        page.goto(f"{site}{game.get_absolute_url()}plan/")
        page.locator("#plan-move").fill(move)
        page.locator("#plan-then").fill("d5-f5")
        add(page)
    page.get_by_role("button", name="Remove").first.click()
    expect(page.locator(".branch code")).to_have_text(["k1-k3", "d5-f5"])
    assert [branch["move"] for branch in plan_of(game, 0)] == ["k1-k3"]
    page.get_by_text("Delete the whole plan").click()
    page.get_by_role("button", name="Yes, delete it all").click()
    expect(page.get_by_text("Nothing is planned.")).to_be_visible()
    assert plan_of(game, 0) == []


def test_a_reply_is_planned_for_some_totals_of_the_dice(pages, site, two, loaded_dice):
    loaded_dice((2, 3), (3, 4), (1, 2))
    game = begin(two, "tritoc")
    page = pages[1]
    page.goto(f"{site}{game.get_absolute_url()}plan/")
    expect(page.locator(SAYS)).to_contain_text("Pick a move of your opponent")
    pick(page, position_of(game), "1.5", by_mouse, "#plan-move")
    expect(page.locator(SAYS)).to_contain_text("Which totals")
    page.get_by_role("button", name="7", exact=True).click()
    expect(page.locator("#plan-dice")).to_have_value("7")
    page.get_by_role("button", name="Next").click()
    expect(page.locator(SAYS)).to_contain_text("Pick your reply")
    page.locator("[data-picker-board] .choice[data-spot='4.7']").click()
    expect(page.locator("#plan-then")).to_have_value("4.7")
    add(page)
    played(game, "1.5")
    page.goto(f"{site}{game.get_absolute_url()}")
    expect(page.locator(".moves a").last).to_have_text("4.7", timeout=PATIENCE_MS)


def test_a_plan_is_written_and_refused_without_script(browser, site, two):
    game = begin(two, "tritt-classic", swap=False)
    played(game, "e8-g7")
    context = browser.new_context(java_script_enabled=False, locale="en-GB")
    page = sit_down(context, site, two[0], game)
    page.get_by_role("link", name="Plan your answer now").click()
    page.locator("#plan-move").fill("a1-k9")
    page.locator("#plan-then").fill("d5-f5")
    page.get_by_role("button", name="Add to the plan").click()
    expect(page.get_by_role("alert")).to_be_visible()
    expect(page.locator("#plan-move")).to_have_value("a1-k9")
    page.locator("#plan-move").fill("A1 - a3")
    add(page)
    assert [(b["move"], b["then"]) for b in plan_of(game, 0)] == [("a1-a3", "d5-f5")]
    context.close()
