"""How reliable a player is, and how quickly he answers: by his latest games."""

from dataclasses import dataclass
from datetime import timedelta

from django.core.cache import cache
from django.db import connection

LATEST = 100
"""So many games are looked at, however many there are."""
KEPT_FOR = 600

FOUND = """
WITH latest AS MATERIALIZED (
    SELECT game_id, number FROM games_seat WHERE player_id = %s ORDER BY game_id DESC LIMIT %s
), ended AS (
    SELECT g.reason = 'time' AND g.score = l.number * 2 AS lost_on_time
    FROM latest l JOIN games_game g ON g.id = l.game_id WHERE g.status = 'finished'
)
SELECT (SELECT count(*) FROM ended),
       (SELECT count(*) FROM ended WHERE lost_on_time),
       (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY m.used)
        FROM latest l JOIN games_move m ON m.game_id = l.game_id AND m.seat = l.number
        WHERE m.used IS NOT NULL AND m.via IN ('web', 'api', 'mail', 'bot'))
"""


@dataclass(frozen=True)
class Pace:
    """`reply` is the median of what his moves took off his clock; none before the first."""

    games: int
    lost_on_time: int
    reply: timedelta | None

    @property
    def reliability(self) -> int | None:
        """Of a hundred games, so many not lost on time; rounded down, so that 100 means all."""
        return (self.games - self.lost_on_time) * 100 // self.games if self.games else None


def pace_of(player_id: int) -> Pace:
    pace = cache.get_or_set(f"pace:{player_id}", lambda: _counted(player_id), KEPT_FOR)
    assert isinstance(pace, Pace)
    return pace


def _counted(player_id: int) -> Pace:
    with connection.cursor() as cursor:
        cursor.execute(FOUND, [player_id, LATEST])
        games, lost_on_time, reply = cursor.fetchone()
    return Pace(games, lost_on_time, reply)
