"""Metrics for Prometheus, for those who are allowed by their address or a token."""

from ipaddress import ip_address, ip_network
from secrets import compare_digest

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from accounts.visitors import address_of


@require_safe
def metrics(request: HttpRequest) -> HttpResponse:
    if not (_comes_from_an_allowed_address(request) or _has_the_token(request)):
        raise Http404
    # Only there where METRICS is on: importing it starts to count.
    from django_prometheus.exports import ExportToDjangoView  # type: ignore[import-untyped]

    exported: HttpResponse = ExportToDjangoView(request)
    return exported


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
