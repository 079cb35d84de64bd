"""How the service is: its last heartbeat, when it could not take moves, what waits to be told."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Count, Min
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.module_loading import import_string
from django.views.decorators.http import require_safe

from games import outages
from games.models import Game, Heartbeat, Outage, OutboxMessage, Status

LATEST_OUTAGES = 20
QUEUE_IS_LATE_AFTER = timedelta(minutes=5)


@dataclass(frozen=True)
class Queue:
    number: int
    age: timedelta

    @property
    def is_late(self) -> bool:
        return self.age > QUEUE_IS_LATE_AFTER


def facts(now: datetime) -> tuple[int, datetime | None]:
    """What has happened and not been told to every room of the house yet."""
    due = OutboxMessage.objects.filter(due_at__lte=now).aggregate(
        number=Count("pk"), oldest=Min("due_at")
    )
    return due["number"], due["oldest"]


def _queues(now: datetime) -> dict[str, Queue]:
    """Every floor tells of its own; QUEUES lists them."""
    found = {path.rsplit(".", 1)[1]: import_string(path)(now) for path in settings.QUEUES}
    return {
        name: Queue(number, now - oldest if oldest else timedelta())
        for name, (number, oldest) in found.items()
    }


@require_safe
def status(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    heartbeat = Heartbeat.objects.first()
    context = {
        "is_alive": heartbeat is not None and now - heartbeat.beat_at <= outages.STALE_AFTER,
        "heartbeat": heartbeat,
        "queues": _queues(now),
        "outages": [
            {"outage": outage, "length": outage.ended_at - outage.began_at}
            for outage in Outage.objects.all()[:LATEST_OUTAGES]
        ],
        "running": Game.objects.filter(status=Status.RUNNING).count(),
    }
    return render(request, "games/status.html", context)
