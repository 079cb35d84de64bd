"""A stranger who was invited says “never again” once, and nobody writes there any more."""

import re
from datetime import timedelta
from email.message import EmailMessage
from pathlib import Path

import allauth
import pytest
from django.core import mail
from django.core.management import call_command
from django.test import Client
from django.utils import timezone

from accounts import account_mail, never_write
from accounts.models import NeverWrite, Player
from games import lobby, outbox
from games.clock import PerMove
from games.lobby import Terms
from games.refusals import NotAllowed
from notifications import post
from notifications.models import Letter
from tests.conftest import PASSWORD, make_player
from tests.notifications.mail_peer import listening
from tests.notifications.mails import arrive

TERMS = Terms(ruleset="tritt-classic", clock=PerMove(3))
EMIL = "emil@example.net"


@pytest.fixture
def peer(settings):
    with listening() as peer:
        peer.take_mail_of(settings)
        yield peer


@pytest.fixture
def provider() -> Client:
    """A mail provider's server: no cookies, no forms, and told off if one were needed."""
    return Client(enforce_csrf_checks=True)


def invite(challenger, email=EMIL, now=None):
    return lobby.invite_by_email(
        challenger=challenger, email=email, terms=TERMS, now=now or timezone.now()
    )


def send(now=None):
    outbox.relay(now=now or timezone.now())
    post.send_due(now=now or timezone.now())


def refusal_of(challenger, email=EMIL, now=None) -> str:
    with pytest.raises(NotAllowed) as refused:
        invite(challenger, email, now)
    return str(refused.value)


def test_one_click_at_the_provider_and_nobody_writes_again(alice, bob, peer, provider):
    invite(alice)
    send()
    [message] = peer.messages
    assert message["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    path = re.search(r"<https?://[^/]+(/letters/never/[\w-]+/)>", message["List-Unsubscribe"])[1]
    assert path in message.get_payload(0).get_payload(decode=True).decode()
    answer = provider.post(
        path, "List-Unsubscribe=One-Click", content_type="application/x-www-form-urlencoded"
    )
    assert answer.status_code == 200
    tomorrow = timezone.now() + timedelta(days=2)
    for inviter in (alice, bob):
        for spelt in (EMIL, "Emil@Example.net", "emil+chess@example.net"):
            assert refusal_of(inviter, spelt, tomorrow) == "This address does not want invitations."
    send(tomorrow)
    assert len(peer.messages) == 1
    invite(bob, "emilia@example.net")


def test_the_address_itself_is_not_kept(alice, provider):
    provider.post(f"/letters/never/{never_write.signed(EMIL)}/")
    [row] = NeverWrite.objects.values()
    assert "emil" not in str(row)
    assert "example" not in str(row)


def test_the_digest_needs_the_key_and_survives_a_new_one(settings, db):
    never_write.refuse(never_write.digest_of(EMIL), now=timezone.now())
    link = never_write.signed(EMIL)
    old, settings.SECRET_KEY = settings.SECRET_KEY, "another key"
    assert not never_write.is_unwanted(EMIL)
    assert never_write.read(link) is None
    settings.SECRET_KEY_FALLBACKS = [old]
    assert never_write.is_unwanted(EMIL)
    assert never_write.read(link)


def test_mail_scanners_that_open_the_link_change_nothing(alice, provider):
    path = f"/letters/never/{never_write.signed(EMIL)}/"
    for look in (provider.get, provider.head):
        response = look(path)
        assert response.status_code == 200
        assert response["Referrer-Policy"] == "no-referrer"
        assert response["Cache-Control"] == "private, no-store"
    assert not NeverWrite.objects.exists()
    asked = provider.get(path).text
    assert "Never write to me again" in asked
    assert "Nobody can sign up with it either, you included, until you allow it again." in asked
    assert "Allow invitations again" in provider.post(path).text


def test_it_can_be_undone_by_the_same_link(alice, provider):
    path = f"/letters/never/{never_write.signed(EMIL)}/"
    provider.post(path)
    provider.post(path)
    assert NeverWrite.objects.count() == 1
    assert "Invitations allowed" in provider.post(path, {"undo": "yes"}).text
    invite(alice)


@pytest.mark.parametrize("link", ["x", "a" * 32, "a" * 32 + "-" + "b" * 16, "é-é", "-", "a" * 200])
def test_a_link_that_was_not_made_here_leads_nowhere(db, provider, link):
    assert provider.post(f"/letters/never/{link}/").status_code == 404
    assert not NeverWrite.objects.exists()


def test_a_mail_program_that_writes_instead_is_heard(alice, peer):
    invite(alice)
    send()
    address = re.search(r"<mailto:([^>]+)>", peer.messages[0]["List-Unsubscribe"])[1]
    assert len(address.partition("@")[0]) <= 64
    empty = EmailMessage()
    empty["From"], empty["To"] = EMIL, address
    assert arrive(empty.as_bytes(), address, mail_from=EMIL).outcome == "stopped"
    assert never_write.is_unwanted(EMIL)
    wrong = address.replace("stop+never-", "stop+never-0")
    assert arrive(empty.as_bytes(), wrong, mail_from=EMIL).outcome == "refused"


def test_what_was_on_its_way_is_not_sent(alice, provider, mailoutbox):
    invite(alice)
    outbox.relay(now=timezone.now())
    provider.post(f"/letters/never/{never_write.signed(EMIL)}/")
    send()
    assert mailoutbox == []
    assert list(Letter.objects.values_list("state", "why")) == [("cancelled", "unwanted")]


def test_an_account_of_ones_own_is_written_to_all_the_same(alice, bob, provider):
    provider.post(f"/letters/never/{never_write.signed(bob.email)}/")
    assert refusal_of(alice, bob.email) == "This address does not want invitations."
    lobby.challenge(challenger=alice, opponent=bob, terms=TERMS, now=timezone.now())
    send()
    assert [message.to for message in mail.outbox] == [[bob.email]]


# What the service writes about accounts


def test_a_password_reset_for_a_stranger_is_not_told_where_nobody_wants_mail(db, client):
    def reset():
        client.post("/accounts/password/reset/", {"email": EMIL})
        return len(mail.outbox)

    assert reset() == 1
    never_write.refuse(never_write.digest_of(EMIL), now=timezone.now())
    assert reset() == 1


def sign_up(client, email=EMIL):
    words = {"username": "Emil", "email": email, "password1": PASSWORD, "password2": PASSWORD}
    return client.post("/accounts/signup/", words)


def test_nobody_signs_up_with_it_until_its_owner_allows_it(db, client, provider):
    path = f"/letters/never/{never_write.signed(EMIL)}/"
    provider.post(path)
    for spelt in (EMIL, "Emil+1@example.net"):
        [sentence] = sign_up(client, spelt).context["form"].errors["email"]
        assert sentence.startswith("This address asked us never to write to it.")
    assert not Player.objects.exists()
    assert mail.outbox == []
    provider.post(path, {"undo": "yes"})
    assert sign_up(client).status_code == 302
    assert [message.to for message in mail.outbox] == [[EMIL]]


def test_whoever_gets_mail_because_another_signed_up_can_stop_it_too(db, client, provider):
    sign_up(client)
    [message] = mail.outbox
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    path = re.search(r"<https?://[^/]+(/[^>]+)>", message.extra_headers["List-Unsubscribe"])[1]
    assert path in message.body
    assert provider.post(path).status_code == 200
    assert never_write.is_unwanted(EMIL)


def test_an_operator_can_allow_it_where_the_link_is_lost(db):
    never_write.refuse(never_write.digest_of(EMIL), now=timezone.now())
    call_command("allow_mail", "Emil@example.net")
    assert not never_write.is_unwanted(EMIL)


def test_an_account_that_waits_for_its_address_is_not_written_to_either(db):
    now = timezone.now()
    assert account_mail.may_send("account/email/email_confirmation", EMIL, now=now)
    never_write.refuse(never_write.digest_of(EMIL), now=now)
    assert not account_mail.may_send("account/email/email_confirmation", EMIL, now=now)


@pytest.mark.parametrize(
    ("address", "spelt"),
    [
        (EMIL, "EMIL@Example.NET"),
        (EMIL, "emil+tag@example.net"),
        (EMIL, '"emil"@example.net'),
        (EMIL, r'"e\mil"@example.net'),
        ("emil@bücher.example", "emil@xn--bcher-kva.example"),
        ("emilzola@gmail.com", "emil.zola+x@googlemail.com"),
    ],
)
def test_an_address_is_known_however_it_is_spelt(address, spelt):
    assert never_write.normalised(address) == never_write.normalised(spelt)
    assert never_write.normalised("emilia@example.net") != never_write.normalised(address)


def test_mail_that_anybody_can_cause_has_a_daily_limit_of_its_own(db):
    now = timezone.now()
    spellings = [EMIL, "EMIL@example.net", "emil+1@example.net"] * 3
    for kind in ("email_confirmation", "unknown_account"):
        sent = [account_mail.may_send(f"account/email/{kind}", one, now=now) for one in spellings]
        assert sent == [True] * account_mail.TO_A_STRANGER + [False] * 4
    member = make_player("emilia", joined_at=now)
    sent = [
        account_mail.may_send("account/email/password_reset_key", member.email, now=now)
        for _ in range(account_mail.TO_A_MEMBER + 1)
    ]
    assert sent == [True] * account_mail.TO_A_MEMBER + [False]


def test_nobody_keeps_away_what_a_member_must_know_by_using_up_the_day(alice, client):
    for _ in range(account_mail.TO_A_MEMBER + 1):
        account_mail.may_send("account/email/password_reset_key", alice.email, now=timezone.now())
    page = client.post("/accounts/password/reset/", {"email": alice.email}, follow=True).text
    assert "We already e-mailed this address several times today. Try again tomorrow." in page
    assert mail.outbox == []
    never_write.refuse(never_write.digest_of(alice.email), now=timezone.now())
    for told in TELL_A_MEMBER:
        for _ in range(account_mail.TO_A_MEMBER + 1):
            assert account_mail.may_send(f"mfa/email/{told}", alice.email, now=timezone.now())


def test_every_account_mail_is_decided():
    """A new one of allauth's fails here until it is decided whether anybody can cause it."""
    templates = Path(allauth.__file__).parent / "templates"
    found = templates.glob("*/email/*_subject.txt")
    kinds = {path.name.removesuffix("_subject.txt") for path in found}
    assert kinds - TELL_A_MEMBER == set(account_mail.CAUSED_BY_ANYBODY)


TELL_A_MEMBER = {
    "account_connected", "account_disconnected", "email_changed", "email_confirm",
    "email_deleted", "password_changed", "password_reset", "password_set",
    "recovery_codes_generated", "totp_activated", "totp_deactivated", "webauthn_added",
    "webauthn_removed",
}  # fmt: skip
