"""What the ledger says when real processes die: the web, the worker, PostgreSQL, or all of them."""

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import psycopg
import pytest

from config.celery import app
from tests.own_site import OwnSite

pytestmark = pytest.mark.django_db
AFTER = 3
"""Seconds without a beat that are an outage here; beats come every half second."""
CLOCKS = {"OUTAGE_AFTER": str(AFTER)}


@pytest.fixture
def site(own_site: OwnSite) -> Iterator[OwnSite]:
    ask(own_site, "DELETE FROM games_outage", "DELETE FROM games_entrypoint")
    ask(own_site, "DELETE FROM games_entrynode", "DELETE FROM games_heartbeat")
    ask(own_site, "DELETE FROM accounts_taskrun")
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


def until(condition: Callable[[], bool], patience: float = 60) -> None:
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


def run(site: OwnSite, task: str) -> None:
    """By the worker, as the timetable has it done; needs one that was started in this test."""
    send(site, task)
    until(lambda: ask(site, f"SELECT 1 FROM accounts_taskrun WHERE name = '{task}'") == [(1,)])


def send(site: OwnSite, task: str) -> None:
    broker = site.environment["REDIS_URL"].replace("unix://", "redis+socket://")
    with app.connection_for_write(broker.replace("?db=", "?virtual_host=")) as line:
        app.send_task(task, connection=line)


SWEEP, CREDIT = "games.end_games_on_time", "games.credit_outages"

# Games

BEGIN = """
import secrets
from tests.config.load import begin, make_player
run = secrets.token_hex(3)
print(begin(make_player("first" + run), make_player("second" + run)).pk)
"""


def begin_game(site: OwnSite) -> int:
    """Both have moved, so that it can be lost."""
    return int(site.run_python(BEGIN, BEATS="0"))


def let_time_run_out(site: OwnSite, game: int, at: datetime) -> None:
    ask(
        site,
        f"UPDATE games_game SET deadline_at = '{at}', clock_from = timestamptz '{at}' - time_left"
        f" WHERE id = {game}",
    )


def result(site: OwnSite, game: int) -> tuple[str, str]:
    return ask(site, f"SELECT status, reason FROM games_game WHERE id = {game}")[0]


def deadline(site: OwnSite, game: int) -> datetime:
    return ask(site, f"SELECT deadline_at FROM games_game WHERE id = {game}")[0][0]


RUNNING, LOST_ON_TIME = ("running", ""), ("finished", "time")


def test_nobody_loses_on_time_while_the_web_is_dead_and_the_worker_lives(site):
    lost, saved = begin_game(site), begin_game(site)
    site.start("clocks", **CLOCKS)
    site.start("web", **CLOCKS)
    until(lambda: beats(site))
    site.kill("web")
    # As if it had died two minutes ago: a sweep leaves half a minute for moves on their way.
    ask(site, "UPDATE games_entrypoint SET beat_at = beat_at - interval '2 minutes'")
    [(last_beat,)] = ask(site, "SELECT beat_at FROM games_entrypoint WHERE way_in = 'web'")
    let_time_run_out(site, lost, last_beat - timedelta(seconds=1))
    let_time_run_out(site, saved, last_beat + timedelta(seconds=10))
    run(site, SWEEP)
    # The worker ends games, but not this one.
    assert [result(site, game) for game in (lost, saved)] == [LOST_ON_TIME, RUNNING]
    [(began_at, _so_far, is_over)] = outages(site)
    assert (began_at, is_over) == (last_beat, False)
    site.start("web", **CLOCKS)
    until(lambda: [row[2] for row in outages(site)] == [True])
    [(began_at, ended_at, _is_over)] = outages(site)
    assert began_at == last_beat
    run(site, CREDIT)
    # An outage that a beat has just ended may be credited by the next run alone.
    credited = last_beat + timedelta(seconds=10) + (ended_at - began_at)
    until(lambda: deadline(site, saved) == credited or bool(send(site, CREDIT)))
    assert result(site, saved) == RUNNING


def test_a_game_ends_on_time_when_a_dead_worker_is_back_and_that_was_no_outage(site):
    game = begin_game(site)
    site.start("clocks", **CLOCKS)
    site.start("web", **CLOCKS)
    until(lambda: beats(site) and ask(site, "SELECT 1 FROM games_heartbeat") == [(1,)])
    site.kill("clocks")
    let_time_run_out(site, game, now(site) - timedelta(minutes=1))
    send(site, SWEEP)
    time.sleep(AFTER + 1)
    assert result(site, game) == RUNNING
    site.start("clocks", **CLOCKS)
    until(lambda: result(site, game) == LOST_ON_TIME)
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
    # Nobody else is there to enter it.
    until(lambda: [row[2] for row in outages(site, "mail")] == [False])
    assert outages(site) == []


def test_one_of_two_web_nodes_dies(site):
    site.start("web", **CLOCKS)
    site.start("web", as_="second web", **CLOCKS, PORT=str(site.second_port))
    until(lambda: ask(site, "SELECT count(*) FROM games_entrynode") == [(2,)])
    site.kill("web")
    time.sleep(AFTER + 1)
    assert beats(site)
    assert outages(site) == []
