"""Nothing waits without a limit: not for PostgreSQL, nor for Redis."""

import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from config import probes
from tests.own_site import OwnSite

pytestmark = pytest.mark.django_db
LIMITS = ("statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout")
SHOW = "; ".join(f"print(ask('SHOW {name}'))" for name in LIMITS)
ASK = """
import django, time
from django.db import connection
django.setup()

def ask(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]
"""


def run(site: OwnSite, script: str, *command: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, *(command or ("-c", ASK + script))],
        env=site.environment | {"DJANGO_SETTINGS_MODULE": "config.settings"} | environment,
        capture_output=True,
        text=True,
        timeout=60,
        input=script,
    )
    return done.stdout + done.stderr


def test_a_worker_has_a_minute_for_a_statement(own_site):
    assert run(own_site, SHOW).split() == ["1min", "30s", "3min"]


def test_the_web_has_ten_seconds(own_site):
    said = run(own_site, "import config.asgi\n" + ASK + SHOW, "-", BEATS="0")
    assert said.split() == ["10s", "5s", "30s"]


def test_a_command_may_take_as_long_as_it_takes(own_site):
    assert run(own_site, ASK + SHOW, "manage.py", "shell").split()[-3:] == ["0", "0", "0"]


def test_a_statement_ends_when_its_time_is_over(own_site):
    said = run(own_site, "ask('SELECT pg_sleep(30)')", STATEMENT_TIMEOUT="1")
    assert "OperationalError: canceling statement due to statement timeout" in said


def test_a_server_that_hangs_is_given_up(own_site):
    """It enforces no limit of its own, and says nothing."""
    script = """
import os, signal
ask('SELECT 1')
print('ready', flush=True)
input()
began = time.monotonic()
try:
    ask('SELECT 1')
except Exception as error:
    print(error)
print(time.monotonic() - began < 5, connection.is_usable() if connection.connection else None)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", ASK + script],
        env=own_site.environment
        | {"DJANGO_SETTINGS_MODULE": "config.settings", "STATEMENT_TIMEOUT": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    with own_site.frozen(own_site.postgres):
        said, _ = process.communicate("go on\n", timeout=30)
    assert said.split("\n")[:2] == ["the server does not reply", "True False"]


def test_who_wakes_a_worker_does_not_wait_for_a_redis_that_hangs(own_site):
    """As the web does it, with a connection to the broker that is open already."""
    script = """
import config.asgi
from games.tasks import beat
beat.delay()
print('ready', flush=True)
input()
began = time.monotonic()
try:
    beat.delay()
except Exception as error:
    print(type(error).__name__)
print(time.monotonic() - began < 10)
"""
    process = subprocess.Popen(
        [sys.executable, "-c", ASK + script],
        env=own_site.environment | {"DJANGO_SETTINGS_MODULE": "config.settings", "BEATS": "0"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "ready\n"
    with own_site.frozen(own_site.redis):
        said, _ = process.communicate("go on\n", timeout=60)
    assert said.split("\n")[:2] == ["OperationalError", "True"]


# Probes


def test_many_probes_at_once_hold_no_thread_while_redis_hangs(web):
    """Four of them took all threads there are."""
    with web.frozen(web.redis), ThreadPoolExecutor(12) as many:
        began = time.monotonic()
        probes = [many.submit(web.get, "/readyz") for _ in range(12)]
        assert web.get("/healthz").seconds < 3
        assert {probe.result().status for probe in probes} == {200}
        assert time.monotonic() - began < 3


def test_the_probes_reply_within_a_second_whatever_hangs(web):
    assert web.get("/readyz").status == 200
    with web.frozen(web.redis):
        for _ in range(6):
            assert web.get("/readyz").seconds < 1
            assert web.get("/readyz").status == 200
    with web.frozen(web.postgres):
        time.sleep(probes.KEPT_FOR)
        for _ in range(6):
            reply = web.get("/readyz")
            assert (reply.status, reply.json) == (503, {"database": False})
            assert reply.seconds < 1
            assert web.get("/healthz").status == 200
    until_ready(web)
    with web.without(web.postgres):
        time.sleep(probes.KEPT_FOR)
        assert web.get("/readyz").status == 503
    until_ready(web)


def test_a_redis_that_hangs_costs_seconds_and_no_page(web):
    form = web.get("/accounts/login/")
    token = form.headers["Set-Cookie"].partition("csrftoken=")[2].partition(";")[0]
    headers = {
        "Cookie": f"csrftoken={token}",
        "X-CSRFToken": token,
        "Content-Type": "application/x-www-form-urlencoded",
    }
    wrong = b"login=nobody&password=wrong-horse-battery"
    with web.frozen(web.redis):
        replies = [web.ask("POST", "/accounts/login/", wrong, headers) for _ in range(6)]
    assert {reply.status for reply in replies} == {200}
    assert max(reply.seconds for reply in replies) < 4
    # Half of them find the cache known to be away and do not wait for it.
    assert sorted(reply.seconds for reply in replies)[2] < 2


def until_ready(site: OwnSite) -> None:
    give_up_at = time.monotonic() + 10
    while site.get("/readyz").status != 200:
        assert time.monotonic() < give_up_at
        time.sleep(0.2)


@pytest.fixture(autouse=True)
def _ready_again(own_site):
    yield
    if "web" in own_site.processes:
        until_ready(own_site)
