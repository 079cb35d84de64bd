"""What the API does not describe it refuses, with the name that was probably meant."""

import io
import json
import os
import re
import subprocess
import sys

import pytest
from django.conf import settings
from django.test import RequestFactory
from django.urls import resolve
from django.utils import timezone
from rest_framework.exceptions import ValidationError

from config.access import ANSWERED_TO_ANY_TOKEN
from config.json_bodies import StorableJson
from games.models import Challenge, Move
from tests.described import description
from tests.games.acts import both_move

SAMPLES = {
    "string": "text",
    "integer": 3,
    "number": 0.5,
    "boolean": True,
    "array": [],
    "object": {},
    "null": None,
}
OPERATIONS = [
    (method, path, operation)
    for path, methods in description()["paths"].items()
    for method, operation in methods.items()
]


FIRST_REQUESTS = """
import threading
import django
django.setup()
from config import operations
failed = []
threading.excepthook = lambda args: failed.append(args.exc_value)
threads = [threading.Thread(target=operations._description) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
raise SystemExit(failed[0] if failed else 0)
"""


def ids(operations):
    return [f"{method} {path}" for method, path, _operation in operations]


def address(path):
    return re.sub(r"\{(\w+)\}", lambda found: {"name": "x", "pool": "x"}.get(found[1], "1"), path)


def body_schema(operation):
    schema = next(iter(operation["requestBody"]["content"].values()))["schema"]
    return description()["components"]["schemas"][schema["$ref"].rpartition("/")[2]]


def parsed(method, path, body):
    """As the parser of every view reads it; nobody has looked yet who asks."""
    request = RequestFactory().generic(method.upper(), address(path))
    request.resolver_match = resolve(address(path))
    return StorableJson().parse(
        io.BytesIO(json.dumps(body).encode()), parser_context={"request": request}
    )


WITH_BODIES = [
    (method, path, operation)
    for method, path, operation in OPERATIONS
    # A game's file is brought in as it is, of whatever version.
    if "requestBody" in operation and path != "/api/v1/me/imports"
]
WITHOUT_BODIES = [
    (method, path, operation)
    for method, path, operation in OPERATIONS
    if "requestBody" not in operation and method != "get"
]


@pytest.mark.parametrize("described", OPERATIONS, ids=ids(OPERATIONS))
def test_no_operation_obeys_an_unknown_parameter(described, mine):
    method, path, _operation = described
    answer = mine.generic(method.upper(), f"{address(path)}?strange=1")
    assert answer.status_code == 400, answer.content
    assert answer.json()["code"] == "invalid"
    assert "strange" in answer.json()["fields"]


@pytest.mark.parametrize("described", WITHOUT_BODIES, ids=ids(WITHOUT_BODIES))
def test_no_operation_without_fields_obeys_one(described, mine):
    method, path, _operation = described
    answer = mine.generic(
        method.upper(), address(path), '{"strange": 1}', content_type="application/json"
    )
    assert (answer.status_code, list(answer.json()["fields"])) == (400, ["strange"])


@pytest.mark.parametrize("described", WITH_BODIES, ids=ids(WITH_BODIES))
def test_no_body_has_an_unknown_field(described):
    method, path, _operation = described
    with pytest.raises(ValidationError) as refused:
        parsed(method, path, {"strange": 1})
    assert list(refused.value.detail) == ["strange"]


@pytest.mark.parametrize("described", WITH_BODIES, ids=ids(WITH_BODIES))
def test_no_field_takes_another_type_than_it_is_described_with(described):
    method, path, operation = described
    for name, schema in body_schema(operation)["properties"].items():
        types = schema.get("type", list(SAMPLES))
        for kind, sample in SAMPLES.items():
            if kind in types or (kind, types) == ("integer", "number"):
                continue
            with pytest.raises(ValidationError) as refused:
                parsed(method, path, {name: sample})
            assert list(refused.value.detail) == [name]


@pytest.fixture
def mine(alice, api_of):
    return api_of(alice)


def test_every_view_reads_its_body_by_the_strict_parser():
    for _method, path, operation in WITH_BODIES:
        view = resolve(address(path)).func.cls
        assert set(view.parser_classes) == {StorableJson}, (path, operation["operationId"])


def test_a_mistyped_opponent_is_no_offer_to_everyone(mine, bob):
    body = {"ruleset": "tritoc", "opponnent": "bob"}
    answer = mine.post("/api/v1/challenges", body, format="json")
    assert answer.status_code == 400
    sentence = "This is not known here; did you mean “opponent”?"
    assert answer.json()["fields"] == {"opponnent": [sentence]}
    assert answer.json()["detail"] == f"opponnent: {sentence}"
    assert not Challenge.objects.exists()


def test_a_mistyped_parameter_is_no_search_for_everything(mine):
    answer = mine.get("/api/v1/games?playr=alice")
    assert answer.json()["detail"] == "playr: This is not known here; did you mean “player”?"


def test_a_number_in_a_text_is_no_number(mine, start):
    body = {"ply": "0", "move": "a1"}
    answer = mine.post(f"/api/v1/games/{start().pk}/moves", body, format="json")
    assert answer.status_code == 400
    assert answer.json()["fields"] == {"ply": ["Expected a whole number, not a text."]}


def test_inside_a_list_as_well(mine):
    body = {"kinds": [{"kind": "turn", "timming": "off"}]}
    answer = mine.patch("/api/v1/me/letter-preferences", body, format="json")
    assert answer.status_code == 400
    assert "did you mean “timing”" in answer.json()["detail"]


def test_an_empty_object_is_no_field(mine, start):
    game = start(now=timezone.now())
    assert mine.post(f"/api/v1/games/{game.pk}/resign", {}, format="json").status_code == 200


CHANGES = [described for described in OPERATIONS if described[0] == "patch"]


@pytest.mark.parametrize("described", CHANGES, ids=ids(CHANGES))
def test_nothing_is_required_where_nothing_is_described_as_required(described, mine, start):
    _method, path, operation = described
    assert "required" not in body_schema(operation)
    answer = mine.patch(path.replace("{id}", str(start().pk)), {}, format="json")
    assert answer.status_code == 200, answer.content


def test_each_operation_is_described_with_one_good_answer(mine):
    """Every client of the tests holds an answer to its description, so that it is the real one."""
    several = {}
    for method, _path, operation in OPERATIONS:
        name = operation["operationId"]
        good = [status for status in operation["responses"] if status < "300"]
        # What a token without `read` is answered.
        if method != "get" and name not in ANSWERED_TO_ANY_TOKEN:
            assert "204" in good, name
            good = [status for status in good if status != "204"] or good
        if len(good) != 1:
            several[name] = good
    assert several == {"import_game": ["200", "201"]}
    assert mine.delete("/api/v1/me/vacation").status_code in (200, 409)


def test_a_takeback_accepted_by_a_program_is_logged_as_such(alice, bob, api_of, start):
    game = start(now=timezone.now())
    both_move(game, now=timezone.now())
    asker, other = api_of(alice), api_of(bob)
    ask = asker.post(f"/api/v1/games/{game.pk}/takeback", {"action": "ask"}, format="json")
    assert ask.status_code == 200, ask.content
    accept = {"action": "accept"}
    assert other.post(f"/api/v1/games/{game.pk}/takeback", accept, format="json").status_code == 200
    assert Move.objects.get(game=game, text="takeback").via == "api"


MISSING = {
    "challenges": "There is no such challenge.",
    "events": "There is no such event.",
    "games": "There is no such game.",
    "invitations": "There is no such invitation.",
    "leaders": "There is no such rating pool.",
    "me/blocks": "There is no such player.",
    "me/feeds": "There are two feeds: calendar and turns.",
    "me/imports": "There is no such import.",
    "me/tokens": "There is no such token.",
    "me/webhooks": "There is no such webhook.",
    "players": "There is no such player.",
    "ruling-requests": "There is no such request.",
    "rulings": "There is no such ruling.",
}
OF_ONE = [described for described in OPERATIONS if "{" in described[1]]


def sample_body(operation):
    """What is required, as far as a schema tells."""
    if "requestBody" not in operation:
        return None
    schema = body_schema(operation)
    return {name: sample(schema["properties"][name]) for name in schema.get("required", ())}


def sample(schema):
    while inner := schema.get("$ref") or next(iter(schema.get("allOf", ())), {}).get("$ref"):
        schema = description()["components"]["schemas"][inner.rpartition("/")[2]]
    if "enum" in schema:
        return schema["enum"][0]
    if schema.get("format") == "date-time":
        return "2027-01-01T00:00:00Z"
    return SAMPLES[schema["type"]] if "type" in schema else []


@pytest.mark.parametrize("described", OF_ONE, ids=ids(OF_ONE))
def test_what_is_missing_is_called_by_its_name(described, alice, in_person):
    method, path, operation = described
    start = path.partition("{")[0].removeprefix("/api/v1/").strip("/")
    missing = re.sub(r"\{\w*(id|meeting|line)\}", str(10**9), path)
    missing = re.sub(r"\{\w+\}", "nobody", missing)
    answer = in_person(alice).generic(
        method.upper(), missing, json.dumps(sample_body(operation)), "application/json"
    )
    assert (answer.status_code, answer.json()["detail"]) == (404, MISSING[start])


def test_the_docs_page_leads_to_the_description(client, db):
    page = client.get("/api/v1/docs/").content.decode()
    assert '<a href="/api/v1/schema">OpenAPI</a>' in page


def test_the_first_requests_of_a_process_may_come_together():
    done = subprocess.run(
        [sys.executable, "-c", FIRST_REQUESTS],
        cwd=settings.BASE_DIR,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
