"""What every answer of the API carries: ETag and Vary."""

import hashlib
from collections.abc import Callable

from django.core.exceptions import BadRequest
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils.cache import get_conditional_response, patch_vary_headers
from rest_framework.exceptions import ValidationError

from config import operations, problems

PREFIX = "/api/"


class ApiAnswers:
    """A read that brings nothing new costs a 304; nothing unstorable gets in by an address."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        # PostgreSQL has no NUL: an address with one leads nowhere, on pages as in the API.
        if "\0" in request.path or "%00" in request.META["QUERY_STRING"]:
            raise BadRequest("an address contains NUL")
        response = self.get_response(request)
        if not request.path.startswith(PREFIX):
            return response
        if request.method in ("GET", "HEAD"):
            return _conditional(request, response)
        return response

    def process_view(self, request: HttpRequest, *_view: object) -> HttpResponseBase | None:
        if not request.path.startswith(PREFIX):
            return None
        try:
            operations.refuse_undescribed(request)
        except ValidationError as error:
            return problems.invalid_fields(error)
        return None


def _conditional(request: HttpRequest, response: HttpResponseBase) -> HttpResponseBase:
    patch_vary_headers(response, ["Authorization", "Cookie"])
    response.setdefault("Cache-Control", "private, no-cache")
    if response.status_code != 200 or not isinstance(response, HttpResponse):
        return response
    if not response.has_header("ETag"):
        digest = hashlib.md5(response.content, usedforsecurity=False).hexdigest()
        response["ETag"] = f'W/"{digest}"'
    fresh = get_conditional_response(request, etag=response["ETag"], response=response)
    assert fresh is not None
    return fresh
