"""Automatic mail is known as such, and never answered."""

from email import message_from_string

import pytest

from notifications import bounces, letters, message
from notifications.loop_guard import why_automatic
from notifications.models import Kind, Letter, State, Suppression
from tests.conftest import NOW
from tests.notifications.mails import answer, arrive, mail, token_of

PERSON = "From: alice@example.org\nTo: r+x@localhost\nSubject: Re: Tritoc\n"


def why(headers: str, mail_from: str | None = "alice@example.org") -> str:
    parsed = message_from_string(f"{headers}\n\n5.7\n")
    return why_automatic(parsed, mail_from=mail_from, domain="localhost")


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("Auto-Submitted: auto-replied", "auto-submitted"),
        ("Auto-Submitted: auto-generated (rule 4)", "auto-submitted"),
        ("Auto-Submitted: auto-notified; owner=x", "auto-submitted"),
        ("Precedence: bulk", "precedence"),
        ("Precedence: JUNK", "precedence"),
        ("Precedence: list", "precedence"),
        ("List-Id: <x.example.org>", "mailing list"),
        ("X-Autoreply: yes", "autoresponder"),
        ("X-Autorespond: on holiday", "autoresponder"),
        ("Return-Path: <>", "null sender"),
        ("Content-Type: multipart/report; boundary=x", "report"),
    ],
)
def test_a_header_gives_it_away(line, reason):
    assert why(f"{PERSON}{line}") == reason


@pytest.mark.parametrize(
    "subject",
    ["Out of Office: Re: Tritoc", "Automatic reply: x", "Abwesenheitsnotiz: x", "Auto: x",
     "=?utf-8?q?R=C3=A9ponse_automatique_?= : x", "Undeliverable: Tritoc"],
)  # fmt: skip
def test_a_subject_gives_it_away(subject):
    assert why(f"From: alice@example.org\nSubject: {subject}") == "autoresponder's subject"


@pytest.mark.parametrize(
    ("sender", "reason"),
    [
        ("MAILER-DAEMON@example.org", "robot"),
        ("postmaster@example.org", "robot"),
        ("No-Reply@example.org", "robot"),
        ("play@LOCALHOST", "from ourselves"),
    ],
)
def test_a_sender_gives_it_away(sender, reason):
    assert why(f"From: Somebody <{sender}>\nSubject: x") == reason
    assert why(PERSON, mail_from=sender) == reason


def test_an_empty_envelope_sender_gives_it_away():
    assert why(PERSON, mail_from="") == "null sender"


@pytest.mark.parametrize(
    "line",
    ["X-Auto-Response-Suppress: All", "Auto-Submitted: no", "Precedence: first-class",
     "X-Autoreply: no", "Importance: high", "Return-Path: <alice@example.org>"],
)  # fmt: skip
def test_a_person_may_have_written(line):
    assert why(f"{PERSON}{line}") == ""
    assert why(f"{PERSON}{line}", mail_from=None) == ""


@pytest.mark.django_db
def test_automatic_mail_is_noted_and_never_answered(start):
    game = start("tritt-classic")
    for headers in ({"Auto_Submitted": "auto-replied"}, {"Precedence": "bulk"}, {"List_Id": "<x>"}):
        done = answer(token_of(game), "c3-e5", **headers)
        assert (done.state, done.outcome) == ("refused", "automatic")
    game.refresh_from_db()
    assert game.ply == 0
    assert not Letter.objects.filter(kind=Kind.REPLY).exists()


@pytest.mark.django_db
def test_our_own_letters_are_automatic_to_us(start):
    game = start("tritt-classic")
    letter = Letter.objects.create(
        key="g1.p0.s0.turn",
        kind=Kind.TURN,
        game=game,
        seat=0,
        ply=0,
        player=game.seats.all()[0].player,
    )
    raw = letters.compose(letter, now=NOW).message().as_bytes()
    token = token_of(game)
    assert arrive(raw, f"r+{token.token}@localhost").outcome == "automatic"


# Reports of what did not arrive

REPORT = """\
From: Mail Delivery System <MAILER-DAEMON@example.org>
To: {to}
Subject: Undelivered Mail Returned to Sender
Content-Type: multipart/report; report-type={kind}; boundary="b"
MIME-Version: 1.0

--b
Content-Type: text/plain

Sorry. Status: 5.0.0 it says here, but this part is for people.
--b
Content-Type: message/{kind}

{fields}
--b
Content-Type: message/rfc822

Subject: x

5.7
--b--
"""
STATUS = """\
Reporting-MTA: dns; mx.example.org

Final-Recipient: rfc822; someone-else@example.org
Action: failed
Status: {status}
Diagnostic-Code: smtp; 550 no such user"""


@pytest.fixture
def sent(alice) -> Letter:
    return Letter.objects.create(
        key="g1.p1.s0.turn",
        kind=Kind.TURN,
        player=alice,
        address="alice@example.org",
        state=State.SENT,
    )


def report(letter_address: str, *, kind: str = "delivery-status", fields: str):
    raw = REPORT.format(to=letter_address, kind=kind, fields=fields).encode()
    return arrive(raw, letter_address, mail_from="")


def test_two_hard_bounces_suppress_the_address_of_the_letter(sent):
    address = message.bounce_address(sent.pk)
    done = report(address, fields=STATUS.format(status="5.1.1"))
    assert done.outcome == "bounce"
    assert not bounces.is_suppressed("alice@example.org")
    report(address.upper().replace("LOCALHOST", "localhost"), fields=STATUS.format(status="5.1.2"))
    assert bounces.is_suppressed("alice@example.org")
    assert not Suppression.objects.filter(address="someone-else@example.org").exists()


def test_a_delay_is_a_soft_bounce_and_success_is_none(sent):
    address = message.bounce_address(sent.pk)
    report(address, fields=STATUS.format(status="4.2.2"))
    done = report(address, fields=STATUS.format(status="2.0.0"))
    assert done.outcome == "no-bounce"
    known = Suppression.objects.get()
    assert (known.hard_bounces, known.soft_bounces) == (0, 1)


def test_a_complaint_counts_at_once(sent):
    fields = "Feedback-Type: abuse\nUser-Agent: x\nVersion: 1"
    done = report(message.bounce_address(sent.pk), kind="feedback-report", fields=fields)
    assert done.outcome == "complaint"
    assert Suppression.objects.get().cause == "complaint"


def test_a_report_to_an_address_that_we_did_not_make_is_not_believed(sent):
    done = report(f"b+{sent.pk}-{'0' * 20}@localhost", fields=STATUS.format(status="5.1.1"))
    assert done.outcome == "unknown-bounce"
    assert not Suppression.objects.exists()


def test_an_empty_report_is_no_bounce(sent):
    done = arrive(
        mail("Sorry", sender="x@example.org"), message.bounce_address(sent.pk), mail_from=""
    )
    assert done.outcome == "no-bounce"
