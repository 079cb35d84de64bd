"""What streams tell: new lines of all logs, whose turn it is now, which games have ended.

Lines get their ids before they are committed, so a lower id may show up after a higher one.
`Reader` reads again what lies above its `horizon`, below which nothing can come any more:
every transaction that was writing lines when an id was first seen has ended since.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from django.db import connection
from django.db.models import F

from games.api import present
from games.models import Game, Move, Seat, Status

MOST_LINES = 1000
LOOKED_BACK = 10_000
"""How far below the newest line a reader begins: more than are ever under way at once."""

# Whoever writes a line holds this lock from before it gets its id until it ends.
WRITERS = """
SELECT virtualtransaction FROM pg_locks
WHERE relation = 'games_move'::regclass AND mode = 'RowExclusiveLock' AND granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
LINES = """
SELECT m.id, m.game_id, g.ply, g.deadline_at, s.player_id
FROM games_move m
JOIN games_game g ON g.id = m.game_id
LEFT JOIN games_seat s
    ON s.game_id = g.id AND s.number = g.seat_to_move AND g.status = 'running'
WHERE m.id > %s AND NOT m.id = ANY(%s) ORDER BY m.id LIMIT %s
"""


class News(NamedTuple):
    """A line that is new; whose turn it is now, at which ply and until when."""

    line_id: int
    game_id: int
    ply: int
    deadline_at: datetime | None
    player_id: int | None


@dataclass
class Reader:
    """Reads every committed line once, in one statement for all who listen."""

    horizon: int = 0
    seen: set[int] = field(default_factory=set)
    mark: tuple[int, set[str]] | None = None
    """An id, and the transactions that must have ended before it is settled."""

    @classmethod
    def from_now(cls) -> "Reader":
        newest = Move.objects.order_by("-pk").values_list("pk", flat=True).first() or 0
        horizon = max(newest - LOOKED_BACK, 0)
        return cls(horizon, set(Move.objects.filter(pk__gt=horizon).values_list("pk", flat=True)))

    def read(self) -> list[News]:
        is_settled = self.mark is not None and not self.mark[1] & _writers()
        news = self._unseen()
        self.seen.update(line.line_id for line in news)
        if self.mark is not None and is_settled:
            self.horizon = self.mark[0]
            self.seen = {line_id for line_id in self.seen if line_id > self.horizon}
            self.mark = None
        if self.mark is None and self.seen:
            self.mark = (max(self.seen), _writers())
        return news

    def _unseen(self) -> list[News]:
        with connection.cursor() as cursor:
            cursor.execute(LINES, [self.horizon, list(self.seen), MOST_LINES])
            return [News(*row) for row in cursor.fetchall()]


def _writers() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(WRITERS)
        return {row[0] for row in cursor.fetchall()}


def turn(game_id: int, ply: int, deadline_at: datetime | None) -> dict[str, Any]:
    return {"game": game_id, "ply": ply, "deadline_at": deadline_at}


def turns_of(player_id: int) -> Iterator[dict[str, Any]]:
    """Everything that waits for a player, the most urgent first."""
    waiting = Game.objects.filter(
        status=Status.RUNNING, seats__player=player_id, seats__number=F("seat_to_move")
    ).order_by("deadline_at", "id")
    for row in waiting.values_list("pk", "ply", "deadline_at"):
        yield turn(*row)


def may_watch(game_id: int, player_id: int) -> bool:
    game = Game.objects.filter(pk=game_id).only("private_link").first()
    if game is None:
        return False
    return not game.private_link or Seat.objects.filter(game=game, player=player_id).exists()


def lines_of(game_id: int, *, after: int | None) -> list[dict[str, Any]]:
    """A game's lines above an id; without one, the last."""
    lines = Move.objects.filter(game_id=game_id)
    wanted = lines.order_by("-ply")[:1] if after is None else lines.filter(pk__gt=after)
    return [{"game": game_id, **present.move(line)} for line in wanted]


def lines_by_id(line_ids: Sequence[int]) -> list[dict[str, Any]]:
    lines = Move.objects.filter(pk__in=line_ids).order_by("game", "ply")
    return [{"game": line.game_id, **present.move(line)} for line in lines]


def ended_among(game_ids: Collection[int]) -> dict[int, dict[str, Any]]:
    """How those of these games ended that have."""
    over = Game.objects.filter(pk__in=game_ids).exclude(status=Status.RUNNING)
    return {
        game.pk: {
            "game": game.pk,
            "ply": game.ply,
            "status": game.status,
            "scores": present.scores(game),
            "reason": game.reason,
        }
        for game in over.only("ply", "status", "score", "reason")
    }
