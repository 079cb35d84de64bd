"""The log is the truth: positions as the lines of a game lead to them."""

from collections.abc import Iterable, Sequence

from games.models import Game, Move
from games.rules.position import Position
from games.rules.registry import ruleset

OPENING_PLIES = 6
OPENING_LENGTH = 200


def standing(lines: Iterable[Move]) -> list[Move]:
    """The lines that were not taken back, the start first."""
    kept: list[Move] = []
    for line in lines:
        if line.back_to is None:
            kept.append(line)
        else:
            kept = [earlier for earlier in kept if earlier.ply <= line.back_to]
    return kept


def lines_of(game: Game) -> list[Move]:
    """As far as the game had come when it was read: it may have gone on since."""
    return [line for line in game.moves.all() if line.ply <= game.ply]


def standing_lines(game_id: int) -> list[Move]:
    return standing(Move.objects.filter(game_id=game_id).order_by("ply"))


def positions(game: Game, lines: Sequence[Move]) -> list[Position]:
    """The position after each standing line, its throws included."""
    position = ruleset(game.ruleset, game.version).start(game.options)
    found = []
    for line in lines:
        if line.ply:
            position = position.play(position.parse(line.text))
        for faces in line.throws:
            position = position.rolled(tuple(faces))
        found.append(position)
    return found


def opening(lines: Iterable[Move]) -> str:
    """What `Game.opening` holds: the standing ones of the first lines, each with a semicolon."""
    first = (line.text for line in lines if 0 < line.ply <= OPENING_PLIES)
    return "".join(f"{text};" for text in first)[:OPENING_LENGTH]


def opening_after(game_id: int, ply: int) -> str:
    return opening(line for line in standing_lines(game_id) if line.ply <= ply)


def position_after(game_id: int, ply: int) -> Position:
    """Where the game stood after a ply that still stands."""
    lines = [line for line in standing_lines(game_id) if line.ply <= ply]
    return positions(Game.objects.get(pk=game_id), lines)[-1]
