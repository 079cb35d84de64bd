"""A machine on the net that writes down what it is sent and answers as it is told."""

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Received:
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Peer:
    port: int
    statuses: list[int] = field(default_factory=list)
    """The next answers; after them, 204."""
    received: list[Received] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    """Methods of everything that came, redirects that were followed included."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"


@contextmanager
def listening(tls: ssl.SSLContext | None = None) -> Iterator[Peer]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            peer.asked.append("POST")
            peer.received.append(Received(self.path, dict(self.headers), body))
            status = peer.statuses.pop(0) if peer.statuses else 204
            self.send_response(status)
            if status == 302:
                self.send_header("Location", f"http://127.0.0.1:{peer.port}/elsewhere")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def do_GET(self) -> None:
            peer.asked.append("GET")
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_said: Any) -> None: ...

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
    peer = Peer(server.server_port)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
    thread.start()
    try:
        yield peer
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
