"""What anyone needs to check a game's dice: seeds, salts and throws, in games.dice's form."""

from typing import Any

from games import replay
from games.models import Game, GameDice
from games.rules.position import Position, Roll
from games.rules.registry import ruleset


def of_game(game: Game, *, with_seed: bool = False) -> dict[str, Any]:
    """The seed is there once the game is over, or if asked for; until then its commitment is."""
    seats = list(game.seats.all())
    kept = kept_for(game)
    past = kept.past if kept else []
    is_told = with_seed or not game.is_running
    present = {
        "scheme": game.dice_scheme,
        "commitment": game.commitment,
        "seed": bytes(game.seed).hex() if is_told else None,
        "last_throw": None,
        # The seed can be read from it.
        "proof": ((kept and kept.proof) or None) if is_told else None,
    }
    segments = [*past, present]
    return {
        "game": str(game.pk),
        "commitment": segments[0]["commitment"],
        "salts": [seat.salt for seat in seats],
        "segments": segments,
        "drawn": kept.drawn if kept else None,
        "challenger": kept.challenger if kept else None,
        "throws": [
            throw
            | {"salts": [seat.salt if seat.salted_after_throw < number else "" for seat in seats]}
            for number, throw in enumerate(_throws(game), start=1)
        ],
    }


def bound(game: Game) -> dict[str, Any]:
    """What the dice of the game were bound by when it began."""
    kept = kept_for(game)
    key = kept.key if kept else None
    by = "bots" if key and key.is_for_bots else "challenge"
    return {
        "scheme": kept.past[0]["scheme"] if kept and kept.past else game.dice_scheme,
        "by": by if game.event_id is None else "event",
        "key": key and key.public_key,
        "players": [seat.player_id for seat in game.seats.all()] if key else None,
    }


def kept_for(game: Game) -> GameDice | None:
    """None for a game that began under scheme 1 and was never reopened."""
    try:
        return game.dice
    except GameDice.DoesNotExist:
        return None


def _throws(game: Game) -> list[dict[str, Any]]:
    """Every throw with what was thrown; those before a move that was taken back included."""
    position = ruleset(game.ruleset, game.version).start(game.options)
    stands: dict[int, Position] = {}
    throws: list[dict[str, Any]] = []
    for line in replay.lines_of(game):
        if line.back_to is not None:
            position = stands[line.back_to]
        elif line.ply:
            position = position.play(position.parse(line.text))
        for faces in line.throws:
            awaited = position.awaiting
            assert isinstance(awaited, Roll)
            throws.append(
                {
                    "number": len(throws) + 1,
                    "dice": awaited.dice,
                    "sides": awaited.sides,
                    "faces": faces,
                }
            )
            position = position.rolled(tuple(faces))
        stands[line.ply] = position
    return throws
