"""A stranger gets one polite letter, answers with one click and a name, and is in the game."""

import re
from datetime import timedelta

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client
from django.utils import timezone

from accounts.models import Player
from games import lobby, outbox
from games.clock import Fischer, PerMove
from games.lobby import Terms
from games.models import Challenge, Game
from notifications import post
from tests.conftest import make_player

TERMS = Terms(ruleset="tritt-classic", clock=PerMove(3), message="Shall we?")


@pytest.fixture
def invited(alice):
    """Alice has written to Emil, and the letter has gone out."""
    offer = lobby.invite_by_email(
        challenger=alice, email="emil@example.org", terms=TERMS, now=timezone.now()
    )
    send()
    return offer


def send():
    """Facts become letters, and letters go out."""
    outbox.relay(now=timezone.now())
    post.send_due(now=timezone.now())


def link_in(letter):
    return re.search(r"https?://[^/\s]+(/invite/[\w-]+/)", letter.body).group(1)


def test_the_stranger_gets_one_polite_letter(invited):
    [letter] = mail.outbox
    assert letter.to == ["emil@example.org"]
    assert letter.subject == "alice invites you to a game of Tritt (2009)"
    assert "3 days for each move" in letter.body
    assert "Shall we?" not in letter.body, "a stranger reads that on the page, if he likes"
    assert link_in(letter) == f"/invite/{invited.link}/"
    assert letter.extra_headers["Auto-Submitted"] == "auto-generated"
    send()
    assert len(mail.outbox) == 1


def test_the_letter_is_in_the_language_of_whoever_invites(charlie):
    lobby.invite_by_email(
        challenger=charlie, email="emil@example.org", terms=TERMS, now=timezone.now()
    )
    send()
    [letter] = mail.outbox
    assert '<html lang="de"' in letter.alternatives[0].content


def test_a_letter_that_is_late_does_not_invite_to_what_is_over(alice):
    offer = lobby.invite_by_email(
        challenger=alice, email="emil@example.org", terms=TERMS, now=timezone.now()
    )
    outbox.relay(now=timezone.now())
    lobby.withdraw(challenge_id=offer.pk, player=alice, now=timezone.now())
    send()
    assert mail.outbox == []


def test_other_challenges_send_no_such_letter(alice, bob):
    lobby.seek(challenger=alice, terms=TERMS, now=timezone.now())
    lobby.challenge(challenger=alice, opponent=bob, terms=TERMS, now=timezone.now())
    lobby.invite_by_link(challenger=alice, terms=TERMS, now=timezone.now())
    send()
    assert [letter.to for letter in mail.outbox] == [["bob@example.org"]]


def test_to_look_at_it_changes_nothing(invited, client):
    page = client.get(link_in(mail.outbox[0]))
    assert page.status_code == 200
    assert "alice invites you to a game of Tritt (2009)" in page.text
    assert "Accept and play" in page.text
    assert "Decline" in page.text
    invited.refresh_from_db()
    assert invited.state == "open"
    assert not Player.objects.filter(email="emil@example.org").exists()


def test_a_name_and_a_click_make_a_player_who_is_in_the_game(invited, client):
    address = link_in(mail.outbox[0])
    page = client.post(
        address, {"answer": "accept", "name": "Emil", "zone": "Europe/Vienna"}, follow=True
    )
    assert "You play this game against alice." in page.text
    emil = Player.objects.get(name="Emil")
    assert (emil.email, emil.zone) == ("emil@example.org", "Europe/Vienna")
    assert not emil.has_usable_password()
    assert EmailAddress.objects.get(user=emil).verified
    assert page.context["user"] == emil
    game = Game.objects.get()
    assert {seat.player.name for seat in game.seats.all()} == {"alice", "Emil"}
    assert Challenge.objects.get().game == game


def test_the_new_player_can_choose_a_password(invited, client):
    client.post(link_in(mail.outbox[0]), {"answer": "accept", "name": "Emil"})
    Client().post("/accounts/password/reset/", {"email": "emil@example.org"})
    assert "password" in mail.outbox[-1].body
    assert mail.outbox[-1].to == ["emil@example.org"]


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("ALICE", "That name is taken or looks like one that is."),
        ("4 ever", "A name has 2 to 24 letters"),
        ("", "This field is required."),
    ],
)
def test_a_name_that_will_not_do_is_asked_for_again(invited, client, name, sentence):
    page = client.post(link_in(mail.outbox[0]), {"answer": "accept", "name": name})
    assert page.status_code == 200
    assert sentence in page.text
    assert not Game.objects.exists()
    assert Player.objects.count() == 1


def test_one_click_declines(invited, client):
    page = client.post(link_in(mail.outbox[0]), {"answer": "decline"}, follow=True)
    assert "This invitation was declined." in page.text
    invited.refresh_from_db()
    assert invited.state == "declined"
    assert Player.objects.count() == 1


def test_whoever_is_signed_in_just_accepts(invited, bob, as_player):
    page = as_player(bob).post(link_in(mail.outbox[0]), {"answer": "accept"}, follow=True)
    assert "You play this game against alice." in page.text
    assert Player.objects.count() == 2


def test_an_address_with_an_account_signs_in_first(alice, client):
    make_player("emil")
    offer = lobby.invite_by_email(
        challenger=alice, email="Emil@example.org", terms=TERMS, now=timezone.now()
    )
    address = f"/invite/{offer.link}/"
    page = client.get(address)
    assert f'href="/accounts/login/?next={address}"' in page.text
    client.post(address, {"answer": "accept", "name": "Impostor"})
    assert not Game.objects.exists()
    assert not Player.objects.filter(name="Impostor").exists()


def test_a_link_that_is_passed_on_does_not_make_accounts(alice, client):
    offer = lobby.invite_by_link(challenger=alice, terms=TERMS, now=timezone.now())
    address = f"/invite/{offer.link}/"
    assert f'href="/accounts/signup/?next={address}"' in client.get(address).text
    client.post(address, {"answer": "accept", "name": "Emil"})
    assert Player.objects.count() == 1


def test_an_invitation_is_accepted_once(invited, client):
    address = link_in(mail.outbox[0])
    client.post(address, {"answer": "accept", "name": "Emil"})
    page = Client().post(address, {"answer": "accept", "name": "Second"}, follow=True)
    assert "Somebody has accepted this invitation" in page.text
    assert Player.objects.filter(name="Second").count() == 0
    assert Game.objects.count() == 1


def test_an_invitation_whose_time_is_up_says_so(invited, client):
    Challenge.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    address = link_in(mail.outbox[0])
    assert "This invitation has ended" in client.get(address).text
    page = client.post(address, {"answer": "accept", "name": "Emil"}, follow=True)
    assert "This challenge has expired." in page.text
    assert Player.objects.count() == 1


def test_nobody_accepts_his_own_invitation(invited, alice, as_player):
    address = f"/invite/{invited.link}/"
    assert "Accept and play" not in as_player(alice).get(address).text
    page = as_player(alice).post(address, {"answer": "accept"}, follow=True)
    assert "This is your own challenge" in page.text


def test_whoever_invites_never_sees_the_link_of_the_letter(alice, api_of):
    asked = {"ruleset": "tritoc", "email": "emil@example.org"}
    told = api_of(alice).post("/api/v1/challenges", asked, format="json").json()
    assert told["email"] == "emil@example.org"
    assert told["link"] is None


def test_an_unknown_link_leads_nowhere(client, db):
    assert client.get("/invite/guess/").status_code == 404


def test_every_clock_can_be_told(alice, client):
    bank = Fischer(bank_hours=240, increment_hours=24, cap_hours=504)
    terms = Terms(ruleset="tritoc", clock=bank)
    offer = lobby.invite_by_link(challenger=alice, terms=terms, now=timezone.now())
    page = client.get(f"/invite/{offer.link}/")
    assert "10 days for the game and 1 day more for each move, up to 21 days" in page.text
