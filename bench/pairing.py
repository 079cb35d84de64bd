"""Measures Swiss rounds against the bare matching on the same graph: `python -m bench.pairing`.

A round times the library's matching alone and then the whole draw, from the history to the
pairings, one after the other in this process's own time; what is printed is the median of the
rounds' ratios. A round is dropped if a fixed loop before and after it differs by more than 15 %.
"""

import random
import statistics
import time
from collections.abc import Callable
from fractions import Fraction
from functools import partial

import rustworkx

from bench import _targets
from tournaments.formats import matching
from tournaments.formats.history import HALF, Draw, Entrant, History, Meeting
from tournaments.formats.swiss import Swiss

ROUNDS = 5
MOST_ROUNDS = 12
STEADY = 1.15
RATIO_TARGET = 2.0
SECONDS_TARGET = 5.0
SWISS = Swiss(rounds=11)
RESULTS = ((Fraction(1), Fraction(0)), (HALF, HALF), (Fraction(0), Fraction(1)))


def main() -> None:
    print(f"{'a Swiss round':46}{'median':>8}{'target':>9}  [least-most] of rounds kept")
    for played in (0, 4, 10):
        history = event(1000, played)
        report(
            f"1 000 players, round {played + 1}: × bare matching",
            kept_ratios(history),
            RATIO_TARGET,
        )
    for played in (0, 1, 4):
        history = event(5000, played)
        seconds = [timed(partial(draw, history)) for _ in range(3)]
        report(f"5 000 players, round {played + 1}: seconds", seconds, SECONDS_TARGET)


def event(players: int, played: int) -> History:
    """So many rounds played, better numbers winning more often."""
    chance = random.Random(players)
    history = History(entrants=[Entrant(number=number) for number in range(1, players + 1)])
    for _ in range(played):
        games = [
            Meeting(round=game.round, first=game.first, second=game.second, scores=result)
            for game in draw(history).pairings
            for result in [chance.choices(RESULTS, odds(game.first < game.second))[0]]
        ]
        history = History(entrants=history.entrants, meetings=[*history.meetings, *games])
    return history


def odds(first_is_better: bool) -> tuple[int, int, int]:
    return (5, 3, 2) if first_is_better else (2, 3, 5)


def draw(history: History) -> Draw:
    return SWISS.next(history, seed="bench")


def kept_ratios(history: History) -> list[float]:
    ratios: list[float] = []
    for _ in range(MOST_ROUNDS):
        before = timed(fixed_loop)
        graph = graph_of(history)
        bare = timed(partial(bare_matching, graph))
        whole = timed(partial(draw, history))
        after = timed(fixed_loop)
        if max(before, after) <= STEADY * min(before, after):
            ratios.append(whole / bare)
        if len(ratios) == ROUNDS:
            break
    return ratios


def graph_of(history: History) -> "rustworkx.PyGraph[int, int]":
    """The graph that a draw is made from, caught on its way."""
    caught = []
    build = matching.Field.graph

    def catch(field: matching.Field, window: int) -> "rustworkx.PyGraph[int, int]":
        caught.append(build(field, window))
        return caught[-1]

    matching.Field.graph = catch
    try:
        draw(history)
    finally:
        matching.Field.graph = build
    (graph,) = caught
    return graph


def bare_matching(graph: "rustworkx.PyGraph[int, int]") -> set[tuple[int, int]]:
    return rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int)


def timed(work: Callable[[], object]) -> float:
    started = time.process_time()
    work()
    return time.process_time() - started


def fixed_loop() -> int:
    total = 0
    for number in range(400_000):
        total ^= number * number
    return total


def report(what: str, figures: list[float], target: float) -> None:
    if not figures:
        _targets.note_unsteady(what)
        print(f"{what:46}  {_targets.UNSTEADY}")
        return
    median = statistics.median(figures)
    mark = _targets.mark(what, median <= target, "  above target")
    spread = f"[{min(figures):.2f}-{max(figures):.2f}] of {len(figures)}"
    print(f"{what:46}{median:8.2f}{f'≤ {target}':>9}  {spread}{mark}", flush=True)


if __name__ == "__main__":
    main()
