"""Beat for an entry point: each process that takes moves asks itself through its own port."""

import logging
import socket
import threading
from collections.abc import Callable

from django.conf import settings
from django.db import Error, connection

from games import outages

logger = logging.getLogger(__name__)

PATIENCE = 5.0
"""Seconds; an entry point that takes longer does not take moves."""


class Beater(threading.Thread):
    """Beat every few seconds for as long as the own door is answered."""

    def __init__(self, way_in: str, port: int, ask: Callable[[], object]) -> None:
        super().__init__(name=f"{way_in} beats", daemon=True)
        self.way_in, self.ask = way_in, ask
        self.node = f"{socket.gethostname()}:{port}"
        self.is_in_trouble = False
        self.ended = threading.Event()

    def run(self) -> None:
        while True:
            try:
                self._beat()
            except Exception:
                # Without beats the clocks of a site that works would stand still.
                logger.exception("a beat of %s failed", self.way_in)
            if self.ended.wait(outages.BEAT_EVERY):
                return

    def _beat(self) -> None:
        try:
            self.ask()
            outages.beat(way_in=self.way_in, node=self.node)
        except Error as error:
            self._report(error)
            connection.close()
        except Exception as error:
            self._report(error)
        else:
            self._report(None)

    def _report(self, trouble: Exception | None) -> None:
        """Once for each trouble, however long it lasts."""
        if trouble and not self.is_in_trouble:
            what = f"{type(trouble).__name__}: {trouble}".strip()
            logger.warning("no move can get in by %s: %s", self.way_in, what)
        elif self.is_in_trouble and not trouble:
            logger.warning("moves get in by %s again", self.way_in)
        self.is_in_trouble = trouble is not None


def start(way_in: str, port: int, ask: Callable[[], object]) -> None:
    """Let this process beat while it lives; `ask` raises if its own door is not answered."""
    if settings.BEATS:
        Beater(way_in, port, ask).start()


def own_host(host: str) -> str:
    """Where a server that listens everywhere is reached from its own machine."""
    return {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}.get(host, host)  # noqa: S104
