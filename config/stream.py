"""The stream of events: a small process of its own, so that those who wait hold up nobody."""

import asyncio
import json
import logging
import math
import os
import re
from collections.abc import Awaitable, Callable, MutableMapping
from concurrent.futures import ThreadPoolExecutor
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ.setdefault("STATEMENT_TIMEOUT", "10")
django.setup()

from django.conf import settings  # noqa: E402
from django.contrib.auth import get_user  # noqa: E402
from django.contrib.sessions.backends.db import SessionStore  # noqa: E402
from django.core.serializers.json import DjangoJSONEncoder  # noqa: E402
from django.db import Error, close_old_connections  # noqa: E402
from django.http import HttpRequest  # noqa: E402
from django.utils import timezone  # noqa: E402

from accounts import tokens  # noqa: E402
from accounts.models import Player, Scope  # noqa: E402
from accounts.visitors import network_of  # noqa: E402
from config import absences, operations, problems, throttles  # noqa: E402
from config.listening import MOST_PER_PLAYER, Hub, Listener, TooManyStreams  # noqa: E402
from config.unavailable import RETRY_AFTER, is_absence  # noqa: E402
from games.api import feed  # noqa: E402

logger = logging.getLogger(__name__)
PATH = "/api/v1/stream"
TOO_MANY = f"You have {MOST_PER_PLAYER} streams open, the most one can; close one first."
LONGEST_SECONDS = 15 * 60
"""Then a stream is ended and comes again."""
RETRY = b"retry: 2000\n\n"
PARAMETERS = {"game"}
EVENT_ID = re.compile(r"[0-9]{1,18}")

Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]

threads = ThreadPoolExecutor(2, thread_name_prefix="database")


async def in_a_thread(work: Callable[..., Any], *arguments: Any) -> Any:
    """Reads the database without holding up the loop; two connections serve all streams."""

    def run() -> Any:
        close_old_connections()
        return work(*arguments)

    return await asyncio.get_running_loop().run_in_executor(threads, run)


hub = Hub(in_a_thread)


class Refused(Exception):
    def __init__(self, status: int, code: str, detail: str, retry_after: float = 0) -> None:
        super().__init__(detail)
        self.status, self.code, self.detail = status, code, detail
        self.retry_after = math.ceil(retry_after)


AWAY = Refused(503, "unavailable", "The database does not reply; try again in a moment.")


async def application(scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
    if scope["type"] != "http":
        return
    headers = {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}
    shared = _shared_with(headers.get("origin", ""))
    try:
        if scope["method"] == "OPTIONS":
            await _answer(send, 204, shared)
            return
        player, game_id, last_id = await _asked(scope, headers)
        async with hub.joined(player.pk, game_id) as listener:
            access = asyncio.create_task(_end_without_access(listener, headers))
            try:
                await _tell(listener, last_id, shared, receive, send)
            finally:
                access.cancel()
    except Error as error:
        if not is_absence(error):
            raise
        if not absences.said(error):
            logger.warning("the stream cannot begin: %s", str(error).partition("\n")[0])
        await _refuse(send, AWAY, [*shared, (b"retry-after", RETRY_AFTER.encode())])
    except TooManyStreams:
        await _refuse(send, Refused(429, "too_many", TOO_MANY), [*shared, (b"retry-after", b"60")])
    except Refused as refused:
        wait = str(refused.retry_after).encode()
        later = [(b"retry-after", wait)] if refused.retry_after else []
        await _refuse(send, refused, [*shared, *later])


# Who asks, and for what


async def _asked(
    scope: MutableMapping[str, Any], headers: dict[str, str]
) -> tuple[Player, int | None, int | None]:
    if scope["path"] != PATH:
        raise Refused(404, "not_found", "There is nothing here; the stream is at /api/v1/stream.")
    if scope["method"] != "GET":
        raise Refused(405, "method_not_allowed", "A stream is read, by GET.")
    try:
        player = await in_a_thread(_player, headers)
    except Refused:
        await in_a_thread(count_refusal, scope, headers)
        raise
    await in_a_thread(count_read, player)
    query = parse_qs(scope["query_string"].decode("latin-1"), keep_blank_values=True)
    for name in query.keys() - PARAMETERS:
        sentence = operations.unknown_field(name, PARAMETERS)
        raise Refused(400, "invalid", f"{name[:60]}: {sentence}")
    game_id = await _game(query["game"][0], player) if "game" in query else None
    last_id = headers.get("last-event-id", "")
    return player, game_id, int(last_id) if EVENT_ID.fullmatch(last_id) else None


def count_refusal(scope: MutableMapping[str, Any], headers: dict[str, str]) -> None:
    """Bad tokens are throttled by address, as in the rest of the API."""
    meta = {
        "REMOTE_ADDR": (scope.get("client") or ("",))[0],
        "HTTP_X_FORWARDED_FOR": headers.get("x-forwarded-for", ""),
    }
    most = settings.API_LIMITS.get("refused")
    if most:
        _within(throttles.take("refused", network_of(meta), most))


def count_read(player: Player) -> None:
    """To open a stream counts as any other read: whoever comes again and again waits."""
    most = settings.API_LIMITS.get("read")
    if most:
        _within(throttles.take("read", str(player.pk), most))


def _within(share: throttles.Share) -> None:
    if share.is_exceeded:
        raise Refused(429, "throttled", throttles.too_many(share.seconds), share.seconds)


def _player(headers: dict[str, str]) -> Player:
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        token = tokens.redeem(secret.strip(), now=timezone.now())
        if token is None:
            raise Refused(
                401, "authentication_failed", "This token is unknown, expired or revoked."
            )
        if Scope.READ not in token.scopes:
            raise Refused(403, "missing_scope", "This token lacks the scope “read”.")
        return token.player
    request = HttpRequest()
    request.session = SessionStore(_cookie(headers.get("cookie", "")))
    player = get_user(request)
    if not isinstance(player, Player) or not player.is_active:
        raise Refused(401, "not_authenticated", "Say who you are: with a token or a session.")
    return player


async def _end_without_access(listener: Listener, headers: dict[str, str]) -> None:
    """A token that was revoked and a session that was ended are told no more."""
    while True:
        await asyncio.sleep(settings.STREAM_HEARTBEAT)
        try:
            await in_a_thread(_player, headers)
        except Refused:
            listener.end()
            return
        except Error as error:
            if not absences.said(error):
                logger.warning("the stream cannot check access: %s", error)


def _cookie(header: str) -> str | None:
    try:
        found = SimpleCookie(header).get(settings.SESSION_COOKIE_NAME)
    except CookieError:
        return None
    return found.value if found else None


async def _game(text: str, player: Player) -> int:
    if EVENT_ID.fullmatch(text) and await in_a_thread(feed.may_watch, int(text), player.pk):
        return int(text)
    raise Refused(404, "not_found", "There is no such game.")


def _shared_with(origin: str) -> list[tuple[bytes, bytes]]:
    """Pages of the site itself may read along, where the stream has an address of its own."""
    if origin != settings.SITE_URL:
        return []
    return [
        (b"access-control-allow-origin", origin.encode()),
        (b"access-control-allow-credentials", b"true"),
        (b"access-control-allow-headers", b"Authorization, Last-Event-ID"),
        (b"vary", b"Origin"),
    ]


# What is told


async def _tell(
    listener: Listener,
    last_id: int | None,
    shared: list[tuple[bytes, bytes]],
    receive: Receive,
    send: Send,
) -> None:
    """First what is, or was missed, then what happens, until one of the two has had enough."""
    safe_id = hub.safe_id if last_id is None else last_id
    first = await in_a_thread(_first, listener, last_id)
    headers = [
        (b"content-type", b"text/event-stream; charset=utf-8"),
        (b"cache-control", b"private, no-store"),
        (b"x-accel-buffering", b"no"),
        *shared,
    ]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    events = b"".join(_event(safe_id, kind, data) for kind, data in first)
    await send({"type": "http.response.body", "body": RETRY + events, "more_body": True})
    leaving = asyncio.create_task(_wait_for_leaving(listener, receive))
    tired = asyncio.get_running_loop().call_later(LONGEST_SECONDS, listener.end)
    try:
        while (body := await _next(listener)) is not None:
            await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
    finally:
        tired.cancel()
        leaving.cancel()


def _first(listener: Listener, last_id: int | None) -> list[tuple[str, dict[str, Any]]]:
    if listener.game_id is None:
        return [("turn", turn) for turn in feed.turns_of(listener.player_id)]
    lines = feed.lines_of(listener.game_id, after=last_id)
    ends = feed.ended_among([listener.game_id]).values()
    return [*(("game", line) for line in lines), *(("end", end) for end in ends)]


async def _next(listener: Listener) -> bytes | None:
    try:
        waiting = listener.queue.get()
        happened = await asyncio.wait_for(waiting, settings.STREAM_HEARTBEAT)
    except TimeoutError:
        # An id alone is no event, but a client that comes again says it.
        return f": heartbeat\nid: {hub.safe_id}\n\n".encode()
    return None if happened is None else _event(*happened)


def _event(safe_id: int, kind: str, data: dict[str, Any]) -> bytes:
    text = json.dumps(data, cls=DjangoJSONEncoder)
    return f"event: {kind}\nid: {safe_id}\ndata: {text}\n\n".encode()


async def _wait_for_leaving(listener: Listener, receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    listener.end()


async def _refuse(send: Send, refused: Refused, headers: list[tuple[bytes, bytes]]) -> None:
    body = problems.outside_the_views(refused.status, refused.detail, refused.code).content
    kind = (b"content-type", problems.CONTENT_TYPE.encode())
    await _answer(send, refused.status, [kind, *headers], body)


async def _answer(
    send: Send, status: int, headers: list[tuple[bytes, bytes]], body: bytes = b""
) -> None:
    length = (b"content-length", str(len(body)).encode())
    start = {"type": "http.response.start", "status": status, "headers": [length, *headers]}
    await send(start)
    await send({"type": "http.response.body", "body": body})
