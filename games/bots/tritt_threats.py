"""Wins in one of both editions of Tritt, found for all slides of a position at once.

A board is 121 bits. The boards after each possible slide are laid side by side in lanes of one
large integer, so that the shifts that find a line on one board find it on all of them. A lane
is wide enough that no shift carries a dot into the next one's board.
"""

from typing import NamedTuple

from games.rules.tritt_board import (
    AREA,
    AXES,
    BOARD,
    ENDS,
    MIDDLES,
    RAYS,
    SHORT_RAYS,
    Places,
    Rays,
    Slide,
    completing,
    places_for,
)

LANE_BYTES = 20
LANE = 8 * LANE_BYTES
FULL_LANE = (1 << LANE) - 1
MOST_LANES = 160
ONE_IN_EACH = [sum(1 << LANE * lane for lane in range(lanes)) for lanes in range(MOST_LANES)]
PLACES_OF_AXIS = (1 << AREA) - 1


class Shift(NamedTuple):
    """A slide, the dot that it covers last, and as lanes: what changes and what must be free."""

    dot: int
    slide: Slide
    ends: bytes
    middles: bytes
    way: bytes


def _lane(dots: int) -> bytes:
    return dots.to_bytes(LANE_BYTES, "little")


def _shifts(rays: Rays) -> list[tuple[tuple[Shift, ...], ...]]:
    return [
        tuple(
            tuple(
                Shift(
                    step.dot,
                    step.slide,
                    _lane(ENDS[step.slide.start] ^ ENDS[step.slide.end]),
                    _lane(MIDDLES[step.slide.start] ^ MIDDLES[step.slide.end]),
                    _lane(step.way),
                )
                for step in ray
            )
            for ray in both_ways
        )
        for both_ways in rays
    ]


FAR_SHIFTS = _shifts(RAYS)
SHORT_SHIFTS = _shifts(SHORT_RAYS)
Shifts = list[tuple[tuple[Shift, ...], ...]]


def open_shifts(shifts: Shifts, trittons: Places, occupied: int) -> list[Shift]:
    """The slides of these trittons that nothing is in the way of."""
    found = []
    for place in trittons:
        for ray in shifts[place]:
            for shift in ray:
                if occupied & shift.dot:
                    break
                found.append(shift)
    return found


def in_lanes(lanes: list[bytes]) -> int:
    return int.from_bytes(b"".join(lanes), "little")


def line_starts(dots: int) -> int:
    """Where lines begin, on one board or in every lane."""
    return (
        dots & dots >> 1 & dots >> 2
        | dots & dots >> 11 & dots >> 22
        | dots & dots >> 12 & dots >> 24
    )


def lanes_with(bits: int) -> list[int]:
    lanes = []
    while bits:
        lane = (bits.bit_length() - 1) // LANE
        lanes.append(lane)
        bits &= (1 << LANE * lane) - 1
    return lanes


def whole_lanes(lanes: list[int]) -> int:
    return sum(FULL_LANE << LANE * lane for lane in lanes)


class Wins(NamedTuple):
    """Entries that win after each slide: a mask for each axis, a lane for each shift."""

    shifts: list[Shift]
    by_axis: tuple[int, int, int]

    def first(self) -> tuple[int, Slide] | None:
        for number, mask in enumerate(self.by_axis):
            if mask:
                bit = mask.bit_length() - 1
                return number * AREA + bit % LANE, self.shifts[bit // LANE].slide
        return None

    def total(self) -> int:
        return sum(mask.bit_count() for mask in self.by_axis)


NO_WINS = Wins([], (0, 0, 0))


def wins_by_entry_and_slide(mine: int, theirs: int, trittons: Places, entries: int) -> Wins:
    """Reloaded: where an entry and then a slide of these trittons make a line of mine alone.

    The trittons that slide have my colour on their ends, the one that enters has it in the middle.
    """
    shifts = open_shifts(FAR_SHIFTS, trittons, mine | theirs)
    if not shifts or not entries:
        return NO_WINS
    everywhere = ONE_IN_EACH[len(shifts)]
    mine_after = everywhere * mine ^ in_lanes([shift.ends for shift in shifts])
    theirs_after = everywhere * theirs ^ in_lanes([shift.middles for shift in shifts])
    way = in_lanes([shift.way for shift in shifts])
    free = everywhere * (BOARD & ~(mine | theirs)) & ~way
    middles = free & completing(mine_after)
    if lines := line_starts(mine_after):
        middles |= free & whole_lanes(lanes_with(lines))
    if lines := line_starts(theirs_after):
        middles &= ~whole_lanes(lanes_with(lines))
    if not middles:
        return NO_WINS
    ends = free & ~completing(theirs_after)
    by_axis = [
        middles & ends << axis & ends >> axis
        & everywhere * (entries >> number * AREA & PLACES_OF_AXIS)
        for number, axis in enumerate(AXES)
    ]  # fmt: skip
    return Wins(shifts, (by_axis[0], by_axis[1], by_axis[2]))


def slides_that_win(mine: int, theirs: int, shifts: list[Shift]) -> list[Slide]:
    """Classic: the slides that make a line of mine alone; they have my colour in the middle."""
    if not shifts:
        return []
    everywhere = ONE_IN_EACH[len(shifts)]
    lines = line_starts(everywhere * mine ^ in_lanes([shift.middles for shift in shifts]))
    if not lines:
        return []
    theirs_after = everywhere * theirs ^ in_lanes([shift.ends for shift in shifts])
    spoilt = lanes_with(line_starts(theirs_after))
    return [shifts[lane].slide for lane in lanes_with(lines) if lane not in spoilt]


def entries_that_win(mine: int, theirs: int) -> int:
    """Classic: the places where a tritton with my colour on its ends makes a line of mine alone."""
    free = BOARD & ~(mine | theirs)
    finishing = free & completing(mine)
    if not finishing:
        return 0
    middles = free & ~completing(theirs)
    return places_for(middles, free) & ~places_for(middles, free & ~finishing)


def pairing(dots: int, free: int) -> int:
    """The free dots that would be two of three in a row together with these, the third free."""
    found = 0
    for axis in AXES:
        below, above = dots << axis, dots >> axis
        free_below, free_above = free << axis, free >> axis
        found |= below & (free_below << axis | free_above)
        found |= above & (free_above >> axis | free_below)
        found |= below << axis & free_below | above >> axis & free_above
    return found & free


def entries_touching(dots: int, free: int) -> int:
    """The places on free dots that cover one of `dots`."""
    left = free & ~dots
    return places_for(free, free) & ~places_for(left, left)
