"""Whole games, as short as they come, that people can play again on a board."""

from dataclasses import dataclass

from tests.rules.playthroughs import FOLDER, Options, wanted


@dataclass(frozen=True)
class WrittenGame:
    options: Options
    throws: tuple[tuple[int, ...], ...]
    moves: tuple[str, ...]
    end: str


SHORT_TRITOC = WrittenGame(
    options={},
    throws=(
        (1, 2), (4, 4), (2, 2), (6, 6), (2, 3), (6, 6), (3, 3), (1, 3), (1, 1),
        (3, 4), (4, 5), (4, 6), (5, 5), (2, 1), (2, 2), (6, 1), (1, 4), (5, 6),
    ),
    moves=(
        "1.3", "5.8", "1.4", "keep", "1.5", "2.6", "5.4", "x5.8",
        "5.7", "2.9", "5.10", "6.10", "9.3", "4.4", "9.7", "4.5", "9.11",
    ),
    end="fields",
)  # fmt: skip
"""Whoever throws at random needs sixty plies; here is all that a throw can ask for."""


def shortest(key: str) -> WrittenGame:
    return min(written_games(key), key=lambda game: len(game.moves))


def written_games(key: str) -> list[WrittenGame]:
    """Whole games of this ruleset, of all that are written down."""
    found = [SHORT_TRITOC] if key == "tritoc" else []
    for name, (ruleset, options) in wanted().items():
        if ruleset.key != key:
            continue
        throws: list[tuple[int, ...]] = []
        moves: list[str] = []
        for line in (FOLDER / name).read_text(encoding="utf-8").splitlines():
            _ply, awaited, _number, event, _fingerprint = line.split(" | ")
            if awaited.startswith("over"):
                found.append(WrittenGame(options, tuple(throws), tuple(moves), awaited.split()[3]))
                throws, moves = [], []
            elif awaited.startswith("roll"):
                throws.append(tuple(map(int, event.split())))
            else:
                moves.append(event)
    return found
