"""The built-in mailbox: where letters go while no way out is set up."""

from collections.abc import Sequence
from dataclasses import dataclass
from email import message_from_bytes, policy

from django.core.mail import EmailMessage
from django.core.mail.backends.base import BaseEmailBackend

from notifications.models import MailboxLetter


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


@dataclass(frozen=True, kw_only=True)
class Shown:
    """A letter as a mail program would show it."""

    sender: str
    recipient: str
    subject: str
    text: str


def shown(letter: MailboxLetter) -> Shown:
    message = message_from_bytes(bytes(letter.raw), policy=policy.default)
    body = message.get_body(("plain", "html"))
    return Shown(
        sender=str(message["From"]),
        recipient=letter.recipient,
        subject=letter.subject,
        text=body.get_content() if body else "",
    )
