"""Django's way out by SMTP, with a limit on every answer and a word before a message is given."""

import smtplib
import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from django.core.mail.backends import smtp

from accounts.background import TimeBox

ANSWER_WITHIN = 10.0
"""Seconds for the whole of an answer: a peer that sends a byte now and then gains no time."""
VERDICT_WITHIN = 25.0
"""For the answer to a message, which some read through before they take it."""
COMMANDS_WITHIN = 15.0
"""For all answers from the greeting to log-in, and then for all that come before a message.

Together these are less than a task's time limit: a peer that replies as slowly as it may costs
one letter's try, and no worker.
"""


class Conversation(smtplib.SMTP):
    """Tells when a message is about to be given, and knows whether it may have arrived."""

    before_message: Callable[[], None] | None = None
    may_have_arrived = False
    _has_hung_up = False
    _commands: TimeBox | None = None

    def begin_message(self) -> None:
        """What the greeting took does not count against the commands of a message."""
        self._commands = None

    def _get_socket(self, host: str, port: int, timeout: float) -> socket.socket:
        """Connecting has a shorter limit than the answer to a message."""
        connected = super()._get_socket(host, port, min(timeout, ANSWER_WITHIN))  # type: ignore[misc]
        connected.settimeout(timeout)
        return connected

    def data(self, msg: Any) -> tuple[int, bytes]:
        self.may_have_arrived = False
        answer = super().data(msg)
        self.may_have_arrived = False
        return answer

    def send(self, s: Any) -> None:
        """smtplib sends its commands as text and a message as bytes, up to the final dot."""
        is_message = isinstance(s, bytes)
        if is_message and self.before_message:
            self.before_message()
        super().send(s)
        if is_message:
            self.may_have_arrived = True

    def getreply(self) -> tuple[int, bytes]:
        seconds = VERDICT_WITHIN if self.may_have_arrived else self._seconds_for_command()
        limit = threading.Timer(seconds, self._hang_up)
        limit.daemon = True
        limit.start()
        try:
            answer = super().getreply()
        finally:
            limit.cancel()
        if self._has_hung_up:  # What came until then may look like an answer.
            raise smtplib.SMTPServerDisconnected("The answer took too long.")
        return answer

    def _seconds_for_command(self) -> float:
        # Made when the first is waited for: smtplib connects in its constructor.
        self._commands = self._commands or TimeBox(COMMANDS_WITHIN)
        return min(ANSWER_WITHIN, self._commands.left)

    def _hang_up(self) -> None:
        """From another thread: whoever waits for an answer is told that there will be none."""
        self._has_hung_up = True
        with suppress(OSError, AttributeError):
            self.sock.shutdown(socket.SHUT_RDWR)  # type: ignore[union-attr]


class SecureConversation(Conversation, smtplib.SMTP_SSL):
    """The same through TLS from the first byte."""


class EmailBackend(smtp.EmailBackend):
    connection: Conversation | None

    @property
    def connection_class(self) -> type[Conversation]:
        return SecureConversation if self.use_ssl else Conversation
