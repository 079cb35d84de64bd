"""How people sit down at a table in a browser and make their moves there."""

import re
from collections.abc import Callable, Iterator

from django.conf import settings
from django.test import Client
from django.utils import timezone
from playwright.sync_api import BrowserContext, Locator, Page, expect

from accounts.models import Player
from games.clock import PerMove
from games.models import Game
from games.play import submit_move
from games.rules.position import Position
from games.rules.registry import RULESETS
from games.starting import start_game
from tests.conftest import PASSWORD, log_in

PATIENCE_MS = 20_000
SHORT_GAME = ["e8-g7", "g3-g5", "g3-g5>g4-g6", "d5-f5", "h3-h5", "h3-h5>h2-h4"]


def begin(two: tuple[Player, Player], key: str, **options: object) -> Game:
    return start_game(
        ruleset=key,
        options=options,
        players=two,
        clock_settings=PerMove(3),
        now=timezone.now(),
    )


def sign_up(page: Page, site: str) -> None:
    """As dora, from the front page to the link in her mailbox."""
    page.goto(site)
    page.get_by_role("link", name="Sign up").first.click()
    page.get_by_label("Name", exact=True).fill("dora")
    page.get_by_label("E-mail address").fill("dora@example.org")
    page.get_by_label("Password", exact=True).fill(PASSWORD)
    page.get_by_label("Password, once more").fill(PASSWORD)
    page.get_by_role("button", name="Sign up").click()
    expect(page.locator("h1")).to_contain_text(re.compile("check|verif|mail", re.IGNORECASE))

    page.goto(f"{site}/mailbox/")
    page.get_by_role("link", name=re.compile("confirm", re.IGNORECASE)).first.click()
    page.locator("a[href*='confirm-email']").first.click()
    page.get_by_role("button", name=re.compile("confirm", re.IGNORECASE)).click()
    expect(page.locator(".menu-name")).to_have_text("dora")


def sign_in(context: BrowserContext, site: str, player: Player) -> Page:
    client = log_in(Client(), player)
    cookie = client.cookies[settings.SESSION_COOKIE_NAME]
    context.add_cookies([{"name": cookie.key, "value": cookie.value, "url": site}])
    context.set_default_timeout(15_000)
    return context.new_page()


def sit_down(context: BrowserContext, site: str, player: Player, game: Game) -> Page:
    page = sign_in(context, site, player)
    page.goto(site + game.get_absolute_url())
    return page


def played(game: Game, *texts: str) -> None:
    """Moves made elsewhere, through the door."""
    for text in texts:
        game.refresh_from_db()
        mover = game.seats.get(number=game.seat_to_move).player_id
        submit_move(
            game_id=game.pk, player_id=mover, text=text, ply=game.ply, now=timezone.now(), via="web"
        )


def look_again(page: Page) -> None:
    """The page comes to the front again, and asks what is new at once."""
    page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")


# Putting a move together


def picked_by(position: Position, text: str) -> Iterator[tuple[list[str], str, bool]]:
    """The spots to point at for each part of a move, what is written then, and if by a button."""
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
        alone = sum(set(spots) <= set(choice.spots) for choice in choices) == 1
        yield spots, done, not (spots and alone)


def position_of(game: Game) -> Position:
    game.refresh_from_db()
    return RULESETS[game.ruleset].load(game.position)


MOST_KEYS = 60
KEY_TOWARDS = """(wanted) => {
  const here = document.activeElement;
  if (here === wanted) return "";
  if (!here.matches(".choice") || !wanted.matches(".choice")) return "Tab";
  const [from, to] = [here, wanted].map((spot) => spot.getBoundingClientRect());
  const [right, down] = [to.x - from.x, to.y - from.y];
  if (Math.abs(right) > Math.abs(down)) return right > 0 ? "ArrowRight" : "ArrowLeft";
  return down > 0 ? "ArrowDown" : "ArrowUp";
}"""

Touch = Callable[[Locator], None]


def pick(page: Page, position: Position, text: str, touch: Touch, field: str = "#move") -> None:
    """Puts a move together on the board, and by the buttons for what the board cannot tell."""
    for spots, written, by_button in picked_by(position, text):
        for spot in spots:
            touch(page.locator(f"[data-picker-board] .choice[data-spot='{spot}']"))
        if by_button:
            touch(page.locator("[data-picker-buttons]").get_by_text(written, exact=True))
        expect(page.locator(field)).to_have_value(written)


def by_mouse(spot: Locator) -> None:
    spot.click()


def by_touch(spot: Locator) -> None:
    spot.tap()


class Keys:
    """Tab from where one is to the board or a button, arrows across the board, and Enter there."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.pressed = 0

    def __call__(self, wanted: Locator) -> None:
        expect(wanted).to_be_visible()
        board = self.page.locator("[data-picker-board].is-live")
        expect(board).not_to_have_attribute("aria-busy", "true")  # It will say where to go on.
        begun_at = self.pressed
        while key := wanted.evaluate(KEY_TOWARDS):
            assert self.pressed < begun_at + MOST_KEYS, f"no key leads to {wanted}"
            self.press(key)
        self.press("Enter")

    def press(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.pressed += 1


def play(page: Page, game: Game, text: str, touch: Touch = by_mouse) -> None:
    expect(page.locator("#move")).to_be_visible(timeout=PATIENCE_MS)
    position, ply = position_of(game), game.ply
    pick(page, position, text, touch)
    touch(page.get_by_role("button", name="Play", exact=True))
    shown = page.locator(".moves a").last
    expect(shown).to_have_text(text, timeout=PATIENCE_MS)
    expect(page.locator(".move-ply").last).to_have_text(str(ply + 1))
