"""A client that holds the API to its word: every answer must be as the description has it."""

import json
import re
from functools import cache
from typing import Any

import jsonschema_rs
from django.http import HttpResponse
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient


class DescribedClient(APIClient):
    def request(self, **kwargs: Any) -> HttpResponse:
        response: HttpResponse = super().request(**kwargs)
        if kwargs["PATH_INFO"].startswith("/api/v1/"):
            require_described(kwargs["REQUEST_METHOD"], response)
        return response


def require_described(method: str, response: HttpResponse) -> None:
    path = response.resolver_match and _template(response.resolver_match.route)
    operation = description()["paths"].get(path, {}).get(method.lower())
    # Other methods and addresses than there are have no description, only problems.
    if operation is None or response.status_code in (304, 405):
        return
    statuses = operation["responses"]
    assert str(response.status_code) in statuses, (path, response.status_code, response.content)
    content = statuses[str(response.status_code)].get("content", {})
    if not content:
        return
    kind = response["Content-Type"].split(";")[0]
    assert kind in content, (path, response.status_code, kind)
    if kind.endswith("json") and not response.streaming:
        validator = _validator(path, method.lower(), response.status_code, kind)
        errors = [f"{e.instance_path}: {e.message}" for e in validator.iter_errors(response.json())]
        assert not errors, (path, errors)


def _template(route: str) -> str:
    return "/" + re.sub(r"<\w+:(\w+)>", lambda m: "{" + m[1].replace("pk", "id") + "}", route)


@cache
def description() -> dict[str, Any]:
    """As it is served, but nothing that it does not name may be in an answer."""
    made = json.loads(json.dumps(SchemaGenerator().get_schema(public=True), default=str))
    for component in made["components"]["schemas"].values():
        if "properties" in component:
            component["additionalProperties"] = False
    return made


@cache
def _validator(path: str, method: str, status: int, kind: str) -> Any:
    answer = description()["paths"][path][method]["responses"][str(status)]
    schema = answer["content"][kind]["schema"] | {"components": description()["components"]}
    return jsonschema_rs.validator_for(schema)
