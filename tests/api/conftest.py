"""A stream in a process of its own, on the database of the tests."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings as the_settings
from django.db import connection
from django.utils import timezone

PATIENCE = 30.0


@pytest.fixture
def begin(start):
    """Requests come when they come, so these games begin by the real clock."""
    return lambda *args, **terms: start(*args, now=timezone.now(), **terms)


@pytest.fixture(scope="session")
def stream_process(django_db_setup, django_db_blocker) -> Iterator[int]:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port = trial.getsockname()[1]
    with django_db_blocker.unblock():
        name = connection.settings_dict["NAME"]
    database = urlunsplit(urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{name}"))
    command = ["-m", "granian", "--interface", "asginl", "config.stream:application"]
    process = subprocess.Popen(
        [sys.executable, *command, "--port", str(port), "--no-ws", "--log-level", "warning"],
        cwd=the_settings.BASE_DIR,
        env={**os.environ, "DATABASE_URL": database, "STREAM_HEARTBEAT": "1"},
    )
    _wait_until_it_listens(port)
    yield port
    process.terminate()
    process.wait(PATIENCE)


@pytest.fixture
def stream(stream_process, transactional_db, settings) -> int:
    """The port of a stream in a process of its own; the site sends there."""
    settings.STREAM_URL = f"http://127.0.0.1:{stream_process}"
    return stream_process


def _wait_until_it_listens(port: int) -> None:
    give_up_at = time.monotonic() + PATIENCE
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
            return
        except OSError:
            assert time.monotonic() < give_up_at
            time.sleep(0.05)
