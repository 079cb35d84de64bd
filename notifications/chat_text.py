"""The message to the opponent below the commands: what was written now, without quotes."""

import re

from email_reply_parser import EmailReplyParser  # type: ignore[import-untyped]

from notifications.window import is_quoted

LONGEST = 2_000
"""Twice what can be said at once; the trimmer is slow on long texts."""
MOST_LINES = 100
LONGEST_LINE = 1_000

WROTE = re.compile(
    r"\b(?:wrote|writes|schrieb|a écrit|escribió|escreveu|ha scritto|schreef|geschreven|skrev"
    r"|napisał|napsal|написал|пише|写道)",
    re.IGNORECASE,
)
DAY_OR_ADDRESS = re.compile(r"\d|@")
DATED = re.compile(r"\d{4}[-/]\d{1,2}[-/]\d{1,2} .{1,200}")
FIRST_OF_ATTRIBUTION = re.compile(
    r"(?:on|am|le|el|il|op|em|den|dnia|at)\b.*\d|\d|.*<[^ >]*@|.*\b\d{4}\b", re.IGNORECASE
)
LONGEST_ATTRIBUTION = 4
SEPARATOR = re.compile(
    r"[*_ ]*-{2,}.*(?:message|nachricht|mensaje|messaggio|bericht|wrote).*-{2,}[*_ ]*|_{5,}"
    r"|-{5,}|begin forwarded message:",
    re.IGNORECASE,
)
HEADER = re.compile(
    r"[*_]*(?:from|von|de|da|från|fra|van|od|от|expéditeur)[*_]*\s?:[*_]*\s.{1,200}", re.IGNORECASE
)
SIGNATURE = re.compile(
    r"--\s?$|—$|(?:sent|get|envoyé|gesendet|enviado|inviato|verstuurd|sendt|skickat) "
    r"(?:from|via|with|outlook|de|depuis|von|mit|desde|da|vanaf|fra|från)\b"
    r"|von meinem .{1,60} gesendet|diese nachricht wurde von",
    re.IGNORECASE,
)


def trimmed(text: str) -> str:
    """Cut where a quote or a signature begins; nothing at all if a quote may be left in it."""
    lines = text[:LONGEST].replace("\r\n", "\n").split("\n")[:MOST_LINES]
    lines = [line[:LONGEST_LINE].rstrip() for line in lines]
    own = lines[: _end_of_own(lines)]
    reply = EmailReplyParser.parse_reply("\n".join(own)).strip()
    return "" if any(_begins_quote(line) for line in reply.split("\n")) else reply


def _end_of_own(lines: list[str]) -> int:
    for at, line in enumerate(lines):
        if _begins_quote(line) or SIGNATURE.match(line) or _begins_attribution(lines, at):
            return at
    return len(lines)


def _begins_attribution(lines: list[str], at: int) -> bool:
    """An attribution may be broken over some lines; it begins with a day or an address."""
    joined = ""
    for end in range(at, min(at + LONGEST_ATTRIBUTION, len(lines))):
        if not lines[end]:
            return False
        joined += f" {lines[end]}"
        if _is_attribution(joined, next(filter(None, lines[end + 1 :]), "")):
            return end == at or bool(FIRST_OF_ATTRIBUTION.match(lines[at]))
    return False


def _is_attribution(text: str, following: str) -> bool:
    """Says who wrote when, and ends in a colon."""
    return (
        text.rstrip("-* ").endswith((":", "："))
        and bool(DAY_OR_ADDRESS.search(text))
        and (bool(WROTE.search(text)) or is_quoted(following))
    ) or (text.endswith("----") and bool(WROTE.search(text)))


def _begins_quote(line: str) -> bool:
    stripped = line.strip()
    return (
        is_quoted(stripped)
        or stripped.startswith(("|", "##-"))
        or any(form.fullmatch(stripped) for form in (SEPARATOR, HEADER, DATED))
    )
