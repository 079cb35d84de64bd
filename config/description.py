"""The API's description of itself: what each operation has in common with the others."""

from typing import Any

from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers

from config.access import ANSWERED_TO_ANY_TOKEN
from config.lengths import LONGEST_PATH, longest_parameter
from config.problems import CODES, CONTENT_TYPE, codes_of

TAGS = {
    "me": "me",
    "games": "games",
    "events": "events",
    "challenges": "challenges",
    "invitations": "challenges",
    "players": "players",
    "leaders": "players",
    "pools": "players",
    "rulings": "rulings",
    "ruling-requests": "rulings",
    "stream": "stream",
}
SENTENCES = {
    400: "The request could not be read, or a field of it is wrong.",
    401: "Nobody knows who asks, and this is not for everyone.",
    403: "This is not yours to do, or the token lacks the scope.",
    404: "There is nothing here, or nothing that you may see.",
    406: "Answers are JSON.",
    408: "The body did not arrive in time.",
    409: "The game, the offer or the clock has gone on; look again.",
    413: "The body is too long.",
    415: "Bodies are JSON: Content-Type: application/json.",
    422: "The request could be read, but rules forbid what it asks for.",
    429: "Too much at once; Retry-After says how many seconds to wait.",
    503: "What is behind the site is away; Retry-After says how many seconds to wait.",
}
NOTHING_SHOWN = "Done; a token without `read` is told no more."


def _bound(parameter: dict[str, Any]) -> None:
    """Says how long a text in an address can be; `config.lengths` holds it."""
    schema = parameter["schema"]
    texts = schema.get("items", schema)
    if texts.get("type") == "string" and not {"enum", "format", "maxLength"} & set(texts):
        is_path = parameter["in"] == "path"
        texts["maxLength"] = LONGEST_PATH if is_path else longest_parameter(parameter["name"])


class Problem(serializers.Serializer):
    """What is wrong, in a sentence for people and by a code for programs."""

    type = serializers.CharField()
    title = serializers.CharField()
    status = serializers.IntegerField()
    code = serializers.ChoiceField(choices=list(CODES))
    detail = serializers.CharField(allow_blank=True)
    fields = serializers.DictField(  # type: ignore[assignment]
        required=False, help_text="By field, where fields are wrong."
    )


class Description(AutoSchema):
    """Adds to every operation its tag, its summary and the problems it can answer with."""

    def get_tags(self) -> list[str]:
        first = self.path.removeprefix("/api/v1/").split("/")[0]
        return [TAGS.get(first, "the house")]

    def get_operation(self, *args: Any, **kwargs: Any) -> dict[str, Any] | None:
        operation: dict[str, Any] | None = super().get_operation(*args, **kwargs)
        if operation is None:
            return None
        for parameter in operation.get("parameters", ()):
            _bound(parameter)
        if self.method != "GET" and operation["operationId"] not in ANSWERED_TO_ANY_TOKEN:
            operation["responses"].setdefault("204", {"description": NOTHING_SHOWN})
        for status in self._problems(operation):
            if str(status) not in operation["responses"]:
                operation["responses"][str(status)] = self._problem(status)
        return operation

    def _problems(self, operation: dict[str, Any]) -> set[int]:
        found = {400, 401, 403, 406, 429, 503}
        places = {parameter["in"] for parameter in operation.get("parameters", ())}
        if places & {"path", "query"}:
            found |= {404}
        if self.method != "GET":
            found |= {408, 409, 413, 415, 422}
        return found

    def _problem(self, status: int) -> dict[str, Any]:
        codes = ", ".join(f"`{code}`" for code in codes_of(status))
        answer = OpenApiResponse(Problem, description=f"{SENTENCES[status]} Codes: {codes}.")
        described: dict[str, Any] = self._get_response_for_code(answer, str(status), [CONTENT_TYPE])
        if status in (429, 503):
            seconds = {"schema": {"type": "integer"}, "description": "Seconds to wait."}
            described["headers"] = {"Retry-After": seconds}
        return described
