"""Health probes: whether this process lives, and whether it and its database can serve."""

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from http import HTTPStatus
from threading import Lock

from django.db import Error, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.http.response import HttpResponseBase

from config import status

STATUS = ("/status/", "/status.json")
PATIENCE = 0.8
KEPT_FOR = 1.0


def alive(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")


def ready(request: HttpRequest) -> JsonResponse:
    checks = {"database": database.replies()}
    status = HTTPStatus.OK if all(checks.values()) else HTTPStatus.SERVICE_UNAVAILABLE
    response = JsonResponse(checks, status=status)
    # An honest no is no error of this process; Django would log it as one.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


class DatabaseProbe:
    """Asks in a thread of its own, once for all who want to know, however many they are."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="probe")
        self._lock = Lock()
        self._reply: Future[bool] | None = None
        self._good_until = 0.0

    def replies(self) -> bool:
        try:
            return self._current().result(PATIENCE)
        except TimeoutError:
            return False

    def _current(self) -> Future[bool]:
        with self._lock:
            if self._reply is None or (self._reply.done() and time.monotonic() > self._good_until):
                self._reply = self._thread.submit(self._ask)
            return self._reply

    def _ask(self) -> bool:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SELECT 1")
        except Error:
            return False
        finally:
            connection.close()
            self._good_until = time.monotonic() + KEPT_FOR
        return True


database = DatabaseProbe()


class Probes:
    """Replies to probes before anything that needs a session, a database or Redis."""

    VIEWS = {"/healthz": alive, "/readyz": ready}

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        view = self.VIEWS.get(request.path) if request.method in ("GET", "HEAD") else None
        if request.path in STATUS and not database.replies():
            view = status.without_database
        return view(request) if view else self.get_response(request)
