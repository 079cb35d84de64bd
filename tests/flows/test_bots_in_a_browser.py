"""A newcomer plays the bots in a browser: wins, loses, and keeps the game by signing up."""

import random
import re
from collections.abc import Callable
from contextlib import suppress

import pytest
from django.utils import timezone
from playwright.sync_api import BrowserContext, Page, expect

from accounts.models import Player
from games import bot_moves, dice, house_bots, outbox
from games.bots.levels import DEW, OCEAN, Level, choose
from games.models import Game, Seat
from games.rules.registry import RULESETS
from tests.conftest import PASSWORD
from tests.flows.tables import look_again, play, position_of, sign_in

pytestmark = [pytest.mark.flow, pytest.mark.django_db(transaction=True)]
MOST_GAMES = 4
LOTS = {"Dew": {"triotrio": 5, "tritoc": 5, "tri-trac": 2},
        "Ocean": {"triotrio": 5, "tritoc": 5, "tri-trac": 21}}  # fmt: skip
"""With these the games are short; with most others they only take longer."""


@pytest.fixture(autouse=True)
def bots(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their work is done by the test itself."""
    monkeypatch.setattr(outbox, "ring", lambda: None)
    monkeypatch.setattr(bot_moves, "ring", lambda: None)
    house_bots.settle()
    draw_lots(1, monkeypatch)


def draw_lots(number: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """What bots think of and how dice fall, the same in each run and whatever a game's number."""
    monkeypatch.setattr(bot_moves.secrets, "randbits", random.Random(number).getrandbits)
    monkeypatch.setattr(dice, "throw", thrown_by(random.Random(number)))


def thrown_by(chance: random.Random) -> Callable[..., tuple[int, ...]]:
    def throw(*, dice: int, sides: int, **_derivation: object) -> tuple[int, ...]:
        return tuple(chance.randint(1, sides) for _ in range(dice))

    return throw


def work() -> None:
    outbox.relay(now=timezone.now())
    while bot_moves.do_next(now=timezone.now()):
        outbox.relay(now=timezone.now())


def begin(page: Page, site: str, bot: str, *, ruleset: str = "tritt-classic") -> tuple[Game, Seat]:
    """From the front page, as somebody whom nobody knows."""
    page.goto(site)
    page.get_by_role("link", name="Play a bot").first.click()
    page.get_by_label(RULESETS[ruleset].name, exact=True).check()
    page.get_by_label(re.compile(bot)).check()
    page.get_by_label("I begin").check()
    page.get_by_role("button", name="Begin the game").click()
    return seated(page, bot)


def begin_again(page: Page, bot: str) -> tuple[Game, Seat]:
    before = page.url
    page.get_by_role("button", name="Play again").click()
    expect(page).not_to_have_url(before)
    return seated(page, bot)


def seated(page: Page, bot: str) -> tuple[Game, Seat]:
    expect(page.locator("#table-seats")).to_contain_text(bot)
    expect(page.locator("#table-seats .badge", has_text="bot")).to_be_visible()
    game = Game.objects.latest("pk")
    return game, game.seats.get(player__bot_level=None)


def see(page: Page, game: Game) -> None:
    """Asks for news until they are shown: a page that has just come is deaf for a moment."""
    last = game.ply if game.is_running else "end"
    known = page.locator(f"#table-listen[data-known$='{game.pk}:{last}']")
    for _ in range(40):
        look_again(page)
        with suppress(AssertionError):
            expect(known).to_be_attached(timeout=500)
            return
    raise AssertionError("the page does not show what happened")


def play_to_the_end(page: Page, game: Game, mine: Seat, brain: Level) -> int:
    """The newcomer thinks like this level; half points of the newcomer."""
    while True:
        work()
        game.refresh_from_db()
        see(page, game)
        if not game.is_running:
            expect(page.locator("#table-state")).to_contain_text("It ended on")
            return game.score if mine.number == 0 else 2 - game.score
        if game.seat_to_move == mine.number:
            play(page, game, str(choose(position_of(game), brain, game.ply)))


@pytest.mark.parametrize(
    "ruleset",
    [
        pytest.param(key, marks=() if key == "tritt-classic" else pytest.mark.long)
        for key in RULESETS
    ],
)
@pytest.mark.parametrize(
    ("bot", "brain", "wanted"), [("Dew", OCEAN, 2), ("Ocean", DEW, 0)], ids=["Dew", "Ocean"]
)
def test_a_newcomer_beats_the_lowest_level_and_loses_to_the_highest(
    page: Page,
    site: str,
    monkeypatch: pytest.MonkeyPatch,
    ruleset: str,
    bot: str,
    brain: Level,
    wanted: int,
):
    draw_lots(LOTS[bot].get(ruleset, 1), monkeypatch)
    game, mine = begin(page, site, bot, ruleset=ruleset)
    results = [play_to_the_end(page, game, mine, brain)]
    while wanted not in results and len(results) < MOST_GAMES:
        game, mine = begin_again(page, bot)
        results.append(play_to_the_end(page, game, mine, brain))
    assert wanted in results
    begin_again(page, bot)
    assert Game.objects.filter(status="running").count() == 1


def test_a_bot_is_found_in_the_lobby_and_on_its_own_page(
    context: BrowserContext, site: str, two: tuple[Player, Player]
):
    page = sign_in(context, site, two[0])
    page.goto(f"{site}/lobby/")
    page.get_by_role("link", name="Play a bot: Tritoc").click()
    expect(page.get_by_label("Tritoc", exact=True)).to_be_checked()
    page.get_by_role("button", name="Begin the game").click()
    seated(page, "Dew")
    page.locator("#table-seats").get_by_role("link", name="Dew").click()
    page.get_by_role("link", name="Play Dew now").click()
    expect(page.get_by_label(re.compile("Dew"))).to_be_checked()
    page.get_by_role("button", name="Begin the game").click()
    seated(page, "Dew")
    assert Game.objects.filter(status="running", seats__player=two[0]).count() == 2


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
