"""Holds requests to the API's own description: what it does not name is refused, never ignored."""

import difflib
import json
import re
import threading
from collections.abc import Iterable
from functools import cache
from typing import Any

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from rest_framework.exceptions import ValidationError

TYPES: dict[str, tuple[type | tuple[type, ...], str | Promise]] = {
    "string": (str, gettext_lazy("a text")),
    "boolean": (bool, gettext_lazy("true or false")),
    "integer": (int, gettext_lazy("a whole number")),
    "number": ((int, float), gettext_lazy("a number")),
    "array": (list, gettext_lazy("a list")),
    "object": (dict, gettext_lazy("an object")),
    "null": (type(None), gettext_lazy("null")),
}
"""The types of JSON, as the interpreter reads them and as people call them."""
MOST_NAMED = 12
LONGEST_SHOWN = 60

Errors = dict[str, list[str]]

_one_generator = threading.Lock()


def refuse_undescribed(request: HttpRequest) -> None:
    """Raises ValidationError for parameters, and for a body where none is taken."""
    operation = _operation(request)
    if operation is None:
        return
    known = {item["name"] for item in operation.get("parameters", ()) if item["in"] == "query"}
    errors = _unknown(request.GET, known)
    if "requestBody" not in operation and request.method not in ("GET", "HEAD"):
        errors |= _unknown(_needless_body(request), ())
    if errors:
        raise ValidationError(errors)


def name_of(request: HttpRequest) -> str | None:
    """Of the operation that is called; None where there is none."""
    operation = _operation(request)
    return str(operation["operationId"]) if operation else None


def require_described(request: HttpRequest, body: Any) -> None:
    """Raises ValidationError where a field is unknown or of another type than described."""
    operation = _operation(request)
    if operation is None or "requestBody" not in operation:
        return
    content = next(iter(operation["requestBody"]["content"].values()))
    if errors := _wrong(content["schema"], body):
        raise ValidationError(errors)


def unknown_field(name: str, known: Iterable[str]) -> str:
    """The sentence for a name that means nothing here, with the one that was probably meant."""
    names = sorted(known)
    near = difflib.get_close_matches(name[:LONGEST_SHOWN], names, n=1)
    if near:
        return _("This is not known here; did you mean “{near}”?").format(near=near[0])
    if names and len(names) <= MOST_NAMED:
        return _("This is not known here; known are: {names}.").format(names=", ".join(names))
    return _("This is not known here; leave it out.")


def _unknown(names: Iterable[str], known: Iterable[str]) -> Errors:
    known = set(known)
    strange = sorted(set(names) - known)[:MOST_NAMED]
    return {name[:LONGEST_SHOWN]: [unknown_field(name, known)] for name in strange}


def _needless_body(request: HttpRequest) -> dict[str, Any]:
    if request.content_type != "application/json":
        return {}
    try:
        body = json.loads(request.body)
    except (ValueError, RecursionError):
        return {}
    return body if isinstance(body, dict) else {}


# What a body may hold


def _wrong(schema: dict[str, Any], value: Any) -> Any:
    """What is wrong with a value, in the shape that serializers report it; nothing if it fits."""
    schema = _resolved(schema)
    # Alternatives and free forms are told apart, and answered, by whoever reads them.
    if "type" not in schema:
        return None
    types = [schema["type"]] if isinstance(schema["type"], str) else schema["type"]
    if not any(_is_of(value, name) for name in types):
        return [_mistyped(types, value)]
    if isinstance(value, dict) and "properties" in schema:
        return _wrong_fields(schema["properties"], value)
    if isinstance(value, list) and "items" in schema:
        return next(filter(None, (_wrong(schema["items"], item) for item in value)), None)
    return None


def _wrong_fields(properties: dict[str, Any], value: dict[str, Any]) -> Any:
    errors: dict[str, Any] = dict(_unknown(value, properties))
    for name, part in value.items():
        if name in properties and (error := _wrong(properties[name], part)):
            errors[name] = error
    return errors


def _is_of(value: Any, name: str) -> bool:
    # To the interpreter true is a number; to JSON it is not.
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, TYPES[name][0])


def _mistyped(types: list[str], value: Any) -> str:
    given = next(name for name in TYPES if _is_of(value, name))
    wanted = next(name for name in types if name != "null")
    return _("Expected {wanted}, not {given}.").format(
        wanted=TYPES[wanted][1], given=TYPES[given][1]
    )


# The description


def _operation(request: HttpRequest) -> dict[str, Any] | None:
    if request.resolver_match is None:
        return None
    method = "get" if request.method == "HEAD" else (request.method or "").lower()
    found: dict[str, Any] | None = (
        _description()["operations"].get(_shape(request.resolver_match.route), {}).get(method)
    )
    return found


def _resolved(schema: dict[str, Any]) -> dict[str, Any]:
    while "$ref" in schema:
        schema = _description()["schemas"][schema["$ref"].rpartition("/")[2]]
    return schema


def _description() -> dict[str, Any]:
    # The generator loads its extensions while it runs, and fails in two threads at once, as when
    # the first two requests reach a new process together.
    with _one_generator:
        return _generated()


@cache
def _generated() -> dict[str, Any]:
    """Made once in each process: the addresses and the serializers do not change while it runs."""
    # The views take their parser from the settings, and it looks here: imported later.
    from drf_spectacular.generators import SchemaGenerator

    schema = SchemaGenerator().get_schema(request=None, public=True)
    return {
        "operations": {_shape(path): methods for path, methods in schema["paths"].items()},
        "schemas": schema["components"]["schemas"],
    }


def _shape(path: str) -> str:
    """An address with its variables unnamed: the description calls a pk an id."""
    return re.sub(r"<[^>]*>|\{[^}]*\}", "{}", path).strip("/")
