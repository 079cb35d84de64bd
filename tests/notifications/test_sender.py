"""A mail counts only from the player's own address, and only with proof where proof is asked."""

import base64
import time
from email import message_from_bytes

import dkim
import dns.exception
import dns.resolver
import pytest
from allauth.account.models import EmailAddress
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from django.core import mail as outgoing
from django.utils import timezone

from games.models import Game, Move
from notifications import answers, inbound, post, sender
from notifications.models import InboundMail, Kind, Letter
from notifications.sender import DnsIsAway, Proof
from tests.conftest import NOW, days
from tests.notifications.mails import SOON, answer, arrive, mail, token_of

KEY = rsa.generate_private_key(public_exponent=65537, key_size=2048)
PRIVATE = KEY.private_bytes(
    serialization.Encoding.PEM,
    serialization.PrivateFormat.TraditionalOpenSSL,
    serialization.NoEncryption(),
)
PUBLIC = KEY.public_key().public_bytes(
    serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo
)


def dns_with(**policies: str):
    """A name server that knows one key everywhere, and these domains' policies."""

    def look_up(name: str) -> list[str]:
        name = name.rstrip(".")
        if "._domainkey." in name:
            return [f"v=DKIM1; k=rsa; p={base64.b64encode(PUBLIC).decode()}"]
        domain = name.removeprefix("_dmarc.").replace(".", "_").replace("-", "__")
        return [policies[domain]] if domain in policies else []

    return look_up


def signed(raw: bytes, domain: str, **more) -> bytes:
    line = dkim.sign(raw, b"s1", domain.encode(), PRIVATE, include_headers=[b"from", b"to"], **more)
    return line + raw


def proof(raw: bytes, look_up) -> Proof:
    return sender.proof_of(message_from_bytes(raw), raw, look_up=look_up)


@pytest.fixture
def game(start) -> Game:
    return start("tritt-classic")


@pytest.fixture
def outside(settings) -> None:
    """A set-up that takes mail from outside without a mail server before it."""
    settings.MAILBOX = False


# Whose address


def test_another_address_plays_nothing_and_the_player_is_told_once(game):
    token = token_of(game)
    for _time in range(3):
        done = answer(token, "c3-e5", sender="mallory@example.com")
        assert (done.state, done.outcome) == ("refused", "other-address")
    assert not Move.objects.filter(game=game, ply=1).exists()
    notice = Letter.objects.get(kind=Kind.REPLY)
    assert notice.player == token.player
    assert "mallory@example.com" in notice.details["said"][0]


def test_the_opponent_cannot_use_ones_token(game, bob):
    assert answer(token_of(game), "c3-e5", sender=bob).outcome == "other-address"


def test_an_address_that_is_not_verified_does_not_count(game, alice):
    EmailAddress.objects.create(user=alice, email="second@example.org", verified=False)
    assert answer(token_of(game), "c3-e5", sender="second@example.org").outcome == "other-address"
    EmailAddress.objects.filter(email="second@example.org").update(verified=True)
    assert answer(token_of(game), "c3-e5", sender="Second@Example.org").outcome == "played"


@pytest.mark.parametrize("header", ["alice@example.org, bob@example.org", "nobody", ""])
def test_there_is_exactly_one_sender(game, header):
    raw = mail("c3-e5", sender="x@example.org").replace(
        b"From: x@example.org", f"From: {header}".encode()
    )
    done = arrive(raw, f"r+{token_of(game).token}@localhost")
    assert (done.state, done.outcome) == ("refused", "refused")


def test_a_second_from_line_does_not_count_as_the_first(game):
    raw = b"From: alice@example.org\n" + mail("c3-e5", sender="mallory@example.com")
    done = arrive(raw, f"r+{token_of(game).token}@localhost")
    assert (done.outcome, done.reason) == ("refused", "several senders")


def test_a_revoked_token_is_unknown(game):
    token = token_of(game)
    token.revoked_at = SOON
    token.save()
    assert answer(token, "c3-e5").outcome == "no-game"


# Our own mail server's word


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("mx.tripost; dmarc=pass header.from=example.org", Proof.PASS),
        ("MX.Tripost; spf=fail; dmarc=pass header.from=example.org", Proof.PASS),
        ("mx.tripost; dmarc=none header.from=example.org", Proof.NONE),
        ("mx.tripost; spf=pass smtp.mailfrom=example.org", Proof.NONE),
        ("mx.tripost; dmarc=fail header.from=example.org", Proof.FAIL),
        ("mx.tripost; dmarc=temperror header.from=example.org", Proof.FAIL),
        ("evil.example; dmarc=pass header.from=example.org", Proof.FAIL),
        ("(((((", Proof.FAIL),
    ],
)
def test_only_the_header_of_our_own_server_is_believed(settings, header, expected):
    settings.MAIL_AUTHSERV_ID = "mx.tripost"
    raw = mail("5.7", sender="alice@example.org", Authentication_Results=header)
    assert sender.proof_of(message_from_bytes(raw), raw) == expected


def test_the_topmost_header_of_our_server_counts(settings):
    settings.MAIL_AUTHSERV_ID = "mx.tripost"
    forged = mail("5.7", sender="a@example.org", Authentication_Results="mx.tripost; dmarc=pass")
    raw = b"Authentication-Results: mx.tripost; dmarc=fail\n" + forged
    assert sender.proof_of(message_from_bytes(raw), raw) == Proof.FAIL


# Our own check


def test_a_domain_without_a_policy_asks_for_no_proof(outside):
    assert proof(mail("5.7", sender="a@example.org"), dns_with()) == Proof.NONE


def test_a_signature_of_the_senders_domain_is_proof(outside):
    look_up = dns_with(example_org="v=DMARC1; p=reject")
    raw = mail("5.7", sender="a@example.org")
    assert proof(raw, look_up) == Proof.FAIL
    assert proof(signed(raw, "example.org"), look_up) == Proof.PASS
    assert proof(signed(raw, "mail.example.org"), look_up) == Proof.PASS
    assert proof(signed(raw, "evil.example"), look_up) == Proof.FAIL


def test_what_was_changed_after_signing_is_no_proof(outside):
    look_up = dns_with(example_org="v=DMARC1; p=quarantine")
    raw = signed(mail("5.7", sender="a@example.org"), "example.org")
    assert proof(raw.replace(b"5.7", b"5.8"), look_up) == Proof.FAIL


def test_a_signature_for_a_part_of_the_text_is_no_proof(outside):
    look_up = dns_with(example_org="v=DMARC1; p=reject")
    raw = signed(mail("5.7", sender="a@example.org"), "example.org", length=True)
    assert proof(raw + b"resign\n", look_up) == Proof.FAIL


def test_one_good_signature_among_others_is_enough(outside):
    look_up = dns_with(example_org="v=DMARC1; p=reject")
    raw = signed(signed(mail("5.7", sender="a@example.org"), "example.org"), "list.example")
    assert proof(raw, look_up) == Proof.PASS


def test_a_domain_with_a_hyphen_is_looked_up_whole(outside):
    look_up = dns_with(my__club_org="v=DMARC1; p=reject")
    assert proof(mail("5.7", sender="a@my-club.org"), look_up) == Proof.FAIL


def test_two_policies_are_none(outside):
    def look_up(name: str) -> list[str]:
        return ["v=DMARC1; p=reject", "v=DMARC1; p=none"] if name.startswith("_dmarc") else []

    assert proof(mail("5.7", sender="a@example.org"), look_up) == Proof.NONE


def test_while_no_name_server_answers_the_mail_waits(game, outside, monkeypatch):
    def away(name: str, **_limit: float) -> list[str]:
        raise DnsIsAway(name)

    monkeypatch.setattr(sender, "txt_records", away)
    waiting = answer(token_of(game), "c3-e5")
    assert waiting.state == "new"
    monkeypatch.setattr(sender, "txt_records", lambda name, **_limit: [])
    inbound.read_new(now=SOON + days(1))
    waiting.refresh_from_db()
    assert waiting.outcome == "played"
    line = Move.objects.get(game=game, ply=1)
    assert (line.played_at, line.used) == (SOON + days(1), SOON - NOW)


def test_all_questions_about_one_mail_share_the_seconds(game, outside, monkeypatch):
    asked = []

    def slow(name: str, kind: str, lifetime: float) -> None:
        asked.append(lifetime)
        time.sleep(lifetime)
        raise dns.exception.Timeout

    monkeypatch.setattr(dns.resolver, "resolve", slow)
    monkeypatch.setattr(sender, "PATIENCE", 0.3)
    began = time.monotonic()
    assert answer(token_of(game), "c3-e5").state == "new"
    assert time.monotonic() - began < 3
    assert sum(asked) < 0.4


# Held


@pytest.fixture
def waiting_game(start) -> Game:
    """A page acts by the real clock."""
    return start("tritt-classic", now=timezone.now())


@pytest.fixture
def held(waiting_game, settings) -> InboundMail:
    settings.MAIL_AUTHSERV_ID = "mx.tripost"
    failed = "mx.tripost; dmarc=fail"
    at = timezone.now()
    return answer(token_of(waiting_game), "c3-e5", at=at, Authentication_Results=failed)


def path_of(held: InboundMail) -> str:
    return answers.confirm_link(held.pk).removeprefix("http://localhost:8000")


def test_an_unproved_mail_waits_and_the_registered_address_is_asked(waiting_game, held, settings):
    assert (held.state, held.outcome) == ("held", "held")
    assert not Move.objects.filter(game=waiting_game, ply=1).exists()
    post.send_due(now=timezone.now())
    letter = next(one for one in outgoing.outbox if "held" in one.extra_headers["Message-ID"])
    assert letter.to == ["alice@example.org"]
    assert path_of(held).rpartition("/held/")[0] in letter.body
    assert letter.extra_headers["Auto-Submitted"] == "auto-replied"


def test_looking_at_a_held_mail_changes_nothing(waiting_game, held, client):
    page = client.get(path_of(held))
    assert "I wrote this; carry it out" in page.text
    assert page["Referrer-Policy"] == "no-referrer"
    assert client.head(path_of(held)).status_code == 200
    held.refresh_from_db()
    assert held.state == "held"


def test_a_button_carries_a_held_mail_out_once(waiting_game, held, client):
    page = client.post(path_of(held))
    assert "Your move c3-e5 is played." in page.text
    again = client.post(path_of(held))
    assert "This mail is settled" in again.text
    assert Move.objects.filter(game=waiting_game, ply__gt=0).count() == 1
    held.refresh_from_db()
    assert (held.state, held.outcome) == ("done", "played")


def test_the_power_of_a_held_mail_ends_with_its_ply(waiting_game, held, client, settings):
    settings.MAIL_AUTHSERV_ID = ""
    answer(token_of(waiting_game), "a1-a3", at=timezone.now())
    page = client.post(path_of(held))
    assert "The game has gone on since" in page.text
    assert list(Move.objects.filter(game=waiting_game, ply=1).values_list("text", flat=True)) == [
        "a1-a3"
    ]


def test_a_link_that_we_did_not_make_leads_nowhere(db, client):
    assert client.get("/letters/held/1/").status_code == 404
