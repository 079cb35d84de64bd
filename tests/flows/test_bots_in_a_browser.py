"""A newcomer plays the bots in a browser: wins, loses, and keeps the game by signing up."""

import random
import re

import pytest
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import Player
from games import bot_moves, house_bots, outbox
from games.bots.levels import DEW, OCEAN, Level, choose
from games.models import Game, Seat
from tests.conftest import PASSWORD
from tests.flows.tables import look_again, play, position_of

pytestmark = [pytest.mark.flow, pytest.mark.django_db(transaction=True)]
MOST_GAMES = 4


@pytest.fixture(autouse=True)
def bots(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their work is done by the test itself, and each run is like the other."""
    monkeypatch.setattr(outbox, "ring", lambda: None)
    monkeypatch.setattr(bot_moves, "ring", lambda: None)
    monkeypatch.setattr(bot_moves.secrets, "randbits", random.Random(1).getrandbits)
    house_bots.settle()


def work() -> None:
    outbox.relay(now=timezone.now())
    while bot_moves.do_next(now=timezone.now()):
        outbox.relay(now=timezone.now())


def begin(page: Page, site: str, bot: str) -> tuple[Game, Seat]:
    """From the front page, as somebody whom nobody knows."""
    page.goto(site)
    page.get_by_role("link", name="Play a bot").first.click()
    page.get_by_label("Tritt (2009)").check()
    page.get_by_label(re.compile(bot)).check()
    page.get_by_role("button", name="Begin the game").click()
    expect(page.locator("#table-seats")).to_contain_text(bot)
    expect(page.locator("#table-seats .badge", has_text="bot")).to_be_visible()
    game = Game.objects.latest("pk")
    return game, game.seats.get(player__bot_level=None)


def play_to_the_end(page: Page, game: Game, mine: Seat, brain: Level) -> int:
    """The newcomer thinks like this level; half points of the newcomer."""
    while True:
        work()
        look_again(page)
        game.refresh_from_db()
        if not game.is_running:
            expect(page.locator("#table-state")).to_contain_text("It ended on")
            return game.score if mine.number == 0 else 2 - game.score
        if game.seat_to_move == mine.number:
            play(page, game, str(choose(position_of(game), brain, game.ply)))


@pytest.mark.parametrize(("bot", "brain", "wanted"), [("Dew", OCEAN, 2), ("Ocean", DEW, 0)])
def test_a_newcomer_beats_the_lowest_level_and_loses_to_the_highest(
    page: Page, site: str, bot: str, brain: Level, wanted: int
):
    results = []
    while wanted not in results and len(results) < MOST_GAMES:
        game, mine = begin(page, site, bot)
        results.append(play_to_the_end(page, game, mine, brain))
    assert wanted in results
    page.get_by_role("button", name="Play again").click()
    expect(page.locator("#table-seats")).to_contain_text(bot)
    assert Game.objects.filter(status="running").count() == 1


def test_a_guest_keeps_the_game_by_signing_up(page: Page, site: str):
    game, mine = begin(page, site, "Dew")
    page.get_by_role("link", name="Keep my games").click()
    page.get_by_label("Name", exact=True).fill("dora")
    page.get_by_label("E-mail address").fill("dora@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password, once more").fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
    page.goto(f"{site}/mailbox/")
    page.get_by_role("link", name=re.compile("confirm", re.IGNORECASE)).first.click()
    page.locator("a[href*='confirm-email']").first.click()
    page.get_by_role("button", name=re.compile("confirm", re.IGNORECASE)).click()
    expect(page.locator(".menu-name")).to_have_text("dora")
    assert Player.objects.get(name="dora").pk == mine.player_id
    page.goto(site + game.get_absolute_url())
    work()
    look_again(page)
    play(page, game, str(choose(position_of(game), DEW, 1)))
