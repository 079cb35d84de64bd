"""What the move picker asks: which tokens can come next, and how the board looks by then."""

from dataclasses import asdict

from games.boards.registry import BOARDS
from games.rules.position import JSON, MoveError, Position, Translate

MOST_WORDS = 8
"""Of a move that is being picked; no move has as many."""


def choices_after(position: Position, prefix: str) -> list[JSON]:
    """The tokens that can follow the beginning of a move, as the page's script reads them."""
    return [asdict(choice) for choice in position.choices(prefix)]


def drawn_after(
    key: str, position: Position, prefix: str, *, seat: int, last: str, translate: Translate
) -> str:
    """The board with what is picked so far laid out on it, as far as that is a whole move."""
    picked = whole_beginning(position, prefix)
    shown = position.play(position.parse(picked)) if picked else position
    return BOARDS[key].draw(
        shown,
        seat=seat,
        last=picked or last,
        choices=position.choices(prefix),
        translate=translate,
    )


def whole_beginning(position: Position, prefix: str) -> str:
    """The longest beginning of a prefix, word by word, that is a move already."""
    words = prefix.split(" ")[:MOST_WORDS]
    for length in range(len(words), 0, -1):
        beginning = " ".join(words[:length])
        if beginning and _is_move(position, beginning):
            return beginning
    return ""


def _is_move(position: Position, text: str) -> bool:
    try:
        return str(position.parse(text)) == text
    except MoveError:
        return False
