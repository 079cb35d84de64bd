"""Nothing serious is in the way of people who see, hear or move otherwise: on any page."""

from collections.abc import Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import Browser, Page

from accounts.models import Player
from games import lobby, play
from games.clock import PerMove
from games.lobby import Terms
from games.rules.registry import RULESETS
from tests import site_map
from tests.flows.tables import begin, sign_in

pytestmark = [pytest.mark.flow, pytest.mark.django_db(transaction=True)]

GRAVE = ("serious", "critical")
ALL_RULES = {"resultTypes": ["violations"]}
COLOURS_ALONE = {**ALL_RULES, "runOnly": ["color-contrast"]}
EMPTY_PICTURES = """() => document.querySelectorAll(
  "svg[role=img] > :not(title, desc), svg[aria-hidden=true] > *"
).forEach((part) => part.remove())"""
"""What is inside a picture of a board is looked at on the boards that one plays on."""
SHARES = 2
"""Of the pages, so that workers can take them side by side."""
SETTLED = """async () => {
  const frame = () => new Promise((done) => requestAnimationFrame(done));
  await frame();
  for (let rounds = 0; rounds < 100; rounds += 1) {
    await frame();
    const moving = document.getAnimations();
    if (!moving.length) return;
    moving.forEach((one) => one.finish());
  }
  throw new Error("the page keeps moving");
}"""
"""Transitions are ended rather than waited for: Chromium sometimes never says that one is over.
An inherited colour that has arrived begins the children's own."""
FOREIGN = "**/swagger-ui*.js"
"""The list of the API's calls is drawn by a program of others."""


@pytest.fixture
def world(two: tuple[Player, Player]) -> Player:
    alice, bob = two
    now = timezone.now()
    for key in RULESETS:
        begin(two, key)
    over = begin(two, "tritt-classic")
    for ply, (player, text) in enumerate(((alice, "a1-a3"), (bob, "k1-k3"))):
        play.submit_move(
            game_id=over.pk, player_id=player.pk, text=text, ply=ply, now=now, via="web"
        )
    play.resign(game_id=over.pk, player_id=bob.pk, now=now)
    terms = Terms(ruleset="tritoc", clock=PerMove(3), message="Shall we?")
    lobby.seek(challenger=bob, terms=terms, now=now)
    lobby.challenge(challenger=bob, opponent=alice, terms=terms, now=now)
    return alice


def grave_faults(page: Page, options: dict) -> list[str]:
    found = page.evaluate("(options) => axe.run(document, options)", options)["violations"]
    return [
        f"{fault['id']}: {fault['nodes'][0]['html'][:200]}"
        for fault in found
        if fault["impact"] in GRAVE
    ]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(locale="en-GB", reduced_motion="reduce")
    context.set_default_timeout(30_000)
    context.route(FOREIGN, lambda route: route.abort())
    yield context.new_page()
    context.close()


def turn(page: Page, scheme: str) -> None:
    """By day or by night, once the colours have settled."""
    page.emulate_media(color_scheme=scheme)
    page.evaluate(SETTLED)


@pytest.mark.parametrize("share", range(SHARES))
@pytest.mark.parametrize("is_member", [False, True], ids=["visitor", "member"])
def test_no_page_has_a_serious_fault_by_day_or_by_night(
    is_member: bool, share: int, page: Page, site: str, world: Player
):
    if is_member:
        page = sign_in(page.context, site, world)
    looks = [look for look in site_map.looks(world) if look.is_member == is_member]
    faults = []
    for look in looks[share::SHARES]:
        turn(page, "light")
        page.goto(site + look.address)
        page.evaluate(EMPTY_PICTURES)
        page.evaluate(Axe().axe_script)
        faults += [f"{look.title}: {fault}" for fault in grave_faults(page, ALL_RULES)]
        turn(page, "dark")
        faults += [f"{look.title}: {fault}" for fault in grave_faults(page, COLOURS_ALONE)]
    assert not faults, "\n".join(faults)
