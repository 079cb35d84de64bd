"""Bots think in a queue and a process of their own: nobody waits behind them, no move is lost."""

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.db import connection
from django.utils import timezone
from kombu import Connection
from redis import Redis

from config.celery import app
from games import bot_moves, house_bots, outbox
from games.models import BotErrand, Game, Move, OutboxMessage, Via
from notifications.models import Letter, State
from tests.conftest import NOW
from tests.games.acts import as_stored, move

pytestmark = pytest.mark.whole_house

OF_BOTS = {"games.serve_bots"}
PATIENCE = 120.0
SOME = 10


# Who does what


def test_no_task_but_their_own_waits_in_the_queue_of_the_bots():
    app.loader.import_default_modules()
    ours = {name for name in app.tasks if not name.startswith("celery.")}
    assert ours >= {"games.relay", "notifications.send_letters", "games.end_games_on_time"}
    assert {name for name in ours if queue_of(name) == "bots"} == OF_BOTS
    planned = {row["task"] for row in app.conf.beat_schedule.values()}
    assert planned <= ours


def queue_of(task: str) -> str:
    return str(app.amqp.router.route({}, task)["queue"].name)


def test_every_queue_has_one_process_and_the_bots_have_theirs():
    workers = [line for line in processes().values() if " worker " in line]
    read = [queue for line in workers for queue in queues_of(line)]
    assert sorted(read) == sorted(queue.name for queue in app.conf.task_queues)
    assert queues_of(processes()["bots"]) == ["bots"]


def processes() -> dict[str, str]:
    lines = (settings.BASE_DIR / "Procfile").read_text().splitlines()
    return dict(line.split(": ", 1) for line in lines)


def queues_of(command: str) -> list[str]:
    words = command.split()
    return words[words.index("--queues") + 1].split(",")


# A worker that is killed


@pytest.fixture
def quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    """No worker is rung: the tests do its work, or ring themselves."""
    monkeypatch.setattr(outbox, "ring", lambda: None)
    monkeypatch.setattr(bot_moves, "ring", lambda: None)
    monkeypatch.setattr("notifications.desk.ring", lambda: None)


KILLED = """
import os, signal
from datetime import datetime
import django
django.setup()
from games import bot_moves, outbox

def die(*_args, **_more):
    os.kill(os.getpid(), signal.SIGKILL)

def then_die(act):
    def acted(*args, **more):
        act(*args, **more)
        die()
    return acted

outbox.ring = bot_moves.ring = lambda: None
{wound}
bot_moves.do_next(now=datetime.fromisoformat(os.environ["NOW"]))
"""
WOUNDS = {
    "after it took the errand": "bot_moves._attend = die",
    "while it thinks": "bot_moves.choose = die",
    "just before it moves": "bot_moves.play.submit_move = die",
    "just after it moved": "bot_moves.play.submit_move = then_die(bot_moves.play.submit_move)",
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("wound", WOUNDS.values(), ids=WOUNDS)
def test_the_next_worker_takes_over_from_one_that_was_killed(alice, start, wound):
    game = start("tritt-classic", house_bots.of_level("dew"), alice)
    outbox.relay(now=NOW)
    run_to_death(wound, NOW)
    assert not bot_moves.do_next(now=NOW + bot_moves.TAKEN_FOR - timedelta(seconds=1))
    later = NOW + bot_moves.TAKEN_FOR
    while outbox.relay(now=later) or bot_moves.do_next(now=later):
        pass
    assert Move.objects.filter(game=game, via=Via.BOT).count() == as_stored(game).ply == 1
    assert not BotErrand.objects.exists()


def run_to_death(wound: str, now: datetime) -> None:
    killed = subprocess.run(
        [sys.executable, "-c", KILLED.format(wound=wound)],
        env=surroundings() | {"NOW": now.isoformat()},
        cwd=settings.BASE_DIR,
        timeout=180,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL


def surroundings() -> dict[str, str]:
    """What a process needs to work on the database of the tests."""
    database = urlsplit(os.environ["DATABASE_URL"])._replace(
        path=f"/{connection.settings_dict['NAME']}"
    )
    return {
        **os.environ,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": urlunsplit(database),
        "LETTER_PAUSE": "0",
    }


# Two real workers


@pytest.fixture
def broker() -> str:
    """A Redis of their own: what other tests have rung for is none of their business."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    url = f"{settings.REDIS_URL.partition('?')[0]}?db={9 + worker % 7}"
    Redis.from_url(url).flushdb()
    return url


@contextmanager
def working(name: str, broker: str) -> Iterator[subprocess.Popen[bytes]]:
    """The process of this name, as the Procfile has it."""
    command = processes()[name].replace("python", shlex.quote(sys.executable), 1)
    process = subprocess.Popen(
        ["sh", "-c", command],
        env=surroundings() | {"REDIS_URL": broker},
        cwd=settings.BASE_DIR,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait(PATIENCE)


def ring(broker: str, task: str = "games.relay") -> None:
    url = broker.replace("unix://", "redis+socket://").replace("?db=", "?virtual_host=")
    with Connection(url) as bell:
        app.send_task(task, connection=bell)


def wait_until(condition: Callable[[], bool], *processes: subprocess.Popen[bytes]) -> None:
    give_up_at = time.monotonic() + PATIENCE
    while not condition():
        assert all(process.poll() is None for process in processes)
        assert time.monotonic() < give_up_at
        time.sleep(0.05)


@pytest.mark.flow
@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("quiet")
def test_people_are_served_while_the_bots_cannot(alice, bob, start, broker):
    dew, now = house_bots.of_level("dew"), timezone.now()
    games = [start("tritt-classic", dew, alice, now=now) for _ in range(SOME)]
    with (
        working("relay", broker) as worker,
        working("letters", broker) as letters,
        working("bots", broker) as bots,
    ):
        ring(broker)
        wait_until(lambda: plies(games) == [1] * SOME, worker, bots)
        wait_until(lambda: not BotErrand.objects.exists(), worker, bots)
        os.killpg(bots.pid, signal.SIGSTOP)

        for game in games:
            move(game, now=timezone.now())
        of_people = start("tritt-classic", alice, bob, now=timezone.now())
        move(of_people, now=timezone.now())
        ring(broker)
        wait_until(lambda: not OutboxMessage.objects.exists(), worker)
        wait_until(lambda: was_told(bob, of_people), worker, letters)
        assert BotErrand.objects.count() == SOME
        assert plies(games) == [2] * SOME

        os.killpg(bots.pid, signal.SIGCONT)
        wait_until(lambda: plies(games) == [3] * SOME, worker, bots)
    assert Move.objects.filter(game__in=games, via=Via.BOT).count() == 2 * SOME


def plies(games: list[Game]) -> list[int]:
    stored = Game.objects.filter(pk__in=[game.pk for game in games])
    return list(stored.order_by("pk").values_list("ply", flat=True))


def was_told(player, game: Game) -> bool:
    return Letter.objects.filter(player=player, game=game, state=State.SENT).exists()
