"""Accounts that programs play with: marked in time, seen by all, told by stream or webhook."""

import http.client
import os
import re
import socket
import subprocess
import sys
import time

import pytest
from django.conf import settings as the_settings
from django.utils import timezone

from accounts import tokens
from games import bot_accounts, outbox
from games.models import Game, Move
from games.refusals import NotAllowed
from notifications import desk, tasks, webhooks
from notifications.models import Channel, Kind, Preference
from tests.games.acts import move, to_move

PATIENCE = 60.0


def test_an_account_is_marked_and_unmarked_before_its_first_rated_game(alice, start):
    bot_accounts.mark(player=alice, is_bot=True)
    bot_accounts.mark(player=alice, is_bot=False)
    start(rated=False)
    bot_accounts.mark(player=alice, is_bot=True)
    start()
    with pytest.raises(NotAllowed, match="before its first rated game"):
        bot_accounts.mark(player=alice, is_bot=False)
    alice.refresh_from_db()
    assert alice.is_bot
    bot_accounts.mark(player=alice, is_bot=True)


def test_staff_are_no_bots(alice):
    alice.is_staff = True
    alice.save()
    with pytest.raises(NotAllowed, match="Guests and staff"):
        bot_accounts.mark(player=alice, is_bot=True)


def test_the_settings_mark_it_and_everybody_sees_it(alice, as_player, client, start):
    player = as_player(alice)
    player.post("/settings/bot/", {"bot": "yes"})
    assert re.search('id="is-bot"[^>]* checked>', player.get("/settings/").content.decode())
    assert ">bot</span>" in client.get("/players/alice/").content.decode()
    game = start()
    assert ">bot</span>" in client.get(f"/games/{game.pk}/").content.decode()
    page = player.post("/settings/bot/", {}, follow=True).content.decode()
    assert "before its first rated game" in page


def test_a_program_marks_its_own_account(alice, api_of):
    api = api_of(alice)
    assert api.get("/api/v1/me/bot").json() == {"bot": False}
    assert api.put("/api/v1/me/bot", {"bot": True}, format="json").json() == {"bot": True}
    assert api.get("/api/v1/me").json()["bot"] is True
    assert api.get("/api/v1/players/alice").json()["bot"] is True


# The example that is called by a webhook


@pytest.fixture
def port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


@pytest.fixture
def example(live_server, settings, alice, port):
    """The program of docs/, running for Alice, whose webhook leads to it."""
    settings.DEBUG = True
    bot_accounts.mark(player=alice, is_bot=True)
    url = f"http://127.0.0.1:{port}/"
    hook = webhooks.register(player=alice, url=url, now=timezone.now())
    for kind in (Kind.TURN, Kind.STARTED):
        Preference.objects.create(player=alice, kind=kind, channels=[Channel.WEBHOOK])
    _token, secret = tokens.mint(player=alice, name="bot", scopes=["read", "play"])
    program = subprocess.Popen(
        [sys.executable, "-S", str(the_settings.BASE_DIR / "docs" / "bot_webhook.py")],
        env={**os.environ, "TRIPOST": live_server.url, "TOKEN": secret,
             "WEBHOOK_SECRET": hook.secret, "WEBHOOK_PORT": str(port)},
    )  # fmt: skip
    wait_for(lambda: listens(port), program)
    yield program
    program.terminate()
    program.wait(PATIENCE)


def listens(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


def wait_for(condition, program) -> None:
    give_up_at = time.monotonic() + PATIENCE
    while not condition():
        assert program.poll() is None
        assert time.monotonic() < give_up_at
        time.sleep(0.05)


@pytest.mark.whole_house
@pytest.mark.django_db(transaction=True)
def test_the_example_answers_signed_webhooks(example, alice, bob, start, monkeypatch):
    monkeypatch.setattr(outbox, "ring", lambda: None)
    monkeypatch.setattr(desk, "ring_for_webhooks", lambda: None)
    game = start(now=timezone.now())
    for ply in (1, 3):
        outbox.relay(now=timezone.now())
        tasks.call_webhooks()
        wait_for(lambda ply=ply: Game.objects.get(pk=game.pk).ply == ply, example)
        assert to_move(game) == bob
        move(game, now=timezone.now())
    by = list(Move.objects.filter(game=game, ply__gt=0).values_list("via", flat=True))
    assert by == ["api", "web", "api", "web"]


@pytest.mark.django_db(transaction=True)
def test_the_example_believes_nobody_without_the_secret(example, start, port, monkeypatch):
    monkeypatch.setattr(outbox, "ring", lambda: None)
    game = start(now=timezone.now())
    body = b'{"game": %d, "state": {"your_turn": true, "ply": 0}}' % game.pk
    forged = webhooks.signature("whsec_guessed", body, timezone.now())
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    connection.request("POST", "/", body, {"Tripost-Signature": forged})
    assert connection.getresponse().status == 403
    connection.close()
    assert Game.objects.get(pk=game.pk).ply == 0
