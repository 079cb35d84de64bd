import random
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.bots import levels, measured
from games.bots.knowledge import Plain
from games.bots.levels import LEVELS, choose, consider, knowledge_of
from games.bots.search import Limit
from games.bots.tritt import CORNERS
from games.rules.position import Outcome, Roll, Turn
from games.rules.registry import RULESETS
from tests.bots.set_up import WON_IN_ONE, winning_moves
from tests.bots.wager import Wager
from tests.rules.test_every_ruleset import GAMES, NAMES, reached

each_game = pytest.mark.parametrize(("ruleset", "options"), GAMES, ids=NAMES)
LOWEST, *_, HIGHEST = LEVELS.values()


def test_there_are_four_levels_with_names():
    assert len(LEVELS) == 4
    assert len({level.name for level in LEVELS.values()}) == 4
    assert all(LEVELS[level.key] is level for level in LEVELS.values())


@pytest.mark.parametrize("key", RULESETS)
def test_a_higher_level_looks_longer(key):
    position = RULESETS[key].start({})
    efforts = [level.effort_for(position) for level in LEVELS.values()]
    for below, above in pairwise(efforts):
        assert above.iterations > below.iterations


@each_game
@settings(max_examples=4, deadline=None, derandomize=True, database=None)
@given(seed=st.integers(0, 2**32), plies=st.integers(0, 80))
def test_a_level_plays_a_legal_move_in_any_position(ruleset, options, seed, plies):
    position = reached(ruleset, options, seed, plies)
    if isinstance(position.awaiting, Turn):
        assert choose(position, LOWEST, seed) in position.legal_moves()
        assert consider(position, limit=Limit(30), seed=seed).move in position.legal_moves()


@pytest.mark.parametrize("key", WON_IN_ONE)
def test_the_highest_level_takes_a_win_in_one(key):
    assert choose(WON_IN_ONE[key], HIGHEST, 5) in winning_moves(WON_IN_ONE[key])


@pytest.mark.parametrize("key", RULESETS)
def test_the_same_seed_chooses_the_same_move(key):
    position = RULESETS[key].start({})
    while isinstance(position.awaiting, Roll):
        position = position.rolled((5, 3))
    for seed in range(6):
        assert choose(position, LOWEST, seed) == choose(position, LOWEST, seed)


def test_a_level_on_a_whim_plays_anything(monkeypatch):
    monkeypatch.setattr(levels, "search", None)
    position = RULESETS["tritt-classic"].start({})
    always = levels.Level("x", "X", levels.Effort(1, whim=1.0), {})
    assert len({choose(position, always, seed) for seed in range(20)}) > 10


def test_only_a_level_that_has_studied_uses_the_book():
    position = RULESETS["tritt-classic"].start({})
    studied = levels.Level("x", "X", levels.Effort(5, book=True), {})
    unstudied = levels.Level("y", "Y", levels.Effort(5), {})
    assert all(str(choose(position, studied, seed)) in CORNERS for seed in range(6))
    assert not all(str(choose(position, unstudied, seed)) in CORNERS for seed in range(6))
    assert [level.effort_for(position).book for level in LEVELS.values()] == [False] * 3 + [True]


def test_a_game_that_nobody_has_studied_is_played_by_its_rules_alone():
    assert isinstance(knowledge_of(Wager(5)), Plain)
    assert choose(Wager(5), HIGHEST, 1) == "dare"


def test_the_lowest_level_beats_random_play():
    """A small sample of what `make bench-bots` measures, at odds that cannot fail by chance."""
    ruleset = RULESETS["tritt-classic"]
    points = 0.0
    for number in range(20):
        chance, position = random.Random(number), ruleset.start({})
        while not isinstance(position.awaiting, Outcome):
            if position.awaiting.seat == number % 2:
                position = position.play(choose(position, LOWEST, chance.getrandbits(32)))
            else:
                position = position.play(chance.choice(position.legal_moves()))
        points += position.awaiting.scores[number % 2]
    assert points >= 14


def test_every_neighbouring_pair_of_every_ruleset_was_measured():
    below = [measured.RANDOM, *list(LEVELS)[:-1]]
    pairs = dict(zip(LEVELS, below, strict=True))
    rows = {(row.ruleset, row.level): row for row in measured.MEASURED}
    assert set(rows) == {(key, level) for key in RULESETS for level in LEVELS}
    assert len(rows) == len(measured.MEASURED)
    for row in measured.MEASURED:
        assert row.opponent == pairs[row.level]
        assert row.low <= row.score <= row.high
        assert row.games >= 12


def test_scores_become_elo_differences():
    assert measured.elo_of(0.5) == 0
    assert measured.elo_of(0.75) == 191
    assert measured.elo_of(0.25) == -191
    assert measured.elo_of(1.0) == measured.MOST_ELO
    row = measured.Measured("tritoc", "dew", "random", 100, 0.75, 0.5, 1.0)
    assert row.elo == (191, 0, measured.MOST_ELO)
