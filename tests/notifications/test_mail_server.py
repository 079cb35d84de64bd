"""The mail server refuses what nobody reads, stores the rest before it says so, and no more."""

import contextlib
import os
import smtplib
import socket
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import pytest
from aiosmtpd.controller import Controller
from anymail.inbound import AnymailInboundMessage
from anymail.signals import inbound as anymail_inbound
from django.core.cache import cache
from django.db import (
    IntegrityError,
    InterfaceError,
    OperationalError,
    connection,
    connections,
    transaction,
)

from games import outages
from games.models import EntryPoint, Move
from notifications import inbound, mail_in, reply_address
from notifications.models import InboundMail, Letter
from tests.games.threads import at_once
from tests.notifications.mails import SOON, free_port, mail, token_of

PROJECT = Path(__file__).resolve().parent.parent.parent
pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def server():
    """The real handler on a free port, in a thread of its own."""
    handler = mail_in.Handler()
    controller = Controller(
        handler, hostname="127.0.0.1", port=free_port(), data_size_limit=mail_in.LARGEST
    )
    controller.start()
    yield controller
    controller.stop()
    handler._threads.shutdown()  # With their connections.


@pytest.fixture
def smtp(server):
    with smtplib.SMTP(server.hostname, server.port, timeout=30) as client:
        client.ehlo("example.org")
        yield client


@pytest.fixture
def token(start):
    return token_of(start("tritt-classic"))


def rcpt(smtp, address: str) -> str:
    smtp.rset()
    smtp.mail("alice@example.org")
    code, said = smtp.rcpt(address)
    return f"{code} {said.decode()}"


# Who is let in


def test_only_addresses_that_somebody_reads_are_taken(smtp, token):
    taken = [
        reply_address.address_of(token),
        reply_address.address_of(token).upper(),
        "play@localhost",
        "b+1-0@localhost",
        "stop+1.turn.0@localhost",
    ]
    assert [rcpt(smtp, address)[:3] for address in taken] == ["250"] * 5
    refused = ["r+aaaa@localhost", f"r+{'a' * 26}@localhost", "bob@localhost", "@localhost"]
    assert [rcpt(smtp, address)[:3] for address in refused[:3]] == ["550"] * 3
    assert rcpt(smtp, "play@example.org").startswith("550 5.7.1")


def test_a_revoked_token_is_refused(smtp, token):
    token.revoked_at = SOON
    token.save()
    assert rcpt(smtp, reply_address.address_of(token)).startswith("550")


def test_one_token_takes_only_so_much_an_hour(smtp, token, monkeypatch):
    monkeypatch.setattr(mail_in, "MOST_FOR_A_TOKEN", 3)
    address = reply_address.address_of(token)
    assert [rcpt(smtp, address)[:3] for _time in range(5)] == ["250"] * 3 + ["451"] * 2
    assert rcpt(smtp, "play@localhost").startswith("250")


def test_one_peer_brings_only_so_much_an_hour_unless_it_is_this_machine(monkeypatch, db):
    monkeypatch.setattr(mail_in, "MOST_FROM_A_PEER", 3)
    outside = [mail_in.why_refused("play@localhost", peer="192.0.2.1")[:3] for _time in range(5)]
    assert outside == ["", "", "", "451", "451"]
    assert mail_in.why_refused("play@localhost", peer="192.0.2.2") == ""
    assert [mail_in.why_refused("play@localhost", peer="127.0.0.1") for _time in range(5)] == [
        ""
    ] * 5


def test_while_redis_is_away_nothing_is_counted(monkeypatch, token):
    def away(*_args, **_more):
        raise ValueError

    monkeypatch.setattr(cache, "incr", away)
    assert mail_in.why_refused(reply_address.address_of(token), peer="192.0.2.1") == ""


def test_there_are_not_too_many_recipients(smtp, token):
    smtp.mail("alice@example.org")
    answers = [smtp.rcpt(f"b+{number}-0@localhost")[0] for number in range(6)]
    assert answers == [250] * 5 + [452]


# What is stored


def test_what_is_acknowledged_is_stored_whole_and_once(smtp, token):
    address = reply_address.address_of(token)
    raw = mail("c3-e5", sender=token.player, to=address).replace(b"\n", b"\r\n")
    for _time in range(2):
        smtp.sendmail("Alice@example.org", [address.upper(), "play@localhost"], raw)
    stored = InboundMail.objects.get(recipient=address)
    assert (stored.mail_from, stored.peer, stored.state) == (
        "Alice@example.org",
        "127.0.0.1",
        "new",
    )
    assert bytes(stored.raw) == raw
    assert stored.message_id.startswith("<")
    assert InboundMail.objects.count() == 2


def test_what_is_too_large_is_refused(smtp):
    with pytest.raises(smtplib.SMTPResponseException) as refused:
        smtp.sendmail("a@example.org", ["play@localhost"], b"Subject: x\n\n" + b"x" * 1_100_000)
    assert refused.value.smtp_code == 552
    assert not InboundMail.objects.exists()


FAILURES = [OperationalError, InterfaceError, IntegrityError, ValueError]


@pytest.mark.parametrize("failure", FAILURES)
def test_what_could_not_be_stored_is_brought_again(smtp, monkeypatch, failure):
    def fail(*_args, **_more):
        raise failure

    with monkeypatch.context() as broken:
        broken.setattr(InboundMail.objects, "bulk_create", fail)
        with pytest.raises(smtplib.SMTPDataError) as refused:
            smtp.sendmail("a@example.org", ["play@localhost"], b"Subject: x\n\nx")
    assert refused.value.smtp_code == 451
    smtp.sendmail("a@example.org", ["play@localhost"], b"Subject: x\n\nx")
    assert InboundMail.objects.count() == 1


@pytest.mark.parametrize("failure", FAILURES)
def test_a_recipient_that_could_not_be_looked_up_is_put_off(smtp, monkeypatch, failure):
    def fail(*_args, **_more):
        raise failure

    monkeypatch.setattr(reply_address, "find", fail)
    assert rcpt(smtp, "r+x@localhost").startswith("451")


def test_what_fails_outside_of_our_own_steps_is_put_off(server, smtp, monkeypatch):
    def fail(*_args, **_more):
        raise ValueError

    monkeypatch.setattr(mail_in, "_host_of", fail)
    assert rcpt(smtp, "play@localhost").startswith("451")


def test_an_absence_of_the_database_is_one_line_in_the_log(smtp, monkeypatch, caplog):
    def fail(*_args, **_more):
        raise OperationalError("the server does not reply\nDETAIL: none")

    def bring(count: int) -> list[int]:
        codes = []
        for number in range(count):
            smtp.mail("a@example.org")
            smtp.rcpt("play@localhost")
            codes.append(smtp.data(f"Subject: {number}\n\nx".encode())[0])
        return codes

    with monkeypatch.context() as away:
        away.setattr(InboundMail.objects, "bulk_create", fail)
        assert bring(3) == [451] * 3
    assert bring(2) == [250] * 2
    said = [(line.getMessage(), line.exc_info) for line in caplog.records]
    assert said == [
        ("mail is put off: the server does not reply", None),
        ("mail is stored again", None),
    ]


def test_who_waits_too_long_for_others_is_told_to_try_again(server, monkeypatch):
    """Four statements hang; the fifth mail waits for a thread, and the sixth finds one again."""
    monkeypatch.setattr(mail_in, "PATIENCE", 0.5)
    goes_on = threading.Event()
    with monkeypatch.context() as hanging:
        hanging.setattr(mail_in, "why_refused", lambda *_args, **_more: goes_on.wait(60) and "")
        codes = at_once(*[lambda: _try_once(server)] * (mail_in.THREADS + 1))
    assert codes == ["451"] * (mail_in.THREADS + 1)
    goes_on.set()
    monkeypatch.setattr(mail_in, "PATIENCE", 30.0)
    assert _try_once(server) == "250"


def _try_once(server) -> str:
    with smtplib.SMTP(server.hostname, server.port, timeout=30) as line:
        line.ehlo("example.org")
        return rcpt(line, "play@localhost")[:3]


@pytest.mark.parametrize("end", [b"\n.\n", b"\n.\r\n", b"\r.\r", b"\r\n.\n"])
def test_one_message_cannot_be_made_into_two(server, end):
    inner = b"MAIL FROM:<a@example.org>\r\nRCPT TO:<play@localhost>\r\nDATA\r\nSubject: y\r\n\r\ny"
    with socket.create_connection((server.hostname, server.port), timeout=30) as line:
        for verb in (b"EHLO x", b"MAIL FROM:<a@example.org>", b"RCPT TO:<play@localhost>", b"DATA"):
            line.recv(4096)
            line.sendall(verb + b"\r\n")
        line.recv(4096)
        line.sendall(b"Subject: x\r\n\r\nx" + end + inner + b"\r\n.\r\nQUIT\r\n")
        while line.recv(4096):
            pass
    assert InboundMail.objects.count() <= 1


def test_the_bell_rings_once_for_many(token, monkeypatch):
    rung = []
    monkeypatch.setattr("notifications.tasks.read_new_mail.delay", lambda: rung.append(1))
    address = reply_address.address_of(token)
    for number in range(3):
        raw = mail(f"no {number}", sender=token.player)
        mail_in.store(raw, recipients=[address], mail_from="a@example.org", peer="x")
    assert rung == [1]
    inbound.read_new(now=SOON.replace(year=2100))
    mail_in.store(b"x", recipients=["play@localhost"], mail_from="", peer="x")
    assert rung == [1, 1]


def test_strange_envelopes_can_be_stored(db):
    mail_in.store(
        b"Message-ID: " + b"x" * 1000 + b"\0\n\nx",
        recipients=["play@localhost", f"b+{'x' * 400}@localhost"],
        mail_from="\0\udcff@example.org",
        peer="\0",
    )
    assert InboundMail.objects.count() == 2
    assert set(InboundMail.objects.values_list("message_id", flat=True)) == {""}


# Providers' webhooks


def arrives_by_webhook(raw: bytes, **envelope) -> None:
    message = AnymailInboundMessage.parse_raw_mime_bytes(raw)
    message.envelope_sender = envelope.get("sender")
    message.envelope_recipient = envelope.get("recipient")
    event = SimpleNamespace(message=message, esp_name="Test")
    anymail_inbound.send(sender=object(), event=event, esp_name="Test")


def test_a_webhook_stores_the_same_row_as_smtp(smtp, token):
    address = reply_address.address_of(token)
    raw = mail("c3-e5", sender=token.player, to=address)
    arrives_by_webhook(raw, sender="alice@example.org", recipient=address)
    by_webhook = InboundMail.objects.get()
    by_webhook.delete()
    smtp.sendmail("alice@example.org", [address], raw)
    by_smtp = InboundMail.objects.get()
    for field in ("recipient", "mail_from", "message_id", "state"):
        assert getattr(by_webhook, field) == getattr(by_smtp, field)
    assert by_webhook.peer == "Test"


def test_a_webhook_without_an_envelope_goes_by_the_headers(token):
    address = reply_address.address_of(token)
    arrives_by_webhook(mail("c3-e5", sender=token.player, to=f"Bob <bob@localhost>, {address}"))
    assert InboundMail.objects.get().recipient == address


def test_a_webhook_takes_nothing_for_others_and_nothing_too_large(token):
    arrives_by_webhook(mail("x", sender="a@example.org", to="bob@localhost"))
    large = mail("x" * 1_100_000, sender="a@example.org", to="play@localhost")
    arrives_by_webhook(large, recipient="play@localhost")
    assert not InboundMail.objects.exists()


# Side by side


def stored(*raws: bytes, to: str) -> None:
    for raw in raws:
        mail_in.store(raw, recipients=[to], mail_from="alice@example.org", peer="x")
    InboundMail.objects.update(received_at=SOON, due_at=SOON)


def test_two_workers_settle_each_mail_once(token):
    address = reply_address.address_of(token)
    stored(*(mail(f"no {number}", sender=token.player) for number in range(8)), to=address)
    counts = at_once(*[lambda: inbound.read_new(now=SOON)] * 3)
    assert sum(counts) == 8
    assert set(InboundMail.objects.values_list("attempts", "state")) == {(1, "done")}
    assert Letter.objects.filter(kind="reply").count() == 8


def test_simultaneous_replies_play_exactly_one_move(token):
    address = reply_address.address_of(token)
    moves = ("c3-e5", "a1-a3", "f1-f3", "c3-e5")
    stored(*(mail(move, sender=token.player) for move in moves), to=address)
    at_once(*[lambda: inbound.read_new(now=SOON)] * 4)
    line = Move.objects.get(game=token.game, ply__gt=0)
    outcomes = sorted(InboundMail.objects.values_list("outcome", flat=True))
    same = moves.count(line.text) - 1
    assert outcomes == sorted(["played"] + ["duplicate"] * same + ["late"] * (3 - same))
    assert Letter.objects.filter(kind="reply").count() == 4


def test_the_same_mail_brought_by_two_peers_at_once_is_one(token):
    address = reply_address.address_of(token)
    raw = mail("c3-e5", sender=token.player)

    def bring() -> None:
        mail_in.store(raw, recipients=[address], mail_from="alice@example.org", peer="x")

    at_once(*[bring] * 4)
    assert InboundMail.objects.count() == 1


def test_replies_that_overtake_each_other_play_in_their_games_order(start):
    game = start("tritt-classic")
    first = token_of(game)
    address = reply_address.address_of(first)
    stored(mail("c3-e5", sender=first.player), to=address)
    inbound.read_new(now=SOON)
    second = token_of(game, 1)
    stored(mail("a1-a3", sender=second.player), to=reply_address.address_of(second))
    inbound.read_new(now=SOON)
    InboundMail.objects.all().delete()
    stored(mail("a1-a3", sender=second.player), to=reply_address.address_of(second))
    stored(mail("c3-e5", sender=first.player), to=address)
    inbound.read_new(now=SOON)
    assert list(Move.objects.filter(game=game, ply__gt=0).values_list("text", flat=True)) == [
        "c3-e5", "a1-a3",
    ]  # fmt: skip
    assert set(InboundMail.objects.values_list("outcome", flat=True)) == {"duplicate"}


# The process itself


def test_the_process_listens_and_stops_when_told():
    port = free_port()
    with _process(port) as process:
        assert f"listening for mail on 127.0.0.1:{port}" in process.stdout.readline()
        with smtplib.SMTP("127.0.0.1", port, timeout=30) as client:
            assert client.noop()[0] == 250
        process.terminate()
        assert process.wait(timeout=30) == 0


def test_a_lock_that_somebody_holds_costs_one_mail_some_seconds_and_no_other():
    """With the limits that the Procfile's line gives it, and no variable of ours."""
    port = free_port()
    with _process(port) as process:
        process.stdout.readline()
        with _locked("notifications_inboundmail"):
            codes = at_once(*[lambda: _bring(port)] * mail_in.THREADS)
            assert codes == [451] * mail_in.THREADS
            with smtplib.SMTP("127.0.0.1", port, timeout=30) as line:
                assert line.noop()[0] == 250
        assert _bring(port) == 250
    assert InboundMail.objects.count() == 1


@contextlib.contextmanager
def _locked(table: str):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
        yield


def _bring(port: int) -> int:
    with smtplib.SMTP("127.0.0.1", port, timeout=30) as line:
        line.ehlo("example.org")
        line.mail("a@example.org")
        line.rcpt("play@localhost")
        return line.data(b"Subject: x\n\nx")[0]


def test_a_taken_port_is_one_sentence():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with _process(taken.getsockname()[1]) as process:
            _output, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert errors.strip().split("\n")[-1].startswith("CommandError: Cannot listen for mail")


@contextlib.contextmanager
def _process(port: int):
    database = connections["default"].settings_dict["NAME"]
    url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{database}").geturl()
    # A test that has imported config.asgi has set the web's limit for us all.
    inherited = {key: at for key, at in os.environ.items() if key != "STATEMENT_TIMEOUT"}
    process = subprocess.Popen(
        [sys.executable, "-u", "manage.py", "mail_server"],
        cwd=PROJECT,
        env={**inherited, "MAIL_PORT": str(port), "DATABASE_URL": url},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    killer = threading.Timer(60, process.kill)
    killer.start()
    try:
        yield process
    finally:
        killer.cancel()
        process.kill()
        process.wait()


# What it shows to work


@pytest.fixture
def beats_count(settings, monkeypatch):
    settings.BEATS = True
    monkeypatch.setattr(outages, "_beaten_here_at", {})


def beaten() -> list[str]:
    return list(EntryPoint.objects.values_list("way_in", flat=True))


def test_mail_by_smtp_shows_that_mail_gets_in(smtp, token, beats_count):
    smtp.sendmail("alice@example.org", [reply_address.address_of(token)], b"Subject: x\r\n\r\nx")
    assert beaten() == ["mail"]


def test_mail_that_is_stored_is_taken_whatever_becomes_of_the_beat(
    smtp, token, beats_count, monkeypatch
):
    monkeypatch.setattr(outages, "beat", lambda **_of: 1 / 0)
    assert not smtp.sendmail(
        "alice@example.org", [reply_address.address_of(token)], b"Subject: x\r\n\r\nx"
    )
    assert InboundMail.objects.exists()


def test_mail_by_a_provider_shows_that_the_web_works_by_which_it_came(token, beats_count):
    to = reply_address.address_of(token)
    arrives_by_webhook(b"Subject: x\n\nx", sender="alice@example.org", recipient=to)
    assert InboundMail.objects.exists()
    assert beaten() == ["web"]
