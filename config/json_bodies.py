"""Reads what programs send: JSON that the database can hold, or a problem."""

import json
from collections.abc import Mapping
from typing import IO, Any, NoReturn

from django.utils.translation import gettext_lazy as _
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from config import operations

DEEPEST = 250
MOST_VALUES = 30_000
"""In all lists and objects; the largest are conditional moves. Each is checked, in some µs."""


class StorableJson(JSONParser):
    """JSON in UTF-8 as the API describes it, without what cannot be stored or walked."""

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        raw: bytes = stream.read()
        try:
            data = json.loads(raw.decode(), parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            raise ParseError(_("The body is not JSON in UTF-8.")) from error
        # Only an escape can bring in a NUL or half a pair, only brackets nest, only commas list.
        brackets, commas = raw.count(b"[") + raw.count(b"{"), raw.count(b",")
        if b"\\u" in raw or brackets > DEEPEST or brackets + commas > MOST_VALUES // 2:
            _require_storable(data)
        if parser_context:
            operations.require_described(parser_context["request"], data)
        return data


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


def _require_storable(data: Any) -> None:
    level = [data]
    values = 0
    for _depth in range(DEEPEST):
        values += len(level)
        if values > MOST_VALUES:
            raise ParseError(_("The body is too long."))
        if any(isinstance(value, str) and not _is_storable(value) for value in level):
            raise ParseError(_("A text contains a character that cannot be stored."))
        level = [part for value in level for part in _parts(value)]
        if not level:
            return
    raise ParseError(_("The body is nested too deeply."))


def _parts(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [*value, *value.values()]
    return value if isinstance(value, list) else []


def _is_storable(text: str) -> bool:
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)
