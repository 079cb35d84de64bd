"""The largest body that an operation takes costs little, whatever stands in it."""

import json
import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from django.http import HttpResponse

from accounts.models import Scope
from config import lengths
from games import dice, files, importing, record
from games.models import Game
from notifications.models import Kind
from tests.conftest import NOW
from tests.described import description
from tests.games.acts import move, play_to_the_end
from tests.tournaments.life import Stage
from tournaments.entrants_csv import MOST_LINES

MOST_SECONDS = 5
"""Of the processor; each of these takes far less, and what once was too much took thirteen."""
MOST_PROOFS = 20
LONG_TEXT = 100_000
ROOM = lengths.LARGEST_BODY - 10_000
"""For what is repeated in a body."""


def repeated(item: object, *, room: int) -> list[Any]:
    return [item] * (room // (len(json.dumps(item)) + 2))


def names(room: int) -> dict[str, int]:
    return {f"n{number}": number for number in range(room // 20)}


# Game files: the same forger's work as in tests/games/test_record.py, on a larger scale


def told(game: Game) -> dict[str, Any]:
    return files.file_of(game.pk).record | {"site": "https://elsewhere.example"}


def spelled(forged: dict[str, Any]) -> bytes:
    return record.spelled(record.sealed(forged))


def of_many_seeds(start: Callable[..., Game]) -> bytes:
    """Each with a proof of its own, which is what costs most."""
    forged = told(play_to_the_end(start("tritoc")))
    seed = forged["dice"]["segments"][0] | {"last_throw": 1, "proof": "00" * 80}
    # Here a key has its own bytes for every game, see `proofs`.
    drawn = {"key": seed["seed"], "season": 1, "players": [1, 2], "game": 1}
    seeds = [*repeated(seed, room=900_000 - len(spelled(forged))), seed | {"last_throw": None}]
    forged["dice"] |= {"drawn": drawn, "segments": seeds}
    return spelled(forged)


def of_many_pauses(start: Callable[..., Game]) -> bytes:
    """All in one minute, to which every other line goes back."""
    game = start("tritt-reloaded")
    move(game)
    forged = told(game)
    first, line = forged["moves"]
    later = (NOW + timedelta(minutes=1)).isoformat()
    line = line | {"at": later, "used": 60_000_000 - PAUSES}
    back = first | {"seat": 0, "move": "takeback", "back_to": 0, "via": "web"}
    forged["moves"] = [
        {**each, "ply": ply} for ply, each in enumerate([first, *[line, back] * 800])
    ]
    forged["pauses"]["outages"]["web"] = [
        [moment(2 * number), moment(2 * number + 1)] for number in range(PAUSES)
    ]
    return spelled(forged)


PAUSES = 7_000


def moment(microseconds: int) -> str:
    instant: datetime = NOW + timedelta(microseconds=microseconds + 1)
    return instant.isoformat()


def of_many_rulings(start: Callable[..., Game]) -> bytes:
    forged = told(play_to_the_end(start("tritoc")))
    ruling = {
        "kind": "time", "detail": {}, "reason": "", "by": "",
        "made_at": NOW.isoformat(), "undone_at": None,
    }  # fmt: skip
    forged["rulings"] = repeated(ruling, room=900_000 - len(spelled(forged)))
    return spelled(forged)


def of_many_lines(start: Callable[..., Game]) -> bytes:
    game = start("tritt-reloaded")
    move(game)
    forged = told(game)
    first, line = forged["moves"]
    back = first | {"seat": 0, "move": "takeback", "back_to": 0, "via": "web"}
    lines = [first, *repeated([line, back], room=850_000)]
    flat = [first, *(each for pair in lines[1:] for each in pair)]
    forged["moves"] = [{**each, "ply": ply} for ply, each in enumerate(flat)]
    return spelled(forged)


FILES = [of_many_seeds, of_many_pauses, of_many_rulings, of_many_lines]


# Everything else


def deep(levels: int) -> list[dict[str, Any]]:
    tree: list[dict[str, Any]] = []
    for _ in range(levels):
        tree = [{"move": None, "dice": None, "then": "x", "next": tree}]
    return tree


def event(**fields: Any) -> dict[str, Any]:
    return {"name": "Large Cup", "format": "swiss", "ruleset": "tritt-classic"} | fields


def table() -> str:
    return "\n".join(f"nobody-{number}" for number in range(MOST_LINES))


def bodies(room: int) -> dict[str, list[Any]]:
    """For the operations that take a list, an object of any names, or a long text."""
    many, each = names(room), partial(repeated, room=room)
    events = [event(settings=many), event(options=many), event(tie_breaks=each("x"))]
    kind = {"kind": Kind.TURN, "timing": "at-once", "channels": ["email"]}
    return {
        "make_challenge": [{"ruleset": "tritoc", "opponent": "bob", "options": many}],
        "prepare_event": events,
        "change_event": events,
        "enter_list": [{"names": table()}, {"names": "x\n" * 240_000}],
        "rule_in_event": [{"scores": each("x"), "reason": "Large."}],
        "write_plan": [
            {"tree": each({})},
            {"tree": each({"move": None, "dice": [*range(1, 37)], "then": "x" * 80, "next": []})},
            {"tree": each({"move": "x", "dice": None, "then": None, "next": []})},
            {"tree": deep(90)},
            {"tree": many},
        ],
        "change_letter_preferences": [
            {"reminders": each("half")},
            {"reminders": each("x")},
            {"kinds": each({})},
            {"kinds": each(kind)},
            {"kinds": [kind | {"channels": each("email")}]},
        ],
        "make_token": [{"name": "x", "scopes": each(Scope.READ)}, {"scopes": each("x")}],
    }


def is_large(schema: dict[str, Any], seen: frozenset[str] = frozenset()) -> bool:
    if reference := schema.get("$ref"):
        name = reference.rpartition("/")[2]
        below = description()["components"]["schemas"][name]
        return name not in seen and is_large(below, seen | {name})
    kinds = schema.get("type", ())
    parts = [*schema.get("properties", {}).values()]
    parts += [part for word in ("oneOf", "anyOf", "allOf") for part in schema.get(word, ())]
    return (
        "array" in kinds
        or ("object" in kinds and "properties" not in schema)
        or schema.get("maxLength", 0) > LONG_TEXT
        or not schema.keys() & {"type", "enum", "oneOf", "anyOf", "allOf"}
        or any(is_large(part, seen) for part in parts)
    )


def large_operations() -> Iterator[tuple[str, str, str]]:
    for path, methods in description()["paths"].items():
        for method, operation in methods.items():
            for body in operation.get("requestBody", {}).get("content", {}).values():
                if is_large(body["schema"]):
                    yield operation["operationId"], method, path


def test_every_operation_that_takes_much_is_measured_here():
    assert {name for name, _method, _path in large_operations()} == {*bodies(0), "import_game"}


@pytest.fixture
def proofs(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """One for each seed whose proof is checked; each is taken for right."""
    checked: list[bytes] = []

    def number(key: bytes, _text: bytes, proof: bytes) -> bytes:
        checked.append(proof)
        return key

    monkeypatch.setattr(dice.vrf, "number", number)
    return checked


def seconds_of(send: Callable[[], HttpResponse]) -> float:
    began = time.process_time()
    answer = send()
    assert answer.status_code < 500, answer.content
    return time.process_time() - began


@pytest.mark.parametrize("forge", FILES)
def test_a_game_file_costs_little_whatever_is_in_it(start, charlie, api_of, proofs, forge):
    data = forge(start)
    assert importing.LARGEST_FILE // 2 < len(data) <= importing.LARGEST_FILE
    program = api_of(charlie)

    def send() -> HttpResponse:
        return program.post("/api/v1/me/imports", data, content_type="application/json")

    assert seconds_of(send) < MOST_SECONDS
    assert len(proofs) <= MOST_PROOFS


@pytest.mark.parametrize("room", [60_000, ROOM])
@pytest.mark.parametrize("operation", bodies(0))
def test_a_body_costs_little_whatever_is_in_it(operation, room, start, alice, in_person, db):
    place = {name: (method, path) for name, method, path in large_operations()}
    method, path = place[operation]
    stage = Stage(organiser=alice)
    draft = stage.draft()
    at = draft.pk if "events" in path else start("tritoc").pk
    address = path.replace("{id}", str(at)).replace("{meeting}", "1")
    browser = in_person(alice)
    for body in bodies(room)[operation]:
        data = json.dumps(body)
        assert len(data) <= lengths.LARGEST_BODY
        send = getattr(browser, method)
        spent = seconds_of(lambda: send(address, data, content_type="application/json"))  # noqa: B023
        assert spent < MOST_SECONDS, (operation, data[:100])
