from dataclasses import replace

import pytest

from games.rules import registry, tritoc


def test_a_game_finds_the_rules_it_was_begun_under(monkeypatch):
    newer = replace(tritoc.RULESET, version=2)
    monkeypatch.setitem(registry.VERSIONS, ("tritoc", 2), newer)
    assert registry.ruleset("tritoc", 1) is tritoc.RULESET
    assert registry.ruleset("tritoc", 2) is newer


def test_rules_that_there_never_were_are_not_found():
    with pytest.raises(KeyError):
        registry.ruleset("tritoc", 99)


def test_new_games_get_the_newest_rules():
    newest = {key: max(version for other, version in registry.VERSIONS if other == key)
              for key in registry.RULESETS}  # fmt: skip
    assert {key: rules.version for key, rules in registry.RULESETS.items()} == newest


def test_games_with_dice_are_known():
    with_dice = {key for key, rules in registry.RULESETS.items() if rules.has_dice}
    assert with_dice == {"tritoc", "triotrio"}
