"""The mailbox of a trial set-up shows letters like a mail program and sends answers by SMTP."""

import re

import pytest
from aiosmtpd.controller import Controller
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import timezone

from games.models import Move
from notifications import desk, inbound, mail_in, mailbox, post
from notifications.models import InboundMail, Kind, MailboxLetter
from tests.notifications.mails import free_port

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def trial(settings):
    settings.DEBUG = settings.MAILBOX = True
    settings.EMAIL_BACKEND = "notifications.mailbox.MailboxBackend"
    settings.LETTER_PAUSE = 0


@pytest.fixture
def server(settings):
    """Our mail server, where the settings say it is."""
    settings.MAIL_LISTEN_HOST, settings.MAIL_LISTEN_PORT = "0.0.0.0", free_port()
    controller = Controller(mail_in.Handler(), hostname="127.0.0.1", port=settings.MAIL_LISTEN_PORT)
    controller.start()
    yield controller
    controller.stop()


@pytest.fixture
def letter(start, alice) -> MailboxLetter:
    """It is Alice's turn, and she has been told."""
    now = timezone.now()
    game = start("tritt-classic", now=now)
    desk.write(
        kind=Kind.TURN, player_id=alice.pk, key=f"g{game.pk}.p0.s0.turn", now=now,
        game_id=game.pk, ply=0, seat=0,
    )  # fmt: skip
    post.send_due(now=now)
    return MailboxLetter.objects.get()


def path(letter: MailboxLetter) -> str:
    return reverse("mailbox_letter", args=[letter.pk])


def test_a_letter_is_shown_in_a_frame_that_runs_and_loads_nothing(letter, client):
    page = client.get(path(letter))
    frame = reverse("mailbox_letter_html", args=[letter.pk])
    assert f'src="{frame}"' in page.text
    assert "frame-src 'self'" in page["Content-Security-Policy"]
    inside = client.get(frame)
    policy = inside["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert "sandbox allow-popups" in policy
    assert "frame-ancestors 'self'" in policy
    assert inside["X-Frame-Options"] == "SAMEORIGIN"
    assert "<img" in inside.text
    assert "data:image/png;base64," in inside.text
    assert "cid:" not in inside.text


def test_a_letter_can_be_read_as_text(letter, client):
    page = client.get(f"{path(letter)}?text")
    assert "<iframe" not in page.text
    assert "##- Write your answer above this line -##" in page.text


def test_an_answer_travels_by_smtp_and_the_page_says_what_came_of_it(letter, server, client):
    sent = client.post(path(letter), {"answer": "c3-e5\r\n\r\nGood luck!"})
    mail = InboundMail.objects.get()
    address = reverse("mailbox_answer", args=[letter.pk, mail.pk])
    assert sent["Location"] == address
    assert "a worker will read it in a moment" in (waiting := client.get(address).text)
    assert 'hx-trigger="every 1s"' in waiting
    assert re.search(rb"\n> ##- Write your answer", bytes(mail.raw))
    inbound.read_new(now=timezone.now())
    post.send_due(now=timezone.now())
    told = client.get(address)
    assert "The move is played." in told.text
    assert "hx-trigger" not in told.text
    reply = mailbox.answer_to(InboundMail.objects.get())
    assert path(reply) in told.text
    assert Move.objects.get(ply=1).text == "c3-e5"
    part = client.get(address, headers={"HX-Request": "true"})
    assert "<html" not in part.text
    assert "The move is played." in part.text


def test_what_the_server_does_not_take_is_said(letter, server, client, monkeypatch):
    monkeypatch.setattr(mail_in, "why_refused", lambda *_a, **_m: "550 5.1.1 Nobody reads this")
    page = client.post(path(letter), {"answer": "c3-e5"})
    assert page.status_code == 422
    assert "The mail server did not take it: 5.1.1 Nobody reads this" in page.text
    assert "c3-e5</textarea>" in page.text


def test_a_server_that_is_away_is_said(letter, client, settings):
    settings.MAIL_LISTEN_PORT = free_port()
    page = client.post(path(letter), {"answer": "c3-e5"})
    assert "The mail server cannot be reached" in page.text


def test_an_empty_answer_is_not_sent(letter, client):
    assert "An answer has 1 to 20000 characters." in client.post(path(letter), {"answer": " "}).text


def test_what_cannot_be_answered_has_no_form(client):
    EmailMessage("Hello", "Open http://testserver/x/", to=["bob@example.org"]).send()
    page = client.get(path(MailboxLetter.objects.get()))
    assert "<textarea" not in page.text
    assert '<a href="http://testserver/x/"' in page.text


def test_pages_of_letters_cost_the_same_however_many_there_are(client, django_assert_num_queries):
    for number in range(40):
        EmailMessage(f"No. {number}", "-", to=["bob@example.org"]).send()
    with django_assert_num_queries(2):
        client.get(reverse("mailbox"))


@pytest.mark.parametrize("name", ["mailbox", "mailbox_letter", "mailbox_letter_html"])
def test_outside_a_trial_nobody_reads_the_letters_of_others(letter, client, settings, name):
    settings.DEBUG = False
    args = [] if name == "mailbox" else [letter.pk]
    assert client.get(reverse(name, args=args)).status_code == 404
    assert client.get(reverse("mailbox_answer", args=[letter.pk, 1])).status_code == 404
