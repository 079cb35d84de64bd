"""What an event has still to look at is noted beside what happened; a worker is woken for it."""

from datetime import datetime

from django.db import transaction

from games import bell
from tournaments.models import Errand

BELL = "bell:events"


def note(event_id: int, *, now: datetime, game_id: int | None = None) -> None:
    Errand.objects.create(event_id=event_id, game_id=game_id, noted_at=now)
    ring_after_commit()


def ring_after_commit() -> None:
    transaction.on_commit(lambda: ring())


def ring() -> None:
    from tournaments.tasks import catch_up

    bell.ring(BELL, catch_up)


def heard() -> None:
    bell.heard(BELL)
