"""Whoever dawdles, with no proxy before the site, holds up nobody but themselves."""

import contextlib
import select
import socket
import time
from contextlib import ExitStack

import pytest

from config.asgi_bridge import Limits
from tests.own_site import OwnSite

pytestmark = pytest.mark.django_db
LIMITS = Limits()
SLOW_POST = (
    b"POST /accounts/login/ HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n\r\nlogin="
)
SLOW_API = SLOW_POST.replace(b"/accounts/login/", b"/api/v1/challenges").replace(
    b"application/x-www-form-urlencoded", b"application/json"
)
SLOW_HEADERS = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "


def read_all(line: socket.socket) -> bytes:
    parts = []
    try:
        while part := line.recv(65536):
            parts.append(part)
    except ConnectionResetError:
        pass
    return b"".join(parts)


def send_until_there_is_a_reply(line: socket.socket, chunk: bytes, most: int) -> bytes:
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):
        for _ in range(most):
            line.sendall(chunk)
            if select.select([line], [], [], 0.05)[0]:
                break
    return read_all(line)


def say(site: OwnSite, stack: ExitStack, *requests: bytes) -> list[socket.socket]:
    lines = [stack.enter_context(site.connect()) for _ in requests]
    for line, request in zip(lines, requests, strict=True):
        line.settimeout(LIMITS.body_within + 20)
        line.sendall(request)
    return lines


def test_bodies_that_do_not_come_hold_up_no_page_and_are_given_up(web):
    """Four of them took the whole site down."""
    with ExitStack() as stack:
        lines = say(web, stack, *[SLOW_POST, SLOW_API] * 5)
        began = time.monotonic()
        for _ in range(10):
            assert web.get("/accounts/login/").status == 200
        assert time.monotonic() - began < LIMITS.body_within / 2
        replies = [read_all(line) for line in lines]
    assert all(reply.startswith(b"HTTP/1.1 408") for reply in replies)
    assert all(b"That took too long" in reply for reply in replies[::2])
    assert all(b'"code": "too_slow"' in reply for reply in replies[1::2])


def test_headers_that_do_not_end_are_given_up(web):
    with ExitStack() as stack:
        lines = say(web, stack, *[SLOW_HEADERS] * 10)
        assert web.get("/accounts/login/").seconds < 5
        began = time.monotonic()
        for line in lines:
            assert b" 200 " not in read_all(line)
        assert time.monotonic() - began < 40


def test_a_visitor_with_many_slow_bodies_leaves_the_others_their_share(web_behind_proxy):
    """By the address that the proxy tells: 100 of one, and another comes in between."""
    site = web_behind_proxy
    greedy = SLOW_POST.replace(b"\r\n\r\n", b"\r\nX-Forwarded-For: 192.0.2.7\r\n\r\n")
    with ExitStack() as stack:
        say(site, stack, *[greedy] * 100)
        time.sleep(0.5)
        other = site.get("/accounts/login/", headers={"X-Forwarded-For": "192.0.2.8"})
    assert other.status == 200
    assert other.seconds < 5


def test_one_address_cannot_fill_the_room_that_all_share(web):
    """More slow bodies than both processes have room for, and others are served by each of them."""
    with ExitStack() as stack:
        say(web, stack, *[SLOW_POST] * (2 * LIMITS.most_waiting + 200))
        time.sleep(0.5)
        others = [web.get("/accounts/login/", from_="127.0.0.2") for _ in range(10)]
        # Of two processes, the one that is asked may not have read them all yet.
        owns = [web.get("/accounts/login/") for _ in range(20)]
    assert [other.status for other in others] == [200] * 10
    assert max(other.seconds for other in others) < 5
    assert (503, "10") in {(own.status, own.headers["Retry-After"]) for own in owns}


def test_a_response_that_nobody_reads_holds_up_no_page(web):
    """Pages that are longer than what a connection takes unread."""
    wanted = b"GET /static/vendor/htmx.min.js HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    with ExitStack() as stack:
        lines = [stack.enter_context(socket.socket()) for _ in range(8)]
        for line in lines:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            line.connect(("127.0.0.1", web.port))
            line.sendall(wanted * 20)
        time.sleep(1)
        for _ in range(10):
            assert web.get("/accounts/login/").seconds < 5


def test_a_body_that_is_too_long_is_refused_before_it_is_sent(web):
    too_long = SLOW_POST.replace(b"1000", b"99000000")
    with ExitStack() as stack:
        (line,) = say(web, stack, too_long)
        began = time.monotonic()
        assert read_all(line).startswith(b"HTTP/1.1 413")
        assert time.monotonic() - began < 5


def test_a_body_in_chunks_is_read_and_has_a_bound(web):
    head = SLOW_API.split(b"Content-Length")[0] + (
        b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    chunk = b"10000\r\n" + b" " * 0x10000 + b"\r\n"
    with ExitStack() as stack:
        short, long = say(web, stack, head + b"2\r\n[]\r\n0\r\n\r\n", head)
        short.sendall(b"")
        assert short.recv(65536).startswith((b"HTTP/1.1 401", b"HTTP/1.1 403"))
        reply = send_until_there_is_a_reply(long, chunk, most=40)
    assert reply.startswith(b"HTTP/1.1 413")


def test_headers_that_only_a_proxy_may_set_are_not_taken_under_another_name(web):
    reply = web.get("/healthz", headers={"X_Request_ID": "given-12345678"})
    assert reply.headers["X-Request-ID"] != "given-12345678"
    assert (
        web.get("/healthz", headers={"X-Request-ID": "given-12345678"}).headers["X-Request-ID"]
        == "given-12345678"
    )


@pytest.fixture
def web_behind_proxy(own_site: OwnSite):
    if "web" in own_site.processes:
        own_site.stop("web")
    own_site.start("web", TRUSTED_PROXIES="1")
    yield own_site
    own_site.stop("web")
