"""Passkeys from a real browser with an authenticator of its own."""

from collections.abc import Iterator

import pytest
from allauth.mfa.models import Authenticator
from playwright.sync_api import Browser, Page, expect

from accounts.models import Player
from tests.conftest import PASSWORD, make_player

pytestmark = [pytest.mark.flow, pytest.mark.django_db(transaction=True)]

DEVICE = {
    "protocol": "ctap2",
    "transport": "internal",
    "hasResidentKey": True,
    "hasUserVerification": True,
    "isUserVerified": True,
    "automaticPresenceSimulation": True,
}


@pytest.fixture
def alice(transactional_db: None) -> Player:
    return make_player("alice")


@pytest.fixture
def page(browser: Browser, site: str, settings) -> Iterator[Page]:
    """A browser on a device that holds passkeys and recognises its owner."""
    settings.SITE_URL = site
    context = browser.new_context(locale="en-GB")
    context.set_default_timeout(20_000)
    page = context.new_page()
    devices = context.new_cdp_session(page)
    devices.send("WebAuthn.enable")
    devices.send("WebAuthn.addVirtualAuthenticator", {"options": DEVICE})
    yield page
    context.close()


def test_a_passkey_is_added_opens_the_account_confirms_and_is_removed(
    page: Page, site: str, alice: Player
):
    log_in_by_password(page, site)
    add_passkey(page, site, "my phone")

    log_out(page, site)
    log_in_by_passkey(page, f"{site}/accounts/login/?next=/settings/sessions/")
    expect(page.get_by_role("heading", name="Sessions")).to_be_visible()

    page.goto(f"{site}/settings/tokens/")
    page.get_by_role("link", name="Use a passkey").click()
    page.get_by_role("button", name="Use the passkey").click()
    expect(page.get_by_role("heading", name="API tokens")).to_be_visible()

    page.goto(f"{site}/accounts/2fa/")
    page.get_by_role("link", name="Rename my phone").click()
    page.get_by_label("Name").fill("my tablet")
    page.get_by_role("button", name="Rename").click()
    page.get_by_role("link", name="Remove my tablet").click()
    page.get_by_role("button", name="Remove").click()
    expect(page.get_by_role("status")).to_have_text("The passkey is removed.")
    assert not Authenticator.objects.filter(user=alice).exists()


def test_a_passkey_is_the_second_factor_of_a_password(page: Page, site: str, alice: Player):
    log_in_by_password(page, site)
    add_passkey(page, site, "my phone")
    log_out(page, site)
    log_in_by_password(page, site)
    expect(page.get_by_role("heading", name="Second factor")).to_be_visible()
    page.goto(f"{site}/settings/")
    expect(page.get_by_role("heading", name="Second factor")).to_be_visible()
    page.get_by_role("button", name="Use the passkey").click()
    page.wait_for_url(lambda url: "/accounts/" not in url)
    page.goto(f"{site}/settings/")
    expect(page.get_by_role("heading", name="Settings")).to_be_visible()


def test_a_removed_passkey_opens_nothing(page: Page, site: str, alice: Player):
    log_in_by_password(page, site)
    add_passkey(page, site, "my phone")
    log_out(page, site)
    Authenticator.objects.all().delete()
    log_in_by_passkey(page, f"{site}/accounts/login/")
    expect(page.get_by_role("alert").first).to_have_text(
        "That passkey was not accepted. Try again, or use another way."
    )
    expect(page.get_by_label("Password")).to_be_visible()


def test_a_passkey_of_another_address_is_not_taken(page: Page, site: str, alice: Player, settings):
    log_in_by_password(page, site)
    settings.SITE_URL = "http://localhost:1"
    start_adding(page, site, "my phone")
    expect(page.locator("form .field-error").first).to_contain_text(
        "Passkeys work at http://localhost:1 only."
    )
    assert not Authenticator.objects.exists()


def test_without_passkeys_a_browser_says_so(browser: Browser, site: str, alice: Player):
    context = browser.new_context(locale="en-GB")
    context.add_init_script("delete window.PublicKeyCredential")
    page = context.new_page()
    log_in_by_password(page, site)
    page.goto(f"{site}/accounts/2fa/webauthn/add/")
    confirm_by_password(page)
    expect(page.get_by_role("alert")).to_have_text("This browser cannot use passkeys here.")
    expect(page.get_by_role("button", name="Add the passkey")).to_be_hidden()
    context.close()


def log_in_by_password(page: Page, site: str) -> None:
    page.goto(f"{site}/accounts/login/")
    page.get_by_label("Name or e-mail address").fill("alice")
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Sign in", exact=True).click()
    page.wait_for_url(lambda url: "/accounts/login/" not in url)


def log_in_by_passkey(page: Page, address: str) -> None:
    page.goto(address)
    page.get_by_role("button", name="Use a passkey").click()


def log_out(page: Page, site: str) -> None:
    page.goto(f"{site}/accounts/logout/")
    page.locator("main").get_by_role("button", name="Sign out").click()
    page.wait_for_url(f"{site}/")


def add_passkey(page: Page, site: str, name: str) -> None:
    start_adding(page, site, name)
    expect(page.get_by_role("status").first).to_have_text("The passkey is added.")
    expect(page.get_by_role("heading", name="Recovery codes")).to_be_visible()


def start_adding(page: Page, site: str, name: str) -> None:
    page.goto(f"{site}/accounts/2fa/")
    page.get_by_role("link", name="Add a passkey").click()
    confirm_by_password(page)
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Add the passkey").click()


def confirm_by_password(page: Page) -> None:
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Go on").click()
