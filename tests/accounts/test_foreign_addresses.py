"""An address that a player has only named is not the player's: whose it is loses nothing by it."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from accounts import closing
from accounts.closing import SECOND_LOOK_AFTER, close_account, settle_closings
from accounts.models import Closing
from games import invitations, lobby
from notifications import mail_in, reply_address
from notifications.models import InboundMail, Kind, Letter, Suppression
from tests.conftest import NOW, THREE_DAYS, log_in, make_player
from tests.notifications.mails import mail, token_of

TERMS = lobby.Terms(ruleset="tritt-classic", clock=THREE_DAYS)


@pytest.fixture(autouse=True)
def _no_other_worker(monkeypatch):
    monkeypatch.setattr(closing, "_wake_worker", lambda: None)
    monkeypatch.setattr("games.outbox.ring", lambda: None)


def name_as_new(player, address):
    browser = log_in(Client(), player)
    browser.post("/accounts/email/", {"action_add": "", "email": address})
    assert player.emailaddress_set.filter(email=address, verified=False).exists()
    return browser


def test_closing_takes_no_mail_from_the_owner_of_an_address(alice, charlie, start):
    browser = name_as_new(charlie, alice.email)
    now = timezone.now()
    Letter.objects.create(
        kind=Kind.TURN, key="x", player=alice, address=alice.email, due_at=now, written_at=now
    )
    Suppression.objects.create(address=alice.email)
    to = reply_address.address_of(token_of(start()))
    mail_in.store(
        mail("a1", sender=alice, to=to), recipients=[to], mail_from=alice.email, peer="127.0.0.1"
    )
    browser.post("/settings/close/")
    assert Closing.objects.get().addresses == [charlie.email]
    settle_closings(now=timezone.now())
    assert Letter.objects.filter(key="x").exists()
    assert InboundMail.objects.exists()
    assert Suppression.objects.exists()


def test_the_export_tells_nothing_of_an_address_that_was_only_named(alice, charlie):
    Suppression.objects.create(
        address=alice.email, cause="complaint", last_error="550 mailbox is full", since=NOW
    )
    browser = name_as_new(charlie, alice.email)
    export = b"".join(browser.get("/settings/download/").streaming_content).decode()
    assert charlie.email in export
    assert "mailbox is full" not in export


def test_whoever_names_an_invited_address_does_not_shut_its_owner_out(alice, charlie):
    address = "new@example.org"
    offer = lobby.invite_by_email(challenger=alice, email=address, terms=TERMS, now=timezone.now())
    name_as_new(charlie, address)
    assert invitations.is_for_a_stranger(offer)
    charlie.emailaddress_set.filter(email=address).update(verified=True)
    assert not invitations.is_for_a_stranger(offer)


def test_the_second_look_takes_nothing_from_who_signed_up_since(alice):
    address = alice.email
    close_account(player=alice, now=NOW)
    settle_closings(now=NOW)
    at = NOW + timedelta(minutes=5)
    again = make_player("again")
    again.emailaddress_set.update(email=address)
    Letter.objects.create(
        kind=Kind.TURN, key="x", player=again, address=address, due_at=at, written_at=at
    )
    Suppression.objects.create(address=address)
    assert settle_closings(now=NOW + SECOND_LOOK_AFTER) == 1
    assert Letter.objects.filter(key="x").exists()
    assert Suppression.objects.filter(address=address).exists()
