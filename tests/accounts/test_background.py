"""Background tasks work in slices, one runner at a time, and come back while there is more."""

import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import pytest
from django.conf import settings
from django.db import connection

from accounts import background
from accounts.background import SetAside, TimeBox
from accounts.breaker import Breaker
from accounts.models import TaskRun
from config.servers import RedisServer

NUMBERS = itertools.count()
HOLD = """
import django, time; django.setup()
from accounts import background
import sys
with background._only_runner(sys.argv[1]) as is_only:
    print("holds" if is_only else "refused", flush=True)
    time.sleep(60)
"""


@pytest.fixture(autouse=True)
def _no_notes():
    background._noted_at.clear()


@pytest.fixture
def queued(monkeypatch):
    """What was queued, instead of a broker."""
    found = []
    monkeypatch.setattr("celery.app.task.Task.delay", lambda task, **given: found.append(given))
    return found


@pytest.fixture
def own_redis(tmp_path, monkeypatch, settings):
    """It may fail as often as it likes: each call tries it."""
    monkeypatch.setattr(background, "redis_breaker", lambda _url: Breaker(rest=0))
    with RedisServer(tmp_path) as server:
        settings.REDIS_URL = server.url
        yield server


@contextmanager
def stopped(server):
    pid = int((server.folder / "pid").read_text())
    os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        os.kill(pid, signal.SIGCONT)


def refuse(task, **given):
    raise ConnectionError("the broker is away")


def duty(act, **options):
    """Under a name of its own: Celery keeps the first of a name."""
    return background.task(f"tests.duty{next(NUMBERS)}", **options)(act)


def hold(task):
    at = connection.settings_dict
    host = at["HOST"] or at["OPTIONS"].get("host", "")
    return subprocess.Popen(
        [sys.executable, "-c", HOLD, task.name],
        stdout=subprocess.PIPE,
        text=True,
        cwd=settings.BASE_DIR,
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": f"postgres://{at['USER']}@/{at['NAME']}?host={host}",
        },
    )


def test_a_task_with_more_to_do_is_queued_again(db, queued):
    duty(lambda *, now, seconds: True)()
    assert queued == [{"woken": True}]


def test_a_task_that_used_up_its_time_is_queued_again(db, queued):
    def act(*, now, seconds):
        time.sleep(seconds)

    duty(act, seconds=0.01)()
    assert queued == [{"woken": True}]


def test_a_task_that_is_done_is_not_queued_again(db, queued):
    duty(lambda *, now, seconds: None)()
    duty(lambda *, now, seconds: False)()
    assert queued == []


def test_it_is_queued_once_until_it_runs(db, queued):
    more = duty(lambda *, now, seconds: True)
    more()
    more()
    assert len(queued) == 1
    more(woken=True)
    assert len(queued) == 2


@pytest.mark.parametrize("has_a_bell", [False, True])
def test_a_wake_up_that_could_not_be_queued_stands_for_no_other(
    own_redis, queued, monkeypatch, has_a_bell
):
    task = duty(lambda *, now, seconds: None)
    flag = "bell:tests" if has_a_bell else ""
    with monkeypatch.context() as broken:
        broken.setattr("celery.app.task.Task.delay", refuse)
        background.wake(task, flag=flag)
    for _ in range(2):
        background.wake(task, flag=flag)
    assert len(queued) == 1


def test_a_wake_up_that_a_hung_redis_takes_too_late_stands_for_no_other(own_redis, queued):
    task, other = (duty(lambda *, now, seconds: None) for _ in range(2))
    background.wake(other)  # on a connection that is open when Redis hangs
    queued.clear()
    with stopped(own_redis):
        background.wake(task)
    assert queued == []
    give_up_at = time.monotonic() + 10
    while not queued and time.monotonic() < give_up_at:
        background.wake(task)
        time.sleep(0.05)
    assert len(queued) == 1


def test_one_runner_at_a_time_and_it_comes_back_for_whoever_was_refused(transactional_db, queued):
    began, go_on, ran = threading.Event(), threading.Event(), []

    def act(*, now, seconds):
        ran.append(1)
        began.set()
        assert go_on.wait(20)

    task = duty(act)

    def run():
        try:
            task()
        finally:
            connection.close()

    first = threading.Thread(target=run)
    first.start()
    assert began.wait(20)
    task()
    assert (ran, queued) == ([1], [])
    go_on.set()
    first.join(20)
    assert queued == [{"woken": True}]


def test_acts_that_claim_row_by_row_may_run_side_by_side(transactional_db, queued):
    both = threading.Barrier(2, timeout=20)

    def act(*, now, seconds):
        both.wait()

    task = duty(act, one_runner=False)

    def run():
        try:
            task()
        finally:
            connection.close()

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert not both.broken


def test_a_killed_runner_leaves_its_place_at_once(transactional_db, queued):
    ran = []
    task = duty(lambda *, now, seconds: ran.append(1))
    with hold(task) as holder:
        try:
            assert holder.stdout.readline() == "holds\n"
            task()
            assert ran == []
        finally:
            holder.send_signal(signal.SIGKILL)
    give_up_at = time.monotonic() + 5
    while not ran and time.monotonic() < give_up_at:
        task()
        time.sleep(0.05)
    assert ran == [1]


def test_an_act_that_fails_leaves_its_place(db, queued):
    def act(*, now, seconds):
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        duty(act)()
    with connection.cursor() as cursor:
        cursor.execute("SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'")
        assert cursor.fetchone() == (0,)
        cursor.execute("SHOW idle_session_timeout")
        assert cursor.fetchone() == ("0",)


def test_the_last_run_is_noted(db, queued):
    task = duty(lambda *, now, seconds: None)
    task()
    assert TaskRun.objects.get().name == task.name


def test_a_process_whose_task_hangs_is_ended():
    script = (
        "import time, faulthandler, types\n"
        "from accounts import background\n"
        "background.HARD_LIMIT = 0.5\n"
        "request = types.SimpleNamespace(called_directly=False)\n"
        "background.current_task = types.SimpleNamespace(request=request)\n"
        "with background._ended_if_it_hangs(): pass\n"
        "time.sleep(1)\n"
        "print('lives', flush=True)\n"
        "with background._ended_if_it_hangs(): time.sleep(30)\n"
    )
    began = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", f"import django; django.setup()\n{script}"],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=settings.BASE_DIR,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"},
    )
    assert (done.returncode, done.stdout) == (1, "lives\n")
    assert "Timeout" in done.stderr
    assert time.monotonic() - began < 30


def test_what_failed_is_left_out_for_a_while():
    failed = SetAside(seconds=0.1)
    failed.add(7)
    assert list(failed) == [7]
    time.sleep(0.15)
    assert list(failed) == []


def test_a_time_box_ends():
    assert TimeBox(0).is_over
    assert not TimeBox(60).is_over
    assert TimeBox(0).left == 0
