"""A number or a day that no table holds is answered, and never with a 500."""

import re
from pathlib import Path

import pytest
from django import forms
from django.conf import settings
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.urls import reverse

from config import lengths
from config.access import ADDRESSES, CONSOLE, Standing
from tests.config.test_access import Role, World, undone
from tests.described import description
from tests.forms import APPS, all_forms

FAR = ["9" * 19, "9" * 40, "9" * 180, "-1", "0"]
PARAMETERS = (
    "ply",
    "page",
    "p",
    "opponent",
    "version",
    "event",
    "plies_from",
    "since",
    "started_after",
)
NUMBERED = sorted(route for route in ADDRESSES if "<int:" in route)


@pytest.mark.parametrize("number", FAR[:3])
def test_no_page_breaks_at_a_far_number_in_its_address(staff, number):
    for route in NUMBERED:
        address = "/" + re.sub(r"<\w+:(\w+)>", lambda found: number, route)
        for method in ("get", "post"):
            answer = getattr(staff, method)(address)
            assert answer.status_code < 500, (method, address)


@pytest.mark.parametrize("value", [*FAR, "9999-12-31", "0001-01-01"])
def test_no_page_breaks_at_a_far_number_in_its_query(staff, start, value):
    game = start().get_absolute_url()
    pages = [
        "/",
        "/lobby/",
        "/search/",
        "/events/",
        "/leaders/",
        "/letters/",
        "/settings/sessions/",
    ]
    pages += ["/players/alice/", "/games/", "/events/calendar/", game]
    pages += [f"{game}{name}" for name in ("board.svg", "analysis/", "news/", "choices/", "dice/")]
    for page in pages:
        for name in (*PARAMETERS, "until", "month", "year", "line", "prefix", "state", "after"):
            assert staff.get(page, {name: value}).status_code < 500, (page, name)


@pytest.mark.parametrize("model", admin.site._registry)
def test_no_staff_page_breaks_at_a_far_number(staff, model):
    name = f"admin:{model._meta.app_label}_{model._meta.model_name}"
    for number in FAR:
        for act in ("change", "history", "delete"):
            assert staff.get(reverse(f"{name}_{act}", args=[number])).status_code < 500
        for asked in ("p", "id__exact", "q", "o"):
            answer = staff.get(reverse(f"{name}_changelist"), {asked: number})
            assert answer.status_code < 500, asked


OPERATIONS = [
    (path, method, operation)
    for path, methods in description()["paths"].items()
    for method, operation in methods.items()
]


@pytest.mark.parametrize("number", FAR)
def test_no_operation_breaks_at_a_far_number(alice, in_person, number):
    mine = in_person(alice)
    for path, method, operation in OPERATIONS:
        address = re.sub(r"\{\w+\}", number, path)
        asked = [one["name"] for one in operation.get("parameters", ()) if one["in"] == "query"]
        for query in ("", *(f"?{name}={number}" for name in asked)):
            answer = mine.generic(method.upper(), address + query)
            assert answer.status_code < 500, (method, path, query)


# Forms


FAR_IN_FORMS = ["9" * 20, "-" + "9" * 20, "9" * 5000, "1e400", "٣" * 20]
NUMBERS = (forms.IntegerField, forms.DateField, forms.DateTimeField, forms.DurationField)
SENT = re.compile(r'POST(?:\.get(?:list)?\(|\[)"(\w+)"')


@pytest.mark.parametrize("value", FAR_IN_FORMS)
def test_no_field_of_a_form_takes_a_far_number(value):
    fields = [
        (form.__name__, name, field)
        for form in all_forms()
        for name, field in form.base_fields.items()
        if isinstance(field, NUMBERS)
    ]
    assert len(fields) > 15
    for form, name, field in fields:
        with pytest.raises(ValidationError):
            pytest.fail(f"{form}.{name} took {field.clean(value)}")


@pytest.mark.parametrize("value", FAR_IN_FORMS)
def test_no_page_breaks_at_a_far_number_in_a_form(people, value):
    """Every name that any form or view reads, sent to every address at once."""
    names = {name for form in all_forms() for name in form.base_fields}
    for app in APPS:
        for file in (Path(settings.BASE_DIR) / app).rglob("*.py"):
            names |= set(SENT.findall(file.read_text()))
    names -= {"name", *lengths.OTHER_FIELDS}
    assert {"ply", "report", "hours", "until", "branch"} <= names
    client = people.client(Role("organiser", Standing.ORGANISER))
    for route, decided in ADDRESSES.items():
        if decided.act is not None:
            for name in CONSOLE if "<slug:name>" in route else [""]:
                address = people.at(route.replace("<slug:name>", name))
                with undone(client):
                    answer = client.post(address, dict.fromkeys(names, value), format="multipart")
                assert answer.status_code < 500, address


@pytest.fixture
def people(db) -> World:
    return World()
