"""The world outside: a mail server that records and misbehaves, and an address for webhooks."""

import asyncio
import email
import socket
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from aiosmtpd.controller import Controller
from aiosmtpd.smtp import SMTP, Envelope, Session

OK = "250 2.0.0 OK"
TARPIT = 60.0
HANG = 4.5


class MailPeer:
    """Takes mail, or does as its mood says."""

    def __init__(self) -> None:
        self.mood = "takes"
        self.received: Counter[str] = Counter()
        """How often each Message-ID came in whole."""
        self.met: Counter[str] = Counter()
        """How many letters met each mood."""
        self.reply_to: dict[tuple[int, int, str], str] = {}
        """By game, ply and reader: where the reader of a letter answers it."""
        self.dropped_after_data: set[str] = set()
        self._lock = threading.Lock()

    async def handle_MAIL(
        self, server: SMTP, session: Session, envelope: Envelope, address: str, options: list[str]
    ) -> str:
        self.met[self.mood] += 1
        if self.mood == "refuses":
            return "451 4.3.0 Not now"
        if self.mood == "tarpits":
            await asyncio.sleep(TARPIT)
        if self.mood == "drops":
            _hang_up(server)
        envelope.mail_from = address
        return OK

    async def handle_DATA(self, server: SMTP, session: Session, envelope: Envelope) -> str:
        content = envelope.content or b""
        assert isinstance(content, bytes)
        letter = email.message_from_bytes(content)
        message_id = str(letter["Message-ID"])
        with self._lock:
            self.received[message_id] += 1
        if "X-Game-Ply" in letter and "Reply-To" in letter:
            about = int(letter["X-Game-Id"]), int(letter["X-Game-Ply"]), str(letter["To"])
            self.reply_to[about] = str(letter["Reply-To"])
        if self.mood == "drops after DATA":
            self.dropped_after_data.add(message_id)
            _hang_up(server)
        return OK


def _hang_up(server: SMTP) -> None:
    assert server.transport is not None
    server.transport.abort()


class WebhookPeer:
    def __init__(self) -> None:
        self.hangs = False
        self.received: Counter[str] = Counter()
        """How often each delivery came in."""
        self.replied_late = 0
        self.port = 0
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"


@contextmanager
def mail_peer() -> Iterator[tuple[MailPeer, int]]:
    peer, port = MailPeer(), free_port()
    controller = Controller(peer, hostname="127.0.0.1", port=port, ready_timeout=30)
    controller.start()
    try:
        yield peer, port
    finally:
        controller.stop()


@contextmanager
def webhook_peer() -> Iterator[WebhookPeer]:
    peer = WebhookPeer()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            with peer.lock:
                peer.received[self.headers["Tripost-Delivery"]] += 1
                peer.replied_late += peer.hangs
            if peer.hangs:
                time.sleep(HANG)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_said: Any) -> None: ...

        def handle(self) -> None:
            try:
                super().handle()
            except OSError:
                self.close_connection = True

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    peer.port = server.server_port
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield peer
    finally:
        server.shutdown()
        server.server_close()


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port: int = trial.getsockname()[1]
        return port
