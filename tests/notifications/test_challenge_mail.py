"""A challenge is accepted or declined by answering its letter, and the mail is the salt."""

import hashlib
from datetime import timedelta

import pytest
from django.utils import timezone, translation

from accounts import access
from games import dice, lobby, proof
from games.clock import PerMove
from games.events import ChallengeMade
from games.models import Challenge, Game
from notifications import challenge_mail, inbound, letters, mail_in, writing
from notifications.models import InboundMail, Letter
from tests.games.acts import play_to_the_end
from tests.notifications.mails import arrive, mail

TERMS = lobby.Terms(ruleset="tritoc", clock=PerMove(3), salt="of Alice")


@pytest.fixture
def offer(alice, bob):
    return lobby.challenge(challenger=alice, opponent=bob, terms=TERMS, now=timezone.now())


def reply(offer, text, sender, **more):
    to = challenge_mail.address_of(offer)
    raw = mail(text, sender=sender, to=to, **more)
    done = arrive(raw, to, mail_from=sender.email, at=timezone.now())
    offer.refresh_from_db()
    return raw, done


def said(done):
    letter = Letter.objects.get(key=f"r{done.pk}.reply")
    with translation.override("en"):
        return " ".join(letters.compose(letter, now=timezone.now()).body.split())


def test_the_letter_tells_the_commitment_and_where_to_reply(offer):
    writing.tell_of_challenge(ChallengeMade(challenge_id=offer.pk))
    with translation.override("en"):
        letter = letters.compose(
            Letter.objects.get(key=f"c{offer.pk}.challenge"), now=timezone.now()
        )
    assert letter.reply_to == [challenge_mail.address_of(offer)]
    assert offer.commitment in letter.body
    assert "reply to this e-mail with “accept”" in letter.body


@pytest.mark.parametrize("text", ["accept", "Annehmen.\n\nGood luck!"])
def test_an_acceptance_contributes_the_hash_of_the_raw_message(offer, bob, text):
    published = offer.commitment
    raw, done = reply(offer, text, bob)
    assert (done.state, done.outcome) == ("done", "done")
    assert offer.state == Challenge.State.ACCEPTED
    assert offer.game.commitment == published
    digest = hashlib.sha256(raw).hexdigest()
    assert offer.game.seats.get(player=bob).salt == digest
    told = proof.of_game(play_to_the_end(offer.game))
    assert all(digest in throw["salts"] for throw in told["throws"])
    assert dice.verify(told) == []
    assert "You accepted the challenge. The game has begun." in said(done)


def test_a_mail_that_waited_is_in_time_and_its_game_begins_when_it_is_read(offer, bob):
    to = challenge_mail.address_of(offer)
    raw = mail("accept", sender=bob, to=to)
    mail_in.store(raw, recipients=[to], mail_from=bob.email, peer="127.0.0.1")
    sent_at = offer.expires_at - timedelta(minutes=1)
    InboundMail.objects.update(received_at=sent_at, due_at=sent_at)
    late = offer.expires_at + timedelta(days=5)
    inbound.read_new(now=late)
    game = Game.objects.get()
    assert (game.started_at, game.clock_from) == (late, late)
    assert game.deadline_at >= late + timedelta(days=3)


def test_a_challenge_is_declined(offer, bob):
    _raw, done = reply(offer, "decline", bob)
    assert offer.state == Challenge.State.DECLINED
    assert "You declined the challenge." in said(done)


@pytest.mark.parametrize("text", ["Sure!", "accept\ndecline", "> accept", "resign"])
def test_anything_else_does_nothing_and_says_so(offer, bob, text):
    _raw, done = reply(offer, text, bob)
    assert (done.outcome, offer.state) == ("not-understood", Challenge.State.OPEN)
    assert "Write “accept” or “decline”." in said(done)


def test_another_address_accepts_nothing(offer, charlie):
    _raw, done = reply(offer, "accept", charlie)
    assert (done.outcome, offer.state) == ("other-address", Challenge.State.OPEN)


def test_a_sender_whose_proof_failed_accepts_nothing(offer, bob, settings):
    settings.MAIL_AUTHSERV_ID = "mx.localhost"
    failed = "mx.localhost; dmarc=fail header.from=example.org"
    _raw, done = reply(offer, "accept", bob, Authentication_Results=failed)
    assert (done.state, offer.state) == ("refused", Challenge.State.OPEN)
    assert "We could not verify that you sent this e-mail" in said(done)


def test_a_challenge_that_was_withdrawn_is_not_accepted(offer, alice, bob):
    lobby.withdraw(challenge_id=offer.pk, player=alice, now=timezone.now())
    _raw, done = reply(offer, "accept", bob)
    assert done.outcome == "refused"
    assert "This challenge was withdrawn." in said(done)
    assert not Game.objects.exists()


def test_the_address_is_refused_once_all_access_was_revoked(offer, bob):
    to = challenge_mail.address_of(offer)
    assert mail_in.why_refused(to, peer="127.0.0.1") == ""
    assert mail_in.why_refused(to.upper(), peer="127.0.0.1") == ""
    access.revoke_all(player=bob, keep=None)
    assert mail_in.why_refused(to, peer="127.0.0.1").startswith("550")


@pytest.mark.parametrize("local", ["c+1", "c+1-", "c+x-y", "c+99999999999999999999-0", "c+"])
def test_an_address_that_we_did_not_make_is_refused(offer, local):
    assert challenge_mail.find(f"{local}@localhost") is None
    assert mail_in.why_refused(f"{local}@localhost", peer="127.0.0.1").startswith("550")
