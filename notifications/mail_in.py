"""Takes mail by SMTP or webhook: stores the raw message, then says so; a worker does the rest."""

import asyncio
import hashlib
import ipaddress
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from email.message import Message
from email.parser import BytesHeaderParser
from email.utils import getaddresses
from functools import partial
from typing import Any

from aiosmtpd.smtp import SMTP, Envelope, Session
from django.conf import settings
from django.core.cache import cache
from django.db import InterfaceError, OperationalError, close_old_connections, transaction

from accounts import locks
from games import bell, outages
from games.models import WayIn
from notifications import challenge_mail, inbound, reply_address
from notifications.mail_body import LARGEST, header
from notifications.models import InboundMail

logger = logging.getLogger(__name__)
# It would log every address, and an address of ours is a secret.
logging.getLogger("mail.log").setLevel(logging.WARNING)
TRY_AGAIN = "451 4.3.0 Try again later"
PATIENCE = 15.0
"""Seconds until a peer is told to try again, however many others are served before it."""
THREADS = 4
"""Each with a connection of its own, so that a statement that waits does not hold up all mail."""
MOST_RECIPIENTS = 5
AN_HOUR = 3600
MOST_FOR_A_TOKEN = 20
MOST_FROM_A_PEER = 200
"""In an hour; a mail server on this machine brings everybody's mail and is not counted."""
LONGEST_HEAD = 64_000
LONGEST_ADDRESS = 320
LONGEST_ID = 255


class Handler:
    """aiosmtpd's hooks, one per SMTP verb; what fails in any way is put off and never refused."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="mail in")
        self._is_away = False

    async def handle_NOOP(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, arg: str
    ) -> str:
        """Answered as soon as a thread is free, so that it tells whether mail is taken."""
        return await self._reply(str) or "250 2.0.0 OK"

    async def handle_RCPT(  # noqa: N802
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        if len(envelope.rcpt_tos) >= MOST_RECIPIENTS:
            return "452 4.5.3 Too many recipients"
        refusal = await self._reply(why_refused, address, peer=_host_of(session))
        if refusal:
            return refusal
        envelope.rcpt_tos.append(address)
        return "250 2.1.5 OK"

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:  # noqa: N802
        raw = envelope.content if isinstance(envelope.content, bytes) else b""
        refusal = await self._reply(
            take,
            raw,
            recipients=envelope.rcpt_tos,
            mail_from=envelope.mail_from or "",
            peer=_host_of(session),
        )
        if refusal:
            return refusal
        self._note_presence()
        return "250 2.0.0 Stored"

    async def handle_exception(self, error: Exception) -> str:
        """Whatever else fails; aiosmtpd itself would refuse the mail for good."""
        logger.error("a mail was put off", exc_info=error)
        return TRY_AGAIN

    async def _reply(self, act: Callable[..., str | None], *args: Any, **more: Any) -> str:
        """What a peer is told; nothing if all is well.

        What is stored after its peer had to go on is brought again, and stored once all the same.
        """
        work = asyncio.get_running_loop().run_in_executor(
            self._threads, partial(_do, act, *args, **more)
        )
        try:
            return await asyncio.wait_for(work, PATIENCE) or ""
        except (OperationalError, InterfaceError, TimeoutError) as error:
            self._note_absence(error)
            return TRY_AGAIN
        except Exception as error:
            return await self.handle_exception(error)

    def _note_absence(self, error: Exception) -> None:
        """Once for each absence, however many mails it puts off."""
        if not self._is_away:
            said = str(error).strip().partition("\n")[0] or "no reply in time"
            logger.warning("mail is put off: %s", said)
        self._is_away = True

    def _note_presence(self) -> None:
        if self._is_away:
            logger.warning("mail is stored again")
        self._is_away = False


def _do(act: Callable[..., str | None], *args: Any, **more: Any) -> str | None:
    """A connection that the database has dropped meanwhile is opened anew."""
    close_old_connections()
    return act(*args, **more)


def _host_of(session: Session) -> str:
    peer = session.peer
    return str(peer[0] if isinstance(peer, tuple) else peer)


# Who is let in


def why_refused(address: str, *, peer: str) -> str:
    """The answer to a recipient that is not taken; nothing to one that is."""
    local, _at, domain = address.lower().rpartition("@")
    if domain != settings.MAIL_DOMAIN.lower():
        return "550 5.7.1 No mail for other domains here"
    if not _is_known(local, address):
        return "550 5.1.1 Nobody reads mail to this address"
    if _is_outside(peer) and _count(f"mail:peer:{peer}") > MOST_FROM_A_PEER:
        return "451 4.7.1 Too much mail from you; try again later"
    if (
        local.startswith(("r+", challenge_mail.PREFIX))
        and _count(f"mail:token:{local}") > MOST_FOR_A_TOKEN
    ):
        return "451 4.7.1 Too much mail to this address; try again later"
    return ""


def _is_known(local: str, address: str) -> bool:
    if local.startswith("r+"):
        return reply_address.find(address) is not None
    if local.startswith(challenge_mail.PREFIX):
        return challenge_mail.find(address) is not None
    return local == "play" or local.startswith(("b+", "stop+"))


def _is_outside(peer: str) -> bool:
    try:
        return not ipaddress.ip_address(peer).is_loopback
    except ValueError:
        return False


def _count(key: str) -> int:
    """How often in this hour."""
    cache.add(key, 0, AN_HOUR)
    try:
        return cache.incr(key)
    except ValueError:
        return 0


# Storing


def take(raw: bytes, *, recipients: Sequence[str], mail_from: str, peer: str) -> None:
    """Store what came by SMTP, which shows that mail gets in."""
    store(raw, recipients=recipients, mail_from=mail_from, peer=peer)
    outages.note_use(WayIn.MAIL)


@locks.action
def store(raw: bytes, *, recipients: Sequence[str], mail_from: str, peer: str) -> None:
    """One row a recipient; a message that is already there is not stored again."""
    digest, message_id = hashlib.sha256(raw).hexdigest(), message_id_of(raw)
    references = references_of(raw)
    InboundMail.objects.bulk_create(
        [
            InboundMail(
                mail_from=_storable(mail_from)[:LONGEST_ADDRESS],
                recipient=_storable(recipient).lower()[:LONGEST_ADDRESS],
                peer=_storable(peer)[:100],
                raw=raw,
                sha256=digest,
                message_id=message_id,
                token=reply_address.find_secret(recipient, references),
            )
            for recipient in dict.fromkeys(recipients)
        ],
        ignore_conflicts=True,
    )
    transaction.on_commit(ring)


def message_id_of(raw: bytes) -> str:
    """Empty where there is none that can be relied on."""
    found = header(_head(raw), "Message-ID")
    return _storable(found) if len(found) <= LONGEST_ID else ""


def references_of(raw: bytes) -> list[str]:
    head = _head(raw)
    return [header(head, name) for name in reply_address.REFERENCES]


def _head(raw: bytes) -> Message:
    return BytesHeaderParser().parsebytes(raw[:LONGEST_HEAD])


def _storable(text: str) -> str:
    return text.encode("utf-8", "replace").decode().replace("\0", "")


def ring() -> None:
    from notifications.tasks import read_new_mail

    bell.ring(inbound.BELL, read_new_mail)


# By a provider's webhook


def take_from_provider(sender: object, event: Any, **_more: object) -> None:
    """Heard by anymail's signal, once the request is known to be the provider's.

    It came through the web, so that is what it shows to work.
    """
    message = event.message
    raw = message.as_bytes()
    recipients = [one for one in _recipients_of(message) if not why_refused(one, peer="provider")]
    if recipients and len(raw) <= LARGEST:
        mail_from = message.envelope_sender
        known = mail_from if mail_from is not None else str(message.get("From", ""))
        store(raw, recipients=recipients, mail_from=known, peer=str(event.esp_name or "provider"))
        outages.note_use(WayIn.WEB)


def _recipients_of(message: Any) -> list[str]:
    """Of the envelope; of the headers, where the provider does not tell it."""
    if message.envelope_recipient:
        return [message.envelope_recipient]
    lines = [str(line) for name in ("To", "Cc") for line in message.get_all(name, [])]
    return [address for _name, address in getaddresses(lines)[:50]][:MOST_RECIPIENTS]
