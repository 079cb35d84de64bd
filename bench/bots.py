"""Measures the bots: `python -m bench.bots` their speed, `… long` or `… short` their strength.

Strength is measured by games between neighbouring levels, and of the lowest against random
play, seats by turns. Levels are bounded by iterations, so what else a machine does changes how
long this takes and not what comes out. A match stops early once its score is clearly above or
clearly below what is asked for. Rulesets and levels may be named to measure only those; `write`
keeps the figures in games/bots/measured.py.
"""

import importlib
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from math import sqrt
from pathlib import Path
from typing import Any

from bench import _targets
from games.bots import levels, measured
from games.bots.levels import LEVELS, Level, consider
from games.bots.measured import RANDOM, Measured, elo_of
from games.bots.search import Limit
from games.rules.position import Outcome, Position, Roll, Ruleset
from games.rules.registry import RULESETS

AIM = 5_000
ITERATIONS = 1_000
SECONDS = 4.0
ENOUGH = 0.65
ENOUGH_AGAINST_RANDOM = 0.80
FEWEST_GAMES = 12
LONG, SHORT = 100, 20
NORMAL_95 = 1.96
NORMAL_99 = 2.58
"""Matches are looked at again and again, so what stops one is held to more than what is told."""

NO_TIME_LIMIT = 3600.0

Chooser = Callable[[Position, random.Random], Any]


def main(arguments: Sequence[str] = ()) -> None:
    words = set(arguments)
    keys = [key for key in RULESETS if key in words] or list(RULESETS)
    wanted = [key for key in LEVELS if key in words] or list(LEVELS)
    if words.isdisjoint({"long", "short"}):
        for key in keys:
            report_speed(RULESETS[key])
        return
    levels.MOST_SECONDS = NO_TIME_LIMIT
    print(f"{'':40}{'games':>6}{'score':>8}  {'95 %':15}{'Elo':>5}")
    found = []
    for key in keys:
        for result in matches(RULESETS[key], wanted, LONG if "long" in words else SHORT):
            print(line_for(result), flush=True)
            found.append(result)
    if "write" in words:
        write(found)


# Speed


def report_speed(ruleset: Ruleset) -> None:
    """Iterations a second of this process's time, over the turns of games between equals."""
    iterations, seconds = 0, 0.0
    for position, seed in turns(ruleset):
        started = time.process_time()
        iterations += consider(position, limit=Limit(ITERATIONS), seed=seed).iterations
        seconds += time.process_time() - started
        if seconds >= SECONDS:
            break
    rate = iterations / seconds
    mark = _targets.mark(f"{ruleset.key}, iterations a second", rate >= AIM, "  below target")
    print(f"{ruleset.key:16}{rate:8.0f} iterations a second (≥ {AIM}){mark}", flush=True)


def turns(ruleset: Ruleset) -> Iterator[tuple[Position, int]]:
    """The turns of games that the second level plays against itself."""
    for seed in range(1_000):
        chance = random.Random(seed)
        position = ruleset.start({})
        while not isinstance(position.awaiting, Outcome):
            if isinstance(position.awaiting, Roll):
                position = position.rolled(thrown(position.awaiting, chance))
            else:
                yield position, seed
                position = position.play(by_level(LEVELS["brook"])(position, chance))


# Strength


def matches(ruleset: Ruleset, wanted: Sequence[str], games: int) -> Iterator[Measured]:
    below: Chooser = at_random
    name, enough = RANDOM, ENOUGH_AGAINST_RANDOM
    for level in LEVELS.values():
        if level.key in wanted:
            number, points = match(ruleset, by_level(level), below, games, enough)
            low, high = wilson(points, number, NORMAL_95)
            yield Measured(ruleset.key, level.key, name, number, points / number, low, high)
        below, name, enough = by_level(level), level.key, ENOUGH


def match(
    ruleset: Ruleset, one: Chooser, other: Chooser, games: int, enough: float
) -> tuple[int, float]:
    """How many games were played, and how many points `one` made."""
    points = 0.0
    for number in range(games):
        chance = random.Random(f"{ruleset.key} {number}")
        if number % 2:
            points += played(ruleset, (other, one), chance).scores[1]
        else:
            points += played(ruleset, (one, other), chance).scores[0]
        low, high = wilson(points, number + 1, NORMAL_99)
        if number + 1 >= FEWEST_GAMES and number % 2 and not low <= enough <= high:
            return number + 1, points
    return games, points


def played(ruleset: Ruleset, choosers: tuple[Chooser, Chooser], chance: random.Random) -> Outcome:
    position = ruleset.start({})
    while not isinstance(position.awaiting, Outcome):
        if isinstance(position.awaiting, Roll):
            position = position.rolled(thrown(position.awaiting, chance))
        else:
            chooser = choosers[position.awaiting.seat]
            position = position.play(chooser(position, chance))
    return position.awaiting


def thrown(roll: Roll, chance: random.Random) -> tuple[int, ...]:
    return tuple(chance.randint(1, roll.sides) for _ in range(roll.dice))


def at_random(position: Position, chance: random.Random) -> Any:
    return chance.choice(position.legal_moves())


def by_level(level: Level) -> Chooser:
    def chosen(position: Position, chance: random.Random) -> Any:
        return levels.choose(position, level, chance.getrandbits(32))

    return chosen


def wilson(points: float, games: int, normal: float) -> tuple[float, float]:
    """Wilson's interval; a draw, as half a point, makes it a little wider than it need be."""
    score, square = points / games, normal * normal
    centre = (score + square / (2 * games)) / (1 + square / games)
    spread = score * (1 - score) / games + square / (4 * games * games)
    reach = normal * sqrt(spread) / (1 + square / games)
    return max(0.0, centre - reach), min(1.0, centre + reach)


def line_for(result: Measured) -> str:
    pair = f"{result.ruleset}: {result.level} – {result.opponent}"
    interval = f"{result.low:.1%}–{result.high:.1%}"
    enough = ENOUGH_AGAINST_RANDOM if result.opponent == RANDOM else ENOUGH
    mark = "" if result.score >= enough else f"  below {enough:.0%}"
    elo = f"{elo_of(result.score):+5} [{elo_of(result.low):+}, {elo_of(result.high):+}]"
    return f"{pair:40}{result.games:6}{result.score:8.1%}  {interval:15}{elo}{mark}"


def write(found: Sequence[Measured]) -> None:
    """Puts these figures in the place of earlier ones of the same pairs."""
    importlib.reload(measured)  # another match may have been written down meanwhile
    kept = {(row.ruleset, row.level): row for row in (*measured.MEASURED, *found)}
    rows = "\n".join(
        f'    Measured("{row.ruleset}", "{row.level}", "{row.opponent}", {row.games}, '
        f"{row.score:.3f}, {row.low:.3f}, {row.high:.3f}),"
        for row in kept.values()
    )
    path = Path(measured.__file__)
    before, begin, _ = path.read_text().partition("MEASURED: tuple[Measured, ...] = (")
    path.write_text(f"{before}{begin}\n{rows}\n)\n")


if __name__ == "__main__":
    main(sys.argv[1:])
