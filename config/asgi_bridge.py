"""Run Django in a few threads, and read bodies and write responses in a loop outside of them."""

import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import IO, Any, cast
from urllib.parse import unquote_to_bytes

from django.core.handlers.wsgi import WSGIHandler, WSGIRequest
from django.http import HttpResponse
from django.utils import translation

from accounts.visitors import network_of
from config.bounded_requests import largest_body
from config.lengths import LARGEST_BODY
from config.unavailable import unavailable_page
from config.views import error_page

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Environ = dict[str, Any]

ALIVE, READY = "/healthz", "/readyz"
CHUNK = 64 * 1024


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Seconds, and requests at once in this process."""

    body_within: float = 20
    turn_within: float = 15
    """For one of the threads, and before that for others of the same visitor."""
    response_within: float = 60
    most_waiting: int = 200
    most_of_a_visitor: int = 20
    """The others of the same visitor wait outside of the room that all share."""
    most_outside: int = 100
    threads: int = 2


class Refused(Exception):
    """The loop replies by itself, without a thread."""

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


class HasLeft(Exception):
    """Nobody is there to reply to."""


@dataclass(frozen=True, kw_only=True)
class Reply:
    status: int
    headers: list[tuple[bytes, bytes]]
    body: IO[bytes]


class Bridge:
    """An ASGI application that serves Django's WSGI handler.

    A client that dawdles costs a coroutine, and never one of the threads.
    """

    def __init__(self, handler: WSGIHandler, limits: Limits | None = None) -> None:
        self.handler = handler
        self.limits = limits or Limits()
        self.threads = ThreadPoolExecutor(self.limits.threads, thread_name_prefix="django")
        # It only waits for a thread of the probe's own, and must be told apart from what hangs.
        self.ready_threads = ThreadPoolExecutor(8, thread_name_prefix="ready")
        self.turns = asyncio.Semaphore(self.limits.threads)
        self.visitors = Visitors(self.limits)
        self.waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        environ = environ_of(scope)
        try:
            reply = await self._reply(environ, receive)
        except Refused as refused:
            reply = _refusal(refused.status, environ)
        except HasLeft:
            return
        with reply.body:
            await _send(reply, send, environ["REQUEST_METHOD"] == "HEAD", self.limits)

    async def _reply(self, environ: Environ, receive: Receive) -> Reply:
        path = environ["PATH_INFO"]
        if path == READY:
            return await self._in_thread(self.ready_threads, environ)
        if path == ALIVE:
            # It shows that the threads work, and is not held up by what its sender's others do.
            # Without a limit: who asks decides how long threads may be busy before they hang.
            async with self.turns:
                return await self._in_thread(self.threads, environ)
        async with self.visitors.share(network_of(environ)):
            with self._room():
                await self._read_body(environ, receive)
                with environ["wsgi.input"]:
                    return await self._in_turn(environ)

    @contextmanager
    def _room(self) -> Iterator[None]:
        """Only for who has a share: no visitor alone can fill it."""
        if self.waiting >= self.limits.most_waiting:
            raise Refused(503)
        self.waiting += 1
        try:
            yield
        finally:
            self.waiting -= 1

    async def _in_turn(self, environ: Environ) -> Reply:
        async with _acquired(self.turns, self.limits.turn_within):
            return await self._in_thread(self.threads, environ)

    async def _in_thread(self, threads: ThreadPoolExecutor, environ: Environ) -> Reply:
        return await asyncio.get_running_loop().run_in_executor(
            threads, _run, self.handler, environ
        )

    # Bodies

    async def _read_body(self, environ: Environ, receive: Receive) -> None:
        """Nothing of a body that is too long: Django refuses it by its length alone."""
        most = largest_body(environ["PATH_INFO"])
        if environ["REQUEST_METHOD"] in ("GET", "HEAD") or _declared_length(environ) > most:
            return
        body = environ["wsgi.input"]
        try:
            async with asyncio.timeout(self.limits.body_within):
                async for part in _parts(receive):
                    body.write(part)
                    if body.tell() > most:
                        break
        except TimeoutError:
            raise Refused(408) from None
        # A body in chunks has no other.
        environ["CONTENT_LENGTH"] = str(body.tell())
        body.seek(0)


async def _parts(receive: Receive) -> AsyncIterator[bytes]:
    has_more = True
    while has_more:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise HasLeft
        yield message.get("body", b"")
        has_more = message.get("more_body", False)


def _declared_length(environ: Environ) -> int:
    declared = environ.get("CONTENT_LENGTH", "")
    return int(declared) if declared.isdecimal() else 0


# Turns


class Visitors:
    """So many requests of each at once; some others of the same visitor wait, and nobody else."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._semaphores: dict[str, asyncio.Semaphore] = {}
        self._users: dict[str, int] = {}

    @asynccontextmanager
    async def share(self, visitor: str) -> AsyncIterator[None]:
        most = self.limits.most_of_a_visitor
        if self._users.get(visitor, 0) >= most + self.limits.most_outside:
            raise Refused(503)
        semaphore = self._semaphores.setdefault(visitor, asyncio.Semaphore(most))
        self._users[visitor] = self._users.get(visitor, 0) + 1
        try:
            async with _acquired(semaphore, self.limits.turn_within):
                yield
        finally:
            self._users[visitor] -= 1
            if not self._users[visitor]:
                del self._users[visitor], self._semaphores[visitor]


@asynccontextmanager
async def _acquired(semaphore: asyncio.Semaphore, within: float) -> AsyncIterator[None]:
    try:
        async with asyncio.timeout(within):
            await semaphore.acquire()
    except TimeoutError:
        raise Refused(503) from None
    try:
        yield
    finally:
        semaphore.release()


# From ASGI to WSGI, and back


def _spool() -> IO[bytes]:
    """In memory, or in a file if it is long; whoever holds it closes it."""
    return cast("IO[bytes]", SpooledTemporaryFile(max_size=LARGEST_BODY))


def environ_of(scope: Scope) -> Environ:
    environ: Environ = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": unquote_to_bytes(scope["raw_path"]).decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_NAME": scope["server"][0],
        "SERVER_PORT": str(scope["server"][1]),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "REMOTE_ADDR": (scope.get("client") or ("",))[0],
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope["scheme"],
        "wsgi.input": _spool(),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    for name, value in scope["headers"]:
        _add_header(environ, name.decode("latin-1"), value.decode("latin-1"))
    return environ


def _add_header(environ: Environ, name: str, value: str) -> None:
    # A name with "_" would pass for another with "-", such as one that only proxies may set.
    if "_" in name:
        return
    key = name.upper().replace("-", "_")
    if key not in ("CONTENT_TYPE", "CONTENT_LENGTH"):
        key = f"HTTP_{key}"
    separator = "; " if key == "HTTP_COOKIE" else ","
    environ[key] = f"{environ[key]}{separator}{value}" if key in environ else value


def _run(handler: WSGIHandler, environ: Environ) -> Reply:
    """In a thread: the whole response, so that the thread is free before it is sent."""
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(
        status: str, headers: list[tuple[str, str]], error: Any = None, /
    ) -> Callable[[bytes], object]:
        started.append((status, headers))
        return body.write

    body = _spool()
    response = handler(environ, start_response)
    try:
        body.writelines(response)
    finally:
        response.close()
    status, headers = started[-1]
    return Reply(status=int(status[:3]), headers=_encoded(headers), body=body)


def _refusal(status: int, environ: Environ) -> Reply:
    request = WSGIRequest(environ)
    if status == 503:
        response: HttpResponse = unavailable_page(request)
    else:
        with translation.override(translation.get_language_from_request(request)):
            response = error_page(request, status)
    body = _spool()
    body.write(response.content)
    headers = _encoded([*response.items(), ("Connection", "close")])
    return Reply(status=status, headers=headers, body=body)


def _encoded(headers: list[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.lower().encode("latin-1"), value.encode("latin-1")) for name, value in headers]


async def _send(reply: Reply, send: Send, is_head: bool, limits: Limits) -> None:
    """A client that does not take the response in time is left with what it has."""
    start = {"type": "http.response.start", "status": reply.status, "headers": reply.headers}
    reply.body.seek(0)
    try:
        async with asyncio.timeout(limits.response_within):
            await send(start)
            while not is_head and (chunk := reply.body.read(CHUNK)):
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
            await send({"type": "http.response.body", "body": b""})
    except TimeoutError:
        return
