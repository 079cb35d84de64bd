"""Measures a table of standings with every tie-break: `python -m bench.standings`.

The event is a made-up Swiss one: 1 000 entrants, 11 rounds, with draws, byes, forfeits and
withdrawals. Time is this process's own; the target is half a second, and twice the rounds
should take about twice as long.
"""

import random
import statistics
import time
from fractions import Fraction

from bench import _targets
from tournaments.formats.history import HALF, Entrant, History, Idle, Meeting, Rest
from tournaments.formats.standing import standings
from tournaments.formats.tie_breaks import codes

ENTRANTS = 1_000
ROUNDS = 11
TARGET = 0.5
REPEATS = 7
ONE = Fraction(1)
NIL = Fraction(0)
RESTS: tuple[Rest, ...] = ("H", "Z", "F", "U")
RESULTS = ((ONE, NIL), (HALF, HALF), (NIL, ONE))


def main() -> None:
    usual = bench_standings(event(ENTRANTS, ROUNDS))
    what = f"{len(codes())} tie-breaks, {ENTRANTS} entrants, {ROUNDS} rounds"
    mark = _targets.mark(what, usual < TARGET)
    print(f"{what}: {usual:.3f} s (target {TARGET} s){mark}")
    larger = bench_standings(event(2 * ENTRANTS, ROUNDS))
    print(f"twice the entrants: {larger / usual:.1f} times as long")
    longer = bench_standings(event(ENTRANTS, 2 * ROUNDS))
    print(f"twice the rounds: {longer / usual:.1f} times as long")


def bench_standings(history: History) -> float:
    """The median of several runs, in seconds of this process."""
    seconds = []
    for _ in range(REPEATS):
        began = time.process_time()
        standings(history, codes(), edition="2026", seed="bench")
        seconds.append(time.process_time() - began)
    return statistics.median(seconds)


def event(entrants: int, rounds: int) -> History:
    """Pairs neighbours by score, as a Swiss event does, without minding who met before."""
    dice = random.Random(entrants * rounds)
    scores = dict.fromkeys(range(1, entrants + 1), NIL)
    meetings: list[Meeting] = []
    idles: list[Idle] = []
    for number in range(1, rounds + 1):
        playing = sorted(scores, key=lambda one: (-scores[one], dice.random()))
        resting: dict[int, Rest] = {
            one: dice.choice(RESTS) for one in playing if dice.random() < 0.03
        }
        playing = [one for one in playing if one not in resting]
        idles += [Idle(round=number, number=one, kind=kind) for one, kind in resting.items()]
        for first, second in zip(playing[::2], playing[1::2], strict=False):
            result = dice.choice(RESULTS)
            forfeit = result != (HALF, HALF) and dice.random() < 0.03
            meetings.append(
                Meeting(round=number, first=first, second=second, scores=result, forfeit=forfeit)
            )
            scores[first] += result[0]
            scores[second] += result[1]
    field = [Entrant(number=one, rating=dice.randint(1_000, 2_500)) for one in scores]
    return History(entrants=field, meetings=meetings, idles=idles, rounds=rounds)


if __name__ == "__main__":
    main()
