"""Reads what mail servers report about letters that did not arrive."""

import re
from datetime import datetime
from email.message import Message

from notifications import bounces, message
from notifications.models import Letter

STATUS = re.compile(r"([245])\.\d{1,3}\.\d{1,3}")
REPORTS = ("message/delivery-status", "message/feedback-report")


def note(recipient: str, report: Message, *, now: datetime) -> tuple[str, str]:
    """What came of it, and why; only an address that we made ourselves is believed.

    Whom it concerns is known by the letter, not by what the report says.
    """
    letter_id = message.bounced_letter(recipient)
    letter = Letter.objects.filter(pk=letter_id).exclude(address="").first() if letter_id else None
    if letter is None:
        return "unknown-bounce", "no letter of ours was sent under this address"
    kind, fields = _fields_of(report)
    if kind == "message/feedback-report":
        bounces.note_complaint(letter.address, fields, now)
        return "complaint", fields
    status = STATUS.search(fields)
    if status is None or status[1] == "2":
        return "no-bounce", "the report names no failure"
    bounces.note_bounce(letter.address, status[1] == "5", fields, now)
    return "bounce", fields


def _fields_of(report: Message) -> tuple[str, str]:
    """The machine's part of a report: its type, and its lines as they are."""
    for part in report.walk():
        if part.get_content_type() in REPORTS:
            within = part.get_payload()
            blocks = [one for one in within if isinstance(one, Message)] if within else []
            lines = [f"{name}: {value}" for one in blocks or [part] for name, value in one.items()]
            return part.get_content_type(), _status_first("\n".join(lines))[:2000]
    return "", ""


def _status_first(fields: str) -> str:
    lines = fields.replace("\0", "").split("\n")
    return "\n".join(sorted(lines, key=lambda line: not line.lower().startswith("status:")))
