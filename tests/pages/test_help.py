"""Help, the page about the house, and that what help says about mail is true."""

import json
import re
import subprocess
import sys

import pytest
from django.urls import reverse

from games import dice
from games.pages.help import TOPICS
from notifications import commands

SHOWN = re.compile(r"<code data-command>(.+?)</code>")
MEANT = {
    "draw": "draw", "remis": "draw", "accept": "accept", "annehmen": "accept",
    "decline": "decline", "ablehnen": "decline", "resign #123": "resign",
    "aufgeben #123": "resign", "board": "board", "brett": "board", "history": "history",
    "verlauf": "history", "help": "help", "hilfe": "help", "if a1-a3 then k1-k3": "if",
    "wenn a1-a3 dann k1-k3": "if", "stop": "stop", "abbestellen": "stop",
}  # fmt: skip


def is_move(text: str) -> bool:
    return text in ("a1-a3", "k1-k3")


@pytest.mark.parametrize("key", TOPICS)
def test_every_topic_has_its_page_and_is_listed(key, client):
    address = reverse("help_on", args=[key])
    response = client.get(address)
    assert f"<h1>{TOPICS[key].title}</h1>" in response.content.decode()
    assert f'href="{address}"' in client.get(reverse("help")).content.decode()


def test_a_topic_that_there_is_not_is_not_found(client):
    assert client.get(reverse("help_on", args=["chess"])).status_code == 404


def test_what_help_says_can_be_written_is_understood_as_it_says(client):
    html = client.get(reverse("help_on", args=["mail"])).content.decode()
    assert set(SHOWN.findall(html)) == set(MEANT)
    for line, name in MEANT.items():
        read = commands.read(line, is_move)
        assert read is not None, line
        assert read.name == name
    assert set(MEANT.values()) == {*commands.WORDS, "resign", "if"} - {"decline draw"}


def test_the_page_about_the_house_names_every_game(client):
    html = client.get(reverse("about")).content.decode()
    for name in ("Tritt Reloaded", "Tritt (2009)", "Tritoc", "Tri-Trac", "TrioTrio"):
        assert name in html


@pytest.mark.parametrize("name", ["help", "about"])
def test_the_footer_leads_there_from_every_page(name, client):
    assert f'href="{reverse(name)}"' in client.get(reverse("rules")).content.decode()


def test_the_checker_of_the_dice_can_be_had_and_runs_alone(client, tmp_path):
    response = client.get(reverse("verifier"))
    assert response["Content-Disposition"] == 'attachment; filename="tripost-verify.pyz"'
    (tmp_path / "tripost-verify.pyz").write_bytes(response.content)
    seed = bytes(range(32))
    faces = dice.throw(scheme=1, seed=seed, game_id="7", number=1, salts=("", ""), dice=2, sides=6)
    for shown, verdict in ((faces, 0), ((faces[0] % 6 + 1, faces[1]), 1)):
        throw = {"number": 1, "dice": 2, "sides": 6, "faces": shown}
        record = {"game": "7", "commitment": dice.commitment(seed), "seed": seed.hex()}
        record |= {"salts": ["", ""], "throws": [throw]}
        (tmp_path / "game.json").write_text(json.dumps(record))
        command = [sys.executable, "-I", "tripost-verify.pyz", "dice", "game.json"]
        ran = subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60, check=False)
        assert ran.returncode == verdict
