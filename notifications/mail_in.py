"""Takes mail by SMTP: stores the raw message, then says so; a worker does the rest."""

import hashlib
import logging

from aiosmtpd.smtp import SMTP, Envelope, Session
from asgiref.sync import sync_to_async
from django.conf import settings
from django.db import DatabaseError, close_old_connections

from notifications.models import InboundMail

logger = logging.getLogger(__name__)
LARGEST = 1_000_000
MOST_RECIPIENTS = 5


class Handler:
    """aiosmtpd's hooks, one per SMTP verb."""

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if address.rpartition("@")[2].lower() != settings.MAIL_DOMAIN:
            return "550 5.7.1 No mail for other domains here"
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return "452 4.5.3 Too many recipients"
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        try:
            await sync_to_async(store)(envelope, peer=str(session.peer))
        except DatabaseError:
            logger.exception("could not store a message")
            return "451 4.3.0 Try again later"
        return "250 2.0.0 Stored"


def store(envelope: Envelope, *, peer: str) -> None:
    """One row a recipient; a message that is already there is not stored again."""
    close_old_connections()
    raw = envelope.content if isinstance(envelope.content, bytes) else b""
    InboundMail.objects.bulk_create(
        [
            InboundMail(
                mail_from=envelope.mail_from or "",
                recipient=recipient.lower(),
                peer=peer[:100],
                raw=raw,
                sha256=hashlib.sha256(raw).hexdigest(),
            )
            for recipient in envelope.rcpt_tos
        ],
        ignore_conflicts=True,
    )
