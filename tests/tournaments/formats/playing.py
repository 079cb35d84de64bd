"""Plays events out: asks a format what is next, starts that, and decides games one by one."""

import random
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction

from tournaments.formats.format import Format
from tournaments.formats.history import HALF, Draw, Entrant, History, Idle, Meeting

WON = (Fraction(1), Fraction(0))
LOST = (Fraction(0), Fraction(1))
DRAWN = (HALF, HALF)
NOBODY_CAME = (Fraction(0), Fraction(0))
RESULTS = (WON, LOST, DRAWN)

Decide = Callable[[Meeting], Meeting]


def entrants(count: int) -> list[Entrant]:
    return [Entrant(number=number, rating=2500 - number) for number in range(1, count + 1)]


def started(history: History, draw: Draw) -> History:
    games = [
        Meeting(round=game.round, first=game.first, second=game.second, leg=game.leg)
        for game in draw.pairings
    ]
    return replace(
        history, meetings=[*history.meetings, *games], idles=[*history.idles, *draw.idles]
    )


def decided(history: History, place: int, by: Decide) -> History:
    games = list(history.meetings)
    games[place] = by(games[place])
    return replace(history, meetings=games)


def running(history: History) -> list[int]:
    return [place for place, game in enumerate(history.meetings) if not game.scores]


def at_random(chance: random.Random, results: Sequence[tuple[Fraction, Fraction]]) -> Decide:
    return lambda game: replace(game, scores=chance.choice(results))


def smaller_number_wins(game: Meeting) -> Meeting:
    return replace(game, scores=WON if game.first < game.second else LOST)


def play_out(
    format: Format,
    history: History,
    *,
    by: Decide,
    chance: random.Random,
    seed: str = "seed",
    changed: Callable[[History], History] = lambda history: history,
) -> History:
    """To the end, games ending in any order; what is started is never asked for again."""
    for _ in range(10_000):
        draw = format.next(history, seed=seed)
        if draw.over:
            assert not draw.pairings
            assert not running(history)
            return history
        assert draw == format.next(history, seed=seed)
        history = started(history, draw)
        assert_nothing_twice(history)
        again = format.next(history, seed=seed)
        assert not again.pairings
        assert not again.idles
        history = changed(history)
        places = running(history)
        for place in chance.sample(places, min(len(places), chance.randint(1, 8))):
            history = decided(history, place, by)
    raise AssertionError("the event does not end")


def assert_nothing_twice(history: History) -> None:
    games = [
        (game.round, game.leg, frozenset({game.first, game.second})) for game in history.meetings
    ]
    assert len(games) == len(set(games))
    rests = [(idle.round, idle.number) for idle in history.idles]
    assert len(rests) == len(set(rests))


def resting(history: History, number: int) -> list[Idle]:
    return [idle for idle in history.idles if idle.number == number]
