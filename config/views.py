"""Pages of the house itself: front page, errors, style guide."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext_lazy as _

from accounts.forms import TokenForm
from config import api_answers, problems
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
    413: (_("That is too long"), _("Go back, shorten it and send it once more.")),
    429: (_("Too many tries"), _("Wait a few minutes, then try again. Nothing was lost.")),
    408: (
        _("That took too long"),
        _("What you sent did not arrive in time. Go back and send it once more."),
    ),
    500: (_("Something broke on our side"), _("It has been noted. Try again in a moment.")),
    503: (
        _("We cannot serve this right now"),
        _(
            "Try again in a moment. Nothing that was confirmed is lost, and if it lasts, "
            "clocks are credited with the time."
        ),
    ),
}
SAID_WITHOUT_A_QUERY = (408, 429, 500, 503)
"""A broken or busy database must not break the page that says so: no context processors there."""


@known_by_etag
def home(request: HttpRequest) -> HttpResponse:
    events = lists.for_the_front_page()
    return render(request, "home.html", {"events": events, **front.context(request)})


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
    return error_page(request, status)


def error_400(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return error_page(request, 400)


def error_403(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return error_page(request, 403)


def csrf_failed(request: HttpRequest, reason: str = "") -> HttpResponse:
    return error_page(
        request,
        403,
        way_on=_("The page was open too long. Load it again, then repeat what you did."),
    )


def error_404(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    return error_page(request, 404)


def error_429(request: HttpRequest, exception: Exception | None = None) -> HttpResponse:
    response = error_page(request, 429)
    response["Retry-After"] = "60"
    return response


def error_500(request: HttpRequest) -> HttpResponse:
    return error_page(request, 500)


def error_page(request: HttpRequest, status: int, way_on: object = "") -> HttpResponse:
    title, usual_way_on = WAYS_ON[status]
    if request.path.startswith(api_answers.PREFIX):
        return problems.outside_the_views(status, f"{title}. {way_on or usual_way_on}")
    context = {"status": status, "title": title, "way_on": way_on or usual_way_on}
    if status in SAID_WITHOUT_A_QUERY:
        return render(None, "error_plain.html", context, status=status)
    return render(request, "error.html", context, status=status)
