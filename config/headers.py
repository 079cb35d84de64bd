"""What every answer says to browsers and caches, unless its view says otherwise."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseNotFound
from django.http.response import HttpResponseBase

from config import access, api_answers
from config.views import error_404

PERMISSIONS = ", ".join(
    f"{feature}=()"
    for feature in (
        "accelerometer", "browsing-topics", "camera", "display-capture", "geolocation",
        "gyroscope", "magnetometer", "microphone", "midi", "payment", "usb", "xr-spatial-tracking",
    )
)  # fmt: skip
RETRY_AFTER = "60"
STAFF_PREFIX = "/staff/"


class SafeHeaders:
    """No powers that no page uses, no use by other sites, nothing of a player kept by a cache."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        response.setdefault("Permissions-Policy", PERMISSIONS)
        response.setdefault("Cross-Origin-Resource-Policy", "same-origin")
        if response.status_code == 429:
            response.setdefault("Retry-After", RETRY_AFTER)
        if _is_private(request, response):
            response["Cache-Control"] = "private, no-store"
        return response


def _is_private(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Pictures, feeds and other files can say for themselves how long they keep."""
    is_page = response.get("Content-Type", "").startswith("text/html")
    is_file = not is_page and not request.path.startswith(api_answers.PREFIX)
    if is_file and response.has_header("Cache-Control"):
        return False
    return _is_of_a_player(request, response) or _is_behind_a_secret(request)


def _is_of_a_player(request: HttpRequest, response: HttpResponseBase) -> bool:
    """Whoever comes with a session or a token, or is given a session."""
    session = settings.SESSION_COOKIE_NAME
    return (
        session in request.COOKIES
        or session in response.cookies
        or "Authorization" in request.headers
        or request.path.startswith(STAFF_PREFIX)
    )


def _is_behind_a_secret(request: HttpRequest) -> bool:
    """Whoever has the link may look; a cache that keeps the page would be somebody else."""
    match = request.resolver_match
    return "link" in request.GET or (match is not None and access.has_secret(match.route))


class OwnNotFound:
    """While debugging too, an address that leads nowhere shows the site's own page."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        response = self.get_response(request)
        # Only Django's page for developers is of this class; ours and the API's are not.
        if settings.DEBUG and isinstance(response, HttpResponseNotFound):
            return error_404(request)
        return response
