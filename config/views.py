"""Pages of the house itself: front page, health, errors, style guide."""

from http import HTTPStatus

from celery import current_app
from django.db import DatabaseError, connection
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from kombu.exceptions import OperationalError
from redis.exceptions import RedisError

from accounts.forms import TokenForm
from config import api_answers, problems
from games import outages
from games.pages import front
from games.pages.unchanged import known_by_etag
from tournaments.pages import lists

WAYS_ON = {
    400: (
        _("That request made no sense"),
        _("Go back, look at the form again and send it once more."),
    ),
    403: (_("This is not yours to do"), _("Sign in with the account that may, or go back.")),
    404: (_("There is nothing here"), _("The address may be mistyped, or what was here is gone.")),
    429: (_("Too many tries"), _("Wait a few minutes, then try again. Nothing was lost.")),
    500: (_("Something broke on our side"), _("It has been noted. Try again in a moment.")),
}


@known_by_etag
def home(request: HttpRequest) -> HttpResponse:
    events = lists.for_the_front_page()
    return render(request, "home.html", {"events": events, **front.context(request)})


def alive(request: HttpRequest) -> HttpResponse:
    return HttpResponse("ok\n", content_type="text/plain")


def ready(request: HttpRequest) -> JsonResponse:
    checks = {"database": _database_answers(), "redis": _redis_answers(), "worker": False}
    checks["worker"] = checks["database"] and outages.worker_is_alive(now=timezone.now())
    status = HTTPStatus.OK if all(checks.values()) else HTTPStatus.SERVICE_UNAVAILABLE
    response = JsonResponse(checks, status=status)
    # An honest no is no error of this process; Django would log it as one.
    response._has_been_logged = True  # type: ignore[attr-defined]
    return response


def _database_answers() -> bool:
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def _redis_answers() -> bool:
    try:
        with current_app.connection_for_read() as broker:
            broker.ensure_connection(max_retries=1, timeout=2)
            broker.default_channel.client.ping()
    except (RedisError, OperationalError, OSError):
        return False
    return True


def styleguide(request: HttpRequest) -> HttpResponse:
    context = {
        "statuses": sorted(WAYS_ON),
        "fresh_form": TokenForm(prefix="fresh"),
        "refused_form": TokenForm({}, prefix="refused"),
    }
    return render(request, "styleguide.html", context)


def show_error(request: HttpRequest, status: int) -> HttpResponse:
    if status not in WAYS_ON:
        raise Http404
    return _error_page(request, status)


def error_400(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _error_page(request, 400)


def error_403(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _error_page(request, 403)


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    return _error_page(
        request,
        403,
        way_on=_("The page was open too long. Load it again, then repeat what you did."),
    )


def error_404(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _error_page(request, 404)


def error_429(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return _error_page(request, 429)


def error_500(request: HttpRequest) -> HttpResponse:
    return _error_page(request, 500)


def _error_page(request: HttpRequest, status: int, way_on: object = "") -> HttpResponse:
    title, usual_way_on = WAYS_ON[status]
    if request.path.startswith(api_answers.PREFIX):
        return problems.outside_the_views(status, f"{title}. {way_on or usual_way_on}")
    context = {"status": status, "title": title, "way_on": way_on or usual_way_on}
    # A broken database must not break the page that says so, so no context processors at 500.
    template = "error_500.html" if status == 500 else "error.html"
    return render(None if status == 500 else request, template, context, status=status)
