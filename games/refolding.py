"""Ratings follow a ruling: an entry is struck, restored or scored anew, and all after it too.

`RatingPool.recalculate_from` is where the ledger is no longer exact. A few entries are
recalculated with the ruling, many by a worker in slices, each a short transaction under the
pool's lock. Games that end meanwhile are rated by what is stored and recalculated in their turn.
"""

import logging
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime

from celery.exceptions import SoftTimeLimitExceeded
from django.db import connection, transaction

from accounts import locks
from games import bell, elo, ratings
from games.elo import RatingState
from games.models import Rating, RatingEntry, RatingPool
from games.ratings import RatedGame, columns

logger = logging.getLogger(__name__)

SLICE = 500
"""Entries that are recalculated in one transaction."""
PAUSE = 0.05
"""Seconds between two slices: whoever waits for the pool comes first."""
BELL = "bell:ratings"

Changes = dict[int, tuple[int | None, int | None]]
"""Ratings before and after, in hundredths, by player; none without a rated game."""


# With a ruling, which holds the game; the pool is locked here


def strike(game_id: int) -> Changes:
    """The game does not count any more; its place in the ledger stays empty."""
    place = _place(game_id)
    if place is None or place.is_void:
        return {}
    place.is_void = True
    return _change(place)


def score(game: RatedGame) -> Changes:
    """The game counts with this score: in its own place, or at the end if it never had one."""
    place = _place(game.game_id)
    if place is None:
        return _enter(game)
    if not place.is_void and place.score == game.first_halves:
        return {}
    place.is_void, place.score = False, game.first_halves
    return _change(place)


def _place(game_id: int) -> RatingEntry | None:
    """The last entry of the game: one that was reopened and played on may have an older one."""
    return RatingEntry.objects.filter(game_id=game_id).order_by("number").last()


def _enter(game: RatedGame) -> Changes:
    players = {game.first, game.second}
    # Locked before it is read: no other ending may come between.
    RatingPool.objects.select_for_update(no_key=True).filter(key=game.pool).first()
    before = _stored(players, pool__key=game.pool)
    ratings.enter([game])
    return _changes(players, before, _stored(players, pool__key=game.pool))


def _change(place: RatingEntry) -> Changes:
    """What the ruling did to its two players; nothing yet if a worker recalculates."""
    pool = _locked(place.pool_id)
    place.save(update_fields=["is_void", "score"])
    players = {place.first_id, place.second_id}
    before = _stored(players, pool=pool)
    pool.recalculate_from = min(place.number, pool.recalculate_from or place.number)
    if pool.last_entry - pool.recalculate_from < SLICE:
        _recalculate(pool)
        return _changes(players, before, _stored(players, pool=pool))
    pool.save(update_fields=["recalculate_from"])
    transaction.on_commit(ring)
    return {}


def _locked(pool_id: int) -> RatingPool:
    return RatingPool.objects.select_for_update(no_key=True).get(pk=pool_id)


# By a worker


def ring() -> None:
    from games.tasks import recalculate_ratings

    bell.ring(BELL, recalculate_ratings)


@locks.outermost
def recalculate_all(*, seconds: float) -> int:
    """Slice by slice for about so long, and asks for another turn if that was not enough."""
    bell.heard(BELL)
    until = time.monotonic() + seconds
    slices = 0
    waiting = RatingPool.objects.exclude(recalculate_from=None).order_by("id")
    for pool_id in list(waiting.values_list("pk", flat=True)):
        while _try_slice(pool_id):
            slices += 1
            if time.monotonic() > until:
                ring()
                return slices
            time.sleep(PAUSE)
    return slices


def _try_slice(pool_id: int) -> bool:
    """A pool that fails is tried again by the timetable and holds up no other."""
    try:
        return recalculate_slice(pool_id)
    except SoftTimeLimitExceeded:
        raise
    except Exception:
        logger.exception("ratings of pool %s are not recalculated", pool_id)
        return False


@locks.action
def recalculate_slice(pool_id: int) -> bool:
    """The next entries of the ledger; false if all of it is exact already."""
    pool = _locked(pool_id)
    if pool.recalculate_from is None:
        return False
    _recalculate(pool)
    return True


def _recalculate(pool: RatingPool) -> None:
    """The pool is locked. All entries before `recalculate_from` are exact, and then more are."""
    assert pool.recalculate_from is not None
    first = pool.recalculate_from
    last = min(first + SLICE - 1, pool.last_entry)
    ledger = list(pool.entries.filter(number__range=(first, last)).order_by("number"))
    players = {player for entry in ledger for player in (entry.first_id, entry.second_id)}
    states = _states_before(pool, first, players)
    _fold(ledger, states, _finishes_before(pool, ledger, players))
    _store(pool, players - _rated_after(pool, last, players), states)
    pool.recalculate_from = last + 1 if last < pool.last_entry else None
    pool.save(update_fields=["recalculate_from"])


def _fold(
    ledger: Sequence[RatingEntry],
    states: dict[int, RatingState],
    finished: dict[int, list[datetime]],
) -> None:
    """Writes the entries that come out differently; `states` are then those at the end."""
    standing = [entry for entry in ledger if not entry.is_void]
    results = [
        elo.Result(entry.first_id, entry.second_id, entry.score, entry.rated_at)
        for entry in standing
    ]
    rows = []
    reckoned = elo.fold(results, before=dict(states), finished=finished)
    for entry, (first, second) in zip(standing, reckoned, strict=True):
        states[entry.first_id], states[entry.second_id] = first.after, second.after
        numbers = (
            first.before.rating, first.after.rating, second.before.rating, second.after.rating,
            first.k, second.k,
        )  # fmt: skip
        if numbers != _numbers(entry):
            rows.append((entry.pk, *numbers))
    _rewrite(rows)


def _numbers(entry: RatingEntry) -> tuple[int, ...]:
    return (
        entry.first_before, entry.first_after, entry.second_before, entry.second_after,
        entry.first_k, entry.second_k,
    )  # fmt: skip


REWRITTEN = """
UPDATE games_ratingentry r
SET first_before = e.first_before, first_after = e.first_after,
    second_before = e.second_before, second_after = e.second_after,
    first_k = e.first_k, second_k = e.second_k
FROM unnest(%s::bigint[], %s::int[], %s::int[], %s::int[], %s::int[], %s::int[], %s::int[])
     AS e(id, first_before, first_after, second_before, second_after, first_k, second_k)
WHERE r.id = e.id
"""


def _rewrite(rows: Sequence[tuple[int, ...]]) -> None:
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(REWRITTEN, columns(rows))


# Where the players stood

EARLIER = """
SELECT player, (array_agg(after ORDER BY number DESC))[1], count(*), max(after)
FROM (
    SELECT first_id AS player, number, first_after AS after FROM games_ratingentry
    WHERE first_id = ANY(%s) AND pool_id = %s AND number < %s AND NOT is_void
    UNION ALL
    SELECT second_id, number, second_after FROM games_ratingentry
    WHERE second_id = ANY(%s) AND pool_id = %s AND number < %s AND NOT is_void
) earlier
GROUP BY player
"""


def _states_before(pool: RatingPool, number: int, players: set[int]) -> dict[int, RatingState]:
    earlier = (list(players), pool.pk, number)
    with connection.cursor() as cursor:
        cursor.execute(EARLIER, [*earlier, *earlier])
        return {
            player: RatingState(rating, games, max(peak, elo.START))
            for player, rating, games, peak in cursor.fetchall()
        }


def _finishes_before(
    pool: RatingPool, ledger: Sequence[RatingEntry], players: set[int]
) -> dict[int, list[datetime]]:
    since = min(entry.rated_at for entry in ledger) - elo.RECENT
    earlier = pool.entries.filter(number__lt=ledger[0].number, is_void=False, rated_at__gt=since)
    finishes: dict[int, list[datetime]] = defaultdict(list)
    for pair in ("first_id", "second_id"):
        found = earlier.filter(**{f"{pair}__in": players}).values_list(pair, "rated_at")
        for player, rated_at in found:
            finishes[player].append(rated_at)
    return finishes


RATED_AFTER = """
SELECT player FROM unnest(%s::bigint[]) AS player
WHERE EXISTS (SELECT FROM games_ratingentry WHERE first_id = player
              AND pool_id = %s AND number > %s AND NOT is_void)
   OR EXISTS (SELECT FROM games_ratingentry WHERE second_id = player
              AND pool_id = %s AND number > %s AND NOT is_void)
"""


def _rated_after(pool: RatingPool, number: int, players: set[int]) -> set[int]:
    """Whose rating is that of a later game."""
    later = (pool.pk, number)
    with connection.cursor() as cursor:
        cursor.execute(RATED_AFTER, [list(players), *later, *later])
        return {player for (player,) in cursor.fetchall()}


# Where they stand


def _stored(players: Iterable[int], **pool: object) -> dict[int, RatingState]:
    rows = Rating.objects.filter(player__in=players, **pool)
    return {
        player: RatingState(*state)
        for player, *state in rows.values_list("player_id", "rating", "games", "peak")
    }


def _store(pool: RatingPool, players: set[int], states: dict[int, RatingState]) -> None:
    """Whoever has no rated game left has no rating."""
    pool.ratings.filter(player__in=players - states.keys()).delete()
    rows = [
        (pool.pk, player, state.rating, state.games, state.peak)
        for player, state in sorted(states.items())
        if player in players
    ]
    if rows:
        with connection.cursor() as cursor:
            cursor.execute(ratings.RATINGS, columns(rows))


def _changes(
    players: Iterable[int], before: dict[int, RatingState], after: dict[int, RatingState]
) -> Changes:
    ratings_of = (
        (player, _rating(before.get(player)), _rating(after.get(player))) for player in players
    )
    return {player: (was, now) for player, was, now in ratings_of if was != now}


def _rating(state: RatingState | None) -> int | None:
    return state.rating if state else None
