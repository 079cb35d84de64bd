"""A reverse proxy as most sites have one: it turns to the next node if one refuses."""

import itertools
import socket
import socketserver
import threading
from types import TracebackType
from typing import Self


class Proxy:
    """Each connection goes to a node in turn, and is passed on only if that node refuses it.

    As nginx and Caddy do by default: once a node has the request, nobody else gets it.
    """

    def __init__(self, ports: list[int]) -> None:
        self.turns = itertools.count()
        self.ports = ports
        self.passed_on = 0
        proxy = self

        class Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                proxy.forward(self.request)

        self.server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True

    @property
    def port(self) -> int:
        return int(self.server.server_address[1])

    def __enter__(self) -> Self:
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None
    ) -> None:
        self.server.shutdown()
        self.server.server_close()

    def forward(self, visitor: socket.socket) -> None:
        """One request without a body on each connection, which the node closes after its reply."""
        request = b""
        while b"\r\n\r\n" not in request:
            request += visitor.recv(65536)
        with self._node() as node:
            node.sendall(request)
            while some := node.recv(65536):
                visitor.sendall(some)

    def _node(self) -> socket.socket:
        first = next(self.turns)
        for turn in range(first, first + len(self.ports)):
            try:
                return socket.create_connection(("127.0.0.1", self.ports[turn % 2]), timeout=30)
            except ConnectionRefusedError:
                self.passed_on += 1
        raise ConnectionRefusedError
