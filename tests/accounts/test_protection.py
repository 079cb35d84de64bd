"""Password and second factor, through the forms of the pages themselves."""

import re

import pytest
from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal import auth as totp
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from tests.conftest import PASSWORD

NEW_PASSWORD = "a board is a slow friend"
FORM = re.compile(r'<form class="form"[^>]*?(?: action="([^"]*)")?>(.*?)</form>', re.DOTALL)
NAME = re.compile(r'<input[^>]* name="(\w+)"')


@pytest.fixture(autouse=True)
def still_clock(monkeypatch):
    """A code is good for as long as a test takes."""
    monkeypatch.setattr(totp, "yield_hotp_counters_from_time", lambda: iter([1]))


def filled(browser: Client, address: str, **values: str) -> HttpResponse:
    """What comes of opening a page, filling in its form and sending that."""
    page = browser.get(address, follow=True)
    form = FORM.search(page.content.decode())
    assert form is not None
    assert set(values) <= set(NAME.findall(form[2]))
    return browser.post(form[1] or page.wsgi_request.get_full_path(), values, follow=True)


def signed_in() -> Client:
    browser = Client()
    filled(browser, reverse("account_login"), login="alice", password=PASSWORD)
    return browser


def is_in(browser: Client) -> bool:
    return "_auth_user_id" in browser.session


@pytest.fixture
def codes(alice) -> list[str]:
    """Alice's recovery codes, after she has switched on a second factor."""
    browser = signed_in()
    page = filled(browser, reverse("mfa_activate_totp"), password=PASSWORD).content.decode()
    key = re.search(r'<input id="key" value="(\w+)"', page)
    assert key is not None
    assert "code" in NAME.findall(page)
    # Not `filled`: the page would make another key when it is opened again.
    code = totp.format_hotp_value(totp.hotp_value(key[1], 1))
    shown = browser.post(reverse("mfa_activate_totp"), {"code": code}, follow=True)
    listed = re.search(r'id="recovery-codes"[^>]*><code>([^<]+)', shown.content.decode())
    assert listed is not None
    return listed[1].split()


def test_a_second_factor_is_asked_for_at_the_next_sign_in(codes):
    browser = signed_in()
    assert not is_in(browser)
    filled(browser, reverse("mfa_authenticate"), code="000000")
    assert not is_in(browser)
    filled(browser, reverse("mfa_authenticate"), code=codes[0])
    assert is_in(browser)


def test_a_second_factor_is_switched_off_by_who_shows_it_once_more(alice, as_player, codes):
    browser = as_player(alice)
    filled(browser, f"{reverse('mfa_reauthenticate')}?next=/accounts/2fa/", code=codes[0])
    filled(browser, reverse("mfa_deactivate_totp"))
    assert not Authenticator.objects.filter(user=alice).exists()


def test_new_recovery_codes_take_the_place_of_the_old(alice, as_player, codes):
    browser = as_player(alice)
    filled(browser, f"{reverse('account_reauthenticate')}?next=/accounts/2fa/", password=PASSWORD)
    filled(browser, reverse("mfa_generate_recovery_codes"))
    assert codes[0] not in browser.get(reverse("mfa_view_recovery_codes")).content.decode()


def test_a_password_is_changed_by_who_knows_it(alice):
    browser = signed_in()
    words = {"oldpassword": "wrong", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    filled(browser, reverse("account_change_password"), **words)
    alice.refresh_from_db()
    assert alice.check_password(PASSWORD)
    filled(browser, reverse("account_change_password"), **words | {"oldpassword": PASSWORD})
    alice.refresh_from_db()
    assert alice.check_password(NEW_PASSWORD)


def test_the_link_of_a_letter_sets_a_new_password_once(alice):
    key = [user_pk_to_url_str(alice), default_token_generator.make_token(alice)]
    link = reverse("account_reset_password_from_key", args=key)
    filled(Client(), link, password1=NEW_PASSWORD, password2=NEW_PASSWORD)
    alice.refresh_from_db()
    assert alice.check_password(NEW_PASSWORD)
    again = Client().get(link, follow=True).content.decode()
    assert "This link is too old or was used before." in again


def test_sign_up_says_what_a_name_is_and_who_sees_the_address(db, client):
    page = client.get(reverse("account_signup")).content.decode()
    assert "2 to 24 letters, digits, dots, hyphens and underscores" in page
    assert "Other players do not see it." in page
