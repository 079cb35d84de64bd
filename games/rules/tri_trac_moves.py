"""The moves of Tri-Trac: each once, how they are begun, and how they are read."""

import re
from itertools import permutations
from typing import NamedTuple

from games.rules.notation import normalised
from games.rules.position import Choice, InvalidMove
from games.rules.tri_trac_board import LAYS, SPACE_BITS, SPACES


class Move(NamedTuple):
    """A triangle laid down (`lay`) in a space; it comes from another, from the same or the hand."""

    text: str
    origin: int
    space: int
    lay: int

    def __str__(self) -> str:
        return self.text


PLACE = {
    lay.bit: Move(f"place {lay.space} {lay.track}", 0, SPACE_BITS[lay.space], lay.bit)
    for lay in LAYS
}
MOVE = {
    SPACE_BITS[origin]: {
        lay.bit: Move(
            f"move {origin} {lay.space} {lay.track}",
            SPACE_BITS[origin],
            SPACE_BITS[lay.space],
            lay.bit,
        )
        for lay in LAYS
    }
    for origin in SPACES
}
ROTATE = {
    lay.bit: Move(
        f"rotate {lay.space} {lay.track}",
        SPACE_BITS[lay.space],
        SPACE_BITS[lay.space],
        lay.bit,
    )
    for lay in LAYS
}
ROTATIONS = {
    lay.bit: [ROTATE[other.bit] for other in LAYS if other.space == lay.space and other != lay]
    for lay in LAYS
}
MOVES = {move.text: move for table in (PLACE, ROTATE, *MOVE.values()) for move in table.values()}


def choices_of_space(beginning: str) -> dict[int, Choice]:
    return {
        bit: Choice(beginning + space, (space,), whole=False) for space, bit in SPACE_BITS.items()
    }


PLACE_CHOICES = choices_of_space("place ")
MOVE_CHOICES = choices_of_space("move ")
ROTATE_CHOICES = choices_of_space("rotate ")
TO_CHOICES = choices_of_space(" ")
TRACK_CHOICES = {
    lay.bit: Choice(f" {lay.track}", (f"{lay.space}.{lay.track}",), True) for lay in LAYS
}
BEGINNINGS = {
    **{f"place {space}": (0, bit) for space, bit in SPACE_BITS.items()},
    **{f"rotate {space}": (bit, bit) for space, bit in SPACE_BITS.items()},
    **{f"move {space}": (bit, 0) for space, bit in SPACE_BITS.items()},
    **{
        f"move {origin} {space}": (SPACE_BITS[origin], SPACE_BITS[space])
        for origin, space in permutations(SPACES, 2)
    },
}
"""Origin and space, as in a Move, of each prefix of one."""

SPACE = "[ad][1-5]|[bc][1-7]"
ANY_ORDER = {
    order: track for track in ("we", "wn", "en", "ws", "es") for order in (track, track[::-1])
}
SEPARATORS = str.maketrans(",.:;>-", "      ")
WRITTEN = re.compile(
    f"(?:(place|rotate) ?|(?:(move) ?)?({SPACE}) ?)?({SPACE})(?: ?({'|'.join(ANY_ORDER)}))?"
)


class Said(NamedTuple):
    """What a text says of a move, which may be less than there is to say."""

    verb: str | None
    origin: str | None
    space: str
    track: str | None

    def fits(self, move: Move) -> bool:
        verb, *spaces, track = move.text.split()
        return (
            self.verb in (None, verb)
            and [self.origin, self.space] in ([None, spaces[-1]], spaces)
            and self.track in (None, track)
        )


def read(text: str) -> Said:
    """Reads a move with or without its verb, and with or without its track."""
    words = " ".join(normalised(text).translate(SEPARATORS).split())
    written = WRITTEN.fullmatch(words)
    if written is None:
        raise InvalidMove(
            "A move here is written like one of these: place d3 we, move b4 c6 wn, rotate d2 en."
        )
    alone, moves, origin, space, track = written.groups()
    return Said(alone or moves, origin, space, ANY_ORDER.get(track))
