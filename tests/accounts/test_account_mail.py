"""Whoever changes how an account is entered, its owner hears of it."""

import re
from pathlib import Path

import allauth
import pytest
from allauth.core import context
from allauth.mfa.models import Authenticator
from django.conf import settings as the_settings
from django.core import mail
from django.core.mail.backends.locmem import EmailBackend
from django.urls import reverse

from accounts.adapter import AccountAdapter
from tests.accounts.authenticator import Passkey
from tests.accounts.test_passkeys import add

ANNOUNCED = re.compile(r'send_notification_mail\(\s*"([^"]+)"')


def announced() -> set[str]:
    """What allauth tells of, by the templates that it asks for."""
    sources = Path(allauth.__file__).parent
    texts = [
        source.read_text()
        for app in ("account", "mfa")
        for source in (sources / app).rglob("*.py")
        if "tests" not in source.parts
    ]
    return {found for text in texts for found in ANNOUNCED.findall(text)}


def test_every_announcement_is_in_our_words():
    ours = Path(the_settings.BASE_DIR) / "templates"
    assert len(announced()) >= 10
    for prefix in announced():
        for part in ("subject", "message"):
            assert (ours / f"{prefix}_{part}.txt").exists(), prefix


@pytest.fixture
def told(mailoutbox):
    return lambda: [(one.to, one.subject) for one in mailoutbox]


def test_the_owner_hears_of_a_passkey_that_is_added_and_removed(as_player, alice, told):
    browser = as_player(alice)
    add(browser, Passkey(alice))
    made = Authenticator.objects.get(type="webauthn")
    browser.post(reverse("mfa_remove_webauthn", args=[made.pk]))
    assert told() == [
        ([alice.email], "A passkey was added to your account"),
        ([alice.email], "A passkey was removed from your account"),
    ]
    text = mail.outbox[0].body
    assert text.startswith("Hello alice,\n\nA passkey was added to your account\n")
    assert "network address 127.0.0.1" in text
    assert f"http://testserver{reverse('account_reset_password')}" in text


def test_it_is_told_in_the_reader_s_language(as_player, alice, told):
    alice.language = "de"
    alice.save()
    add(as_player(alice), Passkey(alice))
    assert told() == [([alice.email], "Deinem Konto wurde ein Passkey hinzugefügt")]


def test_every_announcement_names_the_reader_and_what_to_do(rf, alice, told, mailoutbox):
    """Rendered as allauth asks for it."""
    request = rf.get("/")
    request.user = alice
    with context.request_context(request):
        for prefix in sorted(announced()):
            AccountAdapter(request).send_notification_mail(prefix, alice)
    assert len(mailoutbox) == len(announced())
    for one in mailoutbox:
        assert one.body.startswith(f"Hello alice,\n\n{one.subject}\n")
        assert reverse("account_reset_password") in one.body


def test_a_passkey_is_added_although_no_mail_can_be_sent(as_player, alice, monkeypatch):
    def unreachable(*_args: object) -> int:
        raise ConnectionRefusedError

    monkeypatch.setattr(EmailBackend, "send_messages", unreachable)
    assert add(as_player(alice), Passkey(alice)).status_code == 302
    assert Authenticator.objects.filter(type="webauthn").exists()
