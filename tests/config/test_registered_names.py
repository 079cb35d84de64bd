"""Names that settings and the outbox store lead to functions, and outlive their renaming."""

from importlib import import_module

import pytest
from django.apps import apps
from django.core.checks import run_checks

from config import subscriptions
from games.events import FACTS
from games.models import OutboxMessage

stable_names = import_module("games.migrations.0014_stable_names")


def said():
    return [message.msg for message in run_checks() if message.id == "tripost.E001"]


def test_every_registered_name_resolves():
    assert said() == []


@pytest.mark.parametrize("setting", ["CLOSING_STEPS", "MAY_RULE", "UNREAD_ANSWERS"])
def test_a_setting_that_names_nothing_is_found(settings, setting):
    setattr(settings, setting, ["games.play.no_such_function"])
    assert said()[0].startswith(f"{setting} names games.play.no_such_function")


def test_a_subscriber_without_a_function_is_found(monkeypatch):
    monkeypatch.setitem(subscriptions.SUBSCRIPTIONS, FACTS["game_started"], ("letters.strat",))
    assert said()[0].startswith("SUBSCRIPTIONS names letters.strat")


def test_every_name_fits_its_column():
    assert max(map(len, FACTS)) <= OutboxMessage._meta.get_field("fact").max_length
    longest = max(map(len, subscriptions.SUBSCRIBERS))
    assert longest <= OutboxMessage._meta.get_field("subscriber").max_length


def test_what_was_stored_by_python_s_names_is_renamed_and_back(db):
    for fact, path in zip(stable_names.FACTS, stable_names.SUBSCRIBERS, strict=False):
        OutboxMessage.objects.create(fact=fact, subscriber=path, payload={})
    before = list(OutboxMessage.objects.order_by("id").values_list("fact", "subscriber"))
    stable_names.rename(apps, None)
    assert set(OutboxMessage.objects.values_list("fact", flat=True)) <= set(FACTS)
    names = set(OutboxMessage.objects.values_list("subscriber", flat=True))
    assert names <= set(subscriptions.SUBSCRIBERS)
    stable_names.rename_back(apps, None)
    after = list(OutboxMessage.objects.order_by("id").values_list("fact", "subscriber"))
    assert after == before


def test_the_migration_leads_to_names_that_are_registered():
    assert set(stable_names.FACTS.values()) <= set(FACTS)
    assert set(stable_names.SUBSCRIBERS.values()) <= set(subscriptions.SUBSCRIBERS)
