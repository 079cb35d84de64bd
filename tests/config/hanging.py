"""A site whose threads can be made to hang or fail."""

import os
import time
from collections.abc import Callable
from io import BytesIO
from threading import Event
from typing import Any

failing = Event()
StartResponse = Callable[[str, list[tuple[str, str]]], object]


def application(environ: dict[str, Any], start_response: StartResponse) -> BytesIO:
    if environ["PATH_INFO"] == "/hang":
        time.sleep(3600)
    if environ["PATH_INFO"] == "/fail":
        failing.set()
    status = "500 Internal Server Error" if failing.is_set() else "200 OK"
    start_response(status, [("Content-Type", "text/plain")])
    return BytesIO(str(os.getpid()).encode())
