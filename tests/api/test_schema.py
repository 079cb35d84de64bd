"""The whole API, tried by its own description: no request makes it break its word."""

from copy import deepcopy
from functools import cache

import hypothesis
import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import call_command
from django.core.signals import request_finished, request_started
from django.db import close_old_connections
from django.utils import timezone
from hypothesis import HealthCheck, Phase
from hypothesis.strategies import one_of, randoms
from schemathesis import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from accounts import tokens
from accounts.models import Scope
from games import talk
from games.clock import PerMove
from games.lobby import Terms, seek
from tests.described import description
from tests.games.acts import both_move
from tests.tournaments.life import Stage
from tournaments.models import Meeting

CHECKS = (
    schemathesis.checks.not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
)
EXAMPLES = 8


def test_the_description_is_made_without_a_warning(capsys):
    call_command("spectacular", validate=True, fail_on_warn=True)
    assert "openapi: 3.1.0" in capsys.readouterr().out


def operations():
    for path, methods in description()["paths"].items():
        for method in methods:
            yield path, method


def test_every_operation_says_what_it_is():
    for path, method in operations():
        operation = description()["paths"][path][method]
        assert operation["operationId"].isidentifier()
        assert operation.get("description"), (path, method)
        assert operation["tags"]
        assert "429" in operation["responses"]


@pytest.fixture
def a_busy_world(alice, bob, begin):
    """Games, offers and talk for the requests to meet."""
    running, private, over = begin(), begin("tri-trac", private=True), begin("tritoc")
    both_move(running, now=timezone.now())
    both_move(over, now=timezone.now())
    talk.say(game_id=running.pk, player_id=bob.pk, text="hello", now=timezone.now())
    terms = Terms(ruleset="triotrio", clock=PerMove(3))
    offer = seek(challenger=bob, terms=terms, now=timezone.now())
    events, meetings = some_events(alice, bob)
    return {
        "id": [running.pk, private.pk, over.pk, offer.pk, *events],
        "meeting": meetings,
        "name": ["alice", "bob"],
    }


def some_events(alice, bob):
    """A draft, one that is open, one that runs and a ladder, and the meetings of all."""
    stage = Stage(alice)
    stage.now = timezone.now()
    draft, still_open = stage.draft(), stage.open()
    running = stage.started(alice, bob)
    ladder = stage.started(alice, bob, format="ladder")
    events = [event.pk for event in (draft, still_open, running, ladder)]
    return events, [meeting.pk for meeting in Meeting.objects.filter(event__in=events)]


@pytest.fixture
def without_goodbyes():
    """Requests through WSGI itself would close the connection that holds the test's transaction."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


@cache
def tried():
    schema = schemathesis.openapi.from_dict(deepcopy(description()))
    schema.app = WSGIHandler()
    return schema


@pytest.mark.usefixtures("without_goodbyes")
@pytest.mark.parametrize(("path", "method"), sorted(operations()))
@pytest.mark.django_db
def test_no_request_breaks_its_word(alice, a_busy_world, path, method):
    _token, secret = tokens.mint(player=alice, name="tries", scopes=Scope.values)
    operation = tried()[path][method.upper()]

    @hypothesis.settings(
        max_examples=EXAMPLES,
        derandomize=True,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(case=requests_of(operation), chance=randoms())
    def try_it(case, chance):
        # What exists is met more often than by chance.
        for name, known in a_busy_world.items():
            if name in case.path_parameters and chance.random() < 0.7:
                case.path_parameters[name] = chance.choice(known)
        case.call_and_validate(checks=CHECKS, headers={"Authorization": f"Bearer {secret}"})

    try_it()


def requests_of(operation):
    """As described, and, where there is anything to get wrong, otherwise."""
    good = operation.as_strategy(generation_mode=GenerationMode.POSITIVE)
    if not (operation.body or operation.query or operation.path_parameters):
        return good
    return one_of(good, operation.as_strategy(generation_mode=GenerationMode.NEGATIVE))
