"""A day beyond all calendars is answered by a sentence, wherever a day can be named."""

import pytest
from django import forms
from django.urls import get_resolver, reverse

from accounts.moments import DayField, MomentField
from games.models import ChatLine
from tests.described import description
from tests.tournaments.life import Stage

APPS = ("accounts", "games", "notifications", "tournaments")
SENTENCE = "Give a date between the years 1970 and 2999."


def all_forms(kind=forms.BaseForm):
    for form in kind.__subclasses__():
        yield form
        yield from all_forms(form)


def test_every_form_asks_for_days_within_reach():
    # Addresses import the pages, and the pages their forms.
    assert get_resolver().url_patterns
    for form in all_forms():
        if form.__module__.partition(".")[0] not in APPS:
            continue
        for name, field in getattr(form, "base_fields", {}).items():
            if isinstance(field, (forms.DateField, forms.DateTimeField)):
                assert isinstance(field, (DayField, MomentField)), (form, name)


@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01", "3000-01-01"])
def test_a_vacation_until_a_far_day(alice, as_player, day):
    answer = as_player(alice).post(reverse("vacation"), {"begin": "1", "until": day})
    assert answer.status_code == 200
    assert SENTENCE in answer.content.decode()
    assert not alice.vacations.exists()


@pytest.mark.parametrize("field", ["since", "until"])
def test_a_search_around_a_far_day(client, db, field):
    answer = client.get(reverse("search"), {field: "9999-12-31"})
    assert answer.status_code == 200
    assert SENTENCE in answer.content.decode()


MOMENTS = [
    (method, path, name)
    for path, methods in description()["paths"].items()
    for method, operation in methods.items()
    for content in operation.get("requestBody", {}).get("content", {}).values()
    if "$ref" in content["schema"]
    for name, schema in description()["components"]["schemas"][
        content["schema"]["$ref"].rpartition("/")[2]
    ]["properties"].items()
    if schema.get("format") == "date-time"
]


@pytest.mark.parametrize(("method", "path", "name"), MOMENTS)
@pytest.mark.parametrize(
    "moment", ["9999-12-31T23:59:59-10:00", "0001-01-01T00:00:00+14:00", "3000-01-01T00:00Z"]
)
def test_a_far_moment_by_the_api(alice, api_of, event, method, path, name, moment):
    body = {"name": "Cup", "format": "swiss", "ruleset": "tritoc", name: moment}
    if path.endswith(("vacation", "postpone")):
        body = {name: moment}
    address = path.replace("{id}", str(event.pk))
    answer = getattr(api_of(alice), method)(address, body, format="json")
    assert answer.status_code == 400, answer.content
    assert SENTENCE in answer.json()["detail"]


@pytest.fixture
def event(alice):
    return Stage(alice).draft()


@pytest.mark.parametrize("number", ["9" * 18, "9" * 40, "9" * 5000])
def test_a_report_of_a_line_with_a_far_number(alice, bob, as_player, start, number):
    game = start()
    ChatLine.objects.create(game=game, author=bob, text="A line", written_at=game.started_at)
    answer = as_player(alice).post(f"{game.get_absolute_url()}chat/", {"report": number})
    assert answer.status_code == 302
