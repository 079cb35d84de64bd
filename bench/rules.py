"""Measures the engines on one core against python-chess: `python -m bench.rules [ruleset…]`.

Only ratios taken within one round mean anything, as a machine's speed wanders: a round times
python-chess and then the engine, between two runs of a fixed loop, and is dropped if these two
differ by more than 15 %. Time is this process's own, so that its neighbours disturb it little.
What is printed is the median of the rounds' ratios.
"""

import json
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import chess

from bench import _targets
from games.rules.position import Outcome, Position, Roll, Ruleset
from games.rules.registry import RULESETS

ROUNDS = 5
MOST_ROUNDS = 9
SECONDS = 0.25
BATCH = 10
STEADY = 1.15
STORED_MOVES = 300
LONG_LISTS = range(900, 1101)

PLAY_TARGETS = {"tritt-reloaded": 1.2}
USUAL_PLAY_TARGET = 1.5
STORE_TARGET = 1.0
LIST_TARGET = 10.0

Work = Iterator[None]
"""Does one unit of work each time it is asked for the next item."""


@dataclass(frozen=True, kw_only=True)
class Measure:
    what: str
    work: Callable[[], Work]
    target: float
    in_chess_moves: bool = False
    """Whether the figure is how many python-chess moves one unit takes, so less is better."""

    def figure(self, rate: float, chess_rate: float) -> float:
        return chess_rate / rate if self.in_chess_moves else rate / chess_rate

    def is_met_by(self, figure: float) -> bool:
        return figure <= self.target if self.in_chess_moves else figure >= self.target


def main(keys: Sequence[str] = ()) -> None:
    print(f"{'ratio to python-chess':46}{'median':>8}{'target':>9}  [least-most] of rounds kept")
    for key in keys or RULESETS:
        for measure in measures(RULESETS[key]):
            report(measure, kept_figures(measure))


def measures(ruleset: Ruleset) -> Iterator[Measure]:
    yield Measure(
        what=f"{ruleset.key}: random play by choices",
        work=partial(random_play, ruleset),
        target=PLAY_TARGETS.get(ruleset.key, USUAL_PLAY_TARGET),
    )
    yield Measure(
        what=f"{ruleset.key}: load, parse, play, save",
        work=partial(stored_moves, ruleset),
        target=STORE_TARGET,
    )
    if ruleset.key == "tritt-reloaded":
        yield Measure(
            what=f"{ruleset.key}: chess moves per list of 1 000",
            work=partial(long_lists, ruleset),
            target=LIST_TARGET,
            in_chess_moves=True,
        )


def report(measure: Measure, figures: list[float]) -> None:
    if not figures:
        _targets.note_unsteady(measure.what)
        print(f"{measure.what:46}  {_targets.UNSTEADY}")
        return
    median = statistics.median(figures)
    mark = _targets.mark(measure.what, measure.is_met_by(median), "  below target")
    bound = f"{'≤' if measure.in_chess_moves else '≥'} {measure.target}"
    spread = f"[{min(figures):.2f}-{max(figures):.2f}] of {len(figures)}"
    print(f"{measure.what:46}{median:8.2f}{bound:>9}  {spread}{mark}", flush=True)


def kept_figures(measure: Measure) -> list[float]:
    """The figures of steady rounds, as many as wanted or as there were."""
    figures: list[float] = []
    for _ in range(MOST_ROUNDS):
        before = calibration()
        chess_rate = units_a_second(chess_play())
        rate = units_a_second(measure.work())
        after = calibration()
        if max(before, after) <= STEADY * min(before, after):
            figures.append(measure.figure(rate, chess_rate))
        if len(figures) == ROUNDS:
            break
    return figures


def calibration() -> float:
    started = time.process_time()
    total = 0
    for number in range(400_000):
        total ^= number * number
    return time.process_time() - started


def units_a_second(work: Work) -> float:
    next(work)  # what is prepared before the first unit is not measured
    units = 0
    started = time.process_time()
    while (elapsed := time.process_time() - started) < SECONDS:
        for _ in range(BATCH):
            next(work)
        units += BATCH
    return units / elapsed


def chess_play() -> Work:
    chance = random.Random(0)
    while True:
        board = chess.Board()
        while not board.is_game_over():
            board.push(chance.choice(list(board.legal_moves)))
            yield


def random_play(ruleset: Ruleset) -> Work:
    for _ in random_moves(ruleset):
        yield


def random_moves(ruleset: Ruleset) -> Iterator[tuple[Position, str]]:
    """Games without end: each position that awaits a turn, and the move that is made."""
    chance = random.Random(0)
    while True:
        position = ruleset.start({})
        while not isinstance(position.awaiting, Outcome):
            if isinstance(position.awaiting, Roll):
                position = position.rolled(thrown(position.awaiting, chance))
            else:
                text = picked(position, chance)
                yield position, text
                position = position.play(position.parse(text))


def thrown(roll: Roll, chance: random.Random) -> tuple[int, ...]:
    return tuple(chance.randint(1, roll.sides) for _ in range(roll.dice))


def picked(position: Position, chance: random.Random) -> str:
    """A move's text, token by token; where it may end or go on, either is as likely."""
    text = ""
    while choices := position.choices(text):
        choice = chance.choice(choices)
        text += choice.token
        if choice.whole and chance.random() < 0.5:
            break
    return text


def stored_moves(ruleset: Ruleset) -> Work:
    moves = random_moves(ruleset)
    games = [
        (json.dumps(position.to_json()), text)
        for position, text in (next(moves) for _ in range(STORED_MOVES))
    ]
    while True:
        for stored, text in games:
            position = ruleset.load(json.loads(stored))
            json.dumps(position.play(position.parse(text)).to_json())
            yield


def long_lists(ruleset: Ruleset) -> Work:
    positions = (position for position, _ in random_moves(ruleset))
    long = (at for at in positions if len(at.legal_moves()) in LONG_LISTS)
    some = [next(long) for _ in range(20)]
    while True:
        for position in some:
            position.legal_moves()
            yield


if __name__ == "__main__":
    main(sys.argv[1:])
