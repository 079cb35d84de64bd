"""An export streams a record at a time, and there are so many a day."""

import json
from collections.abc import Iterator

import pytest
from django.conf import settings as the_settings
from django.db.models import QuerySet
from django.utils.module_loading import import_string

from accounts import export, export_limits

FEW_RECORDS = {
    # A declared limit, or how seldom it is done, keeps these small.
    "account.email_addresses", "account.tokens", "account.groups", "account.permissions",
    "account.second_factors", "vacations", "ratings.now", "letter_preferences.kinds",
    "channels.feeds", "channels.webhooks", "channels.browsers", "addresses.delivery",
}  # fmt: skip


@pytest.fixture
def endless(settings, monkeypatch):
    """A part of the export with more records than fit; those that were read."""
    read: list[int] = []

    def records(_player) -> Iterator[dict[str, int]]:
        for number in range(10**9):
            read.append(number)
            yield {"number": number}

    monkeypatch.setattr(export, "endless", records, raising=False)
    settings.DATA_EXPORTS = ["accounts.export.account", "accounts.export.endless"]
    return read


def test_records_are_read_as_they_are_sent(alice, endless):
    sent = export.streamed(alice)
    while '"number": 4' not in next(sent):
        pass
    assert len(endless) == 5


def test_the_stream_is_json_of_everything(alice, start):
    start()
    streamed = json.loads("".join(export.streamed(alice)))
    assert set(streamed) == {path.rsplit(".", 1)[1] for path in the_settings.DATA_EXPORTS}
    assert len(streamed["games"]) == len(export.everything(alice)["games"]) == 1
    assert streamed["imported_games"] == []


def lists_in(name: str, value: object) -> Iterator[str]:
    if isinstance(value, list):
        yield name
    elif isinstance(value, dict):
        for inner, part in value.items():
            yield from lists_in(f"{name}.{inner}", part)


def test_every_part_with_many_records_is_read_a_few_at_a_time(alice):
    at_once = {
        name
        for path in the_settings.DATA_EXPORTS
        for name in lists_in(path.rsplit(".", 1)[1], import_string(path)(alice))
    }
    assert at_once == FEW_RECORDS


def test_rows_are_fetched_a_few_at_a_time(alice, monkeypatch):
    asked: list[int] = []
    monkeypatch.setattr(
        QuerySet, "iterator", lambda self, chunk_size: asked.append(chunk_size) or iter(())
    )
    list(export.streamed(alice))
    assert asked
    assert max(asked) <= export.BATCH


# So many a day


@pytest.fixture
def two_a_day(monkeypatch):
    monkeypatch.setattr(export_limits, "MOST_A_DAY", 2)


def test_a_player_has_so_many_a_day_by_page_and_api_together(two_a_day, alice, as_player, api_of):
    assert as_player(alice).get("/settings/download/").status_code == 200
    assert api_of(alice).get("/api/v1/me/data").status_code == 200
    refused = api_of(alice).get("/api/v1/me/games.zip")
    assert refused.status_code == 429
    assert int(refused["Retry-After"]) <= 86400
    assert refused.json()["detail"] == "You can export 2 times a day. Try again tomorrow."
    page = as_player(alice).get("/settings/download/", follow=True)
    assert "You can export 2 times a day." in page.content.decode()


def test_visitors_share_what_their_address_has(two_a_day, client, db):
    answers = [client.get("/api/v1/games.csv").status_code for _ in range(3)]
    assert answers == [200, 200, 429]
    assert client.get("/api/v1/games.csv", REMOTE_ADDR="192.0.2.7").status_code == 200
