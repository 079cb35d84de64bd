"""What the ledger says when real processes die: the web, the worker, PostgreSQL, or all of them."""

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import psycopg
import pytest

from tests.own_site import OwnSite

pytestmark = pytest.mark.django_db
AFTER = 3
"""Seconds without a beat that are an outage here; beats come every half second."""
CLOCKS = {"OUTAGE_AFTER": str(AFTER)}


@pytest.fixture
def site(own_site: OwnSite) -> Iterator[OwnSite]:
    ask(own_site, "DELETE FROM games_outage", "DELETE FROM games_entrypoint")
    ask(own_site, "DELETE FROM games_entrynode")
    stop_all(own_site)
    yield own_site
    stop_all(own_site)


def stop_all(site: OwnSite) -> None:
    for name in list(site.processes):
        site.stop(name)


def ask(site: OwnSite, *statements: str) -> list[tuple]:
    with psycopg.connect(site.postgres.url, autocommit=True) as database:
        for statement in statements:
            cursor = database.execute(statement)
        return cursor.fetchall() if cursor.description else []


def until(condition: Callable[[], bool], patience: float = 20) -> None:
    give_up_at = time.monotonic() + patience
    while not condition():
        assert time.monotonic() < give_up_at
        time.sleep(0.1)


def outages(site: OwnSite, way_in: str = "web") -> list[tuple[datetime, datetime, bool]]:
    return ask(
        site,
        "SELECT began_at, ended_at, is_over FROM games_outage "
        f"WHERE way_in = '{way_in}' ORDER BY began_at",
    )


def beats(site: OwnSite, way_in: str = "web") -> bool:
    """Whether a beat came just now."""
    return ask(
        site,
        "SELECT count(*) FROM games_entrypoint "
        f"WHERE way_in = '{way_in}' AND beat_at > clock_timestamp() - interval '2 seconds'",
    ) == [(1,)]


def now(site: OwnSite) -> datetime:
    return ask(site, "SELECT clock_timestamp()")[0][0]


def sweep(site: OwnSite) -> None:
    """As the worker does every few seconds."""
    site.run_python(
        "from django.utils import timezone; from games import sweeps; "
        "sweeps.end_games_on_time(now=timezone.now())",
        **CLOCKS,
    )


def test_the_web_is_dead_and_the_worker_lives(site):
    site.start("web", **CLOCKS)
    until(lambda: beats(site))
    site.kill("web")
    died_at = now(site)
    time.sleep(AFTER + 1)
    sweep(site)
    [(began_at, ended_at, is_over)] = outages(site)
    assert died_at - timedelta(seconds=2) <= began_at <= died_at
    assert not is_over
    site.start("web", **CLOCKS)
    until(lambda: [row[2] for row in outages(site)] == [True])
    [(again, until_then, _is_over)] = outages(site)
    assert again == began_at
    assert until_then > ended_at


def test_the_worker_is_dead_and_the_web_lives(site):
    site.start("web", **CLOCKS)
    until(lambda: beats(site))
    time.sleep(AFTER + 1)
    sweep(site)
    assert outages(site) == []


def test_postgresql_is_away(site):
    site.start("web", **CLOCKS)
    until(lambda: beats(site))
    with site.without(site.postgres):
        time.sleep(AFTER + 1)
    until(lambda: beats(site))
    [(began_at, ended_at, is_over)] = outages(site)
    assert ended_at - began_at > timedelta(seconds=AFTER)
    assert is_over


def test_everything_is_away(site):
    site.start("web", **CLOCKS)
    site.start("mail", **CLOCKS, MAIL_PORT=str(site.mail_port))
    until(lambda: beats(site) and beats(site, "mail"))
    site.kill("web")
    site.kill("mail")
    with site.without(site.postgres):
        time.sleep(AFTER + 1)
    site.start("web", **CLOCKS)
    site.start("mail", **CLOCKS, MAIL_PORT=str(site.mail_port))
    until(lambda: beats(site) and beats(site, "mail"))
    assert len(outages(site)) == len(outages(site, "mail")) == 1


def test_mail_is_down_and_the_web_is_up(site):
    site.start("web", **CLOCKS)
    site.start("mail", **CLOCKS, MAIL_PORT=str(site.mail_port))
    until(lambda: beats(site) and beats(site, "mail"))
    site.kill("mail")
    time.sleep(AFTER + 1)
    sweep(site)
    assert [row[2] for row in outages(site, "mail")] == [False]
    assert outages(site) == []


def test_one_of_two_web_nodes_dies(site):
    site.start("web", **CLOCKS)
    site.start("web", as_="second web", **CLOCKS, PORT=str(site.second_port))
    until(lambda: ask(site, "SELECT count(*) FROM games_entrynode") == [(2,)])
    site.kill("web")
    time.sleep(AFTER + 1)
    sweep(site)
    assert beats(site)
    assert outages(site) == []
