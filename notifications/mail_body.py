"""Opens a raw message within limits of size, depth and parts, and finds the text in it."""

import codecs
import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from email import message_from_bytes, policy
from email.errors import MessageError
from email.header import decode_header
from email.message import Message
from email.utils import getaddresses

from notifications import html_text

LARGEST = 1_000_000
LONGEST_LOOKED_AT = 256_000
"""Bytes of a message that are opened: attachments come after the text."""
LONGEST_TEXT = 64_000
MOST_LINES = 400
DEEPEST = 10
MOST_PARTS = 50
MOST_DELIMITERS = 1_000
"""Lines that may part one part from the next; more of them are not even tried."""
LONGEST_HEAD = 100_000
LONGEST_HEADER = 2_000
NO_TEXT_ENCODINGS = ("idna", "punycode", "raw-unicode-escape", "undefined", "unicode-escape")
REPORTS = "multipart/report"


class Unreadable(Exception):
    """A message that is not opened; `why` is a code for the reason."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


@dataclass(frozen=True, slots=True)
class Body:
    """`source` says which part was read: `plain`, `html`, or nothing where there is no text."""

    text: str
    source: str


def opened(raw: bytes) -> Message:
    """The message with its parts; raises Unreadable."""
    if len(raw) > LARGEST:
        raise Unreadable("too large")
    raw = _without_mark(raw)[:LONGEST_LOOKED_AT]
    _require_little_structure(raw)
    try:
        message = message_from_bytes(raw, policy=policy.compat32)
        _require_few_parts(message)
    except (MessageError, ValueError, TypeError, LookupError, RecursionError) as error:
        raise Unreadable("broken") from error
    return message


def _without_mark(raw: bytes) -> bytes:
    return raw.removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n")


def _require_little_structure(raw: bytes) -> None:
    """What can be seen without opening it; opening costs the more, the more there is."""
    head = min(end for end in (raw.find(b"\n\n"), raw.find(b"\r\n\r\n"), len(raw)) if end >= 0)
    if head > LONGEST_HEAD:
        raise Unreadable("too long a head")
    if raw.lower().count(b"boundary") > 2 * MOST_PARTS:
        raise Unreadable("too deep")
    if raw.count(b"\n--") > MOST_DELIMITERS:
        raise Unreadable("too many parts")


def _require_few_parts(message: Message) -> None:
    waiting, parts = [(message, 1)], 0
    while waiting:
        part, depth = waiting.pop()
        parts += 1
        if depth > DEEPEST:
            raise Unreadable("too deep")
        if parts > MOST_PARTS:
            raise Unreadable("too many parts")
        if isinstance(within := part.get_payload(), list):
            waiting += [(inner, depth + 1) for inner in within if isinstance(inner, Message)]


# Headers


def header(message: Message, name: str) -> str:
    """A header in plain words, on one line; the first, where there are several."""
    try:
        written = str(message.get(name, ""))[:LONGEST_HEADER]
        words = "".join(_decoded(piece, charset) for piece, charset in decode_header(written))
    except (MessageError, ValueError, LookupError, TypeError, AttributeError):
        words = ""
    return " ".join(words.replace("\0", "").split())


def _decoded(piece: bytes | str, charset: str | None) -> str:
    return piece if isinstance(piece, str) else decoded(piece, charset)


def senders(message: Message) -> list[str]:
    """The addresses that it claims to be from, in small letters: one, in an honest message."""
    lines = message.get_all("From", [])
    found = []
    for line in lines[:5]:
        try:
            pairs = getaddresses([" ".join(str(line)[:LONGEST_HEADER].split())])
        except (MessageError, ValueError, TypeError, IndexError, RecursionError):
            continue
        found += [address.lower() for _name, address in pairs if "@" in address]
    return found


# The text


def body_of(message: Message) -> Body:
    """The first text part; of one that is empty, what was sent as HTML beside it.

    Attached texts and messages are somebody's, but not what was written now.
    """
    for kind, source in (("text/plain", "plain"), ("text/html", "html")):
        part = next((part for part in _own_parts(message) if _type_of(part) == kind), None)
        if part is not None:
            text = _text_of(part, source)
            if text.strip():
                return Body(_capped(text), source)
    return Body("", "")


def _own_parts(message: Message) -> Iterator[Message]:
    """Depth first, without what is attached."""
    if message.get_filename() or message.get_content_disposition() == "attachment":
        return
    within = message.get_payload()
    if not isinstance(within, list):
        yield message
    elif message.get_content_maintype() == "multipart":
        for part in within:
            if isinstance(part, Message):
                yield from _own_parts(part)


def _type_of(part: Message) -> str:
    return part.get_content_type()


def _text_of(part: Message, source: str) -> str:
    payload = part.get_payload(decode=True)
    raw = payload if isinstance(payload, bytes) else b""
    charset = part.get_content_charset()
    if source == "html":
        return html_text.text_of(decoded(raw[: html_text.LONGEST_HTML], charset))
    return decoded(raw[:LONGEST_TEXT], charset)


def decoded(raw: bytes, charset: str | None) -> str:
    """By the declared character set; by UTF-8 or Windows' Latin where that is unknown or wrong."""
    for name in (_codec(charset), "utf-8"):
        if name:
            try:
                return raw.decode(name).replace("\0", "")
            except (UnicodeError, LookupError, ValueError):
                continue
    if len(raw) >= LONGEST_TEXT:
        # The cap may have cut a character in two.
        with contextlib.suppress(UnicodeError):
            return codecs.getincrementaldecoder("utf-8")().decode(raw).replace("\0", "")
    return raw.decode("cp1252", "replace").replace("\0", "")


def _codec(charset: str | None) -> str:
    try:
        name = codecs.lookup((charset or "utf-8").removesuffix("-i").removesuffix("-e")).name
    except (LookupError, ValueError, TypeError):
        return ""
    return "" if name.replace("_", "-") in NO_TEXT_ENCODINGS else name


def _capped(text: str) -> str:
    lines = text[:LONGEST_TEXT].replace("\r\n", "\n").split("\n", MOST_LINES)
    return "\n".join(lines[:MOST_LINES])
