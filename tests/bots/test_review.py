import random
from collections.abc import Sequence

import pytest

from games.bots.levels import LEVELS, choose
from games.bots.review import review
from games.bots.search import Limit
from games.rules.position import Outcome, Position, Roll, Turn
from games.rules.registry import RULESETS
from tests.bots.set_up import WON_IN_ONE, winning_moves

LIMIT = Limit(60)


def some_of_a_game(key: str, length: int) -> list[Position]:
    chance = random.Random(4)
    positions = [RULESETS[key].start({})]
    while len(positions) < length and not isinstance(positions[-1].awaiting, Outcome):
        now = positions[-1]
        if isinstance(now.awaiting, Roll):
            dice = tuple(chance.randint(1, now.awaiting.sides) for _ in range(now.awaiting.dice))
            positions.append(now.rolled(dice))
        else:
            positions.append(now.play(choose(now, LEVELS["dew"], chance.getrandbits(32))))
    return positions


def turns_in(positions: Sequence[Position]) -> list[int]:
    return [at for at, position in enumerate(positions) if isinstance(position.awaiting, Turn)]


@pytest.mark.parametrize("key", RULESETS)
def test_every_turn_is_judged_and_the_same_each_time(key: str) -> None:
    positions = some_of_a_game(key, 12)
    judgements = review(positions, limit=LIMIT, seed=3)
    assert judgements == review(positions, limit=LIMIT, seed=3)
    assert [judgement.at for judgement in judgements] == turns_in(positions)
    for judgement in judgements:
        assert judgement.best in positions[judgement.at].legal_moves()
        assert 0 <= judgement.swing <= judgement.value <= 1


@pytest.mark.parametrize("key", WON_IN_ONE)
def test_a_win_that_was_played_gave_nothing_away(key: str) -> None:
    position = WON_IN_ONE[key]
    (judgement,) = review(
        [position, position.play(winning_moves(position)[0])], limit=LIMIT, seed=3
    )
    assert judgement.value == 1.0
    assert judgement.swing == 0.0


@pytest.mark.parametrize("key", ["tritt-classic", "tritt-reloaded", "tri-trac", "triotrio"])
def test_a_win_that_was_missed_gave_something_away(key: str) -> None:
    position = WON_IN_ONE[key]
    missed = next(move for move in position.legal_moves() if move not in winning_moves(position))
    judgements = review([position, position.play(missed)], limit=LIMIT, seed=3)
    assert judgements[0].best in winning_moves(position)
    assert judgements[0].swing > 0.02


def test_the_last_position_of_a_running_game_has_no_swing() -> None:
    (judgement,) = review([WON_IN_ONE["tri-trac"]], limit=LIMIT, seed=3)
    assert judgement.swing == 0.0
