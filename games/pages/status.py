"""How the service is: its last heartbeat, when it could not take moves, what waits to be told."""

from datetime import timedelta

from django.db.models import Count, Min
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from games import outages
from games.models import Game, Heartbeat, Outage, OutboxMessage, Status

LATEST_OUTAGES = 20
QUEUE_IS_LATE_AFTER = timedelta(minutes=5)


@require_safe
def status(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    heartbeat = Heartbeat.objects.first()
    queue = OutboxMessage.objects.filter(due_at__lte=now).aggregate(
        number=Count("pk"), oldest=Min("due_at")
    )
    age = now - queue["oldest"] if queue["oldest"] else timedelta()
    context = {
        "is_alive": heartbeat is not None and now - heartbeat.beat_at <= outages.STALE_AFTER,
        "heartbeat": heartbeat,
        "queue": queue["number"],
        "queue_age": age,
        "queue_is_late": age > QUEUE_IS_LATE_AFTER,
        "outages": [
            {"outage": outage, "length": outage.ended_at - outage.began_at}
            for outage in Outage.objects.all()[:LATEST_OUTAGES]
        ],
        "running": Game.objects.filter(status=Status.RUNNING).count(),
    }
    return render(request, "games/status.html", context)
