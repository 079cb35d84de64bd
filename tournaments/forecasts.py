"""When an event is likely to end, by how long its players really take for a move."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from django.db import connection

from tournaments.finding import format_of
from tournaments.formats.knockout import Knockout
from tournaments.formats.ladder import Ladder
from tournaments.formats.stages import Stages
from tournaments.formats.swiss import Swiss
from tournaments.models import Event, Meeting, State
from tournaments.rows import Told, tell

LOOKS_BACK = timedelta(days=90)
LEAST_GAMES = 5
"""Without so many games of its kind nobody knows how long one is."""
QUARTERS = (0.25, 0.5, 0.75)

LENGTHS = """
SELECT count(*), percentile_cont(%s::float8[]) WITHIN GROUP (ORDER BY ply)
FROM (SELECT ply FROM games_game WHERE ruleset = %s AND status = 'finished' AND seats_moved = 3
      ORDER BY id DESC LIMIT 500) lately
"""
PACES = """
SELECT s.player_id, percentile_cont(%s::float8[])
       WITHIN GROUP (ORDER BY extract(epoch FROM m.played_at - b.played_at)::float8)
FROM games_seat s
JOIN games_game g ON g.id = s.game_id AND g.event_id = %s
JOIN games_move m ON m.game_id = s.game_id AND m.seat = s.number AND m.played_at > %s
JOIN games_move b ON b.game_id = m.game_id AND b.ply = m.ply - 1
WHERE s.player_id = ANY(%s)
GROUP BY s.player_id
"""

Quarters = tuple[float, float, float]


@dataclass(frozen=True, kw_only=True)
class Forecast:
    """A range that half of all such events would end in, if players go on as they do."""

    early: datetime
    likely: datetime
    late: datetime


def forecast(*, event: Event, now: datetime, told: Told | None = None) -> Forecast | None:
    """None while there is too little to go by; a ladder has no end."""
    format = format_of(event)
    if event.state != State.RUNNING or isinstance(format, Ladder):
        return None
    plies = _lengths(event.ruleset)
    told = told or tell(event, format)
    running = [row for row in told.meetings if row.settled_at is None and row.game]
    paces = _paces(event, told, now)
    if plies is None or not paces:
        return None
    usual = _middle(list(paces.values()))
    rounds = _rounds_after_this(event, told)
    ends = [
        now + _game(running, told, paces, usual, plies, q) + rounds * _whole(plies, usual, q)
        for q in range(3)
    ]
    early, likely, late = (_not_after_the_last_day(end, event, now) for end in ends)
    return Forecast(early=early, likely=likely, late=late)


def _lengths(ruleset: str) -> Quarters | None:
    """A quarter, half and three quarters of the games were no longer than this, in plies."""
    with connection.cursor() as cursor:
        cursor.execute(LENGTHS, [list(QUARTERS), ruleset])
        games, lengths = cursor.fetchone()
    return tuple(lengths) if games >= LEAST_GAMES else None


def _paces(event: Event, told: Told, now: datetime) -> dict[int, Quarters]:
    """Seconds that each player takes for a move of this event."""
    players = [entry.player_id for entry in told.entries.values()]
    with connection.cursor() as cursor:
        cursor.execute(PACES, [list(QUARTERS), event.pk, now - LOOKS_BACK, players])
        return {player: tuple(quarters) for player, quarters in cursor.fetchall()}


def _middle(paces: Sequence[Quarters]) -> Quarters:
    """Of whoever has not moved yet, as of the player in the middle."""
    first, second, third = (sorted(each)[len(paces) // 2] for each in zip(*paces, strict=True))
    return first, second, third


def _game(
    running: Sequence[Meeting],
    told: Told,
    paces: dict[int, Quarters],
    usual: Quarters,
    plies: Quarters,
    q: int,
) -> timedelta:
    """Until the last of the games that run: each ply costs what the two take on average."""
    players = {entry.pk: entry.player_id for entry in told.entries.values()}
    longest = 0.0
    for row in running:
        assert row.game is not None
        pair = (paces.get(players[each], usual)[q] for each in (row.first_id, row.second_id))
        longest = max(longest, max(2.0, plies[q] - row.game.ply) * sum(pair) / 2)
    return timedelta(seconds=longest)


def _whole(plies: Quarters, usual: Quarters, q: int) -> timedelta:
    return timedelta(seconds=plies[q] * usual[q])


def _rounds_after_this(event: Event, told: Told) -> int:
    """How many games one after the other are still to begin."""
    format = format_of(event)
    drawn = max((row.round for row in told.meetings), default=0)
    if isinstance(format, Swiss | Knockout):
        return max(0, format.last_round(told.history.entrants) - drawn)
    at_once = getattr(format, "at_once", 0)
    if isinstance(format, Stages) and drawn <= format.section_rounds(told.history.entrants):
        return 1
    if not at_once:
        return 0
    return ceil(max(0, format.last_round(told.history.entrants) - drawn) / at_once)


def _not_after_the_last_day(end: datetime, event: Event, now: datetime) -> datetime:
    return max(now, min(end, event.ends_at)) if event.ends_at else end
