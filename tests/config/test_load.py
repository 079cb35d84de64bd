"""Slow webhooks, a mail server that stalls and a flood of mail delay no clock and no fact."""

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.conf import settings

from config.celery import QUEUE_OF
from tests.chaos.peers import mail_peer, webhook_peer
from tests.own_site import OwnSite

pytestmark = pytest.mark.django_db

BOUNDS = {"oldest_beat": 20.0, "latest_end": 60.0, "oldest_fact": 10.0, "median_fact": 1.0}
"""Seconds; an end is measured from the time-out itself: 30 of them are the sweep's grace."""
PROCESSES = [*sorted(set(QUEUE_OF.values()) - {"bots"}), "beat", "mail"]


@contextmanager
def working(site: OwnSite, **more: str) -> Iterator[None]:
    for name in list(site.processes):
        site.stop(name)
    for name in PROCESSES:
        site.start(name, TRIPOST_HOME=str(site.home), **more)
    try:
        _wait_for_a_beat(site)
        yield
    finally:
        for name in PROCESSES:
            site.stop(name)


def _wait_for_a_beat(site: OwnSite) -> None:
    give_up_at = time.monotonic() + 90
    with psycopg.connect(site.postgres.url, autocommit=True) as database:
        fresh = "SELECT 1 FROM games_heartbeat WHERE beat_at > now() - interval '5 seconds'"
        while not database.execute(fresh).fetchone():
            assert time.monotonic() < give_up_at, site.log("clocks")
            time.sleep(0.2)


def load(site: OwnSite, *, seconds: float, flags_fell: float) -> dict[str, Any]:
    with mail_peer() as (mail, port), webhook_peer() as hooks:
        mail.mood, hooks.hangs = "tarpits", True
        more = {
            "EMAIL_URL": f"smtp://127.0.0.1:{port}",
            "LETTER_PAUSE": "0",
            "MAIL_DOMAIN": "localhost",
            "MAIL_PORT": str(site.mail_port),
        }
        with working(site, **more):
            done = subprocess.run(
                [
                    sys.executable,
                    "-m",
                    "tests.config.load",
                    str(seconds),
                    str(flags_fell),
                    hooks.url,
                ],
                cwd=settings.BASE_DIR,
                env=site.environment | {"DJANGO_SETTINGS_MODULE": "config.settings"} | more,
                timeout=seconds + 120,
                capture_output=True,
                text=True,
                check=False,
            )
    assert done.returncode == 0, done.stderr[-3000:]
    measured: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    measured["times_stalled"] = mail.met["tarpits"]
    print(measured)
    return measured


def broken(measured: dict[str, Any]) -> dict[str, float]:
    return {name: measured[name] for name, most in BOUNDS.items() if measured[name] > most}


def was_loaded(measured: dict[str, Any], seconds: float) -> None:
    """The bounds mean something only under what they were held against."""
    assert measured["ended"] == 6
    assert measured["moves"] >= seconds
    assert measured["facts_relayed"] >= measured["moves"]
    assert measured["webhook_letters_tried"] > 4
    assert measured["mail_letters_tried"] >= 1
    assert measured["times_stalled"] >= 1
    assert measured["mails_read"] == 300


def test_strangers_who_are_slow_delay_no_clock_and_no_fact(own_site):
    measured = load(own_site, seconds=35, flags_fell=30)
    assert broken(measured) == {}
    was_loaded(measured, seconds=35)


@pytest.mark.long
def test_strangers_who_are_slow_for_minutes_delay_no_clock_and_no_fact(own_site):
    measured = load(own_site, seconds=150, flags_fell=0)
    assert broken(measured) == {}
    was_loaded(measured, seconds=150)
