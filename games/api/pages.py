"""Lists by cursor: any page costs the same, however deep."""

from base64 import b64decode
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs

import django_filters
from django.db.models import QuerySet
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.pagination import CursorPagination
from rest_framework.request import Request
from rest_framework.response import Response

LARGEST_ID = 2**63 - 1
ORDERINGS = ("-id", "id")

PAGE = [
    OpenApiParameter("cursor", str, description="From the `next` or `previous` of another page."),
    OpenApiParameter("page_size", {"type": "integer", "minimum": 1, "maximum": 100, "default": 30}),
    OpenApiParameter(
        "ordering", enum=ORDERINGS, default="-id", description="Newest or oldest first."
    ),
]


class ByAge(CursorPagination):
    page_size = 30
    page_size_query_param = "page_size"
    max_page_size = 100

    def get_ordering(self, request: Request, queryset: Any, view: Any) -> tuple[str, ...]:
        wanted = request.query_params.get("ordering", ORDERINGS[0])
        if wanted not in ORDERINGS:
            raise ValidationError({"ordering": f"It is one of: {', '.join(ORDERINGS)}."})
        return (wanted,)

    def paginate_queryset(
        self, queryset: Any, request: Request, view: Any = None
    ) -> list[Any] | None:
        if "key" in queryset.query.annotations:
            queryset = self._from_the_same_place(queryset, request)
        return super().paginate_queryset(queryset, request, view)

    def _from_the_same_place(self, rows: QuerySet[Any], request: Request) -> QuerySet[Any]:
        """Where the ids stand in a second index too (games.search), the page is sought in both."""
        cursor = self.decode_cursor(request)
        if cursor is None or cursor.position is None:
            return rows
        newest_first = self.get_ordering(request, rows, None)[0].startswith("-")
        side = "lt" if cursor.reverse != newest_first else "gt"
        return rows.filter(**{f"key__{side}": cursor.position})

    def decode_cursor(self, request: Request) -> Any:
        """A cursor that was not made here leads nowhere, and never into the database."""
        text = request.query_params.get(self.cursor_query_param)
        if text is not None and not _is_cursor(text):
            raise NotFound(self.invalid_cursor_message)
        return super().decode_cursor(request)


def _is_cursor(text: str) -> bool:
    try:
        parts = parse_qs(b64decode(text.encode("ascii")).decode("ascii"))
    except ValueError:
        return False
    position = parts.get("p", ["0"])[0]
    return position.isdecimal() and len(position) < 20 and int(position) <= LARGEST_ID


def page_of(
    rows: QuerySet[Any], request: Request, present: Callable[[Any], dict[str, Any]]
) -> Response:
    pages = ByAge()
    page = pages.paginate_queryset(rows, request) or []
    return pages.get_paginated_response([present(row) for row in page])


KINDS = {
    django_filters.BooleanFilter: OpenApiTypes.BOOL,
    django_filters.NumberFilter: OpenApiTypes.INT,
    django_filters.IsoDateTimeFilter: OpenApiTypes.DATETIME,
    django_filters.DateFilter: OpenApiTypes.DATE,
}


def parameters_of(filters: type[django_filters.FilterSet]) -> list[OpenApiParameter]:
    """A filter set as the API's description has it."""
    found = []
    for name, one in filters.base_filters.items():
        kind = next((KINDS[made] for made in KINDS if isinstance(one, made)), OpenApiTypes.STR)
        choices = [str(key) for key, _label in one.extra.get("choices", ())] or None
        found.append(
            OpenApiParameter(
                name, kind, enum=choices, description=str(one.extra.get("help_text", ""))
            )
        )
    return found
