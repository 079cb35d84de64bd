"""Operators can ask what would be made of a mail, with and without a database."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from games.models import Move
from notifications.models import InboundMail, Letter, ReplyToken
from tests.notifications.mails import mail, token_of

PROJECT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def told(tmp_path, capsys):
    """What the command prints about messages, as data."""

    def tell(*messages: bytes, **options):
        files = []
        for number, raw in enumerate(messages):
            files.append(tmp_path / f"{number}.eml")
            files[-1].write_bytes(raw)
        call_command("read_mail", *map(str, files), dry_run=True, **options)
        lines = capsys.readouterr().out.strip().split("\n")
        return [json.loads(line) for line in lines]

    return tell


def test_commands_and_chat_are_told(told):
    [found] = told(mail("5.7\ndraw\n\nHello\n\n> resign", sender="alice@example.org"))
    assert found["commands"] == [
        {"command": "move", "text": "5.7", "argument": "5.7"},
        {"command": "draw", "text": "draw", "argument": ""},
    ]
    assert (found["chat"], found["body_source"], found["outcome"]) == ("Hello", "plain", "act")
    assert (found["automatic"], found["refused"], found["sender"]) == (
        False, False, "alice@example.org",
    )  # fmt: skip


def test_the_game_decides_what_is_a_move(told):
    raw = mail("5.7", sender="alice@example.org")
    assert told(raw, game="tritoc")[0]["commands"]
    [found] = told(raw, game="tri-trac")
    assert (found["commands"], found["outcome"]) == ([], "not-understood")


def test_automatic_and_refused_mail_is_told_with_its_reason(told):
    automatic, refused, conflicting = told(
        mail("5.7", sender="alice@example.org", Auto_Submitted="auto-replied"),
        b"Subject: x\n\n5.7\n",
        mail("5.7\n5.8", sender="alice@example.org"),
    )
    assert (automatic["automatic"], automatic["why"]) == (True, "auto-submitted")
    assert automatic["commands"] == []
    assert (refused["refused"], refused["why"]) == (True, "no sender")
    assert conflicting["outcome"] == "conflicting"


def test_any_bytes_are_told_something_about(told):
    found = told(b"", b"\0\xff" * 1000, b"5.7\n\nHello", b"From: x\n" * 100_000)
    assert [one["outcome"] for one in found] == [
        "not-understood", "not-understood", "act", "unreadable",
    ]  # fmt: skip


@pytest.mark.django_db
def test_a_known_token_tells_the_game_and_nothing_is_written(told, start):
    game = start("tritt-classic")
    token = token_of(game)
    raw = mail("c3-e5", sender=token.player, to=f"R+{token.token.upper()}@localhost")
    forged = mail("c3-e5", sender="mallory@example.com", to=f"r+{token.token}@localhost")
    by_reference = mail("c3-e5", sender=token.player, References=f"<r.{token.token}@localhost>")
    before = [model.objects.count() for model in (Move, Letter, InboundMail, ReplyToken)]
    known, other, referred = told(raw, forged, by_reference)
    assert (known["game"], known["seat"], known["ply"]) == (game.pk, 0, 0)
    assert (known["game_key"], known["outcome"]) == ("tritt-classic", "act")
    assert (other["refused"], other["why"]) == (True, "other address")
    assert referred["game"] == game.pk
    assert before == [model.objects.count() for model in (Move, Letter, InboundMail, ReplyToken)]


def test_it_runs_where_no_database_answers(tmp_path):
    file = tmp_path / "mail.eml"
    file.write_bytes(mail("5.7", sender="alice@example.org", to=f"r+{'a' * 26}@localhost"))
    nowhere = {
        "DATABASE_URL": "postgres://nobody:x@127.0.0.1:1/nothing",
        "REDIS_URL": "redis://127.0.0.1:1/0",
        "SECRET_KEY": "x",
    }
    done = subprocess.run(
        [sys.executable, "manage.py", "read_mail", str(file), str(file), "--dry-run"],
        cwd=PROJECT,
        env={**os.environ, **nowhere},
        capture_output=True,
        text=True,
    )
    first, second = (json.loads(line) for line in done.stdout.strip().split("\n"))
    assert first == second
    assert (first["token"], first["game"]) == ("a" * 26, None)
    assert first["commands"][0]["text"] == "5.7"
    assert done.stderr.count("No database answers") == 1


def test_a_missing_file_is_one_sentence():
    with pytest.raises(CommandError, match="cannot be read"):
        call_command("read_mail", "/nowhere/at/all", dry_run=True)


@pytest.mark.django_db
def test_without_a_dry_run_it_is_taken_in_like_any_mail(tmp_path, capsys, start):
    token = token_of(start("tritt-classic"))
    good, bad = tmp_path / "good", tmp_path / "bad"
    good.write_bytes(mail("c3-e5", sender=token.player, to=f"r+{token.token}@localhost"))
    bad.write_bytes(mail("c3-e5", sender=token.player, to="nobody@localhost"))
    call_command("read_mail", str(good), str(bad))
    assert "good: stored" in (said := capsys.readouterr().out)
    assert "bad: 550 5.1.1" in said
    stored = InboundMail.objects.get()
    assert (stored.recipient, stored.mail_from, stored.state) == (
        f"r+{token.token}@localhost", "alice@example.org", "new",
    )  # fmt: skip
