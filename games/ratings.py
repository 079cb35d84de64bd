"""The rating ledger: finished games are entered in order, under their pool's lock."""

from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import connection

from games import elo
from games.elo import Entry, RatingState
from games.models import RatingPool
from games.rules.registry import RULESETS
from games.table import BOTH_SEATS


@dataclass(frozen=True, slots=True, kw_only=True)
class RatedGame:
    """A game as the ledger needs it; `first` sat at seat 0."""

    game_id: int
    pool: str
    first: int
    second: int
    first_halves: int
    ended_at: datetime


@dataclass(slots=True)
class _Pool:
    id: int
    last_entry: int


def pool_key(ruleset: str, options: Mapping[str, Any]) -> str:
    """Games are rated together when they differ in nothing but a limit's length."""
    differing = [
        f"{option.name}={options[option.name]}"
        for option in RULESETS[ruleset].options
        if not isinstance(option.choices, range)
        and options.get(option.name, option.default) != option.default
    ]
    return ":".join([ruleset, *differing])


def is_ratable(*, rated: bool, seats_moved: int) -> bool:
    """Nothing unplayed is rated, however the game ended: both must have moved."""
    return rated and seats_moved == BOTH_SEATS


def enter(games: Sequence[RatedGame]) -> None:
    """Adds the games to their pools' ledgers, in this order; inside the endings' transaction."""
    if not games:
        return
    pools = _locked_pools({game.pool for game in games})
    players = {player for game in games for player in (game.first, game.second)}
    states = _states(pools.values(), players)
    finishes = _recent_finishes(pools.values(), players, min(game.ended_at for game in games))
    rows = [_rated(game, pools[game.pool], states, finishes) for game in games]
    _write(rows, pools.values(), states)


def _rated(
    game: RatedGame,
    pool: _Pool,
    states: dict[tuple[int, int], RatingState],
    finishes: dict[tuple[int, int], list[datetime]],
) -> tuple[Any, ...]:
    first, second = (pool.id, game.first), (pool.id, game.second)
    since = game.ended_at - elo.RECENT
    for player in (first, second):
        insort(finishes[player], game.ended_at)
    first_recent, second_recent = (
        len(finishes[player]) - bisect_right(finishes[player], since) for player in (first, second)
    )
    entries = elo.rate(
        states[first],
        states[second],
        first_halves=game.first_halves,
        recent=(first_recent, second_recent),
    )
    states[first], states[second] = (entry.after for entry in entries)
    pool.last_entry += 1
    return _row(game, pool, *entries)


def _row(game: RatedGame, pool: _Pool, first: Entry, second: Entry) -> tuple[Any, ...]:
    return (
        pool.id, pool.last_entry, game.game_id, game.first, game.second, game.first_halves,
        first.before.rating, first.after.rating, second.before.rating, second.after.rating,
        first.k, second.k, elo.FORMULA_VERSION, game.ended_at,
    )  # fmt: skip


def _locked_pools(keys: set[str]) -> dict[str, _Pool]:
    """In the order of their ids, so that two endings never wait for each other."""
    for key in keys - set(RatingPool.objects.filter(key__in=keys).values_list("key", flat=True)):
        RatingPool.objects.get_or_create(key=key, defaults={"ruleset": key.partition(":")[0]})
    locked = RatingPool.objects.select_for_update(no_key=True).filter(key__in=keys).order_by("id")
    return {key: _Pool(pk, last) for pk, key, last in locked.values_list("id", "key", "last_entry")}


# Arrays, because the ORM writes out each of a thousand players for itself.
STATES = """
SELECT pool_id, player_id, rating, games, peak FROM games_rating
WHERE pool_id = ANY(%s) AND player_id = ANY(%s)
"""
FINISHES = """
SELECT pool_id, first_id, rated_at FROM games_ratingentry
WHERE pool_id = ANY(%(pools)s) AND first_id = ANY(%(players)s)
AND rated_at > %(since)s AND NOT is_void
UNION ALL
SELECT pool_id, second_id, rated_at FROM games_ratingentry
WHERE pool_id = ANY(%(pools)s) AND second_id = ANY(%(players)s)
AND rated_at > %(since)s AND NOT is_void
"""


def _states(pools: Iterable[_Pool], players: set[int]) -> dict[tuple[int, int], RatingState]:
    states: dict[tuple[int, int], RatingState] = defaultdict(RatingState)
    with connection.cursor() as cursor:
        cursor.execute(STATES, [[pool.id for pool in pools], list(players)])
        for pool, player, *state in cursor.fetchall():
            states[pool, player] = RatingState(*state)
    return states


def _recent_finishes(
    pools: Iterable[_Pool], players: set[int], earliest: datetime
) -> dict[tuple[int, int], list[datetime]]:
    finishes: dict[tuple[int, int], list[datetime]] = defaultdict(list)
    asked: dict[str, Any] = {
        "pools": [pool.id for pool in pools],
        "players": list(players),
        "since": earliest - elo.RECENT,
    }
    with connection.cursor() as cursor:
        cursor.execute(FINISHES, asked)
        for pool, player, rated_at in cursor.fetchall():
            insort(finishes[pool, player], rated_at)
    return finishes


ENTRIES = """
INSERT INTO games_ratingentry (pool_id, number, game_id, first_id, second_id, score,
    first_before, first_after, second_before, second_after, first_k, second_k, formula, rated_at)
SELECT * FROM unnest(%s::bigint[], %s::int[], %s::bigint[], %s::bigint[], %s::bigint[], %s::int[],
    %s::int[], %s::int[], %s::int[], %s::int[], %s::int[], %s::int[], %s::int[], %s::timestamptz[])
"""
RATINGS = """
INSERT INTO games_rating (pool_id, player_id, rating, games, peak)
SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::int[], %s::int[], %s::int[])
ON CONFLICT (pool_id, player_id) DO UPDATE
SET rating = EXCLUDED.rating, games = EXCLUDED.games, peak = EXCLUDED.peak
"""
POOLS = """
UPDATE games_ratingpool p SET last_entry = e.last
FROM unnest(%s::bigint[], %s::int[]) AS e(id, last) WHERE p.id = e.id
"""


def _write(
    rows: list[tuple[Any, ...]],
    pools: Iterable[_Pool],
    states: Mapping[tuple[int, int], RatingState],
) -> None:
    touched = {(row[0], player) for row in rows for player in (row[3], row[4])}
    ratings = [
        (pool, player, state.rating, state.games, state.peak)
        for pool, player in sorted(touched)
        for state in [states[pool, player]]
    ]
    with connection.cursor() as cursor:
        cursor.execute(ENTRIES, columns(rows))
        cursor.execute(RATINGS, columns(ratings))
        cursor.execute(POOLS, columns([(pool.id, pool.last_entry) for pool in pools]))


def columns(rows: Sequence[tuple[Any, ...]]) -> list[list[Any]]:
    """Rows as the arrays that unnest takes."""
    return [list(column) for column in zip(*rows, strict=True)]


def mismatches() -> list[str]:
    """Folds every ledger anew and names what does not agree to the last hundredth."""
    return [
        problem for pool in RatingPool.objects.order_by("id") for problem in _mismatches_in(pool)
    ]


def _mismatches_in(pool: RatingPool) -> Iterable[str]:
    """As far as the ledger is exact; a recalculation that waits says that it is not."""
    ledger = list(pool.entries.order_by("number"))
    if [entry.number for entry in ledger] != list(range(1, pool.last_entry + 1)):
        yield f"{pool}: the entries are not numbered from 1 to {pool.last_entry}"
    is_exact = pool.recalculate_from is None
    if not is_exact:
        ledger = [entry for entry in ledger if entry.number < (pool.recalculate_from or 0)]
    folded: dict[int, RatingState] = {}
    standing = [entry for entry in ledger if not entry.is_void]
    results = (
        elo.Result(entry.first_id, entry.second_id, entry.score, entry.rated_at)
        for entry in standing
    )
    for entry, (first, second) in zip(standing, elo.fold(results), strict=True):
        stored = (entry.first_before, entry.first_after, entry.second_before, entry.second_after)
        exact = (
            first.before.rating, first.after.rating, second.before.rating, second.after.rating,
        )  # fmt: skip
        if stored != exact or (entry.first_k, entry.second_k) != (first.k, second.k):
            yield f"{pool} #{entry.number}: stored {stored}, folded {exact}"
        folded[entry.first_id], folded[entry.second_id] = first.after, second.after
    if not is_exact:
        return
    cached = {
        player: RatingState(*state)
        for player, *state in pool.ratings.values_list("player_id", "rating", "games", "peak")
    }
    for player in cached.keys() | folded.keys():
        if cached.get(player) != folded.get(player):
            yield f"{pool}: player {player} is {cached.get(player)}, folded {folded.get(player)}"
