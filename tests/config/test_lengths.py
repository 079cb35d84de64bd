"""Every text in an address, a form or a body has a length."""

import random
import re
from collections.abc import Iterator
from typing import Any

import pytest
from django import forms
from django.apps import apps
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.module_loading import import_string

from config import access, lengths
from games import picker
from games.models import Game
from games.rules import notation
from games.rules.position import InvalidMove, Roll
from games.rules.registry import RULESETS
from notifications import answer_links, commands, mail_acts, mail_body, mail_in, reply_address
from notifications.models import InboundMail
from tests.described import description
from tests.forms import all_forms
from tests.games.acts import position_of

APPS = ("accounts", "games", "tournaments", "notifications")
ENDLESS = (models.CharField, models.TextField, models.JSONField, models.BinaryField, ArrayField)
TOO_LONG = "A move has at most 200 characters."
LIMITS = {"maxLength", "enum", "const", "format", "pattern"}
BOUNDED_BY_ITSELF = {
    # The body is the tree of games.conditional, which counts branches and bytes.
    "PlanRequest.tree",
}


# Addresses


@pytest.mark.parametrize(
    "address",
    [
        f"/{'x' * 600}/",
        f"/games/?player={'x' * 201}",
        f"/rules/tritoc/choices/?prefix={'a ' * 4000}",
        f"/?{'x' * 101}=1",
        "/?" + "&".join(f"x{number}={'y' * 100}" for number in range(100)),
        f"/accounts/login/?next=/{'x' * 1000}",
    ],
)
def test_an_address_that_is_too_long_is_refused_on_pages(client, db, address):
    answer = client.get(address)
    assert answer.status_code == 400
    assert "is too long" in answer.content.decode()


def test_an_address_that_is_too_long_is_refused_by_the_api(api_of, alice, start):
    answer = api_of(alice).get(f"/api/v1/games/{start().pk}/choices?prefix={'a' * 8000}")
    assert (answer.status_code, answer.json()["code"]) == (400, "bad_request")
    assert "too long" in answer.json()["detail"]


def test_a_prefix_costs_a_few_readings_however_many_words_it_has(start, monkeypatch):
    game: Game = start("tritt-reloaded")
    tried: list[str] = []
    monkeypatch.setattr(picker, "_is_move", lambda _position, text: tried.append(text))
    picker.whole_beginning(position_of(game), "a " * 30_000)
    assert len(tried) <= 10


TEXTS = re.compile(r"<(?:str|slug|path):\w+>|\(\?P<\w+>(?:\[[^]]*\]\+|\.\+)\)")
"""Parts of a route that take any text."""


@pytest.mark.parametrize(("length", "most"), [(lengths.LONGEST_PATH, 400), (300, 499)])
def test_every_text_in_a_path_has_a_length(staff, length, most):
    """Beyond it all is refused; below it nothing breaks."""
    routes = [route for route in access.routes() if TEXTS.search(route)]
    assert len(routes) > 60
    for route in routes:
        filled = re.sub(r"<int:\w+>", "1", TEXTS.sub("x" * length, route))
        answer = staff.get("/" + filled.strip("^").replace("$", "").replace("\\Z", ""))
        assert answer.status_code <= most, route
        assert length < lengths.LONGEST_PATH or answer.status_code == 400, route


# Moves


@pytest.mark.parametrize("key", RULESETS)
def test_a_text_that_is_too_long_costs_no_engine_any_reading(key, monkeypatch):
    """What is not looked at cannot cost anything, and the longest move is far shorter."""
    position, seed = started(key), random.Random(1)
    for _ in range(40):
        texts = [str(move) for move in position.legal_moves()]
        assert all(len(text) * 4 < notation.LONGEST for text in texts)
        if not texts:
            break
        position = rolled(position.play(position.parse(seed.choice(texts))), seed)
    position = started(key)
    monkeypatch.setattr(notation, "JOINT", None)
    with pytest.raises(InvalidMove, match=TOO_LONG):
        position.parse("a1-a2 " * 4000)


def started(key: str) -> Any:
    return rolled(RULESETS[key].start({}), random.Random(1))


def rolled(position: Any, seed: random.Random) -> Any:
    while isinstance(roll := position.awaiting, Roll):
        dice = tuple(seed.randint(1, roll.sides) for _ in range(roll.dice))
        position = position.rolled(dice)
    return position


def test_a_move_that_is_too_long_is_refused_by_the_same_sentence(as_player, api_of, alice, start):
    game = start(now=timezone.now())
    address, long = game.get_absolute_url(), "x" * (notation.LONGEST + 1)
    assert TOO_LONG in as_player(alice).post(f"{address}move/", {"move": long}).text
    body = {"ply": 0, "move": long}
    by_api = api_of(alice).post(f"/api/v1/games/{game.pk}/moves", body, format="json")
    assert TOO_LONG in by_api.json()["detail"]
    token = reply_address.token_for(
        game_id=game.pk, seat=0, ply=0, player_id=alice.pk, now=timezone.now()
    )
    link = reverse("answer", args=[token.pk, answer_links.secret_of(token)])
    assert TOO_LONG in Client().post(link, {"move": long}).text
    is_move = mail_acts.is_move_in(position_of(game))
    command = commands.read(f"move {long}", is_move)
    assert command is not None
    with pytest.raises(InvalidMove, match=TOO_LONG):
        position_of(game).parse(command.argument)


# Mail


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b"Subject: x\n\n" + b"x" * mail_body.LARGEST, "too large"),
        (b"X: y\n" * (mail_body.LONGEST_HEAD // 4) + b"\n", "too long a head"),
        (b"X: boundary\n" * (2 * mail_body.MOST_PARTS + 1) + b"\n", "too deep"),
        (b"X: y\n" + b"\n--x" * (mail_body.MOST_DELIMITERS + 1), "too many parts"),
    ],
)
def test_a_mail_beyond_its_bounds_is_not_opened(raw, why):
    with pytest.raises(mail_body.Unreadable, match=why):
        mail_body.opened(raw)


def test_what_is_read_of_a_mail_has_a_length():
    head = b"From: " + b"a@example.org, " * 500 + b"\nSubject: " + b"s" * 50_000
    message = mail_body.opened(head + b"\n\n" + b"line of words\n" * 10_000)
    assert len(mail_body.header(message, "Subject")) <= mail_body.LONGEST_HEADER
    assert sum(map(len, mail_body.senders(message))) <= mail_body.LONGEST_HEADER
    text = mail_body.body_of(message).text
    assert len(text) <= mail_body.LONGEST_TEXT
    assert text.count("\n") < mail_body.MOST_LINES


def test_what_is_stored_of_a_mail_fits(db):
    far = f"{'x' * 5_000}@{'y' * 5_000}.example"
    head = f"Message-ID: <{far}>\n\nHi".encode()
    mail_in.store(head, recipients=[far], mail_from=far, peer=far)
    mail = InboundMail.objects.get()
    assert mail.message_id == ""
    assert len(mail.mail_from) == len(mail.recipient) == mail_in.LONGEST_ADDRESS


# Tables


CUT = "an error of ours or of another server, cut to 2000 characters"
OF_A_FEW = "a few of a fixed choice"
OPTIONS = "as many as the ruleset has, each checked by it"
RULES = "made by the rules from what was played"
STORED = {
    "accounts.ApiToken.scopes": OF_A_FEW,
    "accounts.Closing.addresses": "the player's own addresses, of 254 characters each",
    "games.Challenge.clock": "numbers of a fixed shape",
    "games.Challenge.options": OPTIONS,
    "games.ConditionalMoves.log": "games.plans.LONGEST_LOG",
    "games.ConditionalMoves.tree": "games.conditional.MOST_BYTES",
    "games.Game.as_played": RULES,
    "games.Game.clock": "numbers of a fixed shape",
    "games.Game.options": OPTIONS,
    "games.Game.points": RULES,
    "games.Game.position": RULES,
    "games.GameDice.drawn": RULES,
    "games.GameDice.past": RULES,
    "games.ImportedGame.record": "games.importing.LARGEST_FILE",
    "games.ImportedGame.summary": "a few texts of the record",
    "games.Move.throws": RULES,
    "games.OutboxMessage.error": CUT,
    "games.OutboxMessage.payload": "numbers and names of a fact",
    "games.Review.judgements": "one for each move",
    "games.Ruling.detail": "numbers of a fixed shape",
    "notifications.Habits.reminders": OF_A_FEW,
    "notifications.InboundMail.raw": "notifications.mail_body.LARGEST",
    "notifications.InboundMail.reason": CUT,
    "notifications.Letter.details": "numbers and names of a fact",
    "notifications.Letter.error": CUT,
    "notifications.MailboxLetter.raw": "written by this site",
    "notifications.Preference.channels": OF_A_FEW,
    "notifications.Suppression.last_error": CUT,
    "notifications.Webhook.last_error": CUT,
    "tournaments.Event.clock": "numbers of a fixed shape",
    "tournaments.Event.options": OPTIONS,
    "tournaments.Event.settings": "numbers and switches that the format has",
    "tournaments.Event.tie_breaks": OF_A_FEW,
    "tournaments.LogLine.words": "names, and reasons with a length of their own",
}
"""What bounds a column that has no length itself: the name of a limit, or why it needs none."""


def test_every_column_for_texts_has_a_length():
    endless = {
        f"{model._meta.label}.{field.name}"
        for model in apps.get_models()
        if model._meta.app_label in APPS
        for field in model._meta.concrete_fields
        if isinstance(field, ENDLESS) and not field.max_length
    }
    assert endless == STORED.keys()
    limits = [why for why in STORED.values() if why.startswith(APPS)]
    assert all(import_string(limit) > 0 for limit in limits)


# Forms


def test_a_field_of_a_form_that_is_too_long_is_refused(as_player, alice, start):
    answer = as_player(alice).post(
        f"{start().get_absolute_url()}move/", {"move": "x" * (lengths.LONGEST_FIELD + 1)}
    )
    assert answer.status_code == 400
    assert "move is too long: it can have 20000 characters." in answer.content.decode()


def test_a_body_that_is_too_long_is_refused_before_it_is_read(as_player, api_of, alice):
    large = {"about": "x" * lengths.LARGEST_BODY}
    assert as_player(alice).post("/settings/", large).status_code == 413
    answer = api_of(alice).patch("/api/v1/me", large, format="json")
    assert (answer.status_code, answer.json()["code"]) == (413, "too_large")


def test_every_text_field_of_every_form_has_a_length():
    found = all_forms()
    assert len(found) > 30
    endless = [
        f"{form.__module__}.{form.__name__}.{name}"
        for form in found
        for name, field in form.base_fields.items()
        if isinstance(field, forms.CharField)
        and not isinstance(field, forms.GenericIPAddressField)
        and field.max_length is None
        and name not in lengths.OTHER_FIELDS
    ]
    assert not endless


# Bodies of the API


def texts_in(schema: dict[str, Any], where: str, seen: frozenset[str] = frozenset()):
    """Every text that a schema lets in, with the path to it."""
    if reference := schema.get("$ref"):
        name = reference.rpartition("/")[2]
        if name not in seen:
            yield from texts_in(description()["components"]["schemas"][name], name, seen | {name})
        return
    kinds = schema.get("type", [])
    if "string" in ([kinds] if isinstance(kinds, str) else kinds):
        yield where, schema
    for name, below in schema.get("properties", {}).items():
        yield from texts_in(below, f"{where}.{name}", seen)
    for below in (schema.get("items"), schema.get("additionalProperties")):
        if isinstance(below, dict):
            yield from texts_in(below, f"{where}[]", seen)
    for word in ("oneOf", "anyOf", "allOf"):
        for below in schema.get(word, ()):
            yield from texts_in(below, where, seen)


def operations() -> Iterator[tuple[str, dict[str, Any]]]:
    for path, methods in description()["paths"].items():
        for method, operation in methods.items():
            yield f"{method} {path}", operation


def test_every_text_that_the_api_takes_has_a_length():
    endless = set()
    for name, operation in operations():
        for parameter in operation.get("parameters", ()):
            for where, schema in texts_in(parameter["schema"], f"{name} {parameter['name']}"):
                if not LIMITS & set(schema):
                    endless.add(where)
        for body in operation.get("requestBody", {}).get("content", {}).values():
            for where, schema in texts_in(body["schema"], name):
                if not LIMITS & set(schema) and where not in BOUNDED_BY_ITSELF:
                    endless.add(where)
    assert not endless


def test_what_a_query_is_said_to_take_is_what_it_takes(client: Client, db):
    for name, operation in operations():
        for parameter in operation.get("parameters", ()):
            most = parameter["schema"].get("maxLength")
            if parameter["in"] == "query" and most:
                assert most <= lengths.longest_parameter(parameter["name"]), name
