"""Every request gets an id, and one line in the log when it is answered."""

import logging
import re
import time
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from config.logs import current_id, new_id, without_secrets

logger = logging.getLogger("tripost.request")
ACCEPTABLE_ID = re.compile(r"[A-Za-z0-9._-]{8,64}")
QUIET_PATHS = ("/healthz", "/readyz", "/metrics", "/static/")


class RequestId:
    """Takes over a sane X-Request-ID or makes one, and hands it back."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        given = request.headers.get("X-Request-ID", "")
        request_id = given if ACCEPTABLE_ID.fullmatch(given) else new_id()
        current_id.set(request_id)
        started = time.monotonic()
        response = self.get_response(request)
        response["X-Request-ID"] = request_id
        if not request.path.startswith(QUIET_PATHS):
            self._log(request, response, time.monotonic() - started)
        return response

    def _log(self, request: HttpRequest, response: HttpResponse, seconds: float) -> None:
        fields = {
            "method": request.method,
            "path": without_secrets(request.path),
            "status": response.status_code,
            "ms": round(seconds * 1000, 1),
        }
        logger.info("%(method)s %(path)s %(status)s %(ms)s ms", fields, extra={"fields": fields})
