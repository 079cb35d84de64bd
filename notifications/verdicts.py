"""What an error while sending means: for good or for now, and whether it may have arrived."""

import smtplib
from dataclasses import dataclass

from anymail.exceptions import (
    AnymailAPIError,
    AnymailInvalidAddress,
    AnymailRecipientsRefused,
    AnymailUnsupportedFeature,
)

from notifications.channels import DeliveryFailed

CLOSING = 421


@dataclass(frozen=True, kw_only=True)
class Verdict:
    error: str
    for_good: bool = False
    """Another try would end the same way."""
    bounced: bool = False
    """It was the address that was refused, not us."""
    doubtful: bool = False
    """The connection was lost before we were told; it may have arrived."""
    line_is_down: bool = False
    """Other letters would fare no better now."""


def verdict(error: Exception) -> Verdict:
    said = f"{type(error).__name__}: {error}"[:2000]
    match error:
        case smtplib.SMTPRecipientsRefused():
            return _of_refused_recipients(error, said)
        case smtplib.SMTPDataError():
            return _of_code(error.smtp_code, said)
        case smtplib.SMTPResponseException():
            # Our name, our log-in or our sender's address: that can be mended, on our side.
            return Verdict(error=said, line_is_down=error.smtp_code == CLOSING)
        case smtplib.SMTPServerDisconnected() | OSError():
            return Verdict(error=said, doubtful=True, line_is_down=True)
        case AnymailRecipientsRefused() | AnymailInvalidAddress():
            return Verdict(error=said, for_good=True, bounced=True)
        case AnymailUnsupportedFeature():
            return Verdict(error=said, for_good=True)
        case AnymailAPIError():
            return _of_provider(error, said)
        case DeliveryFailed():
            return Verdict(error=str(error)[:2000] or said)
    return Verdict(error=said)


def _of_refused_recipients(error: smtplib.SMTPRecipientsRefused, said: str) -> Verdict:
    codes = [code for code, _text in error.recipients.values()]
    return _of_code(min(codes, default=450), said)


def _of_code(code: int, said: str) -> Verdict:
    return Verdict(error=said, for_good=code >= 500, bounced=code >= 500)


def _of_provider(error: AnymailAPIError, said: str) -> Verdict:
    """Without a status there was no answer at all."""
    status = error.status_code
    if status is None:
        return Verdict(error=said, doubtful=True, line_is_down=True)
    return Verdict(error=said, line_is_down=status == 429 or status >= 500 or status in (401, 403))
