import random
import time

import pytest

from games.bots.knowledge import Knowledge, Plain
from games.bots.levels import KNOWLEDGE, knowledge_of
from games.bots.search import Finding, Limit, expectation, search
from games.rules.position import Outcome, Position, Roll, Turn
from games.rules.registry import RULESETS
from tests.bots.set_up import LOST_IF_IGNORED, WON_IN_ONE, winning_moves
from tests.bots.wager import Wager

each_win = pytest.mark.parametrize("key", WON_IN_ONE)
each_threat = pytest.mark.parametrize("key", LOST_IF_IGNORED)
each_ruleset = pytest.mark.parametrize("key", RULESETS)


def found(
    position: Position, iterations: int, knowledge: Knowledge | None = None, seed: int = 1
) -> Finding:
    return search(
        position,
        knowledge=knowledge or knowledge_of(position),
        limit=Limit(iterations),
        chance=random.Random(seed),
    )


def first_turn(key: str) -> Position:
    position = RULESETS[key].start({})
    while isinstance(position.awaiting, Roll):
        position = position.rolled((5, 3))
    return position


@each_win
def test_a_win_in_one_is_found(key: str) -> None:
    position = WON_IN_ONE[key]
    finding = found(position, 200)
    assert finding.move in winning_moves(position)
    assert finding.value == 1.0
    assert finding.proven


@pytest.mark.parametrize("key", ["tritt-classic", "tritoc", "triotrio"])
def test_a_win_in_one_is_found_by_the_rules_alone(key: str) -> None:
    position = WON_IN_ONE[key]
    finding = found(position, 3_000, Plain())
    assert finding.move in winning_moves(position)


@each_threat
def test_a_loss_in_one_is_denied(key: str) -> None:
    position = LOST_IF_IGNORED[key]
    replies = [position.play(move) for move in position.legal_moves()[::7]]
    assert any(winning_moves(reply) for reply in replies if isinstance(reply.awaiting, Turn))
    reply = position.play(found(position, 1_500).move)
    assert isinstance(reply.awaiting, Turn)
    assert not winning_moves(reply)


def test_a_die_is_weighed_by_its_faces() -> None:
    for faces in range(7):
        dared = Wager(faces).play("dare")
        assert expectation(
            dared, knowledge=Plain(), limit=Limit(400), chance=random.Random(faces)
        ) == pytest.approx(faces / 6)


def test_what_is_likelier_to_win_is_dared_and_what_is_not_is_left() -> None:
    assert found(Wager(4), 400, Plain()).move == "dare"
    assert found(Wager(4), 400, Plain()).value == pytest.approx(4 / 6)
    assert found(Wager(2), 400, Plain()).move == "peace"
    assert found(Wager(2), 400, Plain()).value == 0.5


def test_a_die_too_large_to_be_thrown_out_is_near_its_expectation() -> None:
    dared = Wager(250, sides=1000).play("dare")
    value = expectation(dared, knowledge=Plain(), limit=Limit(2_000), chance=random.Random(3))
    assert value == pytest.approx(0.25, abs=0.05)


def test_throws_that_count_alike_are_looked_at_once_and_weigh_together() -> None:
    throws = knowledge_of(RULESETS["tritoc"].start({})).throws(Roll(2, 6))
    assert {sum(throw): round(36 * weight) for throw, weight in throws} == {
        2: 1, 3: 2, 4: 3, 5: 4, 6: 5, 7: 6, 8: 5, 9: 4, 10: 3, 11: 2, 12: 1,
    }  # fmt: skip


def test_the_equal_die_of_tritoc_weighs_3_to_11_alike() -> None:
    throws = knowledge_of(RULESETS["tritoc"].start({})).throws(Roll(1, 29))
    assert sorted(round(29 * weight) for _, weight in throws) == [1, 1] + [3] * 9


@each_ruleset
def test_the_same_seed_finds_the_same(key: str) -> None:
    position = first_turn(key)
    assert found(position, 150, seed=7) == found(position, 150, seed=7)


@each_ruleset
def test_another_seed_may_find_another_move(key: str) -> None:
    position = first_turn(key)
    findings = [found(position, 60, seed=seed) for seed in range(8)]
    assert len({finding.shares for finding in findings}) > 1


@each_ruleset
def test_iterations_are_kept_to(key: str) -> None:
    assert found(first_turn(key), 60).iterations == 60


def test_time_is_kept_to() -> None:
    position = first_turn("tritt-reloaded")
    finding = search(
        position,
        knowledge=knowledge_of(position),
        limit=Limit(10**9, seconds=0.05),
        chance=random.Random(1),
    )
    assert 0 < finding.iterations < 10**6
    assert finding.move in position.legal_moves()


def test_no_time_at_all_still_gives_a_move(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(100))
    monkeypatch.setattr(time, "thread_time", lambda: float(next(clock)))
    position = first_turn("triotrio")
    finding = search(
        position, knowledge=knowledge_of(position), limit=Limit(500, 1), chance=random.Random(1)
    )
    assert finding.iterations == 16
    assert finding.move in position.legal_moves()


@pytest.mark.parametrize("iterations", [0, 1, 2])
@each_ruleset
def test_hardly_any_iterations_still_give_a_legal_move(key: str, iterations: int) -> None:
    position = first_turn(key)
    assert found(position, iterations).move in position.legal_moves()


@each_ruleset
def test_shares_add_up_and_the_best_comes_first(key: str) -> None:
    finding = found(first_turn(key), 200)
    visits = [share.visits for share in finding.shares]
    assert sum(visits) == pytest.approx(1)
    assert visits[0] == max(visits)
    assert finding.shares[0].move == finding.move
    assert all(0 <= share.value <= 1 for share in finding.shares)


def test_a_game_that_is_over_is_worth_its_score() -> None:
    position = WON_IN_ONE["tritoc"]
    over = position.play(winning_moves(position)[0])
    assert isinstance(over.awaiting, Outcome)
    limit = Limit(10)
    assert (
        expectation(over, knowledge=KNOWLEDGE[type(over)], limit=limit, chance=random.Random(1))
        == 1.0
    )


def test_a_lost_position_is_known_as_lost_and_still_played() -> None:
    position = WON_IN_ONE["tritt-classic"]
    lost = next(
        after
        for move in position.legal_moves()
        if isinstance((after := position.play(move)).awaiting, Turn)
        and found(after, 1_500).proven
        and found(after, 1_500).value == 0.0
    )
    assert found(lost, 1_500).move in lost.legal_moves()
