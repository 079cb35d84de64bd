"""Elo ratings in whole numbers, so that folding the same games gives the same ratings for ever.

Ratings are kept in hundredths of a point. Differences are taken between ratings as they are
shown, in whole points; the expected score is a percentage from FIDE's table 8.1.2. A change is
then K · (100 · score − percentage) hundredths: no fraction arises and nothing is rounded.
"""

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, TypeVar

FORMULA_VERSION = 1

POINT = 100
START = 1500 * POINT
PROVISIONAL_GAMES = 12
NEWCOMER_GAMES = 30
MASTER = 2400
MOST_DIFFERENCE = 400
MOST_K_TIMES_GAMES = 700
RECENT = timedelta(days=30)

LARGEST_DIFFERENCES = (
    3, 10, 17, 25, 32, 39, 46, 53, 61, 68,
    76, 83, 91, 98, 106, 113, 121, 129, 137, 145,
    153, 162, 170, 179, 188, 197, 206, 215, 225, 235,
    245, 256, 267, 278, 290, 302, 315, 328, 344, 357,
    374, 391, 411, 432, 456, 484, 517, 559, 619, 735,
)  # fmt: skip
"""FIDE Rating Regulations, table 8.1.2: the largest difference at which the higher rated of two
players is expected to score 50, 51, 52… 99 per cent; beyond the last it is 100."""


@dataclass(frozen=True, slots=True)
class RatingState:
    """A player in one pool: the fold of his rated games so far."""

    rating: int = START
    games: int = 0
    peak: int = START

    @property
    def provisional(self) -> bool:
        return self.games < PROVISIONAL_GAMES


@dataclass(frozen=True, slots=True)
class Entry:
    """What one game did to one player's rating, and by which numbers."""

    before: RatingState
    after: RatingState
    k: int
    percent: int

    @property
    def change(self) -> int:
        return self.after.rating - self.before.rating


def displayed(rating: int) -> int:
    """A rating in whole points; half a point is rounded away from zero."""
    points = (abs(rating) + POINT // 2) // POINT
    return points if rating >= 0 else -points


def expected_percent(difference: int) -> int:
    """The score to expect from a player who is rated this many points above his opponent.

    A difference of more than 400 points counts as one of 400.
    """
    capped = min(abs(difference), MOST_DIFFERENCE)
    higher = 50 + bisect_left(LARGEST_DIFFERENCES, capped)
    return higher if difference >= 0 else 100 - higher


def k_factor(player: RatingState, opponent: RatingState, recent: int) -> int:
    """How many points a whole game is worth to `player`.

    Half against a provisional opponent; and at most 700 shared among his `recent` games, those
    of the last 30 days with this one.
    """
    k = _k_by_experience(player)
    if opponent.provisional:
        k //= 2
    return min(k, MOST_K_TIMES_GAMES // recent)


def _k_by_experience(player: RatingState) -> int:
    """40 in the first 30 games, then 20, and 10 for who has ever been shown with 2400."""
    if player.games < NEWCOMER_GAMES:
        return 40
    return 10 if displayed(player.peak) >= MASTER else 20


def change(k: int, score_halves: int, percent: int) -> int:
    """In hundredths of a point; a win is two halves, a draw one."""
    if score_halves not in (0, 1, 2):
        raise ValueError("a score is 0, 1 or 2 halves")
    return k * (50 * score_halves - percent)


def halves(score: float) -> int:
    """A seat's score as an Outcome has it, 1.0, 0.5 or 0.0, in halves."""
    return {0.0: 0, 0.5: 1, 1.0: 2}[score]


def rate(
    first: RatingState,
    second: RatingState,
    *,
    first_halves: int,
    recent: tuple[int, int] = (1, 1),
    advantage: int = 0,
) -> tuple[Entry, Entry]:
    """What a game between two players does to both.

    `recent` counts each player's games of the last 30 days, this one included; `advantage` is
    what having the first move is worth, in points.
    """
    difference = displayed(first.rating) - displayed(second.rating) + advantage
    percent = expected_percent(difference)
    return (
        _entry(first, k_factor(first, second, recent[0]), first_halves, percent),
        _entry(second, k_factor(second, first, recent[1]), 2 - first_halves, 100 - percent),
    )


def _entry(before: RatingState, k: int, score_halves: int, percent: int) -> Entry:
    rating = before.rating + change(k, score_halves, percent)
    after = RatingState(rating, before.games + 1, max(before.peak, rating))
    return Entry(before, after, k, percent)


Player = TypeVar("Player", bound=Hashable)


@dataclass(frozen=True, slots=True)
class Result(Generic[Player]):
    """A rated game of a pool as its ledger has it."""

    first: Player
    second: Player
    first_halves: int
    finished_at: datetime
    advantage: int = 0


def fold(
    results: Iterable[Result[Player]],
    *,
    before: Mapping[Player, RatingState] | None = None,
    finished: Mapping[Player, Iterable[datetime]] | None = None,
) -> Iterator[tuple[Entry, Entry]]:
    """The entries of a pool's games, in the order of its ledger.

    A player's recent games are those before it in the ledger that had finished less than 30
    days before this one did, and this one. To begin within a ledger, `before` is where the
    players stood then and `finished` when their recent games were over.
    """
    states: dict[Player, RatingState] = defaultdict(RatingState, before or {})
    finishes: dict[Player, list[datetime]] = defaultdict(list)
    for player, instants in (finished or {}).items():
        finishes[player] = sorted(instants)
    for result in results:
        pair = result.first, result.second
        for player in pair:
            insort(finishes[player], result.finished_at)
        since = result.finished_at - RECENT
        first_recent, second_recent = (
            len(finishes[player]) - bisect_right(finishes[player], since) for player in pair
        )
        entries = rate(
            states[result.first],
            states[result.second],
            first_halves=result.first_halves,
            recent=(first_recent, second_recent),
            advantage=result.advantage,
        )
        states[result.first], states[result.second] = (entry.after for entry in entries)
        yield entries
