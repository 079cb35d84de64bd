"""One way in, shown again where it matters, and one act that ends all access."""

import io
import re
from datetime import UTC, datetime

import pytest
from allauth.account.forms import default_token_generator
from allauth.account.models import EmailAddress, EmailConfirmationHMAC
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from allauth.mfa.recovery_codes.internal.auth import RecoveryCodes
from allauth.mfa.totp.internal.auth import TOTP
from allauth.mfa.webauthn.internal.auth import WebAuthn
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver, reverse
from django.utils import timezone

from accounts import access, tokens
from accounts.models import ApiToken, Player
from notifications import calls, feeds, reply_address, webhooks
from notifications.models import FeedLink, PushSubscription, ReplyToken, Webhook
from tests.accounts.authenticator import registered
from tests.conftest import PASSWORD, log_in, make_player
from tests.site_map import names_in_use

NEW_PASSWORD = "a board is a slow friend"


def signed_in(player: Player, password: str = PASSWORD) -> Client:
    browser = Client()
    browser.post(reverse("account_login"), {"login": player.name, "password": password})
    assert is_in(browser)
    return browser


def is_in(browser: Client) -> bool:
    return bool(browser.get("/settings/").status_code == 200)


# One way in


def test_staff_log_in_where_all_do(db):
    make_player("dora", is_staff=True)
    browser = Client()
    for asked in (
        browser.get("/staff/login/?next=/staff/games/game/"),
        browser.post(
            "/staff/login/?next=/staff/games/game/", {"username": "dora", "password": PASSWORD}
        ),
    ):
        assert asked.status_code == 302
        assert asked["Location"] == "/accounts/login/?next=/staff/games/game/"
    assert "_auth_user_id" not in browser.session
    answer = browser.get("/staff/games/game/", follow=True)
    assert answer.redirect_chain[-1][0].startswith("/accounts/login/")


@pytest.mark.parametrize("where", ["https://evil.example/", "//evil.example/", "javascript:x"])
def test_the_staff_log_in_leads_nowhere_else(db, as_player, where):
    dora = make_player("dora", is_staff=True)
    assert Client().get("/staff/login/", {"next": where})["Location"] == (
        "/accounts/login/?next=/staff/"
    )
    assert as_player(dora).get("/staff/login/", {"next": where})["Location"] == "/staff/"


def test_who_is_not_staff_is_not_sent_around_in_circles(alice, as_player):
    assert as_player(alice).get("/staff/", follow=True).status_code == 403


def test_staff_change_their_password_where_all_do(staff):
    assert staff.get("/staff/password_change/")["Location"] == "/accounts/password/change/"


def run_first_admin(monkeypatch, *arguments: str, password: str = PASSWORD) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO(f"{password}\n"))
    call_command("first_admin", *arguments, stdout=io.StringIO())


def test_the_first_superuser_can_log_in_at_once(db, monkeypatch):
    run_first_admin(monkeypatch, "dora", "dora@example.org")
    dora = Player.objects.get(name="dora")
    assert EmailAddress.objects.get(user=dora).verified
    assert signed_in(dora).get("/staff/").status_code == 200


def test_a_second_superuser_is_made_only_on_purpose(staff, monkeypatch):
    with pytest.raises(CommandError, match="There is a superuser already"):
        run_first_admin(monkeypatch, "eve", "eve@example.org")
    run_first_admin(monkeypatch, "eve", "eve@example.org", "--another")
    assert Player.objects.get(name="eve").is_superuser


@pytest.mark.parametrize(
    ("name", "email", "password", "why"),
    [
        ("alice", "dora@example.org", PASSWORD, "taken"),
        ("dora", "nowhere", PASSWORD, "valid email"),
        ("dora", "alice@example.org", PASSWORD, "uses this e-mail address"),
        ("dora", "dora@example.org", "short", "too short"),
    ],
)
def test_a_superuser_is_held_to_what_all_are(alice, monkeypatch, name, email, password, why):
    with pytest.raises(CommandError, match=why):
        run_first_admin(monkeypatch, name, email, password=password)
    assert Player.objects.count() == 1


# Shown again

ASKED_AGAIN = {
    "api_tokens", "close_account", "revoke_all_access", "channels", "register_webhook",
    "change_feed", "mfa_activate_totp", "mfa_deactivate_totp", "mfa_view_recovery_codes",
    "mfa_generate_recovery_codes", "mfa_download_recovery_codes", "mfa_add_webauthn",
    "mfa_edit_webauthn", "mfa_remove_webauthn",
}  # fmt: skip
"""Pages that open only after the password, passkey or code was shown once more."""
ASKED_OTHERWISE = {
    "account_email": "its acts ask, see below",
    "account_change_password": "asks for the old password itself",
    "account_set_password": "only without a password",
    "subscribe_browser": "answers a script, see below",
}
NOT_ASKED = {
    "settings", "revoke_token", "sessions", "end_session", "end_other_sessions", "download_data",
    "change_webhook", "remove_browser", "letter_preferences", "try_address_again", "receipts",
    "mfa_index", "mfa_list_webauthn", "mark_as_bot", "usersessions_list", "vacation",
    "blocked_players",
    # Ways in and out, and the page that asks.
    "account_login", "account_logout", "account_signup", "account_inactive",
    "account_reauthenticate", "account_email_verification_sent", "account_confirm_email",
    "account_reset_password", "account_reset_password_done", "account_reset_password_from_key",
    "account_reset_password_from_key_done", "account_confirm_login_code", "mfa_authenticate",
    "mfa_reauthenticate", "mfa_reauthenticate_webauthn", "mfa_login_webauthn",
}  # fmt: skip
OF_THE_ACCOUNT = ("settings/", "accounts/", "letters/channels/", "letters/preferences/")


def address(name: str) -> str:
    passkey = Authenticator.objects.filter(type="webauthn").values_list("pk", flat=True)
    examples = {
        "change_feed": ["turns"],
        "mfa_edit_webauthn": passkey,
        "mfa_remove_webauthn": passkey,
    }
    return reverse(name, args=examples.get(name, ()))


def names_of_the_account() -> set[str]:
    """Of every address that has to do with an account and its access."""
    found = get_resolver().reverse_dict
    return {
        name
        for name in names_in_use()
        for possible in found.getlist(name)
        if possible[0][0][0].startswith(OF_THE_ACCOUNT)
    }


def test_every_page_of_an_account_is_decided():
    decided = ASKED_AGAIN | ASKED_OTHERWISE.keys() | NOT_ASKED
    assert names_of_the_account() <= decided


@pytest.mark.parametrize("name", sorted(ASKED_AGAIN))
def test_a_session_alone_does_not_change_what_protects_an_account(alice, name):
    TOTP.activate(alice, "SECRET")
    RecoveryCodes.activate(alice)
    WebAuthn.add(alice, "my phone", registered(alice))
    browser = Client()
    browser.force_login(alice)
    for method in (browser.get, browser.post):
        answer = method(address(name))
        if answer.status_code == 405:
            continue
        assert answer.status_code == 302
        assert answer["Location"].startswith("/accounts/reauthenticate/?next=")
    assert not ApiToken.objects.exists()
    alice.refresh_from_db()
    assert not alice.is_closed


def test_an_address_is_changed_after_the_password(alice):
    browser = signed_in(alice)
    new = {"email": "new@example.org", "action_add": ""}
    answer = browser.post("/accounts/email/", new)
    assert answer["Location"].startswith("/accounts/reauthenticate/")
    assert not EmailAddress.objects.filter(email="new@example.org").exists()
    browser.post(answer["Location"], {"password": PASSWORD})
    assert EmailAddress.objects.filter(user=alice, email="new@example.org").exists()


def test_what_was_filled_in_is_carried_out_after_the_password(alice):
    browser = signed_in(alice)
    answer = browser.post("/settings/tokens/", {"name": "bot", "scopes": ["read"]})
    made = browser.post(answer["Location"], {"password": PASSWORD}, follow=True)
    assert made.context["secret"] in made.content.decode()
    assert alice.tokens.get().name == "bot"


def test_tries_to_show_the_password_again_are_limited(alice):
    browser = signed_in(alice)
    answers = [browser.post("/accounts/reauthenticate/", {"password": "no"}) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    right = browser.post("/accounts/reauthenticate/", {"password": PASSWORD})
    assert right.status_code == 429


def test_who_has_no_password_and_no_second_factor_is_not_shut_out(alice):
    alice.set_unusable_password()
    alice.save()
    browser = Client()
    browser.force_login(alice)
    assert browser.get("/settings/close/").status_code == 200


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/v1/me/tokens", {"name": "bot", "scopes": ["read"]}),
        ("/api/v1/me/webhooks", {"url": "https://a.example/"}),
        ("/api/v1/me/feeds/turns", {}),
    ],
)
def test_a_session_alone_makes_no_lasting_access_by_api(alice, in_person, monkeypatch, path, body):
    monkeypatch.setattr(calls, "target_of", lambda url: url)
    refused = signed_in(alice).post(path, body, content_type="application/json")
    assert (refused.status_code, refused.json()["code"]) == (403, "confirmation_required")
    assert in_person(alice).post(path, body, format="json").status_code == 201


def test_a_browser_is_told_after_the_password(alice):
    answer = signed_in(alice).post("/letters/channels/browsers/", "{}", "application/json")
    assert (answer.status_code, "confirm" in answer.json()["error"]) == (403, True)


# Sessions


def test_sessions_are_listed_and_ended_one_by_one(alice):
    here, there = signed_in(alice), signed_in(alice)
    page = here.get("/settings/sessions/").content.decode()
    assert page.count('<th scope="row"') == 2
    (end,) = re.findall(r'action="(/settings/sessions/\d+/end/)"', page)
    here.post(end)
    assert (is_in(here), is_in(there)) == (True, False)


def test_nobody_ends_the_session_of_another(alice, bob):
    signed_in(alice)
    other = UserSession.objects.get()
    signed_in(bob).post(f"/settings/sessions/{other.pk}/end/")
    assert UserSession.objects.filter(pk=other.pk).exists()


def test_every_other_session_ends_at_once(alice):
    here, there, unlisted = signed_in(alice), signed_in(alice), Client()
    unlisted.force_login(alice)
    here.post("/settings/sessions/end/")
    assert (is_in(here), is_in(there), is_in(unlisted)) == (True, False, False)
    assert UserSession.objects.get().session_key == here.session.session_key


def test_a_session_says_the_minute_in_which_it_began(alice):
    browser = signed_in(alice)
    UserSession.objects.update(created_at=datetime(2026, 3, 2, 12, 34, tzinfo=UTC))
    Player.objects.update(zone="UTC")
    assert "2 Mar 2026, 12:34" in browser.get("/settings/sessions/").text


def test_the_list_of_sessions_costs_the_same_for_many(alice):
    browser = signed_in(alice)

    def queries() -> int:
        signed_in(alice)
        with CaptureQueriesContext(connection) as asked:
            browser.get("/settings/sessions/")
        return len(asked)

    assert queries() == queries()


# All at once


@pytest.fixture
def connected(alice, start, monkeypatch) -> Player:
    """Alice with access of every kind."""
    monkeypatch.setattr(calls, "target_of", lambda url: url)
    now = timezone.now()
    tokens.mint(player=alice, name="bot", scopes=["read"])
    feeds.link_of(player=alice, feed="turns", now=now)
    webhooks.register(player=alice, url="https://a.example/", now=now)
    PushSubscription.objects.create(player=alice, endpoint="https://p.example/1")
    game = start()
    reply_address.token_for(game_id=game.pk, seat=0, ply=0, player_id=alice.pk, now=now)
    return alice


def test_all_access_is_revoked_in_one_act(connected, monkeypatch):
    there, here = signed_in(connected), log_in(Client(), connected)
    here.post("/settings/sessions/revoke/")
    assert (is_in(here), is_in(there)) == (True, False)
    for made in (ApiToken, FeedLink, Webhook, PushSubscription):
        assert not made.objects.filter(player=connected).exists(), made
    assert not ReplyToken.objects.filter(player=connected, revoked_at=None).exists()


def test_an_address_that_waits_to_be_confirmed_is_dropped_with_all_access(alice, as_player):
    link = confirmation_link(alice, "thief@example.org")
    as_player(alice).post("/settings/sessions/revoke/")
    Client().post(link)
    assert [one.email for one in EmailAddress.objects.filter(user=alice)] == [alice.email]


def confirmation_link(player: Player, email: str) -> str:
    """As it is sent to an address that is to take the place of the player's."""
    waiting = EmailAddress.objects.create(user=player, email=email)
    return reverse("account_confirm_email", args=[EmailConfirmationHMAC(waiting).key])


def test_letters_after_all_access_was_revoked_can_be_answered(connected):
    old = ReplyToken.objects.get()
    access.revoke_all(player=connected, keep=None)
    new = reply_address.token_for(
        game_id=old.game_id, seat=0, ply=0, player_id=connected.pk, now=timezone.now()
    )
    assert reply_address.find(reply_address.address_of(new)) == new
    assert reply_address.find(reply_address.address_of(old)) is None


def test_what_fails_half_way_revokes_nothing(connected, settings):
    settings.ACCESS_REVOCATIONS = [*settings.ACCESS_REVOCATIONS, "operator.neg"]
    there = signed_in(connected)
    with pytest.raises(TypeError):
        access.revoke_all(player=connected, keep=None)
    assert is_in(there)
    assert connected.tokens.exists()


# Passwords


@pytest.mark.parametrize(("ticked", "left"), [({}, 0), ({"keep_tokens": "on"}, 1)])
def test_a_new_password_ends_tokens_unless_they_are_kept(alice, ticked, left):
    tokens.mint(player=alice, name="bot", scopes=["read"])
    here, there = signed_in(alice), signed_in(alice)
    words = {"oldpassword": PASSWORD, "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    page = here.get("/accounts/password/change/").content.decode()
    assert "Keep my API tokens" in page
    here.post("/accounts/password/change/", words | ticked)
    assert alice.tokens.count() == left
    assert (is_in(here), is_in(there)) == (True, False)
    assert here.get("/settings/sessions/").content.decode().count('<th scope="row"') == 1


@pytest.mark.parametrize(("ticked", "left"), [({}, 0), ({"keep_tokens": "on"}, 1)])
def test_a_forgotten_password_ends_tokens_unless_they_are_kept(alice, ticked, left):
    tokens.mint(player=alice, name="bot", scopes=["read"])
    key = [user_pk_to_url_str(alice), default_token_generator.make_token(alice)]
    browser = Client()
    form = browser.get(reverse("account_reset_password_from_key", args=key), follow=True)
    assert "Keep my API tokens" in form.content.decode()
    words = {"password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    browser.post(form.wsgi_request.path, words | ticked)
    alice.refresh_from_db()
    assert alice.check_password(NEW_PASSWORD)
    assert alice.tokens.count() == left


def test_a_new_password_drops_an_address_that_waits_to_be_confirmed(alice):
    link = confirmation_link(alice, "thief@example.org")
    words = {"oldpassword": PASSWORD, "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    signed_in(alice).post("/accounts/password/change/", words)
    Client().post(link)
    assert [one.email for one in EmailAddress.objects.filter(user=alice)] == [alice.email]


def test_tries_to_guess_the_password_in_order_to_change_it_are_limited(alice):
    browser = signed_in(alice)
    words = {"oldpassword": "no", "password1": NEW_PASSWORD, "password2": NEW_PASSWORD}
    answers = [browser.post("/accounts/password/change/", words) for _ in range(6)]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    assert "30/h/user" in settings.ACCOUNT_RATE_LIMITS["change_password"]


def test_a_link_to_a_new_password_ends_with_all_access(alice):
    link = default_token_generator.make_token(alice)
    assert default_token_generator.check_token(alice, link)
    access.revoke_all(player=alice, keep=None)
    assert not default_token_generator.check_token(Player.objects.get(pk=alice.pk), link)
