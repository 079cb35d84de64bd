"""Whether a mail is from whom it says: the player's own address, and proof that it was used."""

import logging
from collections.abc import Callable, Sequence
from email.message import Message
from enum import StrEnum

import dkim  # type: ignore[import-untyped]
import dns.exception
import dns.resolver
from allauth.account.models import EmailAddress
from authheaders import dmarc_per_from  # type: ignore[import-untyped]
from authheaders.dmarc_lookup import DMARCException  # type: ignore[import-untyped]
from authres import (  # type: ignore[import-untyped]
    AuthenticationResultsHeader,
    DKIMAuthenticationResult,
)
from authres.core import AuthResError  # type: ignore[import-untyped]
from django.conf import settings

from accounts import locks
from accounts.background import TimeBox
from accounts.models import Player
from notifications.mail_body import LONGEST_HEADER, senders

logger = logging.getLogger(__name__)
MOST_SIGNATURES = 3
PATIENCE = 6.0
"""Seconds for everything that is asked of DNS about one mail."""

LookUp = Callable[[str], Sequence[str]]
"""The TXT records of a name; raises DnsIsAway."""


class DnsIsAway(Exception):
    """Nobody answered, so nothing is known yet."""


class Proof(StrEnum):
    """What is known of a sender, as DMARC puts it."""

    PASS = "pass"  # noqa: S105
    NONE = "none"
    FAIL = "fail"
    UNKNOWN = "unknown"
    """Nobody answered for as long as anybody could wait."""


UNPROVED = (Proof.FAIL, Proof.UNKNOWN)


def is_own_address(player: Player, addresses: Sequence[str]) -> bool:
    """Exactly one sender, and an address that this player has shown to be his."""
    if len(addresses) != 1:
        return False
    own = EmailAddress.objects.filter(user=player, verified=True, email__iexact=addresses[0])
    return own.exists()


def owner_of(addresses: Sequence[str]) -> Player | None:
    if len(addresses) != 1:
        return None
    own = EmailAddress.objects.filter(verified=True, email__iexact=addresses[0])
    return Player.objects.filter(pk__in=own.values("user"), is_active=True).first()


def proof_of(message: Message, raw: bytes, *, look_up: LookUp | None = None) -> Proof:
    """By the header of our own mail server, if it has a name; else by the signature itself.

    In a trial set-up no mail comes from outside, and there is nothing to check. Raises DnsIsAway.
    """
    if settings.MAIL_AUTHSERV_ID:
        return _by_our_mail_server(message)
    if settings.MAILBOX:
        return Proof.NONE
    return _by_signature(message, raw, look_up or _look_up_for_one_mail())


# By a header


def _by_our_mail_server(message: Message) -> Proof:
    """The topmost that bears our name; without one, our server has not seen this mail."""
    for line in message.get_all("Authentication-Results", []):
        results = _read(str(line))
        if results and results.authserv_id.lower() == settings.MAIL_AUTHSERV_ID.lower():
            found = [one.result for one in results.results if one.method == "dmarc"]
            return _as_proof(found[0] if found else "none")
    return Proof.FAIL


def _read(line: str) -> AuthenticationResultsHeader | None:
    try:
        return AuthenticationResultsHeader.parse(
            f"Authentication-Results: {' '.join(line[:LONGEST_HEADER].split())}"
        )
    except (AuthResError, ValueError, RecursionError):
        return None


def _as_proof(result: str) -> Proof:
    passed_or_none = {"pass": Proof.PASS, "bestguesspass": Proof.NONE, "none": Proof.NONE}
    return passed_or_none.get(result.lower(), Proof.FAIL)


# By the signature


def _by_signature(message: Message, raw: bytes, look_up: LookUp) -> Proof:
    [address] = senders(message)
    domain = address.rpartition("@")[2]
    best = Proof.NONE
    for signer in ["", *_signers(raw, look_up)]:
        signed = DKIMAuthenticationResult(result="pass", header_d=signer) if signer else None
        best = _as_proof(_weighed(domain, signed, look_up))
        if best != Proof.FAIL:
            break
    return best


def _weighed(domain: str, signed: DKIMAuthenticationResult | None, look_up: LookUp) -> str:
    """What the policy of the sender's domain makes of a signature, or of none."""

    def policies(name: str) -> str:
        found = [record for record in look_up(name) if record.startswith("v=DMARC1")]
        return found[0] if len(found) == 1 else ""

    try:
        result, *_details = dmarc_per_from(domain, dkim_result=signed, dnsfunc=policies)
    except DMARCException:
        return "fail"
    return str(result)


def _signers(raw: bytes, look_up: LookUp) -> list[str]:
    """The domains whose signatures hold for all of the message."""

    def keys(name: bytes, timeout: int = 0) -> bytes:
        return "".join(look_up(name.decode("ascii", "replace"))[:1]).encode()

    found = []
    for index in range(MOST_SIGNATURES):
        try:
            signature = dkim.DKIM(raw)
            holds = signature.verify(idx=index, dnsfunc=keys)
            # One with a length would let anybody add lines below.
            if holds and b"l" not in signature.signature_fields:
                found.append(signature.domain.decode("ascii").lower())
        except (dkim.DKIMException, ValueError, IndexError):
            continue
    return found


def _look_up_for_one_mail() -> LookUp:
    """All questions about one mail share the seconds, so that no domain holds up the others."""
    box = TimeBox(PATIENCE)
    return lambda name: txt_records(name, seconds=box.left)


def txt_records(name: str, *, seconds: float = PATIENCE) -> list[str]:
    """Never within a transaction, whose locks would be held for as long as DNS likes."""
    if locks.is_nested():
        raise RuntimeError("the network cannot be asked within a transaction")
    if seconds <= 0:
        raise DnsIsAway("it took too long")
    try:
        answer = dns.resolver.resolve(name, "TXT", lifetime=seconds)
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return []
    except (dns.exception.DNSException, OSError) as error:
        raise DnsIsAway(str(error)) from error
    return [b"".join(record.strings).decode("utf-8", "replace") for record in answer]
