"""How a game, a move or a challenge is written as JSON."""

from datetime import datetime
from typing import Any

from games import clock as clocks
from games import elo
from games.models import Challenge, ChatLine, Game, Move, Outage, Rating, RatingPool, Seat
from games.play import Played
from games.rules.position import Outcome, Roll
from games.rules.registry import RULESETS
from games.rules.registry import ruleset as rules_of


def summary(game: Game) -> dict[str, Any]:
    """A game in a list; its seats and players must have been fetched."""
    return {
        "id": game.pk,
        "ruleset": game.ruleset,
        "version": game.version,
        "options": game.options,
        "rated": game.rated,
        "clock": game.clock,
        "weekends": game.weekends,
        "private": game.private_link is not None,
        "event_id": game.event_id,
        "status": game.status,
        "ply": game.ply,
        "seat_to_move": game.seat_to_move,
        "deadline_at": game.deadline_at,
        "draw_offered_by": game.draw_offered_by,
        "takeback_asked_by": game.takeback_asked_by,
        "players": [seat.player.name for seat in game.seats.all()],
        "scores": scores(game),
        "points": game.points,
        "reason": game.reason,
        "started_at": game.started_at,
        "ended_at": game.ended_at,
    }


def detail(game: Game, *, seat: int | None, now: datetime) -> dict[str, Any]:
    """A game in full; `seat` is the asker's own, if he plays."""
    position = rules_of(game.ruleset, game.version).load(game.position)
    return {
        **summary(game),
        "your_seat": seat,
        "your_turn": seat is not None and seat == game.seat_to_move,
        "position": game.position,
        "awaiting": awaiting(position.awaiting),
        "time_left": [_seconds_left(game, at, now) for at in game.seats.all()],
        "dice": {
            "commitment": game.commitment,
            "seed": None if game.is_running else bytes(game.seed).hex(),
            "salts": [at.salt for at in game.seats.all()],
            "throws": game.throws_made,
        },
    }


def scores(game: Game) -> list[float] | None:
    return None if game.score is None else [game.score / 2, 1 - game.score / 2]


def awaiting(awaited: Any) -> dict[str, Any]:
    if isinstance(awaited, Outcome):
        return {"kind": "outcome", "reason": awaited.reason}
    if isinstance(awaited, Roll):
        return {"kind": "roll", "dice": awaited.dice, "sides": awaited.sides}
    return {"kind": "turn", "seat": awaited.seat}


def _seconds_left(game: Game, seat: Seat, now: datetime) -> float | None:
    """What a clock shows; for the seat to move, until its deadline by the wall clock."""
    if not game.is_running:
        return None
    if seat.number == game.seat_to_move and game.deadline_at:
        return max((game.deadline_at - now).total_seconds(), 0.0)
    return seat.bank.total_seconds()


def move(line: Move) -> dict[str, Any]:
    return {
        "ply": line.ply,
        "seat": line.seat,
        "move": line.text,
        "throws": line.throws,
        "back_to": line.back_to,
        "via": line.via,
        "played_at": line.played_at,
        "used_seconds": None if line.used is None else line.used.total_seconds(),
    }


def played(answer: Played) -> dict[str, Any]:
    return {
        "game": answer.game_id,
        "ply": answer.ply,
        "seat": answer.seat,
        "move": answer.text,
        "throws": answer.throws,
        "played_at": answer.played_at,
    }


def challenge(offer: Challenge, *, for_player: int | None) -> dict[str, Any]:
    mine = offer.challenger_id == for_player
    return {
        "id": offer.pk,
        "challenger": offer.challenger.name,
        "opponent": offer.opponent.name if offer.opponent else None,
        # The link of a letter proves who reads that address: not even the challenger sees it.
        "link": offer.link if mine and not offer.email else None,
        "email": offer.email if mine else None,
        "ruleset": offer.ruleset,
        "options": offer.options,
        "clock": offer.clock,
        "weekends": offer.weekends,
        "rated": offer.rated,
        "private": offer.private,
        "side": offer.side,
        "rating_least": offer.rating_least,
        "rating_most": offer.rating_most,
        "commitment": offer.commitment,
        "challenger_salt": offer.salt,
        "message": offer.message,
        "state": offer.state,
        "made_at": offer.made_at,
        "expires_at": offer.expires_at,
        "game": offer.game_id,
    }


def chat_line(line: ChatLine) -> dict[str, Any]:
    return {
        "id": line.pk,
        "author": line.author.name,
        "text": line.text if line.hidden_at is None else None,
        "written_at": line.written_at,
    }


def rating(row: Rating) -> dict[str, Any]:
    return {
        "player": row.player.name,
        "rating": elo.displayed(row.rating),
        "games": row.games,
        "provisional": row.games < elo.PROVISIONAL_GAMES,
        "peak": elo.displayed(row.peak),
    }


def ruleset(key: str) -> dict[str, Any]:
    rules = RULESETS[key]
    return {
        "key": rules.key,
        "name": rules.name,
        "version": rules.version,
        "options": [
            {
                "name": option.name,
                "default": option.default,
                "choices": None if isinstance(option.choices, range) else list(option.choices),
                "least": option.choices.start if isinstance(option.choices, range) else None,
            }
            for option in rules.options
        ],
        "clocks": {name: clocks.to_json(preset) for name, preset in clocks.PRESETS.items()},
    }


def outage(entry: Outage) -> dict[str, Any]:
    return {
        "way_in": entry.way_in,
        "began_at": entry.began_at,
        "ended_at": entry.ended_at,
        "is_over": entry.is_over,
        "credited": entry.is_credited,
    }


def pool(row: RatingPool) -> dict[str, Any]:
    return {
        "key": row.key,
        "ruleset": row.ruleset,
        "rated_games": row.last_entry,
        "recalculating": row.is_recalculated,
    }


def record_against(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "opponent": row["player__name"],
        "games": row["games"],
        "won": row["won"],
        "drawn": row["drawn"],
        "lost": row["lost"],
    }
