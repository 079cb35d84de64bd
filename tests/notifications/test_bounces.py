"""Addresses that take no mail: how that is found out, who is told, and the way back."""

from datetime import timedelta
from types import SimpleNamespace

import pytest
from allauth.account.models import EmailAddress
from allauth.account.signals import email_confirmed
from anymail.signals import AnymailTrackingEvent, tracking
from django.urls import reverse

from games.refusals import NothingToAnswer
from notifications import bounces
from notifications.models import Kind, Letter, Suppression
from tests.conftest import NOW, days, make_player
from tests.games.threads import at_once
from tests.notifications.posting import outcome, send, write_news

ADDRESS = "alice@example.org"
HOUR = timedelta(hours=1)


def bounce(times: int = 1, *, hard: bool = True, now=NOW) -> None:
    for _ in range(times):
        bounces.note_bounce(ADDRESS, hard, "550 no such user", now)


def test_one_hard_bounce_suppresses_nothing_and_the_second_does(alice):
    bounce()
    assert not bounces.is_suppressed(ADDRESS)
    bounce()
    assert bounces.is_suppressed("Alice@Example.ORG")
    assert not bounces.is_suppressed("bob@example.org")


def test_soft_bounces_suppress_only_when_they_are_many(alice):
    bounce(bounces.MOST_SOFT - 1, hard=False)
    assert not bounces.is_suppressed(ADDRESS)
    bounce(hard=False)
    assert bounces.is_suppressed(ADDRESS)


def test_old_bounces_are_forgiven(alice):
    bounce()
    bounce(now=NOW + days(31))
    assert not bounces.is_suppressed(ADDRESS)
    bounce(now=NOW + days(32))
    assert bounces.is_suppressed(ADDRESS)


def test_a_complaint_suppresses_at_once(alice):
    bounces.note_complaint(ADDRESS, "abuse", NOW)
    assert Suppression.objects.get().cause == "complaint"
    assert bounces.is_suppressed(ADDRESS)


def test_bounces_that_come_at_once_are_all_counted(transactional_db, alice):
    at_once(*[lambda: bounces.note_bounce(ADDRESS, False, "451", NOW)] * 4)
    assert Suppression.objects.get().soft_bounces == 4


# Who is told


def test_each_opponent_is_told_once(start, alice, bob, charlie, mailoutbox):
    start("tritt-classic", alice, bob)
    start("tritt-classic", bob, alice)
    start("tritt-classic", alice, charlie)
    bounce(5)
    told = Letter.objects.filter(kind=Kind.UNREACHABLE)
    assert sorted(letter.player.name for letter in told) == ["bob", "charlie"]
    send(NOW)
    assert sorted(message.to[0] for message in mailoutbox) == [
        "bob@example.org",
        "charlie@example.org",
    ]
    assert all("alice" in message.body for message in mailoutbox)


def test_an_address_that_works_again_is_not_spoken_of(start, alice, mailoutbox):
    start()
    bounce(2)
    bounces.try_again(player=alice)
    send(NOW)
    assert mailoutbox == []
    assert outcome(Letter.objects.get()) == ("cancelled", "reachable-again")


def test_the_player_is_told_on_every_page(alice, as_player):
    page = as_player(alice)
    assert "come back" not in page.get(reverse("my_games")).content.decode()
    bounce(2)
    assert "Our letters to you come back" in page.get(reverse("my_games")).content.decode()


def test_visitors_are_told_nothing(alice, client):
    bounce(2)
    assert "come back" not in client.get(reverse("lobby")).content.decode()


# The way back


def test_the_player_may_have_it_tried_again_and_one_more_bounce_ends_it(
    alice, as_player, mailoutbox
):
    bounce(2)
    page = as_player(alice)
    assert "try once more" in page.get(reverse("receipts")).content.decode()
    page.post(reverse("try_address_again"))
    letter = write_news(alice)
    send(NOW)
    assert outcome(letter) == ("sent", "")
    bounce()
    assert bounces.is_suppressed(ADDRESS)


def test_trying_again_is_for_those_in_trouble(alice):
    with pytest.raises(NothingToAnswer):
        bounces.try_again(player=alice)


def test_a_new_address_is_not_to_blame_for_the_old_one(alice, mailoutbox):
    bounce(2)
    EmailAddress.objects.filter(user=alice).update(email="new@example.org")
    letter = write_news(alice)
    send(NOW)
    assert (outcome(letter), mailoutbox[0].to) == (("sent", ""), ["new@example.org"])


def test_whoever_confirms_an_address_has_read_a_letter_there(alice):
    bounce(2)
    email_confirmed.send(
        EmailAddress, request=None, email_address=SimpleNamespace(email="ALICE@example.org")
    )
    assert not Suppression.objects.exists()


# What providers tell


def tell(event_type: str, event_id: str = "", **more) -> None:
    event = AnymailTrackingEvent(
        event_type=event_type, event_id=event_id or None, recipient=ADDRESS, **more
    )
    tracking.send(object, event=event, esp_name="Provider")


@pytest.mark.parametrize(
    ("event", "reason", "hard", "soft"),
    [
        ("bounced", "bounced", 1, 0),
        ("bounced", "timed_out", 0, 1),
        ("rejected", "invalid", 1, 0),
        ("deferred", None, 0, 1),
    ],
)
def test_what_a_provider_reports_is_counted(alice, event, reason, hard, soft):
    tell(event, reject_reason=reason, mta_response="550 5.1.1 unknown")
    known = Suppression.objects.get()
    assert (known.hard_bounces, known.soft_bounces) == (hard, soft)
    assert "5.1.1" in known.last_error


def test_what_a_provider_reports_twice_counts_once(alice):
    for _ in range(2):
        tell("bounced", "e-1", reject_reason="bounced")
    assert Suppression.objects.get().hard_bounces == 1


def test_a_complaint_reported_by_a_provider_ends_the_mail(alice):
    tell("complained")
    assert bounces.is_suppressed(ADDRESS)


@pytest.mark.parametrize("event", ["delivered", "opened", "sent"])
def test_good_news_is_no_bounce(alice, event):
    tell(event)
    assert not Suppression.objects.exists()


def test_an_address_of_nobody_can_bounce_too(db):
    make_player("dora")
    bounces.note_bounce("stranger@example.net", True, "550", NOW)
    bounces.note_bounce("stranger@example.net", True, "550", NOW)
    assert bounces.is_suppressed("stranger@example.net")
    assert not Letter.objects.exists()
