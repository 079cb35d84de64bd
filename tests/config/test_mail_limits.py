"""The mail server puts mail off while PostgreSQL hangs, and takes it again afterwards."""

import smtplib
import socket
import time
from collections.abc import Iterator

import pytest

from tests.config.test_outages_for_real import until
from tests.own_site import OwnSite

pytestmark = pytest.mark.django_db


@pytest.fixture
def mail(own_site: OwnSite) -> Iterator[OwnSite]:
    own_site.start("mail", MAIL_PORT=str(own_site.mail_port), MAIL_DOMAIN="here", BEATS="0")
    until(lambda: answers(own_site.mail_port))
    yield own_site
    own_site.stop("mail")


def answers(port: int) -> bool:
    with socket.socket() as line:
        return line.connect_ex(("127.0.0.1", port)) == 0


def bring(site: OwnSite, number: int) -> int:
    with smtplib.SMTP("127.0.0.1", site.mail_port, timeout=60) as line:
        line.ehlo("example.org")
        line.mail("a@example.org")
        assert line.rcpt("play@here")[0] == 250
        return line.data(f"Subject: {number}\n\nx".encode())[0]


def test_a_postgresql_that_hangs_puts_mail_off_within_the_limit(mail):
    assert bring(mail, 1) == 250
    with mail.frozen(mail.postgres):
        began = time.monotonic()
        assert [bring(mail, number) for number in (2, 3, 4)] == [451] * 3
        assert time.monotonic() - began < 60
    until(lambda: bring(mail, 5) == 250)
    assert mail.log("mail").count("mail is put off") == 1
    assert "Traceback" not in mail.log("mail")
