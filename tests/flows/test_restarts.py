"""A site of two web nodes behind a proxy is restarted, and nobody notices."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.db import connection

from config.processes import PROJECT, procfile
from tests.flows.proxy import Proxy

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.long]
VISITORS = 8


class Node:
    """The web line of the Procfile on a port of its own."""

    def __init__(self, port: int) -> None:
        self.port = port
        self.start()

    def start(self) -> None:
        database = urlsplit(os.environ["DATABASE_URL"])._replace(
            path=f"/{connection.settings_dict['NAME']}"
        )
        environment = {
            **os.environ,
            "PATH": f"{os.path.dirname(sys.executable)}:{os.defpath}",
            "DATABASE_URL": urlunsplit(database),
            "PORT": str(self.port),
            "DEBUG": "1",
            "PAGE_LIMIT_VISITORS": "0",
        }
        command = procfile()["web"]
        self.process = subprocess.Popen(command, shell=True, cwd=PROJECT, env=environment)
        wait_until(self.listens)

    def listens(self) -> bool:
        with socket.socket() as line:
            return line.connect_ex(("127.0.0.1", self.port)) == 0

    def restart(self) -> None:
        self.process.terminate()
        assert self.process.wait(timeout=20) == 0
        self.start()

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait()


@pytest.fixture
def nodes() -> Iterator[list[Node]]:
    started = [Node(free_port()), Node(free_port())]
    yield started
    for node in started:
        node.stop()


def test_a_restart_of_each_node_in_turn_loses_no_request(nodes):
    with Proxy([node.port for node in nodes]) as proxy, visits(proxy.port) as answers:
        for node in [*nodes, *nodes]:
            time.sleep(2)
            node.restart()
    assert set(answers) == {200}
    assert proxy.passed_on > 0


def test_new_workers_for_one_node_lose_no_request(nodes):
    with visits(nodes[0].port) as answers:
        time.sleep(2)
        nodes[0].process.send_signal(signal.SIGHUP)
        # Each of two workers has a successor ten seconds before it ends.
        time.sleep(25)
    assert set(answers) == {200}


@contextmanager
def visits(port: int) -> Iterator[Counter[object]]:
    """Visitors who come again and again, and what each got."""
    answers: Counter[object] = Counter()
    is_over = threading.Event()

    def visit() -> None:
        while not is_over.is_set():
            answers[status_of(port)] += 1

    visitors = [threading.Thread(target=visit) for _ in range(VISITORS)]
    for visitor in visitors:
        visitor.start()
    try:
        yield answers
    finally:
        is_over.set()
        for visitor in visitors:
            visitor.join()
        print(f"answers: {dict(answers)}")


def status_of(port: int) -> object:
    request = b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=30) as line:
            line.sendall(request)
            answer = b"".join(iter(lambda: line.recv(65536), b""))
    except OSError as error:
        return repr(error)
    head, _, body = answer.partition(b"\r\n\r\n")
    if not body.rstrip().endswith(b"</html>"):
        return f"cut off: {answer[:60]!r}"
    return int(head.split()[1])


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port: int = trial.getsockname()[1]
        return port


def wait_until(condition: Callable[[], bool]) -> None:
    give_up_at = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < give_up_at
        time.sleep(0.1)
