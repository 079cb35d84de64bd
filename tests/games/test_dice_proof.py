"""Whoever doubts the dice of a finished game derives every one of them again."""

import json
import subprocess
import sys

import pytest
from django.conf import settings

from games import dice, play, proof
from games.models import Via
from tests.conftest import NOW
from tests.games.acts import as_stored, move, play_to_the_end


def verify(record, folder):
    """The stand-alone verifier, as anyone would run it."""
    file = folder / "game.json"
    file.write_text(json.dumps(record))
    return subprocess.run(
        [sys.executable, "-m", "games.dice", "verify", str(file)],
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("ruleset", "options"),
    [("tritoc", {}), ("tritoc", {"dice": "equal"}), ("triotrio", {"turn_limit": 5})],
)
def test_the_dice_of_a_whole_game_verify(start, alice, bob, tmp_path, ruleset, options):
    game = start(ruleset, options=options, salts=("alice", "Bob’s own salt"))
    over = play_to_the_end(game)
    record = proof.of_game(over)
    assert len(record["throws"]) == over.throws_made > 5
    done = verify(record, tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(f"ok: {over.throws_made} throws of game {game.pk} ")


def test_a_die_that_was_changed_shows(start, tmp_path):
    record = proof.of_game(play_to_the_end(start("triotrio", options={"turn_limit": 3})))
    face = record["throws"][2]["faces"][0]
    record["throws"][2]["faces"][0] = face % 6 + 1
    done = verify(record, tmp_path)
    assert done.returncode == 1
    assert "Throw 3 should be" in done.stdout


def test_throws_of_a_game_that_was_given_up_verify(start, alice):
    game = start("tritoc")
    for _ in range(4):
        move(game)
    play.resign(game_id=game.pk, player_id=alice.pk, now=NOW)
    assert dice.verify(proof.of_game(as_stored(game))) == []


def test_a_throw_is_told_with_the_dice_that_were_awaited(start, loaded_dice):
    loaded_dice((4, 3), (2,))
    game = start("triotrio")
    move(game, "change f1")
    told = proof.of_game(as_stored(game))["throws"]
    assert [throw["faces"] for throw in told] == [[4, 3], [2]]
    assert [(throw["dice"], throw["sides"]) for throw in told] == [(2, 6), (1, 6)]


def test_moves_that_were_taken_back_do_not_trouble_the_proof(start):
    game = start("triotrio", options={"turn_limit": 6})
    while (last := move(game)).throws:
        pass
    asker = game.seats.get(number=last.seat).player
    consenting = game.seats.exclude(number=last.seat).get().player
    play.ask_takeback(game_id=game.pk, player_id=asker.pk, now=NOW)
    play.accept_takeback(game_id=game.pk, player_id=consenting.pk, now=NOW, via=Via.WEB)
    over = play_to_the_end(game)
    record = proof.of_game(over)
    assert len(record["throws"]) == over.throws_made
    assert dice.verify(record) == []


def test_a_running_game_keeps_its_seed(start, alice, bob, api_of):
    game = start("tritoc")
    move(game)
    seed = bytes(game.seed).hex()
    assert proof.of_game(as_stored(game))["segments"][0]["seed"] is None
    for page in ("", "/dice", "/moves", "/choices"):
        for player in (alice, bob):
            answer = api_of(player).get(f"/api/v1/games/{game.pk}{page}")
            assert answer.status_code == 200
            assert seed not in answer.content.decode()


def test_the_seed_is_published_when_the_game_is_over(start, alice, api_of):
    game = play_to_the_end(start("triotrio", options={"turn_limit": 3}))
    told = api_of(alice).get(f"/api/v1/games/{game.pk}/dice").json()
    seed = bytes.fromhex(told["segments"][0]["seed"])
    assert dice.commitment(seed) == told["commitment"] == game.commitment
    assert dice.verify(told) == []


def test_the_commitment_is_public_from_the_start(start, client):
    game = start("tritoc")
    told = client.get(f"/api/v1/games/{game.pk}/dice").json()
    assert told["commitment"] == dice.commitment(bytes(game.seed))
