"""The built-in mailbox: where letters go while no way out is set up, and how they are answered."""

import base64
import re
import smtplib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage as Mail
from email.utils import format_datetime, make_msgid, parseaddr

from django.conf import settings
from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

from games.refusals import PlayRefusal
from notifications.models import InboundMail, MailboxLetter

CONTENT_ID = re.compile(r"cid:([^\"'\s<>)]{1,300})")
LONGEST_ANSWER = 20_000
PATIENCE = 10.0
MOST_LOOKED_THROUGH = 20


class MailboxBackend(BaseEmailBackend):
    """Keeps each message whole, once for every recipient."""

    def send_messages(self, email_messages: Sequence[EmailMessage]) -> int:
        letters = [
            MailboxLetter(
                recipient=recipient, subject=str(message.subject), raw=message.message().as_bytes()
            )
            for message in email_messages
            for recipient in message.recipients()
        ]
        MailboxLetter.objects.bulk_create(letters)
        return len(email_messages)


# Reading


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A letter as a mail program would show it; `html` is empty where it is text alone."""

    sender: str
    recipient: str
    subject: str
    text: str
    html: str
    can_be_answered: bool


def shown(letter: MailboxLetter) -> Shown:
    message = opened(letter)
    text, html = message.get_body(("plain",)), message.get_body(("html",))
    return Shown(
        sender=str(message["From"]),
        recipient=letter.recipient,
        subject=letter.subject,
        text=text.get_content() if text else "",
        html=_with_pictures(message, html.get_content()) if html else "",
        can_be_answered=message["Reply-To"] is not None,
    )


def opened(letter: MailboxLetter) -> Mail:
    return message_from_bytes(bytes(letter.raw), policy=policy.default)


def _with_pictures(message: Mail, html: str) -> str:
    """Pictures that came with it are put where it names them."""
    pictures = {
        str(part["Content-ID"]).strip("<> "): part
        for part in message.walk()
        if part["Content-ID"] and part.get_content_maintype() == "image"
    }

    def picture(named: re.Match[str]) -> str:
        part = pictures.get(named[1])
        if part is None:
            return named[0]
        payload = part.get_payload(decode=True)
        data = base64.b64encode(payload if isinstance(payload, bytes) else b"").decode()
        return f"data:{part.get_content_type()};base64,{data}"

    return CONTENT_ID.sub(picture, html)


# Answering


class NotSent(PlayRefusal):
    code = "not_sent"


def quoted(letter: MailboxLetter) -> str:
    """What an answer has below it, as mail programs do it."""
    message = opened(letter)
    lines = shown(letter).text.strip().split("\n")
    head = f"On {format_datetime(letter.sent_at)}, {message['From']} wrote:"
    return "\n".join([head, *(f"> {line}".rstrip() for line in lines)])


def send_answer(letter: MailboxLetter, text: str, *, now: datetime) -> InboundMail:
    """By SMTP into the mail server, like any other mail; what was stored of it."""
    if not text.strip() or len(text) > LONGEST_ANSWER:
        raise NotSent("An answer has 1 to {most} characters.", most=LONGEST_ANSWER)
    mail = _answer(letter, text, now)
    recipient = parseaddr(str(mail["To"]))[1]
    try:
        with smtplib.SMTP(_mail_server(), settings.MAIL_LISTEN_PORT, timeout=PATIENCE) as server:
            server.send_message(mail)
    except smtplib.SMTPRecipientsRefused as refused:
        [(_code, why)] = refused.recipients.values()
        raise _not_taken(why) from refused
    except smtplib.SMTPResponseException as refused:
        raise _not_taken(refused.smtp_error) from refused
    except OSError as error:
        raise NotSent("The mail server cannot be reached: {why}", why=str(error)) from error
    return InboundMail.objects.get(message_id=mail["Message-ID"], recipient=recipient.lower())


def _answer(letter: MailboxLetter, text: str, now: datetime) -> Mail:
    message = opened(letter)
    own = str(message["Message-ID"] or "")
    mail = Mail()
    mail["From"] = letter.recipient
    mail["To"] = str(message["Reply-To"] or message["From"])
    mail["Subject"] = f"Re: {' '.join(letter.subject.split())}"
    mail["Date"] = format_datetime(now)
    mail["Message-ID"] = make_msgid(domain=letter.recipient.rpartition("@")[2] or "localhost")
    mail["In-Reply-To"] = own
    mail["References"] = " ".join([*str(message["References"] or "").split(), own])
    written = text.replace("\r\n", "\n").replace("\0", "").rstrip()
    mail.set_content(f"{written}\n\n{quoted(letter)}\n")
    return mail


def _mail_server() -> str:
    everywhere = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}  # noqa: S104
    return everywhere.get(settings.MAIL_LISTEN_HOST, settings.MAIL_LISTEN_HOST)


def _not_taken(why: bytes | str) -> NotSent:
    said = why.decode("utf-8", "replace") if isinstance(why, bytes) else why
    return NotSent("The mail server did not take it: {why}", why=said)


def answer_to(mail: InboundMail) -> MailboxLetter | None:
    """The letter in which its writer is told what came of it, once it lies here."""
    wanted = {f"<r{mail.pk}.{end}@{settings.MAIL_DOMAIN}>" for end in ("reply", "held")}
    since = MailboxLetter.objects.filter(sent_at__gte=mail.received_at)
    if mail.player is not None:
        since = since.filter(recipient__iexact=mail.player.email)
    latest = since.order_by("-id")[:MOST_LOOKED_THROUGH]
    return next((one for one in latest if str(opened(one)["Message-ID"]) in wanted), None)
