"""Passkeys: taken only whole, only from the site itself, and only so many."""

import json

import pytest
from allauth.mfa.models import Authenticator
from django.test import Client
from django.urls import reverse

from accounts import passkeys
from accounts.export import everything
from tests.accounts.authenticator import Passkey
from tests.conftest import PASSWORD, log_in

ADD = reverse("mfa_add_webauthn")
LOG_IN = reverse("mfa_login_webauthn")
CONFIRM = reverse("mfa_reauthenticate_webauthn")
AS_JSON = {"Accept": "application/json"}
LIES = [
    {"origin": "https://evil.example"},
    {"origin": "http://games.localhost:8000"},
    {"origin": "http://localhost:9999"},
    {"host": "evil.example"},
    {"verified": False},
]


def add(browser: Client, passkey: Passkey, name: str = "my phone", **lies: object):
    options = browser.get(ADD).context["js_data"]["creation_options"]
    credential = passkey.created(options, **lies)
    return browser.post(ADD, {"name": name, "credential": credential})


def show(browser: Client, passkey: Passkey, said: dict[str, str] | None = None, **lies: object):
    options = browser.get(LOG_IN, headers=AS_JSON).json()["request_options"]
    credential = passkey.shown(options, **lies)
    return browser.post(LOG_IN, {"credential": credential, **(said or {})})


def confirm(browser: Client, passkey: Passkey, **lies: object):
    options = browser.get(CONFIRM).context["js_data"]["request_options"]
    return browser.post(CONFIRM, {"credential": passkey.shown(options, **lies)})


def is_in(browser: Client) -> bool:
    return bool(browser.get("/settings/").status_code == 200)


@pytest.fixture
def passkey(alice) -> Passkey:
    made = Passkey(alice)
    add(log_in(Client(), alice), made)
    assert Authenticator.objects.filter(user=alice, type="webauthn").exists()
    return made


# Adding


def test_a_passkey_is_asked_for_that_opens_the_account_by_itself(as_player, alice):
    asked = as_player(alice).get(ADD).context["js_data"]["creation_options"]["publicKey"]
    assert asked["rp"] == {"id": "localhost", "name": "Tripost"}
    assert asked["user"]["name"] == asked["user"]["displayName"] == "alice"
    selection = asked["authenticatorSelection"]
    assert (selection["residentKey"], selection["userVerification"]) == ("required", "required")


def test_a_passkey_belongs_to_the_site_by_whichever_name_it_is_reached(alice, settings):
    settings.ALLOWED_HOSTS = ["www.localhost"]
    browser = log_in(Client(headers={"host": "www.localhost"}), alice)
    asked = browser.get(ADD).context["js_data"]["creation_options"]["publicKey"]
    assert asked["rp"]["id"] == settings.SITE_HOST == "localhost"


@pytest.mark.parametrize("lie", LIES)
def test_a_passkey_is_added_only_from_this_site_and_by_its_owner(as_player, alice, lie):
    answer = add(as_player(alice), Passkey(alice), **lie)
    assert answer.context["form"].errors
    assert not Authenticator.objects.exists()


def test_nothing_is_stored_of_a_passkey_but_what_was_checked(as_player, alice):
    browser = as_player(alice)
    options = browser.get(ADD).context["js_data"]["creation_options"]
    credential = json.loads(Passkey(alice).created(options))
    credential["clientExtensionResults"] = {"words": "\0" + "x" * 1000}
    credential["response"]["more"] = "x" * 1000
    browser.post(ADD, {"name": "x", "credential": json.dumps(credential)})
    stored = Authenticator.objects.get(type="webauthn").data
    assert set(stored) == {"name", "credential"}
    assert set(stored["credential"]) == {"id", "rawId", "type", "response"}
    assert set(stored["credential"]["response"]) == {"clientDataJSON", "attestationObject"}


def test_a_player_has_so_many_passkeys_and_no_more(as_player, alice):
    browser = as_player(alice)
    for number in range(passkeys.MOST_PER_PLAYER + 1):
        answer = add(browser, Passkey(alice, number))
    assert "which is the limit. Remove one first." in answer.content.decode()
    assert Authenticator.objects.filter(type="webauthn").count() == passkeys.MOST_PER_PLAYER


def test_the_name_of_a_passkey_has_a_length(as_player, alice, passkey):
    browser = as_player(alice)
    made = Authenticator.objects.get(type="webauthn")
    browser.post(reverse("mfa_edit_webauthn", args=[made.pk]), {"name": "x" * 61})
    add(browser, Passkey(alice, 2), name="x" * 61)
    made.refresh_from_db()
    assert made.data["name"] == "my phone"
    assert Authenticator.objects.filter(type="webauthn").count() == 1


def test_nobody_changes_the_passkey_of_another(as_player, bob, passkey):
    made = Authenticator.objects.get(type="webauthn")
    for name in ("mfa_edit_webauthn", "mfa_remove_webauthn"):
        page = reverse(name, args=[made.pk])
        assert as_player(bob).post(page, {"name": "mine"}).status_code == 404
    made.refresh_from_db()
    assert made.data["name"] == "my phone"


# Showing


def test_a_passkey_alone_opens_the_account_also_for_a_guest(db, passkey):
    visitor, guest = Client(), Client()
    guest.post("/practice/", {"ruleset": "tritt-classic", "level": 1}, follow=True)
    for browser in (visitor, guest):
        show(browser, passkey)
        assert is_in(browser)


@pytest.mark.parametrize(("said", "ends"), [({}, True), ({"remember": "on"}, False)])
def test_whoever_does_not_ask_to_stay_is_logged_out_with_the_browser(passkey, said, ends):
    browser = Client()
    show(browser, passkey, said)
    assert browser.session.get_expire_at_browser_close() is ends


@pytest.mark.parametrize("lie", LIES)
def test_a_passkey_is_taken_only_from_this_site_and_its_owner(passkey, as_player, alice, lie):
    browser = Client()
    show(browser, passkey, **lie)
    assert not is_in(browser)
    browser = Client()
    browser.force_login(alice)
    confirm(browser, passkey, **lie)
    assert browser.get("/settings/tokens/").status_code == 302
    confirm(browser, passkey)
    assert browser.get("/settings/tokens/").status_code == 200


def test_a_passkey_opens_only_its_own_account(bob, passkey):
    passkey.user_handle = Passkey(bob).user_handle
    browser = Client()
    show(browser, passkey)
    assert not is_in(browser)


def test_an_answer_is_good_once(passkey):
    browser = Client()
    options = browser.get(LOG_IN, headers=AS_JSON).json()["request_options"]
    said = {"credential": passkey.shown(options)}
    browser.post(LOG_IN, said)
    assert is_in(browser)
    browser.post("/accounts/logout/")
    browser.post(LOG_IN, said)
    assert not is_in(browser)


def test_the_password_alone_no_longer_opens_the_account(alice, passkey):
    browser = Client()
    answer = browser.post("/accounts/login/", {"login": "alice", "password": PASSWORD})
    assert answer["Location"] == "/accounts/2fa/authenticate/"
    page = browser.get("/accounts/2fa/authenticate/")
    refused = browser.post("/accounts/2fa/authenticate/", {"credential": "{}"})
    assert "That passkey was not accepted." in refused.content.decode()
    assert not is_in(browser)
    options = refused.context["js_data"]["request_options"]
    assert options != page.context["js_data"]["request_options"]
    browser.post("/accounts/2fa/authenticate/", {"credential": passkey.shown(options)})
    assert is_in(browser)


MALFORMED = [
    "", "{", "5", "null", "[]", '"x"', "{}", '{"rawId": 5}', '{"id": "a", "rawId": "a"}',
    '{"id": "a", "rawId": "b", "response": {}}', "[" * 9_000,
    '{"rawId": "AAAA", "response": {"clientDataJSON": "AAAA", "attestationObject": "AAAA",'
    ' "authenticatorData": "AAAA", "signature": "AAAA", "userHandle": "\\u0000"}}',
    '{"rawId": "AAAA", "response": {"clientDataJSON": "e30", "attestationObject": "oA",'
    ' "authenticatorData": "AAAA", "signature": "AAAA", "userHandle": 7}}',
    '{"rawId": "AAAA", "response": 3}',
]  # fmt: skip


@pytest.mark.parametrize("credential", MALFORMED)
def test_what_no_browser_would_say_is_refused_in_a_sentence(as_player, alice, passkey, credential):
    member = as_player(alice)
    member.get(ADD)
    added = member.post(ADD, {"name": "x", "credential": credential})
    assert added.context["form"].errors
    member.get(CONFIRM)
    assert member.post(CONFIRM, {"credential": credential})["Location"] == CONFIRM
    visitor = Client()
    visitor.get(LOG_IN, headers=AS_JSON)
    assert visitor.post(LOG_IN, {"credential": credential})["Location"] == "/accounts/login/"


# Limits, export


def test_tries_to_show_a_passkey_are_limited(alice, passkey):
    visitor, member = Client(), Client()
    member.force_login(alice)
    visits = [visitor.post(LOG_IN, {"credential": "{}"}).status_code for _ in range(11)]
    assert visits == [302] * 10 + [429]
    tries = [member.post(CONFIRM, {"credential": "{}"}).status_code for _ in range(6)]
    assert tries == [302] * 5 + [429]


def test_passkeys_are_in_the_export_by_their_names(alice, passkey):
    listed = everything(alice)["account"]["second_factors"]
    assert {factor["type"]: factor["name"] for factor in listed} == {
        "webauthn": "my phone",
        "recovery_codes": None,
    }
