"""What anyone needs to check a game's dice: seed, salts and throws, in games.dice's form."""

from typing import Any

from games import replay
from games.models import Game
from games.rules.position import Position, Roll
from games.rules.registry import ruleset


def of_game(game: Game) -> dict[str, Any]:
    """The seed is there once the game is over; until then, the commitment to it."""
    seats = list(game.seats.all())
    record = {
        "game": str(game.pk),
        "commitment": game.commitment,
        "salts": [seat.salt for seat in seats],
        "throws": [
            throw
            | {"salts": [seat.salt if seat.salted_after_throw < number else "" for seat in seats]}
            for number, throw in enumerate(_throws(game), start=1)
        ],
    }
    if not game.is_running:
        record["seed"] = bytes(game.seed).hex()
    return record


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
