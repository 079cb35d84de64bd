"""Whatever goes wrong, the API answers with a problem and a code that is on its list."""

import json

import pytest
from django.utils import timezone
from rest_framework.test import APIClient

from config import problems
from games.api import house
from games.refusals import PlayRefusal
from games.rules.position import MoveError, Refusal
from tournaments.refusals import EventRefusal

HUGE = "9" * 40


def problem(answer, status, code):
    assert answer["Content-Type"] == "application/problem+json"
    body = answer.json()
    assert (answer.status_code, body["status"], body["code"]) == (status, status, code), body
    assert body["detail"]
    return body


@pytest.fixture
def mine(alice, api_of):
    return api_of(alice)


def post(program, path, raw, kind="application/json"):
    return program.generic("POST", f"/api/v1/{path}", raw, content_type=kind)


@pytest.mark.parametrize("path", ["", "nothing", "games/", "games/x", "me/", "docs/more", "é"])
@pytest.mark.parametrize("method", ["get", "post", "delete"])
@pytest.mark.parametrize("debug", [True, False])
@pytest.mark.django_db
def test_an_address_that_leads_nowhere(client, settings, debug, method, path):
    settings.DEBUG = debug
    problem(getattr(client, method)(f"/api/v1/no/{path}"), 404, "not_found")


def test_a_method_that_is_not_there(mine):
    answer = mine.delete("/api/v1/games")
    problem(answer, 405, "method_not_allowed")
    assert answer["Allow"] == "GET, HEAD, OPTIONS"


def test_a_body_that_is_not_json(mine):
    for raw in (b"{", b'{"ply": NaN}', b"\xff\xfe", b'"\x00"', b"[" * 100_000, b"1" * 5000):
        problem(post(mine, "challenges", raw), 400, "parse_error")
    problem(post(mine, "challenges", b"<a/>", "application/xml"), 415, "unsupported_media_type")
    problem(post(mine, "challenges", b"[]"), 400, "invalid")


@pytest.mark.parametrize("escape", [r"\u0000", r"\ud800", r"\udfff\ud800"])
def test_a_text_that_cannot_be_stored(mine, begin, escape):
    game = begin().pk
    for path, raw in {
        "challenges": '{"ruleset": "tritoc", "options": {"a%s": 1}}',
        f"games/{game}/moves": '{"ply": 0, "move": "%s"}',
        f"games/{game}/chat": '{"text": "a%s"}',
        f"games/{game}/rematch": '{"salt": "%s"}',
    }.items():
        problem(post(mine, path, (raw % escape).encode()), 400, "parse_error")


def test_a_pair_of_escapes_is_a_character(mine, begin):
    answer = post(mine, f"games/{begin().pk}/chat", rb'{"text": "\ud83d\ude00"}')
    assert answer.json()["text"] == "😀"


def test_a_body_that_is_nested_too_deeply(mine):
    raw = b'{"ruleset": "tritoc", "options": {"a": ' + b"[" * 400 + b"]" * 400 + b"}}"
    problem(post(mine, "challenges", raw), 400, "parse_error")


def test_a_body_that_is_too_long(mine, settings):
    raw = json.dumps({"text": "x" * settings.DATA_UPLOAD_MAX_MEMORY_SIZE})
    problem(post(mine, "challenges", raw), 413, "too_large")


@pytest.mark.parametrize(
    "path",
    [
        "games/{}", "games/{}/moves", "games/{}/choices", "games/{}/dice", "games/{}/chat",
        "games/{}/note", "players/{}", "invitations/{}", "leaders/{}",
    ],
)  # fmt: skip
def test_a_number_that_no_table_holds(mine, path):
    answer = mine.get(f"/api/v1/{path.format(HUGE)}")
    assert answer.status_code in (200, 403, 404), answer.content


@pytest.mark.parametrize(
    ("act", "body"),
    {
        "resign": {},
        "abort": {},
        "rematch": {"salt": "s"},
        "moves": {"ply": 0, "move": "a1"},
        "draw": {"action": "offer"},
    }.items(),
)
def test_an_act_in_a_game_that_no_table_holds(mine, act, body):
    answer = mine.post(f"/api/v1/games/{HUGE}/{act}", body, format="json")
    problem(answer, 404, "not_found")


@pytest.mark.parametrize("address", ["players/a%00b", "games?player=%00", "games?cursor=a%00"])
def test_an_address_with_a_nul(mine, address):
    problem(mine.get(f"/api/v1/{address}"), 400, "bad_request")


def test_a_page_with_a_nul_is_refused_too(client):
    assert client.get("/players/a%00b/").status_code == 400


@pytest.mark.parametrize(
    "cursor", ["x", "cD14", "cD05OTk5OTk5OTk5OTk5OTk5OTk5OTk5", "é", "cD0tMQ=="]
)
def test_a_cursor_that_was_not_made_here(mine, begin, cursor):
    begin()
    problem(mine.get("/api/v1/games", {"cursor": cursor}), 404, "not_found")


def test_a_filter_or_an_ordering_that_there_is_not(mine):
    problem(mine.get("/api/v1/games", {"status": "lost"}), 400, "invalid")
    problem(mine.get("/api/v1/games", {"ordering": "seed"}), 400, "invalid")


def test_what_breaks_inside(monkeypatch, settings, db):
    def fall(_key):
        raise RuntimeError("a secret of the house")

    monkeypatch.setattr(house.present, "ruleset", fall)
    program = APIClient(raise_request_exception=False)
    answer = program.get("/api/v1/rulesets")
    assert "secret" not in problem(answer, 500, "internal_error")["detail"]


def test_a_move_that_the_rules_forbid_has_a_code_for_each_reason(mine, begin):
    game = begin("tritt-classic").pk
    for text, code in (("hello", "invalid_move"), ("a1-a1", "illegal_move")):
        answer = mine.post(f"/api/v1/games/{game}/moves", {"ply": 0, "move": text}, format="json")
        assert problem(answer, 422, answer.json()["code"])["code"] in (code, "invalid_move")


def every_refusal(kind=Refusal):
    for made in kind.__subclasses__():
        yield made
        yield from every_refusal(made)


def test_every_refusal_has_a_code_on_the_list():
    bases = {MoveError, PlayRefusal, EventRefusal}
    not_by_api = {"games.trial", "notifications.mail_acts", "notifications.mailbox"}
    for kind in set(every_refusal()) - bases:
        if kind.__module__ in not_by_api:
            continue
        refusal = kind.__new__(kind)
        Refusal.__init__(refusal, "because")
        answer = problems.as_problem(refusal, {})
        assert answer.status_code in problems.CODES[answer.data["code"]], kind


def test_problems_speak_the_language_of_the_player(charlie, api_of, start):
    game = start(now=timezone.now()).pk
    answer = api_of(charlie).post(f"/api/v1/games/{game}/resign")
    assert "Partie" in problem(answer, 403, "not_a_player")["detail"]
