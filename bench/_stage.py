"""What the benchmarks of the service share: a database of their own, rounds, and a verdict.

Only ratios taken within one round mean anything, as a machine's speed wanders: a round runs
its candidates one after the other between two runs of a fixed loop, and is dropped if these two
differ by more than 15 %. What is printed is the median of the rounds' ratios.
"""

import logging
import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import psycopg

from bench import _targets
from bench.rules import STEADY, calibration
from games.events import FACTS

ROUNDS = 5
MOST_ROUNDS = 9
SETTINGS = "bench._settings"
SUBSCRIPTIONS = dict.fromkeys(FACTS.values(), ("bench._stage.hear",))
"""Every fact is written for one subscriber, as when letters and tournaments listen."""


def hear(fact: object) -> None:
    """A subscriber who does nothing himself."""


@contextmanager
def own_database(name: str = "tripost_bench") -> Iterator[None]:
    """An empty, migrated database beside the one that DATABASE_URL names; gone afterwards."""
    given = os.environ["DATABASE_URL"]
    with psycopg.connect(given, autocommit=True) as server:
        server.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
        server.execute(f"CREATE DATABASE {name}")
    os.environ["DATABASE_URL"] = urlunsplit(urlsplit(given)._replace(path=f"/{name}"))
    try:
        _migrate(name)
        yield
    finally:
        os.environ["DATABASE_URL"] = given
        _disconnect()
        with psycopg.connect(given, autocommit=True) as server:
            server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def _migrate(name: str) -> None:
    os.environ["DJANGO_SETTINGS_MODULE"] = SETTINGS
    import django
    from django.core.management import call_command
    from django.db import connection

    django.setup()
    logging.disable(logging.INFO)
    enter(name)
    call_command("migrate", verbosity=0)
    connection.close()


def enter(name: str) -> None:
    """Makes this process use another database of the same server."""
    from django.db import connection

    connection.close()
    connection.settings_dict["NAME"] = name


def _disconnect() -> None:
    from django.db import connection

    connection.close()


def timed(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


def steady_rounds(round_: Callable[[], dict[str, float]]) -> dict[str, list[float]]:
    """The figures of as many steady rounds as wanted, or as there were."""
    kept: list[dict[str, float]] = []
    for _ in range(MOST_ROUNDS):
        before = calibration()
        figures = round_()
        after = calibration()
        if max(before, after) <= STEADY * min(before, after):
            kept.append(figures)
        if len(kept) == ROUNDS:
            break
    return {name: [figures[name] for figures in kept] for name in (kept[0] if kept else ())}


def report(what: str, figures: list[float], *, least: float = 0, most: float = 0) -> None:
    """One line: the median, what it should be, and the spread."""
    if not figures:
        _targets.note_unsteady(what)
        print(f"{what:64}  {_targets.UNSTEADY}")
        return
    median = statistics.median(figures)
    bound = f"≥ {least:g}" if least else f"≤ {most:g}" if most else ""
    is_met = median >= least and (not most or median <= most)
    spread = f"[{min(figures):.3g}-{max(figures):.3g}] of {len(figures)}"
    mark = _targets.mark(what, is_met)
    print(f"{what:64}{median:9.3g}{bound:>8}  {spread}{mark}", flush=True)
