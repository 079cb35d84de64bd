"""System checks of `check --deploy`: what a host forgets, each with its remedy."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Warning

NO_MAIL = Error(
    "EMAIL_URL is not set: no mail goes out, so nobody can sign up. Set it to your server for"
    " outgoing mail, such as smtp+tls://user:password@host:587.",
    id="tripost.E002",
)
NO_PROXY = Error(
    "SITE_URL is https and TRUSTED_PROXIES is 0: every request is taken for plain http and"
    " redirected to itself. Set TRUSTED_PROXIES to the number of proxies in front, usually 1.",
    id="tripost.E003",
)
NO_STATIC_FILES = Error(
    "The static files are not collected, so no page can be shown."
    " Run: python manage.py collectstatic --no-input",
    id="tripost.E004",
)
NOT_HTTPS = Warning(
    "SITE_URL is not https: passwords cross the network in the clear. Put a proxy that speaks"
    " HTTPS in front, and set SITE_URL=https://… and TRUSTED_PROXIES=1.",
    id="tripost.W001",
)
STREAM_NOT_HTTPS = Warning(
    "SITE_URL is https and STREAM_URL is not, so browsers refuse the stream and pages do not update"
    " by themselves. Let the proxy pass /api/v1/stream on to it, and set STREAM_URL to SITE_URL.",
    id="tripost.W002",
)
UNREAD_METRICS = Warning(
    "METRICS is 1, but nobody can read the metrics."
    " Set METRICS_ADDRESSES or METRICS_TOKEN, or METRICS=0.",
    id="tripost.W003",
)


def check_deployment(**_: Any) -> list[CheckMessage]:
    return list(_findings())


def _findings() -> Iterator[CheckMessage]:
    if settings.MAILBOX:
        yield NO_MAIL
    if settings.SITE_IS_SECURE:
        yield from _behind_https()
    else:
        yield NOT_HTTPS
    if settings.METRICS and not (settings.METRICS_ADDRESSES or settings.METRICS_TOKEN):
        yield UNREAD_METRICS
    if not Path(settings.STATIC_ROOT, "staticfiles.json").exists():
        yield NO_STATIC_FILES


def _behind_https() -> Iterator[CheckMessage]:
    if not settings.TRUSTED_PROXIES:
        yield NO_PROXY
    if not settings.STREAM_URL.startswith("https://"):
        yield STREAM_NOT_HTTPS
