"""What goes wrong, when and for how long: a plan that follows from a seed."""

import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

import psutil
import redis

from config.celery import QUEUE_OF
from tests.chaos.peers import MailPeer, WebhookPeer
from tests.chaos.site import Site, end

PAUSE = (4.0, 10.0)
"""Seconds between two faults."""


@dataclass
class Stage:
    site: Site
    mail: MailPeer
    webhooks: WebhookPeer
    chance: random.Random


Act = Callable[[Stage], AbstractContextManager[None]]


@dataclass(frozen=True)
class Fault:
    name: str
    act: Act
    seconds: float


@dataclass
class Occurrence:
    fault: str
    began: float
    ended: float

    @property
    def seconds(self) -> float:
        return self.ended - self.began


# Killed


@contextmanager
def web_worker_killed(stage: Stage) -> Iterator[None]:
    _kill_one_of(stage, stage.site.family("web")[1:])
    yield


@contextmanager
def process_killed(stage: Stage) -> Iterator[None]:
    """The leader of any line of the Procfile."""
    for process in stage.site.family(stage.chance.choice(stage.site.names()))[:1]:
        end(process)
    yield


@contextmanager
def pool_process_killed(stage: Stage) -> Iterator[None]:
    """One that does the tasks of a worker."""
    workers = [stage.site.family(name) for name in sorted(set(QUEUE_OF.values()))]
    _kill_one_of(stage, [process for worker in workers for process in worker])
    yield


@contextmanager
def everything_killed(stage: Stage) -> Iterator[None]:
    for name in stage.site.names():
        for process in stage.site.family(name):
            end(process)
    yield


@contextmanager
def backends_killed(stage: Stage) -> Iterator[None]:
    """One is enough for PostgreSQL to restart them all."""
    _kill_one_of(stage, stage.site.postmaster().children())
    yield


@contextmanager
def postgres_killed(stage: Stage) -> Iterator[None]:
    end(stage.site.postmaster())
    yield
    stage.site.database.start()


@contextmanager
def redis_killed(stage: Stage) -> Iterator[None]:
    end(stage.site.redis_process())
    yield
    stage.site.redis.start()


def _kill_one_of(stage: Stage, processes: list[psutil.Process]) -> None:
    """None, if there are none: the fault before may still be felt."""
    for process in stage.chance.sample(processes, min(1, len(processes))):
        end(process)


# Away


@contextmanager
def postgres_away(stage: Stage) -> Iterator[None]:
    stage.site.database.stop()
    yield
    stage.site.database.start()


@contextmanager
def redis_away(stage: Stage) -> Iterator[None]:
    stage.site.redis.stop()
    yield
    stage.site.redis.start()


@contextmanager
def redis_emptied(stage: Stage) -> Iterator[None]:
    redis.Redis.from_url(stage.site.redis.url).flushall()
    yield


# Stopped


@contextmanager
def web_worker_stopped(stage: Stage) -> Iterator[None]:
    with _stopped(stage.site.family("web")[-1:]):
        yield


@contextmanager
def process_stopped(stage: Stage) -> Iterator[None]:
    with _stopped(stage.site.family(stage.chance.choice(stage.site.names()))):
        yield


@contextmanager
def redis_stopped(stage: Stage) -> Iterator[None]:
    with _stopped([stage.site.redis_process()]):
        yield


@contextmanager
def postgres_stopped(stage: Stage) -> Iterator[None]:
    postmaster = stage.site.postmaster()
    with _stopped([postmaster, *postmaster.children()]):
        yield


@contextmanager
def _stopped(processes: list[psutil.Process]) -> Iterator[None]:
    for process in processes:
        end(process, signal.SIGSTOP)
    yield
    for process in processes:
        end(process, signal.SIGCONT)


# The world outside, and time


def _mail(mood: str) -> Act:
    @contextmanager
    def moody(stage: Stage) -> Iterator[None]:
        stage.mail.mood = mood
        yield
        stage.mail.mood = "takes"

    return moody


@contextmanager
def webhooks_hang(stage: Stage) -> Iterator[None]:
    stage.webhooks.hangs = True
    yield
    stage.webhooks.hangs = False


@contextmanager
def clock_jumps(stage: Stage) -> Iterator[None]:
    """Ahead, and back again."""
    stage.site.set_clock(stage.chance.randint(20, 90))
    yield
    stage.site.set_clock(0)


FAULTS: dict[str, tuple[Act, float]] = {
    "web worker killed": (web_worker_killed, 0),
    "a process of the Procfile killed": (process_killed, 0),
    "a worker killed": (pool_process_killed, 0),
    "every process killed": (everything_killed, 0),
    "PostgreSQL backend killed": (backends_killed, 0),
    "PostgreSQL killed": (postgres_killed, 3),
    "PostgreSQL away": (postgres_away, 20),
    "PostgreSQL stopped": (postgres_stopped, 5),
    "Redis killed": (redis_killed, 2),
    "Redis away": (redis_away, 20),
    "Redis emptied": (redis_emptied, 0),
    "Redis stopped": (redis_stopped, 10),
    "web worker stopped": (web_worker_stopped, 15),
    "a process of the Procfile stopped": (process_stopped, 5),
    "mail peer refuses": (_mail("refuses"), 10),
    "mail peer tarpits": (_mail("tarpits"), 20),
    "mail peer drops": (_mail("drops"), 10),
    "mail peer drops after DATA": (_mail("drops after DATA"), 5),
    "webhooks hang": (webhooks_hang, 20),
}
"""With the longest that each lasts."""
CLOCK_JUMP = {"clock jumps": (clock_jumps, 15.0)}


def plan(seed: int, *, with_clock: bool) -> Iterator[tuple[float, Fault]]:
    """Pauses and faults without end; each kind comes once before any comes twice."""
    chance = random.Random(seed)
    kinds = FAULTS | (CLOCK_JUMP if with_clock else {})
    while True:
        for name in chance.sample(sorted(kinds), len(kinds)):
            act, longest = kinds[name]
            yield chance.uniform(*PAUSE), Fault(name, act, longest * chance.uniform(0.5, 1))


def rage(stage: Stage, seed: int, until: float) -> list[Occurrence]:
    """One after the other, none begun that would not end in time."""
    happened: list[Occurrence] = []
    for pause, fault in plan(seed, with_clock=bool(stage.site.faketime)):
        if time.monotonic() + pause + fault.seconds > until:
            return happened
        time.sleep(pause)
        began = time.monotonic()
        print(f"  {fault.name} ({fault.seconds:.0f} s)", flush=True)
        with fault.act(stage):
            time.sleep(fault.seconds)
        happened.append(Occurrence(fault.name, began, time.monotonic()))
    raise AssertionError
