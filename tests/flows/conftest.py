"""A real browser, and a site that it can reach with its letters in the mailbox page."""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from accounts.models import Player
from tests.conftest import make_player
from tests.flows.tables import sign_in
from tests.tools import chromium

# A machine that is busy with other things has done nothing wrong.
expect.set_options(timeout=20_000)

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    # Playwright's event loop lives in this thread; Django would take it for an async view's.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=chromium(), args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    made = browser.new_context(timezone_id="Australia/Sydney", locale="en-GB")
    made.set_default_timeout(20_000)
    yield made
    made.close()


@pytest.fixture
def page(context: BrowserContext) -> Page:
    return context.new_page()


@pytest.fixture
def site(live_server, settings) -> str:
    """The address of a trial set-up: letters stay in the mailbox, whose page is open."""
    settings.DEBUG = True
    settings.EMAIL_BACKEND = "notifications.mailbox.MailboxBackend"
    return live_server.url


@pytest.fixture
def two(transactional_db: None) -> tuple[Player, Player]:
    return make_player("alice"), make_player("bob")


@pytest.fixture
def pages(browser: Browser, site: str, two: tuple[Player, Player]) -> Iterator[list[Page]]:
    """Alice's and Bob's browser, each signed in."""
    contexts = [browser.new_context(locale="en-GB") for _ in two]
    yield [sign_in(context, site, player) for context, player in zip(contexts, two, strict=True)]
    for context in contexts:
        context.close()
