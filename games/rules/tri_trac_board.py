"""The hexagon of Tri-Trac: its spaces, the tracks that fit them, and where a track leads."""

from itertools import combinations
from typing import NamedTuple

LENGTHS = {"a": 5, "b": 7, "c": 7, "d": 5}
SPACES = tuple(f"{row}{n}" for row, length in LENGTHS.items() for n in range(1, length + 1))
CENTRE_SPACES = ("b3", "b4", "b5", "c3", "c4", "c5")

ABOVE = {
    "a1": "b2",
    "a3": "b4",
    "a5": "b6",
    "b1": "c1",
    "b3": "c3",
    "b5": "c5",
    "b7": "c7",
    "c2": "d1",
    "c4": "d3",
    "c6": "d5",
}
BELOW = {upper: lower for lower, upper in ABOVE.items()}

DARK_ARROWS = {"b1": "w", "c7": "e"}
LIGHT_ARROWS = {"d2": "n", "a4": "s"}
ARROWS = DARK_ARROWS | LIGHT_ARROWS

OPPOSITE = {"w": "e", "e": "w", "n": "s", "s": "n"}


def sides_of(space: str) -> str:
    points_up = (space[0] in "cd") == (int(space[1]) % 2 == 1)
    return "wes" if points_up else "wen"


def neighbour(space: str, side: str) -> str | None:
    if side in "ns":
        return (ABOVE if side == "n" else BELOW).get(space)
    beside = f"{space[0]}{int(space[1]) + (1 if side == 'e' else -1)}"
    return beside if beside in SPACES else None


def fits(space: str, track: str) -> bool:
    """No track points off the board; ribs keep a light arrow's space from being blocked."""
    on_board = all(neighbour(space, side) or ARROWS.get(space) == side for side in track)
    return on_board and LIGHT_ARROWS.get(space, "") in track


# A space is a lane of three bits, one for each direction of a track in it; a triangle is one of
# these bits. In masks of spaces the lane's lowest bit stands for all, and times LANE fills it.
LANE = 0b111
SPACE_BITS = {space: 1 << 3 * number for number, space in enumerate(SPACES)}
ALL_SPACES = sum(SPACE_BITS.values())
CENTRE = sum(SPACE_BITS[space] for space in CENTRE_SPACES)


class Lay(NamedTuple):
    """A triangle lying in a space with its track in one direction."""

    space: str
    track: str
    bit: int


LAYS = tuple(
    Lay(space, "".join(track), SPACE_BITS[space] << lane)
    for space in SPACES
    for lane, track in enumerate(combinations(sides_of(space), 2))
    if fits(space, "".join(track))
)
ALL_LAYS = sum(lay.bit for lay in LAYS)
TRACKS = {space: tuple(lay.track for lay in LAYS if lay.space == space) for space in SPACES}


def spaces_of(lays: int) -> int:
    """The spaces in which these triangles lie."""
    return (lays | lays >> 1 | lays >> 2) & ALL_SPACES


def each_bit(mask: int) -> list[int]:
    """The single bits of a mask, lowest first."""
    bits = []
    while mask:
        bit = mask & -mask
        bits.append(bit)
        mask ^= bit
    return bits


# A door is a space and the side by which a track comes in. Behind each lie the triangles that
# would take the track on, each with the next door, or with the end of the way at an arrow.
Door = tuple[str, str]


def beyond(space: str, side: str) -> Door | None:
    if ARROWS.get(space) == side:
        return None
    return neighbour(space, side) or "", OPPOSITE[side]


BEHIND: dict[Door, tuple[tuple[int, Door | None], ...]] = {
    (space, side): tuple(
        (lay.bit, beyond(space, lay.track.replace(side, "")))
        for lay in LAYS
        if lay.space == space and side in lay.track
    )
    for space in SPACES
    for side in sides_of(space)
}
# A track has two ends, so one that leaves three arrows out leads nowhere.
STARTS = tuple(ARROWS.items())[:3]


def has_complete_track(lays: int) -> bool:
    """Whether triangles lead from one arrow to another; each has one track, so ways never fork."""
    return any(leads_to_an_arrow(lays, door) for door in STARTS)


def leads_to_an_arrow(lays: int, door: Door | None) -> bool:
    while door:
        for bit, onward in BEHIND[door]:
            if lays & bit:
                door = onward
                break
        else:
            return False
    return True
