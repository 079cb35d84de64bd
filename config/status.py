"""The status page: which ways in are open, how late each duty is, and what outages there were."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone, translation
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe
from redis import Redis
from redis.exceptions import RedisError

from accounts import account_mail
from config import duties
from games import outages
from games.models import EntryNode, EntryPoint, Game, Outage, Status, WayIn

LATEST_OUTAGES = 20
LATE_AFTER = timedelta(minutes=5)
DUTY_LABELS = {
    "clocks": _("Time-outs"),
    "facts": _("Updates after moves"),
    "inbound_mail": _("E-mail received"),
    "letters": _("E-mail and push notifications"),
    "webhooks": _("Webhooks"),
    "pairings": _("Results of tournaments"),
    "events": _("Tournament rounds"),
    "closings": _("Closing of accounts"),
    "reviews": _("Game reviews"),
    "bots": _("Bots"),
}


@dataclass(frozen=True, kw_only=True)
class EntryState:
    """A way in as the page shows it."""

    way_in: WayIn
    is_open: bool
    beat_at: datetime | None
    nodes: list[EntryNode]


@dataclass(frozen=True, kw_only=True)
class DutyState:
    name: str
    lag: timedelta
    ran_at: datetime | None

    @property
    def label(self) -> str:
        return str(DUTY_LABELS.get(self.name, self.name))

    @property
    def is_late(self) -> bool:
        return self.lag > LATE_AFTER


@dataclass(frozen=True, kw_only=True)
class WorkerState:
    """Of the one that watches the clocks: late even if nothing is due just now."""

    beat_at: datetime | None
    is_late: bool


@require_safe
def page(request: HttpRequest) -> HttpResponse:
    now = timezone.now()
    ways_in, duty_states, worker = _ways_in(now), _duties(now), _worker(now)
    context = {
        "ways_in": ways_in,
        "duties": duty_states,
        "worker": worker,
        "has_mail_out": account_mail.reaches_people(),
        "is_well": all(one.is_open for one in ways_in)
        and account_mail.reaches_people()
        and not worker.is_late
        and not any(one.is_late for one in duty_states),
        "outages": [
            {"outage": outage, "length": outage.ended_at - outage.began_at}
            for outage in _latest_outages()
        ],
        "running": Game.objects.filter(status=Status.RUNNING).count(),
    }
    return render(request, "status.html", context)


@require_safe
def as_json(request: HttpRequest) -> JsonResponse:
    now = timezone.now()
    worker = _worker(now)
    return JsonResponse(
        {
            "database": True,
            "redis": _redis_replies(),
            "now": now,
            "ways_in": {
                one.way_in.value: {"open": one.is_open, "last_beat": one.beat_at}
                for one in _ways_in(now)
            },
            "worker": {"late": worker.is_late, "last_beat": worker.beat_at},
            "duties": {
                one.name: {
                    "lag": one.lag.total_seconds(),
                    "late": one.is_late,
                    "last_run": one.ran_at,
                }
                for one in _duties(now)
            },
            "outages": [
                {
                    "way_in": outage.way_in,
                    "began_at": outage.began_at,
                    "ended_at": outage.ended_at,
                    "is_over": outage.is_over,
                }
                for outage in _latest_outages()
            ],
        }
    )


def without_database(request: HttpRequest) -> HttpResponse:
    """What can be said without a query: this process lives, and what is behind it does not."""
    if request.path.endswith(".json"):
        replies = {"database": False, "redis": _redis_replies(), "now": timezone.now()}
        response: HttpResponse = JsonResponse(replies, status=503)
    else:
        context: dict[str, Any] = {
            "status": 503,
            "title": _("The database does not reply"),
            "way_on": _(
                "Moves cannot get in for now. If it lasts longer than a minute,"
                " clocks are credited with the time."
            ),
        }
        # Sessions, which may know another language, are behind the database.
        with translation.override(translation.get_language_from_request(request)):
            response = render(None, "error_plain.html", context, status=503)
    response["Retry-After"] = "30"
    # An honest no is no error of this process; Django would log it as one.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def _ways_in(now: datetime) -> list[EntryState]:
    """Those that have ever beaten; a request that is served shows that the web is open."""
    beats = {point.way_in: point.beat_at for point in EntryPoint.objects.all()}
    nodes = list(EntryNode.objects.order_by("name"))
    return [
        EntryState(
            way_in=way_in,
            is_open=way_in == WayIn.WEB or now - beats[way_in] <= outages.OUTAGE_AFTER,
            beat_at=beats.get(way_in),
            nodes=[node for node in nodes if node.way_in == way_in],
        )
        for way_in in WayIn
        if way_in == WayIn.WEB or way_in in beats
    ]


def _duties(now: datetime) -> list[DutyState]:
    ran_at = duties.last_runs()
    return [
        DutyState(name=name, lag=timedelta(seconds=lag), ran_at=ran_at[name])
        for name, lag in duties.lags(now).items()
    ]


def _worker(now: datetime) -> WorkerState:
    beat_at = outages.worker_beat_at()
    return WorkerState(beat_at=beat_at, is_late=outages.is_late(beat_at, now=now))


def _latest_outages() -> QuerySet[Outage]:
    return Outage.objects.all()[:LATEST_OUTAGES]


def _redis_replies() -> bool:
    try:
        return bool(
            Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1).ping()
        )
    except RedisError:
        return False
