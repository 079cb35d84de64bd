"""Old rules live on: a game is played to its end under the version that it was begun with."""

from dataclasses import replace

import pytest

from games import files, play, record
from games.models import Game, Via
from games.rules import tritt_reloaded
from games.rules.position import IllegalMove, InvalidMove
from games.rules.registry import RULESETS, VERSIONS, ruleset
from games.table import lock
from tests.conftest import NOW
from tests.games.acts import as_stored, move, play_to_the_end, replayed, submit, to_move

SECOND = replace(tritt_reloaded.RULESET, key="tritt-classic", version=2, name="Tritt (new)")
"""A second version in which hardly a move is what it was: the rules of another game."""


@pytest.fixture
def publish(monkeypatch):
    """The day on which the second version comes out."""

    def now(rules=SECOND):
        monkeypatch.setitem(VERSIONS, (rules.key, rules.version), rules)
        monkeypatch.setitem(RULESETS, rules.key, rules)

    return now


def under_its_rules(game):
    """The first legal move of the game, by the version that it names."""
    game = as_stored(game)
    position = ruleset(game.ruleset, game.version).load(game.position)
    return str(position.legal_moves()[0])


def finished(game):
    while as_stored(game).is_running:
        move(game, under_its_rules(game))
    return as_stored(game)


def test_a_game_is_finished_under_the_rules_that_it_was_begun_with(start, publish):
    game = start("tritt-classic")
    move(game)
    publish()
    over = finished(game)
    assert (over.version, over.status) == (1, "finished")
    outcome = replayed(over).awaiting
    assert (over.reason, over.score) == (outcome.reason, outcome.scores[0] * 2)
    assert type(replayed(over)) is type(ruleset("tritt-classic", 1).start({}))


def test_a_new_game_has_the_newest_rules(start, publish):
    publish()
    game = start("tritt-classic", options={})
    assert game.version == 2
    assert type(replayed(game)) is type(tritt_reloaded.RULESET.start({}))
    assert play_to_the_end(game).status == "finished"


def test_the_rules_of_two_versions_are_not_mixed_up(start, publish):
    old = start("tritt-classic")
    publish()
    new = start("tritt-classic", options={})
    while not (foreign := legal(old) - legal(new)):
        common = min(legal(old) & legal(new))
        submit(old, to_move(old), common)
        submit(new, to_move(new), common)
    submit(old, to_move(old), min(foreign))
    with pytest.raises((InvalidMove, IllegalMove)):
        submit(new, to_move(new), min(foreign))


def legal(game):
    """What the one door lets through now."""
    return {str(move) for move in lock(game.pk).position.legal_moves()}


def test_the_api_shows_and_offers_by_the_version_of_the_game(start, publish, client):
    game = start("tritt-classic")
    seen = {page: client.get(f"/api/v1/games/{game.pk}{page}").json() for page in ("/choices", "")}
    publish(replace(SECOND, load=not_to_be_read))
    for page, before in seen.items():
        after = client.get(f"/api/v1/games/{game.pk}{page}").json()
        assert after.keys() == before.keys()
        assert after.get("choices") == before.get("choices")
        assert after.get("awaiting") == before.get("awaiting")


def not_to_be_read(_position):
    raise AssertionError("a position of the first version was read by the rules of the second")


def test_moves_are_taken_back_under_the_old_rules(start, publish, alice, bob):
    game = start("tritt-classic")
    publish()
    move(game, under_its_rules(game))
    play.ask_takeback(game_id=game.pk, player_id=alice.pk, now=NOW)
    play.accept_takeback(game_id=game.pk, player_id=bob.pk, now=NOW, via=Via.WEB)
    assert as_stored(game).position == ruleset("tritt-classic", 1).start({}).to_json()


def test_files_verify_with_their_own_version(start, publish, alice, charlie):
    old = start("tritt-classic")
    publish()
    games = [finished(old), play_to_the_end(start("tritt-classic", options={}))]
    told = [files.file_of(game.pk) for game in games]
    assert [file.record["version"] for file in told] == [1, 2]
    for file in told:
        assert record.verify(file.as_json()) == []
        assert "version" in file.as_text().decode()
    forged = record.sealed(told[0].record | {"version": 2})
    assert record.verify(record.spelled(forged)) != []
    assert len(list(files.files_of(Game.objects.filter(seats__player=alice)))) == 2
