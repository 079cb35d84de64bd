"""A site whose every thread can be made to hang."""

import os
import time
from collections.abc import Callable, Iterable
from typing import Any


def application(
    environ: dict[str, Any], start_response: Callable[[str, list[tuple[str, str]]], object]
) -> Iterable[bytes]:
    if environ["PATH_INFO"] == "/hang":
        time.sleep(3600)
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [str(os.getpid()).encode()]
