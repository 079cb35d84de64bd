"""Tells mail that no person wrote: it is noted, and never answered."""

import re
from email.message import Message

from notifications.mail_body import REPORTS, header, senders

AUTOMATIC_PRECEDENCE = ("bulk", "junk", "list", "auto_reply")
AUTOMATIC_HEADERS = (
    "X-Autoreply", "X-Auto-Reply", "X-Autorespond", "X-Autoresponder", "X-AutoReply-From",
    "X-Mail-Autoreply", "X-Failed-Recipients", "X-MS-Exchange-Inbox-Rules-Loop",
    "X-FC-MachineGenerated", "X-Vacation", "Delivered-By-Vacation",
)  # fmt: skip
ROBOTS = re.compile(r"(?:mailer[-_]?daemon|post[-_]?master|no[-_]?reply|do[-_]?not[-_]?reply)@")
AUTOMATIC_SUBJECT = re.compile(
    r"(?:auto:|auto(?:matic)?[ -]?(?:reply|response)|automatische (?:antwort|abwesenheit)"
    r"|abwesenheits(?:notiz|meldung|assistent)|abwesend\b|out of (?:the )?office|autosvar"
    r"|automatisk svar|automatisch antwoord|respuesta automática|réponse automatique"
    r"|risposta automatica|fuori sede|frånvaro|odpowiedź automatyczna|автоответ"
    r"|undeliver(?:able|ed)|delivery status notification|mail delivery (?:failed|subsystem)"
    r"|returned mail|failure notice|unzustellbar)",
    re.IGNORECASE,
)


def why_automatic(message: Message, *, mail_from: str | None, domain: str) -> str:
    """A code for what gives it away; nothing where a person may have written it.

    `mail_from` is the sender of the envelope, none where that is not known.
    """
    submitted = header(message, "Auto-Submitted").partition(";")[0].strip().lower()
    if mail_from == "" or header(message, "Return-Path") == "<>":
        return "null sender"
    if message.get_content_type() == REPORTS:
        return "report"
    if submitted not in ("", "no"):
        return "auto-submitted"
    if header(message, "Precedence").lower() in AUTOMATIC_PRECEDENCE:
        return "precedence"
    if "List-Id" in message:
        return "mailing list"
    if any(header(message, name).lower() not in ("", "no") for name in AUTOMATIC_HEADERS):
        return "autoresponder"
    if AUTOMATIC_SUBJECT.match(header(message, "Subject")):
        return "autoresponder's subject"
    return _why_sender(message, mail_from or "", domain)


def _why_sender(message: Message, mail_from: str, domain: str) -> str:
    addresses = [*senders(message), mail_from.lower()]
    if any(ROBOTS.match(address) for address in addresses):
        return "robot"
    if any(address.endswith(f"@{domain.lower()}") for address in addresses):
        return "from ourselves"
    return ""
