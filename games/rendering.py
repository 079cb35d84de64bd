"""Pictures are made once in each web process: kept in memory, one at a time, never in a pile."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock

PATIENCE = 0.5
"""Seconds to wait for a picture that is being made; longer, and the whole site would wait."""
RETRY_AFTER = 3
MOST_BYTES = 32_000_000


class Busy(Exception):
    """Other pictures are being made; come again in a few seconds."""


class Kept:
    """The pictures that were asked for last, up to a number of bytes."""

    def __init__(self, most_bytes: int) -> None:
        self._most_bytes = most_bytes
        self._bytes = 0
        self._pictures: OrderedDict[str, bytes] = OrderedDict()
        self._lock = Lock()

    def get(self, key: str) -> bytes | None:
        with self._lock:
            if key in self._pictures:
                self._pictures.move_to_end(key)
            return self._pictures.get(key)

    def put(self, key: str, picture: bytes) -> None:
        with self._lock:
            self._bytes += len(picture) - len(self._pictures.pop(key, b""))
            self._pictures[key] = picture
            while self._bytes > self._most_bytes and self._pictures:
                _oldest, dropped = self._pictures.popitem(last=False)
                self._bytes -= len(dropped)

    def clear(self) -> None:
        with self._lock:
            self._pictures.clear()
            self._bytes = 0


kept = Kept(MOST_BYTES)
_easel = Lock()


def made_once(key: str, make: Callable[[], bytes]) -> bytes:
    """The picture of this key; raises Busy where others take too long to be made."""
    if (found := kept.get(key)) is not None:
        return found
    if not _easel.acquire(timeout=PATIENCE):
        raise Busy
    try:
        if (found := kept.get(key)) is None:
            found = make()
            kept.put(key, found)
        return found
    finally:
        _easel.release()
