"""Files of an event: so many a day, and one at a time in each process."""

import re

import pytest
from django.contrib.messages import get_messages

from config.access import routes
from tests.tournaments.life import Stage
from tournaments import file_limits
from tournaments.models import Event

FILES = [route for route in routes() if re.search(r"events/<int:pk>/event\.\w+$", route)]


@pytest.fixture
def event(stage: Stage, crowd) -> Event:
    return stage.started(*crowd(4), format="swiss", settings={"rounds": 3})


def at(route: str, event: Event) -> str:
    return "/" + route.replace("<int:pk>", str(event.pk))


def refusals(client, event: Event) -> list[tuple[str, str]]:
    """The files that are refused, with what is said."""
    asked = [(route, client.get(at(route, event))) for route in FILES]
    return [(route, said(answer)) for route, answer in asked if answer.status_code != 200]


def said(answer) -> str:
    if answer.status_code == 429:
        assert int(answer["Retry-After"]) > 0
        return str(answer.json()["detail"])
    assert answer.status_code == 302
    return str(next(iter(get_messages(answer.wsgi_request))))


def test_page_and_api_have_the_same_files() -> None:
    assert len(FILES) == 6


def test_everyone_has_so_many_a_day_by_page_and_api_together(
    event, client, alice, as_player, monkeypatch
):
    monkeypatch.setattr(file_limits, "MOST_A_DAY", len(FILES))
    assert refusals(client, event) == []
    words = "You can download 6 tournament files a day. Try again tomorrow."
    assert refusals(client, event) == [(route, words) for route in FILES]
    assert refusals(as_player(alice), event) == []


def test_a_file_waits_for_the_one_that_is_made_but_not_for_long(event, client, monkeypatch):
    monkeypatch.setattr(file_limits, "PATIENCE", 0.01)
    with file_limits.making:
        busy = refusals(client, event)
    assert busy == [(route, "The server is busy. Try again in a moment.") for route in FILES]
    assert refusals(client, event) == []
