"""Whoever pairs a round may be killed at any point: nothing is missing and nothing double."""

import os
import signal
import subprocess
import sys
from urllib.parse import urlsplit, urlunsplit

import pytest
from django.conf import settings
from django.db import connection

from games.models import Game, OutboxMessage, Participant, Status
from notifications.models import Kind, Letter
from tests.conftest import make_player
from tests.tournaments.life import Stage, fresh, logged
from tournaments.models import Errand, Event, State

KILLED = """
import os, signal
from datetime import datetime
import django
django.setup()
from games import outbox
from notifications import event_writing
from tournaments import advancing, beginning, errands, results

def die(*_args, **_more):
    os.kill(os.getpid(), signal.SIGKILL)

class AfterOne:
    calls = 0
    def __init__(self, whole):
        self.whole = whole
    def __call__(self, *args, **more):
        self.calls += 1
        return die() if self.calls > 1 else self.whole(*args, **more)

outbox.ring = errands.ring = lambda: None
beginning.SLICE = 1
{wound}
now = datetime.fromisoformat(os.environ["NOW"])
outbox.relay(now=now)
results.catch_up_all(now=now)
outbox.relay(now=now)
"""
WOUNDS = {
    "before anything is paired": "advancing.go_on = die",
    "between the pairing and the first game": "beginning.begin_slice = die",
    "while a game begins": "beginning.start_game = die",
    "between two slices": "beginning.begin_slice = AfterOne(beginning.begin_slice)",
    "before the last slice is stored": "beginning._tell = die",
    "before it is all stored": "advancing.set_due = die",
    "between the games and the letters": "event_writing.tell_of_pairing = die",
    "between two letters": "event_writing.desk.write = AfterOne(event_writing.desk.write)",
}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("wound", WOUNDS.values(), ids=WOUNDS)
def test_a_round_is_whole_after_a_worker_was_killed(stage: Stage, wound: str) -> None:
    players = [make_player(f"player{at:02}") for at in range(1, 5)]
    event = stage.started(*players, format="swiss", settings={"rounds": 3})
    stage.work()
    for meeting in event.meetings.select_related("game", "first__player"):
        stage.win(meeting.game, meeting.first.player)
    _run_to_death(stage, wound)
    stage.work()
    _second_round_is_whole(event)
    stage.play_out(event)
    assert fresh(event).state == State.FINISHED


def _run_to_death(stage: Stage, wound: str) -> None:
    database = urlsplit(os.environ["DATABASE_URL"])._replace(
        path=f"/{connection.settings_dict['NAME']}"
    )
    killed = subprocess.run(
        [sys.executable, "-c", KILLED.format(wound=wound)],
        env={
            **os.environ,
            "DJANGO_SETTINGS_MODULE": "config.settings",
            "DATABASE_URL": urlunsplit(database),
            "NOW": stage.now.isoformat(),
        },
        cwd=settings.BASE_DIR,
        timeout=180,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL


def _second_round_is_whole(event: Event) -> None:
    second = event.meetings.filter(round=2)
    assert second.count() == 2
    assert len({one for row in second for one in (row.first_id, row.second_id)}) == 4
    games = Game.objects.filter(event_id=event.pk, status=Status.RUNNING)
    assert set(games) == {row.game for row in second.select_related("game")}
    assert Game.objects.filter(event_id=event.pk).count() == 4
    assert set(Participant.objects.values_list("running_games", flat=True)) == {1}
    assert logged(event).count("paired") == 2
    assert not Errand.objects.exists()
    assert not OutboxMessage.objects.exists()
    told = Letter.objects.filter(kind=Kind.ROUND_PAIRED, channel="mail", details__round=2)
    assert sorted(told.values_list("player__name", flat=True)) == [
        f"player{at:02}" for at in range(1, 5)
    ]
