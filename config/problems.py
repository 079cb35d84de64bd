"""Turns every error of the API into application/problem+json with a stable code."""

from http import HTTPStatus
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from games.rules.position import Refusal


def as_problem(error: Exception, context: dict[str, Any]) -> Response | None:
    if isinstance(error, Refusal):
        return _problem(
            status=getattr(error, "status", HTTPStatus.UNPROCESSABLE_ENTITY),
            code=getattr(error, "code", "refused"),
            detail=error.sentence(gettext),
        )
    response = exception_handler(error, context)
    if response is None:
        return None
    problem = _problem(response.status_code, _code(error), _detail(error, response))
    for header in ("WWW-Authenticate", "Retry-After", "Allow"):
        if header in response.headers:
            problem[header] = response[header]
    if isinstance(error, exceptions.ValidationError) and isinstance(response.data, dict):
        problem.data["fields"] = response.data
    return problem


def _problem(status: int, code: str, detail: str) -> Response:
    title = HTTPStatus(status).phrase
    body = {"type": "about:blank", "title": title, "status": status, "code": code, "detail": detail}
    return Response(body, status=status, content_type="application/problem+json")


def _code(error: Exception) -> str:
    if isinstance(error, Http404):
        return "not_found"
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
        return [line for name, value in data.items() for line in _sentences(value, str(name))]
    if isinstance(data, list):
        return [line for value in data for line in _sentences(value, field)]
    return [f"{field}: {data}" if field and field != "non_field_errors" else str(data)]
