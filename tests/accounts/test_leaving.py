"""Nothing of whoever left is anywhere, and everything was to be had before."""

import json
import re
from collections.abc import Iterator
from email import message_from_bytes
from typing import Any

import pytest
import redis
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.closing import SECOND_LOOK_AFTER, close_account, settle_closings
from accounts.export import everything
from accounts.models import Closing, Player, closed_name
from games import outbox
from games.models import Challenge
from tests.accounts.busy_life import NAME, WORDS, live
from tests.accounts.personal_data import (
    CONTENTS,
    DELETED,
    KEPT,
    RELATIONS,
    contents,
    relations,
    rows_of,
)
from tournaments.models import Entry

NEEDLES = (NAME, WORDS)
FROM = re.compile(r'(?:FROM|UPDATE) "(\w+)"')
TEXTS = ("text", "character varying", "character", "json", "jsonb", "ARRAY", "bytea", "xml")


@pytest.fixture(autouse=True)
def _no_other_worker(monkeypatch):
    monkeypatch.setattr("accounts.closing._wake_worker", lambda: None)
    for path in ("games.outbox", "games.bot_moves", "notifications.desk", "tournaments.errands"):
        monkeypatch.setattr(f"{path}.ring", lambda: None)


@pytest.fixture
def zaphira(db) -> Player:
    return live()


# Nowhere


def columns() -> list[tuple[str, str, str]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, column_name, data_type FROM information_schema.columns"
            " WHERE table_schema = current_schema() AND data_type = ANY(%s)"
            " ORDER BY table_name, column_name",
            [list(TEXTS)],
        )
        return cursor.fetchall()


def found_in_database() -> set[str]:
    """Every column of every table in which one of the needles is."""
    found = set()
    with connection.cursor() as cursor:
        for table, column, kind in columns():
            shown = f'"{column}"' if kind == "bytea" else f'"{column}"::text'
            cursor.execute(f'SELECT {shown} FROM "{table}" WHERE "{column}" IS NOT NULL')
            if any(has_needle(readable(value)) for [value] in cursor.fetchall()):
                found.add(f"{table}.{column}")
    return found | {
        "django_session decoded"
        for session in Session.objects.all()
        if has_needle(json.dumps(session.get_decoded()))
    }


def readable(value: str | memoryview) -> str:
    """Bytes as they are, and as the message that they may be."""
    if isinstance(value, str):
        return value
    parts = message_from_bytes(bytes(value)).walk()
    payloads = [part.get_payload(decode=True) or b"" for part in parts]
    return repr([bytes(value), *payloads])


def found_in_redis() -> list[str]:
    client = redis.Redis.from_url(settings.REDIS_URL)
    return [
        key.decode(errors="replace")
        for key in client.scan_iter()
        if has_needle(repr(key))
        or (client.type(key) == b"string" and has_needle(repr(client.get(key))))
    ]


def has_needle(text: str) -> bool:
    return any(needle.lower() in text.lower() for needle in NEEDLES)


PLACES = {
    "account_emailaddress.email", "accounts_apitoken.name", "accounts_player.about",
    "accounts_player.email", "accounts_player.name", "django_admin_log.change_message",
    "django_admin_log.object_repr", "django_session decoded", "games_challenge.email",
    "games_challenge.message", "games_chatline.text", "games_conditionalmoves.log",
    "games_importedgame.record", "games_outboxmessage.error", "games_ruling.reason",
    "games_rulingrequest.answer", "games_rulingrequest.text", "games_seat.note",
    "mfa_authenticator.data", "notifications_inboundmail.mail_from",
    "notifications_inboundmail.raw", "notifications_inboundmail.reason",
    "notifications_letter.address", "notifications_letter.details",
    "notifications_mailboxletter.raw", "notifications_mailboxletter.recipient",
    "notifications_mailboxletter.subject",
    "notifications_pushsubscription.browser", "notifications_suppression.address",
    "notifications_suppression.last_error", "notifications_webhook.url",
    "tournaments_event.about", "tournaments_event.name", "tournaments_logline.words",
}  # fmt: skip
"""Where somebody leaves a name, an address or words, at least."""


def close(player: Player) -> None:
    now = timezone.now()
    close_account(player=player, now=now)
    settle_closings(now=now)
    # What the closing set going is told to others, under the new name.
    outbox.relay(now=now)
    assert settle_closings(now=now + SECOND_LOOK_AFTER) == 1
    assert not Closing.objects.exists()


@pytest.mark.parametrize("rows", [1, 2000])
def test_name_address_and_words_are_in_no_column_and_no_key_afterwards(zaphira, rows, monkeypatch):
    """However small the slices are in which tables are looked through."""
    monkeypatch.setattr("accounts.closing.ROWS", rows)
    assert found_in_database() >= PLACES
    close(zaphira)
    assert found_in_database() == set()
    assert found_in_redis() == []


NARROWED = re.compile(r'\bIN \(|>= |"(player|opponent|user|challenger)_id" = ')
SMALL = (
    "account_emailaddress", "accounts_closing", "accounts_player", "games_outboxmessage",
    "notifications_suppression",
)  # fmt: skip
"""With an index of this, or with rows that come and go."""


def test_no_step_searches_a_whole_table_at_once(zaphira):
    with CaptureQueriesContext(connection) as queries:
        close(zaphira)
    searches = [one["sql"] for one in queries if "UPPER(" in one["sql"]]
    assert len({FROM.search(sql)[1] for sql in searches}) > 10
    whole = [sql for sql in searches if not NARROWED.search(sql)]
    assert {FROM.search(sql)[1] for sql in whole} <= set(SMALL)


def test_the_name_gives_way_to_another_in_what_others_read(zaphira, as_player):
    close(zaphira)
    name = closed_name(zaphira.pk)
    bob = Player.objects.get(name="bob")
    game = zaphira.seats.order_by("game").first().game
    page = as_player(bob).get(game.get_absolute_url()).content.decode()
    assert f"Hello {name}!" in page
    assert game.rulings.get().reason == f"{name} was right."
    cup = zaphira.organised_events.get()
    assert cup.name == f"{name} Cup"
    log = as_player(bob).get(f"/events/{cup.pk}/log/").content.decode()
    assert f"{name} entered." in log
    assert f"was expelled: {name} says so." in log


def test_a_longer_name_that_begins_alike_is_left_alone(alice):
    closing = Closing(player=alice, name="al")
    text = "al, also al-b and al.b, AL! x.al"
    name = closed_name(alice.pk)
    assert closing.without_traces(text) == f"{name}, also al-b and al.b, {name}! x.al"


# Every model


def test_every_field_that_refers_to_a_player_is_decided():
    """A new model, or a new field, fails here until it is decided how it is exported and erased."""
    assert set(relations()) == set(RELATIONS)


def test_every_field_that_can_hold_anything_is_decided():
    assert set(contents()) == set(CONTENTS)


def test_every_row_is_exported_and_meets_its_fate(zaphira):
    """Each decided field has a row of hers, its part of the export is there, and then its fate."""
    missing = [field for field in RELATIONS if not rows_of(field, zaphira).exists()]
    # An account that is open is not being closed.
    assert missing == ["accounts.Closing.player"]
    exported = everything(zaphira)
    absent = [
        field
        for field, decision in RELATIONS.items()
        if decision.exported and not list(leaves(exported, decision.exported.split(".")))
    ]
    assert absent == []
    close(zaphira)
    stay = [f for f, d in RELATIONS.items() if d.fate == DELETED and rows_of(f, zaphira).exists()]
    assert stay == []
    gone = [f for f, d in RELATIONS.items() if d.fate == KEPT and not rows_of(f, zaphira).exists()]
    assert gone == []


def test_the_export_has_her_words(zaphira):
    """Whatever she wrote herself she can read there, and no secret of hers or of others."""
    exported = json.dumps(everything(zaphira), default=str)
    for words in (
        f"I like every {WORDS}.", f"My {WORDS}!", f"Hide the {WORDS}.", f"He ate my {WORDS}.",
        f"A {WORDS} for you?", f"{WORDS}-friend@example.net", f"{WORDS} bot", "Nobody came.",
        f"https://{WORDS}.example/", f"{NAME} Cup",
    ):  # fmt: skip
        assert words in exported
    assert "likes corners" not in exported, "the note of another"


def test_the_export_has_her_salts_and_those_of_no_one_else(zaphira):
    Challenge.objects.filter(challenger=zaphira).update(salt="salt of her offers")
    Challenge.objects.exclude(challenger=zaphira).update(salt="salt of another")
    Entry.objects.filter(player=zaphira).update(salt="salt of her entries")
    exported = json.dumps(everything(zaphira), default=str)
    assert "salt of her offers" in exported
    assert "salt of her entries" in exported
    assert "salt of another" not in exported


def leaves(value: Any, path: list[str]) -> Iterator[Any]:
    """What is found at the end of a path through dictionaries and lists, if it is not empty."""
    if isinstance(value, list):
        for item in value:
            yield from leaves(item, path)
    elif path:
        yield from leaves(value[path[0]], path[1:])
    elif value not in (None, "", {}, False):
        yield value
