"""Turns every error of the API into application/problem+json with a stable code."""

import re
from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied, RequestDataTooBig
from django.http import Http404, JsonResponse
from django.utils.translation import gettext as _
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from games.rules.position import Refusal

CONTENT_TYPE = "application/problem+json"

CODES: dict[str, tuple[int, ...]] = {
    "parse_error": (400,),
    "bad_request": (400,),
    "invalid": (400, 422),
    "not_authenticated": (401,),
    "authentication_failed": (401,),
    "permission_denied": (403,),
    "missing_scope": (403,),
    "session_only": (403,),
    "confirmation_required": (403,),
    "not_a_player": (403,),
    "not_allowed": (403,),
    "not_found": (404,),
    "method_not_allowed": (405,),
    "not_acceptable": (406,),
    "game_over": (409,),
    "not_your_turn": (409,),
    "stale_ply": (409,),
    "time_ran_out": (409,),
    "nothing_to_answer": (409,),
    "too_late": (409,),
    "wrong_moment": (409,),
    "cannot_enter": (409,),
    "not_entered": (409,),
    "too_slow": (408,),
    "too_large": (413,),
    "unsupported_media_type": (415,),
    "invalid_move": (422,),
    "ambiguous_move": (422,),
    "illegal_move": (422,),
    "invalid_option": (422,),
    "invalid_clock": (422,),
    "invalid_plan": (422,),
    "malformed_record": (422,),
    "delivery_failed": (422,),
    "invalid_setting": (422,),
    "unknown_tie_break": (422,),
    "too_few": (422,),
    "unpairable": (422,),
    "not_on_ladder": (422,),
    "out_of_reach": (422,),
    "too_many_challenges": (422,),
    "too_many_games": (422,),
    "too_soon": (422,),
    "throttled": (429,),
    "too_many": (429,),
    "internal_error": (500,),
    "unavailable": (503,),
}
"""Every code there is, with the statuses it comes with; they are not changed within a version."""


def as_problem(error: Exception, context: dict[str, Any]) -> Response | None:
    if isinstance(error, Refusal):
        return Response(**_of_refusal(error))
    if isinstance(error, RequestDataTooBig):
        return Response(
            _body(413, "too_large", _("The body is too long.")), 413, content_type=CONTENT_TYPE
        )
    if isinstance(error, Http404):
        error = exceptions.NotFound()
    response = exception_handler(error, context)
    if response is None:
        return None
    body = _body(response.status_code, _code(error), _detail(error, response))
    if isinstance(error, exceptions.ValidationError) and isinstance(response.data, dict):
        body["fields"] = response.data
    problem = Response(body, status=response.status_code, content_type=CONTENT_TYPE)
    for header in ("WWW-Authenticate", "Retry-After", "Allow"):
        if header in response.headers:
            problem[header] = response[header]
    return problem


def outside_the_views(status: int, detail: str, code: str = "") -> JsonResponse:
    """For what goes wrong before a view of the API is reached, or in spite of it."""
    usual = {
        400: "bad_request",
        403: "permission_denied",
        404: "not_found",
        408: "too_slow",
        413: "too_large",
        429: "throttled",
        503: "unavailable",
    }
    body = _body(status, code or usual.get(status, "internal_error"), detail)
    return JsonResponse(body, status=status, content_type=CONTENT_TYPE)


def invalid_fields(error: exceptions.ValidationError) -> JsonResponse:
    """As a serializer would answer, where a request goes wrong before its view."""
    body = _body(400, "invalid", " ".join(_sentences(error.detail)))
    body["fields"] = error.detail
    return JsonResponse(body, status=400, content_type=CONTENT_TYPE)


def codes_of(status: int) -> list[str]:
    return [code for code, statuses in CODES.items() if status in statuses]


def _of_refusal(error: Refusal) -> dict[str, Any]:
    status = getattr(error, "status", HTTPStatus.UNPROCESSABLE_ENTITY)
    code = getattr(error, "code", None) or _snake_case(type(error).__name__)
    body = _body(status, code, error.sentence(_))
    headers = {"Retry-After": str(wait)} if (wait := getattr(error, "retry_after", None)) else None
    return {"data": body, "status": status, "content_type": CONTENT_TYPE, "headers": headers}


def _body(status: int, code: str, detail: str) -> dict[str, Any]:
    title = HTTPStatus(status).phrase
    return {"type": "about:blank", "title": title, "status": status, "code": code, "detail": detail}


def _snake_case(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "_", name).lower()


def _code(error: Exception) -> str:
    if isinstance(error, PermissionDenied):
        return "permission_denied"
    if isinstance(error, exceptions.ValidationError):
        return "invalid"
    codes = error.get_codes() if isinstance(error, exceptions.APIException) else "error"
    return codes if isinstance(codes, str) else "error"


def _detail(error: Exception, response: Response) -> str:
    if isinstance(error, exceptions.ValidationError):
        return " ".join(_sentences(response.data))
    return str((response.data or {}).get("detail", ""))


def _sentences(data: Any, field: str = "") -> list[str]:
    if isinstance(data, dict):
        return [
            line
            for name, value in data.items()
            for line in _sentences(value, f"{field}.{name}" if field else str(name))
        ]
    if isinstance(data, list):
        return [line for value in data for line in _sentences(value, field)]
    return [f"{field}: {data}" if field and field != "non_field_errors" else str(data)]
