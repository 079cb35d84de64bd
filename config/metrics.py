"""Metrics for Prometheus, for those who are allowed by their address or a token."""

from datetime import datetime
from ipaddress import ip_address, ip_network
from secrets import compare_digest

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_safe
from prometheus_client import CollectorRegistry, Gauge, generate_latest

from accounts.visitors import address_of
from config import duties
from games import outages


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    if not (_comes_from_an_allowed_address(request) or _has_the_token(request)):
        raise Http404
    # Only there where METRICS is on: importing it starts to count.
    from django_prometheus.exports import ExportToDjangoView  # type: ignore[import-untyped]

    exported: HttpResponse = ExportToDjangoView(request)
    exported.write(_duties())
    return exported


def _duties() -> bytes:
    """How late each duty of the whole site is and when it last ran, whichever process is asked."""
    registry = CollectorRegistry()
    lag = Gauge("tripost_duty_lag_seconds", "Age of what waits.", ["duty"], registry=registry)
    ran = Gauge("tripost_duty_last_run_seconds", "Age of a run.", ["duty"], registry=registry)
    now = timezone.now()
    for duty, seconds in duties.lags(now).items():
        lag.labels(duty).set(seconds)
    for duty, ran_at in duties.last_runs().items():
        if ran_at:
            ran.labels(duty).set((now - ran_at).total_seconds())
    _worker(registry, now)
    return generate_latest(registry)


def _worker(registry: CollectorRegistry, now: datetime) -> None:
    """Of the clocks; its age is left out before its first beat."""
    beat_at = outages.worker_beat_at()
    late = Gauge("tripost_worker_late", "1 if the worker is late.", registry=registry)
    late.set(outages.is_late(beat_at, now=now))
    if beat_at:
        age = Gauge("tripost_worker_beat_seconds", "Age of its beat.", registry=registry)
        age.set((now - beat_at).total_seconds())


def _comes_from_an_allowed_address(request: HttpRequest) -> bool:
    try:
        address = ip_address(address_of(request.META))
    except ValueError:
        return False
    return any(address in ip_network(allowed) for allowed in settings.METRICS_ADDRESSES)


def _has_the_token(request: HttpRequest) -> bool:
    scheme, _, given = request.headers.get("Authorization", "").partition(" ")
    wanted = settings.METRICS_TOKEN
    return (
        bool(wanted)
        and scheme.lower() == "bearer"
        and compare_digest(given.strip().encode(), wanted.encode())
    )
