"""Refuses what is longer than `config.lengths` says, before anything is made of it."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.utils.translation import gettext_lazy as _

from config import api_answers
from config.lengths import (
    LARGEST_BODY,
    LARGEST_MAIL,
    LONGEST_NAME,
    LONGEST_PATH,
    LONGEST_QUERY,
    longest_field,
    longest_parameter,
)
from config.views import error_page

MAIL_PREFIX = "/anymail/"
ADDRESS_TOO_LONG = _("This address is too long.")
PARAMETER_TOO_LONG = _("%(name)s is too long: it can have %(most)d characters.")
BODY_TOO_LONG = _("What you sent is too long.")


class BoundedRequests:
    """Refuses what is too long before anything is made of it."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if len(request.path) > LONGEST_PATH or len(request.META["QUERY_STRING"]) > LONGEST_QUERY:
            return error_page(request, 400, way_on=ADDRESS_TOO_LONG)
        if problem := _too_long(request.GET.lists(), longest_parameter):
            return error_page(request, 400, way_on=problem)
        if _body_length(request) > largest_body(request.path):
            return error_page(request, 413, way_on=BODY_TOO_LONG)
        return self.get_response(request)

    def process_view(
        self, request: HttpRequest, view: Any, args: Any, kwargs: Any
    ) -> HttpResponseBase | None:
        # The API and a provider's mail read their bodies themselves, with bounds of their own.
        if request.method != "POST" or request.path.startswith((api_answers.PREFIX, MAIL_PREFIX)):
            return None
        if problem := _too_long(request.POST.lists(), longest_field):
            return error_page(request, 400, way_on=problem)
        return None


def _too_long(fields: Any, longest: Callable[[str], int]) -> str:
    for name, values in fields:
        if len(name) > LONGEST_NAME:
            return str(ADDRESS_TOO_LONG)
        most = longest(name)
        if any(len(value) > most for value in values):
            return PARAMETER_TOO_LONG % {"name": name, "most": most}
    return ""


def _body_length(request: HttpRequest) -> int:
    try:
        return int(request.META.get("CONTENT_LENGTH") or 0)
    except ValueError:
        return 0


def largest_body(path: str) -> int:
    return LARGEST_MAIL if path.startswith(MAIL_PREFIX) else LARGEST_BODY
