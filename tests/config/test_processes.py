"""What falls is started again, ever later; what hangs is killed, and nothing else is."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from itertools import pairwise

import psutil
import pytest

from config import processes
from config.hangs import HangWatch
from config.processes import GivenUp, Keeper, Process

WEB = (
    "exec python -m granian --interface wsgi tests.config.hanging:application --port {port} "
    "--workers 2 --blocking-threads 1 --respawn-failed-workers --no-ws --log-level error"
)


SITE = (
    "import sys; from config import processes; "
    "processes.procfile = lambda: {'web': 'echo serves --port ${PORT:-8000}; exec sleep 600',"
    "'stream': 'echo streams --port ${STREAM_PORT:-8050}; exec sleep 600'}; "
    "sys.exit(processes.main())"
)
"""All of config.processes, with a Procfile of two lines that listen nowhere."""


class Failing:
    """Falls as soon as it has been started."""

    fate = ""

    def __init__(self) -> None:
        self.starts: list[float] = []
        self.now = 0.0

    def start(self) -> None:
        self.starts.append(self.now)

    def is_alive(self) -> bool:
        return False


@pytest.fixture
def port():
    return free_port()


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        port: int = trial.getsockname()[1]
        return port


@pytest.fixture
def web(port):
    with started(WEB.format(port=port)) as process:
        yield process


@pytest.fixture
def bridged(port):
    """The line of the Procfile with another site behind the bridge."""
    line = processes.procfile()["web"]
    assert "config.asgi:application" in line
    line = line.replace("config.asgi:application", "tests.config.hanging_bridge:application")
    # Sooner, as in the other line.
    line = line.replace("--respawn-interval 10", "")
    with started(line, PORT=str(port)) as process:
        yield process


@contextlib.contextmanager
def started(line: str, **more: str) -> Iterator[Process]:
    path = f"{os.path.dirname(sys.executable)}:{os.defpath}"
    process = Process("web", line, {**os.environ, "PATH": path, **more})
    process.start()
    try:
        yield process
    finally:
        process.kill()


def test_each_restart_waits_longer_and_after_ten_it_is_given_up():
    part = Failing()
    keeper = Keeper("bots", part)
    with pytest.raises(GivenUp, match="bots fell again after 10 restarts in 10 minutes"):
        tend_for_an_hour(keeper, part)
    waits = [later - earlier for earlier, later in pairwise(part.starts)]
    # Each time it is noticed half a second later.
    assert waits == [1.5, 2.5, 4.5, 8.5, 16.5, 30.5, 30.5, 30.5, 30.5]


def test_what_falls_once_an_hour_is_restarted_for_ever():
    part = Failing()
    keeper = Keeper("bots", part)
    for hour in range(100):
        keeper.tend(hour * 3600)
        keeper.tend(hour * 3600 + 1)
    assert len(part.starts) == 100


@pytest.mark.parametrize(
    ("line", "fate"), [("exit 3", "exit code 3"), ("kill -11 $$", "signal 11")]
)
def test_the_log_says_how_a_process_fell(capsys, line, fate):
    process = Process("bots", line, os.environ)
    keeper = Keeper("bots", process)
    process.start()
    wait_until(lambda: not process.is_alive())
    keeper.tend(0)
    assert f"bots fell ({fate}); restart 1 of 10" in capsys.readouterr().out


def test_an_interruption_ends_it_even_if_started_in_the_background_of_a_script(port):
    environment = os.environ | {"PORT": str(port), "STREAM_PORT": str(free_port())}
    # As a shell without job control starts what ends in "&".
    command = 'trap "" INT; exec "$0" -c "$1"'
    with subprocess.Popen(
        ["/bin/sh", "-c", command, sys.executable, SITE],
        env=environment, stdout=subprocess.PIPE, text=True,
    ) as site:  # fmt: skip
        try:
            assert site.stdout is not None
            next(line for line in site.stdout if "serves" in line)
            site.send_signal(signal.SIGINT)
            assert site.wait(60) == 0
        finally:
            site.kill()


@pytest.mark.parametrize("name", ["PORT", "STREAM_PORT"])
def test_a_second_site_on_a_port_that_granian_would_share_is_refused(port, name):
    environment = os.environ | {"PORT": str(free_port()), "STREAM_PORT": str(free_port())}
    with socket.create_server(("127.0.0.1", port), reuse_port=True):
        done = subprocess.run(
            [sys.executable, "-c", SITE],
            env=environment | {name: str(port)}, capture_output=True, text=True, timeout=60,
        )  # fmt: skip
    assert done.returncode == 1
    assert done.stdout == ""
    told = f"Port {port} is taken; stop what uses it or choose another: {name}={port + 1}\n"
    assert done.stderr == told


def test_the_children_of_a_killed_process_go_with_it():
    process = Process("parent", "sleep 600 & echo $!; exec sleep 600", os.environ)
    process.start()
    assert process.child is not None
    wait_until(lambda: len(members(process)) == 2)
    child = next(one for one in members(process) if one.pid != process.child.pid)
    os.kill(process.child.pid, 9)
    wait_until(lambda: not process.is_alive())
    wait_until(lambda: not child.is_running() or child.status() == psutil.STATUS_ZOMBIE)


def test_a_worker_that_takes_requests_and_does_not_reply_is_replaced(web, port):
    watch = HangWatch({"PORT": str(port), "HUNG_AFTER": "3"}, processes.report)
    wait_until(lambda: len(workers_that_reply(port)) == 2)
    both = workers_that_reply(port)
    with socket.create_connection(("127.0.0.1", port)) as line:
        hung = hang_one(line, both)
        wait_until(lambda: workers_that_reply(port) == both - {hung})
        wait_until(lambda: looks_at(watch, web) and not psutil.pid_exists(hung))
        wait_until(lambda: looks_at(watch, web) and len(workers_that_reply(port)) == 2)
    assert both - {hung} < workers_that_reply(port)


def test_a_worker_whose_django_threads_all_hang_is_replaced(bridged, port):
    """Its loop goes on, and replies to all others that it is busy."""
    watch = HangWatch({"PORT": str(port), "HUNG_AFTER": "4"}, processes.report)
    wait_until(lambda: len(workers_that_reply(port)) == 2)
    both = workers_that_reply(port)
    with contextlib.ExitStack() as stack:
        hung = hang_all_threads_of_one(stack, port, both)
        wait_until(lambda: workers_that_reply(port) == both - {hung})
        wait_until(lambda: looks_at(watch, bridged) and not psutil.pid_exists(hung))
        wait_until(lambda: looks_at(watch, bridged) and len(workers_that_reply(port)) == 2)
    assert both - {hung} < workers_that_reply(port)


def test_a_worker_that_fails_is_replaced(web, port):
    watch = HangWatch({"PORT": str(port), "HUNG_AFTER": "30"}, processes.report)
    wait_until(lambda: len(workers_that_reply(port)) == 2)
    both = workers_that_reply(port)
    with contextlib.suppress(urllib.error.HTTPError):
        urllib.request.urlopen(f"http://127.0.0.1:{port}/fail", timeout=10)
    wait_until(lambda: looks_at(watch, web) and not all(map(psutil.pid_exists, both)))
    wait_until(lambda: looks_at(watch, web) and len(workers_that_reply(port)) == 2)
    assert len(both & workers_that_reply(port)) == 1


def test_a_stopped_worker_is_replaced(web, port):
    watch = HangWatch({"PORT": str(port), "HUNG_AFTER": "9"}, processes.report)
    wait_until(lambda: len(workers_that_reply(port)) == 2)
    stopped = psutil.Process(workers_that_reply(port).pop())
    stopped.suspend()
    wait_until(lambda: looks_at(watch, web) and not stopped.is_running())
    wait_until(lambda: len(workers_that_reply(port)) == 2)
    assert web.is_alive()


def test_a_worker_that_is_slow_lives_on(web, port):
    watch = HangWatch({"PORT": str(port), "HUNG_AFTER": "30"}, processes.report)
    wait_until(lambda: len(workers_that_reply(port)) == 2)
    both = workers_that_reply(port)
    with socket.create_connection(("127.0.0.1", port)) as line:
        hang_one(line, both)
        for _ in range(50):
            looks_at(watch, web)
            time.sleep(0.1)
    assert all(psutil.pid_exists(pid) for pid in both)


def tend_for_an_hour(keeper: Keeper, part: Failing) -> None:
    for tick in range(7200):
        part.now = tick / 2
        keeper.tend(part.now)


def looks_at(watch: HangWatch, web: Process) -> bool:
    assert web.child is not None
    watch.look({"web": web.child.pid}, time.monotonic())
    return True


def workers_that_reply(port: int) -> set[int]:
    """Asked so often that each worker is met; a connection is given to one of them by chance."""
    found = set()
    for _ in range(16):
        with contextlib.suppress(OSError):
            address = f"http://127.0.0.1:{port}/"
            with urllib.request.urlopen(address, timeout=0.3) as answer:
                found.add(int(answer.read()))
    return found


def hang_one(line: socket.socket, both: set[int]) -> int:
    """Whichever the connection was given to: of two with a thread each, the other goes on."""
    line.sendall(b"GET /hang HTTP/1.1\r\nHost: localhost\r\n\r\n")
    own = line.getsockname()[1]
    wait_until(lambda: holder(both, own) is not None)
    return holder(both, own) or 0


def hang_all_threads_of_one(stack: contextlib.ExitStack, port: int, both: set[int]) -> int:
    """Of the two that run Django, by connections that were given to the same worker."""
    given: dict[int, list[socket.socket]] = {pid: [] for pid in both}
    while not (hung := next((pid for pid, lines in given.items() if len(lines) == 2), 0)):
        line = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
        own = line.getsockname()[1]
        wait_until(lambda own=own: holder(both, own) is not None)
        given[holder(both, own) or 0].append(line)
    for line in given[hung]:
        line.sendall(b"GET /hang HTTP/1.1\r\nHost: localhost\r\n\r\n")
    return hung


def holder(pids: set[int], port: int) -> int | None:
    for pid in pids:
        connections = psutil.Process(pid).net_connections("tcp")
        if any(end.raddr and end.raddr.port == port for end in connections):
            return pid
    return None


def members(process: Process) -> list[psutil.Process]:
    assert process.child is not None
    leader = psutil.Process(process.child.pid)
    return [leader, *leader.children(recursive=True)]


def wait_until(condition) -> None:
    give_up_at = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < give_up_at
        time.sleep(0.1)
