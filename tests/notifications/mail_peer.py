"""A mail server on the other side that does as it is told."""

import email
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from email.message import Message
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

OK = "250 2.0.0 OK"
DROP = "drop"
"""Hangs up without a word; a message, after it was given in full."""


class Peer:
    """Answers each message with the next line it was told, and after the last one with OK."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.envelopes: list[tuple[str | None, list[str]]] = []
        self.answers: list[str] = []
        self.rcpt_answers: list[str] = []
        self.before_answering: Callable[[], Any] = lambda: None
        self.connections = 0
        self._lock = threading.Lock()
        self._controller: Controller | None = None

    @property
    def port(self) -> int:
        assert self._controller is not None
        return int(self._controller.port)

    @property
    def message_ids(self) -> list[str]:
        return [str(message["Message-ID"]) for message in self.messages]

    def take_mail_of(self, settings: Any) -> None:
        settings.EMAIL_BACKEND = "notifications.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", self.port

    # aiosmtpd's hooks

    async def handle_EHLO(self, server, session, envelope, hostname, responses):
        self.connections += 1
        session.host_name = hostname
        return responses

    async def handle_RCPT(self, server, session, envelope: Envelope, address: str, options):
        answer = self.rcpt_answers.pop(0) if self.rcpt_answers else OK
        if answer == DROP:
            server.transport.abort()
        if answer.startswith("250"):
            envelope.rcpt_tos.append(address)
        return answer

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        with self._lock:
            answer = self.answers.pop(0) if self.answers else OK
            if answer in (OK, DROP):
                self.messages.append(email.message_from_bytes(envelope.content or b""))
                self.envelopes.append((envelope.mail_from, envelope.rcpt_tos))
        self.before_answering()
        if answer == DROP:
            assert server.transport is not None
            server.transport.abort()
        return answer


@contextmanager
def scripted(settings: Any, *lines: str, bytes_a_second: float = 0) -> Iterator[None]:
    """Says one line after the other, each once the client has spoken, and then hangs up."""
    with socket.create_server(("127.0.0.1", 0)) as door:
        settings.EMAIL_BACKEND = "notifications.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = door.getsockname()
        threading.Thread(target=_recite, args=(door, lines, bytes_a_second), daemon=True).start()
        yield


def _recite(door: socket.socket, lines: tuple[str, ...], bytes_a_second: float) -> None:
    client, _address = door.accept()
    with client, suppress(OSError):
        for line in lines:
            said = f"{line}\r\n".encode()
            if bytes_a_second:
                for byte in said:
                    client.sendall(bytes([byte]))
                    time.sleep(1 / bytes_a_second)
            else:
                client.sendall(said)
            client.recv(1000)


@contextmanager
def listening() -> Iterator[Peer]:
    peer = Peer()
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = trial.getsockname()[1]
    controller = Controller(peer, hostname="127.0.0.1", port=port, ready_timeout=30)
    peer._controller = controller
    controller.start()
    try:
        yield peer
    finally:
        controller.stop()
