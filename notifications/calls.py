"""Requests to addresses that players gave: into the public net alone, and never for long."""

import contextlib
import http.client
import queue
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.utils.encoding import iri_to_uri

from accounts import locks
from accounts.background import TimeBox
from games.refusals import BadRequest, TooMany
from games.rules.position import Refusal

PATIENCE = 5.0
"""Seconds for everything: looking the name up, connecting, TLS, the request and its answer."""
MOST_LOOK_UPS = 8
"""At once in one process: a name server that hangs holds up so many threads and no more."""
LONGEST_ADDRESS = 1000
MOST_TRIED = 3
OURSELVES = ("localhost", "127.0.0.1", "::1")
TRANSLATED = IPv6Network("64:ff9b::/96")
"""Where networks of the new kind show the addresses of the old one."""


class DeliveryFailed(Refusal):
    """It did not get through, and why; worth another try later."""

    code = "delivery_failed"


class NamesAreBusy(TooMany):
    """Other names are being looked up without end; nothing was asked about this one."""


class NobodyThere(Exception):
    """There is no browser and no address any more that a letter could go to."""


@dataclass(frozen=True, kw_only=True)
class Target:
    secure: bool
    host: str
    port: int
    path: str
    is_here: bool
    """This very machine, which is for trying things out while debugging."""

    @property
    def shown_host(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.secure else 80) else f"{host}:{self.port}"


def target_of(url: str) -> Target:
    """An address as far as it can be judged without asking anybody."""
    try:
        parts = urlsplit(iri_to_uri(url.strip()))
        host = (parts.hostname or "").encode("idna").decode()
        port = parts.port
    except (ValueError, UnicodeError):
        host, port = "", None
    if not host or len(url) > LONGEST_ADDRESS or parts.username is not None:
        raise BadRequest("This is no address of the kind https://example.org/path.")
    is_here = settings.DEBUG and parts.scheme == "http" and host in OURSELVES
    if parts.scheme != "https" and not is_here:
        raise BadRequest("The address must begin with https://, so that nobody reads along.")
    if not is_here and _is_literal(host) and not is_public(host):
        raise BadRequest("The address must be one of the public internet, not of a private net.")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    secure = parts.scheme == "https"
    port = port or (443 if secure else 80)
    return Target(secure=secure, host=host, port=port, path=path, is_here=is_here)


def post(url: str, *, body: bytes, headers: Mapping[str, str], seconds: float | None = None) -> int:
    """Sends a request and returns the status of the answer; a redirect is an answer, too.

    Never within a transaction, whose locks would be held for as long as a stranger likes.
    """
    _require_no_transaction()
    target = target_of(url)
    box = TimeBox(PATIENCE if seconds is None else min(seconds, PATIENCE))
    try:
        addresses = _addresses(target, box)
        with _connected(target, addresses, box) as connection:
            connection.request(
                "POST",
                target.path,
                body,
                {"Host": target.shown_host, "Connection": "close", **headers},
            )
            return connection.getresponse().status
    except (DeliveryFailed, NamesAreBusy):
        raise
    except ssl.SSLError as error:
        raise DeliveryFailed(
            "{host} could not prove that it is itself.", host=target.host
        ) from error
    except TimeoutError as error:
        raise _too_slow(target) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise DeliveryFailed(
            "{host} could not be reached, or broke off.", host=target.host
        ) from error


def _require_no_transaction() -> None:
    if locks.is_nested():
        raise RuntimeError("the network cannot be asked within a transaction")


def _too_slow(target: Target) -> DeliveryFailed:
    return DeliveryFailed("{host} took longer than 5 seconds.", host=target.host)


# Whom a name stands for


_look_ups = threading.BoundedSemaphore(MOST_LOOK_UPS)


def _looked_up(host: str, port: int, box: TimeBox) -> list[Any]:
    """As the system does it, which knows no limit: a thread waits in our place.

    Raises TimeoutError, and NamesAreBusy at once: only what hangs holds so many threads. They are
    daemons: one that hangs keeps no process from ending.
    """
    _require_no_transaction()
    found: queue.Queue[list[Any] | Exception] = queue.Queue(1)

    def ask() -> None:
        try:
            found.put(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM))
        except Exception as error:
            found.put(error)
        finally:
            _look_ups.release()

    if not _look_ups.acquire(blocking=False):
        raise NamesAreBusy("Too many addresses are being looked up now. Try again in a minute.")
    threading.Thread(target=ask, name=f"look up {host}", daemon=True).start()
    try:
        answer = found.get(timeout=box.left)
    except queue.Empty:
        raise TimeoutError from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def _addresses(target: Target, box: TimeBox) -> list[str]:
    """What the name stands for now; the request goes there, whatever it stands for later."""
    try:
        found = _looked_up(target.host, target.port, box)
    except TimeoutError:
        raise
    except (OSError, UnicodeError) as error:
        raise DeliveryFailed("There is no machine named {host}.", host=target.host) from error
    addresses = list(dict.fromkeys(str(entry[4][0]) for entry in found))
    if not target.is_here and not all(map(is_public, addresses)):
        raise DeliveryFailed("{host} is not in the public internet.", host=target.host)
    return addresses[:MOST_TRIED]


def is_public(address: str) -> bool:
    """Neither this machine nor its neighbours, in none of the ways to write them."""
    return all(
        one.is_global and not one.is_multicast and not one.is_reserved
        for one in _meant(ip_address(address))
    )


def _meant(address: IPv4Address | IPv6Address) -> Iterator[IPv4Address | IPv6Address]:
    """An address, or the older one that is wrapped into it."""
    if isinstance(address, IPv4Address):
        yield address
        return
    if address in TRANSLATED:
        yield IPv4Address(int(address) & 0xFFFF_FFFF)
        return
    wrapped = [address.ipv4_mapped, address.sixtofour, *(address.teredo or ())]
    inner = [one for one in wrapped if one is not None]
    yield from inner or [address]


def _is_literal(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


# The connection


@contextlib.contextmanager
def _connected(
    target: Target, addresses: list[str], box: TimeBox
) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection(target.host, target.port)
    with (
        _first_that_answers(target, addresses, box) as plain,
        _cut_off_in_time(plain, box.left) as is_cut,
    ):
        try:
            connection.sock = _encrypted(plain, target) if target.secure else plain
            yield connection
        except (OSError, http.client.HTTPException) as error:
            raise (TimeoutError() if is_cut.is_set() else error) from error
        finally:
            connection.close()


def _first_that_answers(target: Target, addresses: list[str], box: TimeBox) -> socket.socket:
    """Each has an equal share of what is left, so that a silent one leaves time for the next."""
    failure: OSError = OSError("no address")
    for number, address in enumerate(addresses):
        share = max(box.left / (len(addresses) - number), 0.001)
        try:
            connected = socket.create_connection((address, target.port), share)
            connected.settimeout(max(box.left, 0.001))
            return connected
        except OSError as error:
            failure = error
    raise failure


def _encrypted(plain: socket.socket, target: Target) -> ssl.SSLSocket:
    return _tls().wrap_socket(plain, server_hostname=target.host)


def _tls() -> ssl.SSLContext:
    return ssl.create_default_context()


@contextlib.contextmanager
def _cut_off_in_time(connected: socket.socket, seconds: float) -> Iterator[threading.Event]:
    """A peer that drips its answer byte by byte is cut off like one that is silent."""
    handle = connected.dup()
    is_cut = threading.Event()

    def cut() -> None:
        is_cut.set()
        with contextlib.suppress(OSError):
            handle.shutdown(socket.SHUT_RDWR)

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield is_cut
    finally:
        timer.cancel()
        handle.close()
