"""Measures the sweep that ends 10 000 due games, among many and among few games.

`python -m bench.sweep --full` has a million games; without it there are a hundred thousand.
The yardstick is one SQL statement that writes the same rows with made-up numbers.
"""

import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from bench import _stage

DUE = 10_000
PLAYERS = 2 * DUE
"""Everyone loses one game of each ten thousand, so that every ending is rated."""
MANY, FULL = 100_000, 1_000_000
LARGE, SMALL = "tripost_bench", "tripost_bench_small"
START = datetime(2026, 3, 2, 12, tzinfo=UTC)
DAY = timedelta(days=1)
NOW = START + DAY + timedelta(minutes=1)
FIRST_PLAYER = 1_000

CHEAPEST = """
WITH due AS (
    SELECT g.id, s0.player_id AS first, s1.player_id AS second,
           row_number() OVER (ORDER BY g.id) AS number
    FROM (SELECT id FROM games_game WHERE status = 'running' AND deadline_at <= %(due_by)s
          ORDER BY deadline_at, id LIMIT %(most)s FOR UPDATE SKIP LOCKED) g
    JOIN games_seat s0 ON s0.game_id = g.id AND s0.number = 0
    JOIN games_seat s1 ON s1.game_id = g.id AND s1.number = 1
), players AS (
    SELECT first AS id, true AS lost FROM due UNION ALL SELECT second, false FROM due
), ended AS (
    UPDATE games_game g
    SET status = 'finished', score = 0, points = '{}', reason = 'time', ended_at = %(now)s,
        deadline_at = NULL, seat_to_move = NULL
    FROM due WHERE g.id = due.id
), counted AS (
    UPDATE games_participant p SET running_games = p.running_games - 1,
        absent_since = CASE WHEN players.lost THEN %(now)s ELSE p.absent_since END
    FROM players WHERE p.player_id = players.id
), entered AS (
    INSERT INTO games_ratingentry (pool_id, number, game_id, first_id, second_id, score,
        first_before, first_after, second_before, second_after, first_k, second_k, formula,
        rated_at)
    SELECT p.id, p.last_entry + due.number, due.id, due.first, due.second, 0,
           150000, 149000, 150000, 151000, 20, 20, 1, %(now)s
    FROM due, games_ratingpool p
), rated AS (
    INSERT INTO games_rating (pool_id, player_id, rating, games, peak)
    SELECT p.id, players.id, 150000, 1, 150000 FROM players, games_ratingpool p
    ON CONFLICT (pool_id, player_id) DO UPDATE
    SET rating = EXCLUDED.rating, games = games_rating.games + 1, peak = EXCLUDED.peak
), numbered AS (
    UPDATE games_ratingpool SET last_entry = last_entry + %(most)s
), told AS (
    INSERT INTO games_outboxmessage
        (fact, subscriber, payload, recorded_at, due_at, attempts, error)
    SELECT 'game_finished', 'bench._stage.hear',
           jsonb_build_object('game_id', due.id, 'reason', 'time'), %(now)s, %(now)s, 0, ''
    FROM due
)
SELECT count(*) FROM due
"""


def main(arguments: list[str] | None = None) -> None:
    games = FULL if "--full" in (arguments or []) else MANY
    with _stage.own_database(LARGE), _stage.own_database(SMALL):
        few = _Lot(SMALL, DUE)
        many = _Lot(LARGE, games)
        figures = _stage.steady_rounds(lambda: _round(many, few))
    among = f"10 000 due among {games:,}".replace(",", " ")
    _stage.report(f"{among}: seconds", figures.get("sweep", []))
    _stage.report(f"{among}: ratio to the cheapest SQL", figures.get("to SQL", []), most=5)
    _stage.report(f"{among}: ratio to 10 000 among 10 000", figures.get("to few", []), most=1.3)


def _round(many: "_Lot", few: "_Lot") -> dict[str, float]:
    sweep = many.ended_by(_sweep)
    sql = many.ended_by(_cheapest)
    return {"sweep": sweep, "to SQL": sweep / sql, "to few": sweep / few.ended_by(_sweep)}


def _sweep() -> None:
    from games.sweeps import end_games_on_time

    assert end_games_on_time(now=NOW) == DUE


def _cheapest() -> None:
    _run(CHEAPEST, {"due_by": NOW, "now": NOW, "most": DUE})


class _Lot:
    """A database full of copies of one game, of which ten thousand are due."""

    def __init__(self, database: str, games: int) -> None:
        self.database = database
        _stage.enter(database)
        self.template = _template()
        self.games = games
        self._add_players()
        self._add_games()

    def _add_players(self) -> None:
        of = self.template.seats.all()[0].player_id
        player = f"{FIRST_PLAYER} + n"
        names = {"name": "'Copy' || n", "folded_name": "'copy' || n"}
        _copy("accounts_player", PLAYERS, of=of, id=player, **names)
        _run(
            "INSERT INTO games_participant (player_id, running_games, takes_vacation_automatically)"
            f" SELECT {player}, 0, false FROM generate_series(0, {PLAYERS - 1}) n"
        )

    def _add_games(self) -> None:
        game = f"{self.template.pk + 1} + n"
        deadline = f"CASE WHEN n < {DUE} THEN timestamptz '{START + DAY}' ELSE t.deadline_at END"
        _copy("games_game", self.games, of=self.template.pk, id=game, deadline_at=deadline)
        for seat in self.template.seats.all():
            player = f"{FIRST_PLAYER} + (2 * n + {seat.number}) % {PLAYERS}"
            _copy(
                "games_seat", self.games, of=seat.pk, id="DEFAULT", game_id=game, player_id=player
            )
        _run("VACUUM ANALYZE")

    def ended_by(self, way: Callable[[], None]) -> float:
        """How many seconds it takes to end what is due, which is the same each time."""
        _stage.enter(self.database)
        self._set_up_anew()
        seconds = _stage.timed(way)
        self._check()
        return seconds

    def _set_up_anew(self) -> None:
        due = f"g.id > {self.template.pk} AND g.id <= {self.template.pk + DUE}"
        _run(
            "TRUNCATE games_ratingentry, games_rating, games_outboxmessage;"
            "UPDATE games_ratingpool SET last_entry = 0;"
            "UPDATE games_participant"
            f" SET running_games = {self.games // DUE}, absent_since = NULL;"
            "UPDATE games_game g SET status = 'running', score = NULL, reason = '',"
            f" ended_at = NULL, seat_to_move = 0, deadline_at = '{START + DAY}' WHERE {due}"
        )
        _run("VACUUM ANALYZE games_game, games_participant, games_rating, games_ratingentry")
        _run("CHECKPOINT")

    def _check(self) -> None:
        """Either way has ended, rated and told each game once."""
        from games.models import Game, OutboxMessage, Participant, RatingEntry

        assert Game.objects.filter(ended_at=NOW, status="finished").count() == DUE
        assert RatingEntry.objects.filter(rated_at=NOW).count() == DUE
        assert OutboxMessage.objects.filter(fact="game_finished").count() == DUE
        assert Participant.objects.filter(absent_since=NOW).count() == DUE


def _template() -> Any:
    """A game of two people in which both have moved."""
    from accounts.models import Player
    from games.clock import PerMove
    from games.models import Game, RatingPool
    from games.play import submit_move
    from games.ratings import pool_key
    from games.rules.registry import RULESETS
    from games.starting import start_game

    players = (Player.objects.create_user("First"), Player.objects.create_user("Second"))
    game = start_game(
        ruleset="tritt-classic", options={"swap": False}, players=players,
        clock_settings=PerMove(1), now=START - DAY,
    )  # fmt: skip
    for ply in range(2):
        game = Game.objects.get(pk=game.pk)
        text = str(RULESETS[game.ruleset].load(game.position).legal_moves()[0])
        player = game.seats.get(number=game.seat_to_move).player_id
        submit_move(
            game_id=game.pk, player_id=player, text=text, ply=ply, now=START - DAY, via="api"
        )
    RatingPool.objects.create(key=pool_key(game.ruleset, game.options), ruleset=game.ruleset)
    assert Game.objects.get(pk=game.pk).seat_to_move == 0
    Game.objects.filter(pk=game.pk).update(clock_from=START, deadline_at=START + 9999 * DAY)
    return Game.objects.get(pk=game.pk)


def _copy(table: str, copies: int, *, of: int, **changed: str) -> None:
    """Copies a row, n from 0 on, with some columns changed; a DEFAULT is left to the table."""
    from django.db import connection

    with connection.cursor() as cursor:
        columns = [
            column.name for column in connection.introspection.get_table_description(cursor, table)
        ]
    kept = [column for column in columns if changed.get(column) != "DEFAULT"]
    values = [changed.get(column, f't."{column}"') for column in kept]
    names = ", ".join(f'"{column}"' for column in kept)
    _run(
        f"INSERT INTO {table} ({names}) SELECT {', '.join(values)}"
        f" FROM {table} t, generate_series(0, {copies - 1}) n WHERE t.id = {of}"
    )


def _run(sql: str, values: dict[str, object] | None = None) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(sql, values)


if __name__ == "__main__":
    main(sys.argv[1:])
