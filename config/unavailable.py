"""Reply 503 while PostgreSQL is away, and repeat once what came to nothing with its connection."""

import logging
import sys
import time
from collections.abc import Callable
from typing import Any, cast

from django.core.handlers.wsgi import WSGIRequest
from django.core.signals import got_request_exception
from django.db import InterfaceError, OperationalError, close_old_connections, connection
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import translation
from django.utils.safestring import SafeString
from django.views.debug import ExceptionReporter

from accounts.locks import is_victim
from config import absences
from config.postgres.base import DatabaseWrapper
from config.views import error_page

logger = logging.getLogger(__name__)

RETRY_AFTER = "10"
CONNECTION_EXCEPTION, SHUTDOWN = "08", "57P"
SAID_EVERY = 10.0
"""Seconds between two lines about what PostgreSQL gave up; each request has its own anyway."""


def is_absence(error: BaseException | None) -> bool:
    """Whether PostgreSQL is away, too busy or has given up: nothing is wrong with the request."""
    return isinstance(error, OperationalError | InterfaceError)


class Unavailable:
    """Honest about what is behind this process.

    Django turns an exception into a response wherever it occurs, so the exception itself is noted
    by a signal, and this middleware stands outside of all that may ask the database.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response
        self._said_at = float("-inf")

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response, error = self._try(request)
        if error and (again := _repeatable(request, error)):
            response, error = self._try(again)
        if error is None:
            return response
        if not absences.said(error):
            self._say(error)
        return unavailable_page(request)

    def _try(self, request: HttpRequest) -> tuple[HttpResponseBase, Exception | None]:
        _own_connection().may_have_committed = False
        response = self.get_response(request)
        return response, getattr(request, "absence", None)

    def _say(self, error: Exception) -> None:
        if time.monotonic() - self._said_at >= SAID_EVERY:
            self._said_at = time.monotonic()
            logger.warning(
                "PostgreSQL gave a request up: %s", str(error).strip().partition("\n")[0]
            )


@receiver(got_request_exception)
def _note_absence(request: HttpRequest | None = None, **_: Any) -> None:
    error = sys.exc_info()[1]
    if request is not None and is_absence(error):
        request.absence = error  # type: ignore[attr-defined]
        request.exception_reporter_class = NoReport


class NoReport(ExceptionReporter):
    """While debugging, Django would ask the database again for a page that nobody sees."""

    def get_traceback_html(self) -> SafeString:
        return SafeString()

    def get_traceback_text(self) -> SafeString:
        return SafeString()


# Repeating


def _repeatable(request: HttpRequest, error: Exception) -> HttpRequest | None:
    """The same request anew, if nothing can have come of it and the reason may be over."""
    stream = request.META.get("wsgi.input")
    is_over_now = _is_loss(error) or is_victim(error)
    if not is_over_now or _own_connection().may_have_committed:
        return None
    if not isinstance(request, WSGIRequest) or stream is None or not stream.seekable():
        return None
    stream.seek(0)
    # As at the beginning of any request: a connection that is lost is replaced.
    close_old_connections()
    return WSGIRequest(request.environ)


def _is_loss(error: Exception) -> bool:
    """Whether the connection went, by what PostgreSQL said last, if anything."""
    state = getattr(error.__cause__, "sqlstate", None)
    return state is None or state.startswith((CONNECTION_EXCEPTION, SHUTDOWN))


def _own_connection() -> DatabaseWrapper:
    return cast("DatabaseWrapper", connection)


def unavailable_page(request: HttpRequest) -> HttpResponse:
    # Sessions, which may know another language, are behind the database.
    with translation.override(translation.get_language_from_request(request)):
        response = error_page(request, 503)
    response["Retry-After"] = RETRY_AFTER
    # An honest no is no error of this process; Django would log it as one.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response
