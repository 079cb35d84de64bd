"""What a raw message says, before anybody is asked whether it may: commands, chat, or why not."""

from dataclasses import dataclass
from email.message import Message

from notifications import chat_text, commands, loop_guard, mail_body, window
from notifications.commands import Command, IsMove
from notifications.mail_body import Unreadable


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The commands of a mail in their order, and the message to the opponent below them."""

    commands: tuple[Command, ...]
    chat: str
    source: str
    ended_by: str


def why_not_read(message: Message, *, mail_from: str | None, domain: str) -> tuple[str, str]:
    """Whether it is `automatic` or `refused`, and why; two empty texts if neither."""
    automatic = loop_guard.why_automatic(message, mail_from=mail_from, domain=domain)
    if automatic:
        return "automatic", automatic
    found = mail_body.senders(message)
    if len(found) != 1:
        return "refused", "several senders" if found else "no sender"
    return "", ""


def words_of(message: Message, is_move: IsMove) -> Words:
    """Raises Unreadable."""
    try:
        body = mail_body.body_of(message)
    except (ValueError, TypeError, LookupError, RecursionError) as error:
        raise Unreadable("broken") from error
    return words_in(body, is_move)


def words_in(body: mail_body.Body, is_move: IsMove) -> Words:
    found = window.find(body.text, lambda line: commands.read(line, is_move) is not None)
    read = [commands.read(line, is_move) for line in found.commands]
    return Words(
        commands=tuple(command for command in read if command),
        chat=chat_text.trimmed(found.rest) if read else "",
        source=body.source,
        ended_by=found.ended_by,
    )
