"""The bot of the docs page plays whole games, as it is printed there."""

import html
import os
import re
import subprocess
import sys
import time
import urllib.request

import pytest

from accounts import tokens
from games import clock
from games.models import Game, Move
from tests.api.conftest import PATIENCE


@pytest.fixture
def printed_bot(client, tmp_path):
    """A file with exactly what the page shows."""
    page = client.get("/api/v1/docs/").content.decode()
    source = re.search(r'<code id="bot-source">(.*?)</code>', page, re.DOTALL)
    file = tmp_path / "bot.py"
    file.write_text(html.unescape(source[1]))
    return file


def test_the_bot_has_thirty_lines_at_most(client, printed_bot):
    assert len(printed_bot.read_text().splitlines()) <= 30


@pytest.mark.parametrize("ruleset", ["tritt-reloaded", "triotrio"])
def test_two_bots_play_a_whole_game(stream, live_server, alice, bob, start, printed_bot, ruleset):
    options = {"turn_limit": 3} if ruleset == "triotrio" else {}
    from django.utils import timezone

    game = start(ruleset, options=options, clock=clock.PerMove(1), now=timezone.now())
    bots = [run(printed_bot, live_server.url, player) for player in (alice, bob)]
    try:
        give_up_at = time.monotonic() + 4 * PATIENCE
        while Game.objects.get(pk=game.pk).is_running:
            assert all(bot.poll() is None for bot in bots)
            assert time.monotonic() < give_up_at
            time.sleep(0.1)
    finally:
        for bot in bots:
            bot.terminate()
            bot.wait(PATIENCE)
    assert Game.objects.get(pk=game.pk).status == "finished"
    made_by = set(Move.objects.filter(game=game, ply__gt=0).values_list("via", flat=True))
    assert made_by == {"api"}


def run(bot, site, player):
    _token, secret = tokens.mint(player=player, name="bot", scopes=["read", "play"])
    return subprocess.Popen(
        [sys.executable, "-S", str(bot)], env={**os.environ, "TRIPOST": site, "TOKEN": secret}
    )


def test_the_page_explains_and_refers(client):
    page = client.get("/api/v1/docs/").content.decode()
    for part in ("tokens", "ply", "errors", "limits", "stream", "bot", "reference"):
        assert f'<h2 id="{part}">' in page
    assert 'id="swagger-ui"' in page


@pytest.mark.django_db(transaction=True)
def test_the_page_is_reached_without_the_slash_and_its_script_too(live_server):
    for address in ("/api/v1/docs", "/api/v1/", "/api/v1/docs/?script="):
        with urllib.request.urlopen(live_server.url + address, timeout=PATIENCE) as answer:
            assert answer.status == 200
