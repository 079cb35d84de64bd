"""The board that both editions of Tritt are played on: its dots, trittons, lines and slides.

A set of dots is an integer, one bit a dot, in rows of eleven bits. Counted along one diagonal
the rows fill their eleven bits like this, so a step along a row, or up either diagonal, is
always a shift by 1, 11 or 12, and a step off the board always hits a bit that is no dot:

    k . . . . . o o o o o o
    j . . . . o o o o o o o
      ...
    f o o o o o o o o o o o
      ...
    b o o o o o o o . . . .
    a o o o o o o . . . . .

A place for a tritton is a number too: its middle's bit, plus 121 for each axis before its own.
A set of places is therefore one integer of three boards side by side.
"""

from collections.abc import Iterable, Sequence
from itertools import compress
from typing import NamedTuple, NoReturn, TypeVar

from games.rules.position import Choice, IllegalMove, Outcome, Term, Turn

ROWS = "abcdefghijk"
WIDTH = 11
AREA = WIDTH * WIDTH
AXES = (1, 11, 12)

ORANGE, BLUE = 0, 1
COLOURS = ("orange", "blue")
COLOUR_TERMS = (Term("orange"), Term("blue"))
COUNT_TERMS = {3: Term("three"), 4: Term("four"), 5: Term("five")}

TURNS = (Turn(0), Turn(1))

SWITCHES = bytes.maketrans(b"01", b"\x00\x01")

Places = tuple[int, ...]
Pair = tuple[int, int]
Thing = TypeVar("Thing")


class Slide(NamedTuple):
    """A tritton leaves one place for another on its axis."""

    start: int
    end: int

    def __str__(self) -> str:
        return f"{NAMES[self.start]}>{NAMES[self.end]}"


class Step(NamedTuple):
    """A slide, the dot that it covers last, and all dots that it needs free."""

    dot: int
    slide: Slide
    way: int


Ray = tuple[Step, ...]
Rays = Sequence[tuple[Ray, Ray]]
"""By place: the slides either way, the shortest first."""


def _dots() -> dict[str, int]:
    """Each dot's bit by its name, in the order of the bits."""
    dots = {}
    for row, letter in enumerate(ROWS):
        indent = max(0, row - 5)
        for number in range(1, 12 - abs(row - 5)):
            dots[f"{letter}{number}"] = 1 << row * WIDTH + indent + number - 1
    return dots


DOTS = _dots()
BOARD = sum(DOTS.values())
DOT_NAMES = [""] * AREA
for _name, _dot in DOTS.items():
    DOT_NAMES[_dot.bit_length() - 1] = _name

# Tables by place; numbers that are no place hold nothing.
PLACE_NUMBERS = range(3 * AREA)
NAMES = [""] * (3 * AREA)
SPOTS: list[tuple[str, ...]] = [()] * (3 * AREA)
MIDDLES = [0] * (3 * AREA)
ENDS = [0] * (3 * AREA)
COVERS = [0] * (3 * AREA)
NEXT_DOTS = [0] * (3 * AREA)
RAYS: list[tuple[Ray, Ray]] = [((), ())] * (3 * AREA)
SHORT_RAYS: list[tuple[Ray, Ray]] = [((), ())] * (3 * AREA)


def _ray(place: int, direction: int) -> Ray:
    """The slides of a tritton on an empty board, one way, the shortest first."""
    steps = []
    end, way = place + direction, 0
    while COVERS[end]:
        dot = COVERS[end] & ~COVERS[end - direction]
        way |= dot
        steps.append(Step(dot, Slide(place, end), way))
        end += direction
    return tuple(steps)


def _fill_tables() -> None:
    for lane, axis in enumerate(AXES):
        for middle in DOTS.values():
            low, high = middle >> axis, middle << axis
            if low & BOARD and high & BOARD:
                place = lane * AREA + middle.bit_length() - 1
                SPOTS[place] = tuple(dot_names(low | middle | high))
                NAMES[place] = f"{SPOTS[place][0]}-{SPOTS[place][2]}"
                MIDDLES[place], ENDS[place] = middle, low | high
                COVERS[place] = low | middle | high
    for place in all_places():
        axis = AXES[place // AREA]
        RAYS[place] = _ray(place, axis), _ray(place, -axis)
        SHORT_RAYS[place] = RAYS[place][0][:1], RAYS[place][1][:1]
        NEXT_DOTS[place] = sum(ray[0].dot for ray in RAYS[place] if ray)


def all_places() -> list[int]:
    return [place for place, cover in enumerate(COVERS) if cover]


def dot_names(dots: int) -> list[str]:
    return picked(DOT_NAMES, dots)


def picked(table: Sequence[Thing], members: int) -> list[Thing]:
    """The entries of a table whose numbers are bits of `members`.

    Printing a number in binary and using its digits as switches is many times
    quicker than taking bit after bit off it.
    """
    return list(compress(table, f"{members:b}".encode().translate(SWITCHES)[::-1]))


_fill_tables()
CANONICAL = {NAMES[place]: place for place in all_places()}
NAMED = CANONICAL | {"-".join(reversed(name.split("-"))): at for name, at in CANONICAL.items()}

ENTRY_CHOICES = [Choice(name, spots, whole=True) for name, spots in zip(NAMES, SPOTS, strict=True)]
END_CHOICES = [
    Choice(f">{name}", spots, whole=True) for name, spots in zip(NAMES, SPOTS, strict=True)
]


def places_for(middles: int, ends: int) -> int:
    """The places whose middle is one of `middles` and whose ends are two of `ends`."""
    return (
        (middles & ends << 1 & ends >> 1)
        | (middles & ends << 11 & ends >> 11) << AREA
        | (middles & ends << 12 & ends >> 12) << 2 * AREA
    )


def has_line(dots: int) -> bool:
    """Whether three of these dots are adjacent on one axis."""
    return bool(
        dots & dots >> 1 & dots >> 2
        or dots & dots >> 11 & dots >> 22
        or dots & dots >> 12 & dots >> 24
    )


def completing(dots: int) -> int:
    """The dots that would make a line together with these."""
    found = 0
    for axis in AXES:
        below, above = dots << axis, dots >> axis
        found |= below & above | below & below << axis | above & above >> axis
    return found


def line_in(dots: int) -> list[str]:
    """The names of the dots of one line, as long as it is; none if there is none."""
    for axis in AXES:
        starts = dots & dots >> axis & dots >> 2 * axis
        dot, line = starts & -starts, 0
        while dot & dots:
            line |= dot
            dot <<= axis
        if line:
            return dot_names(line)
    return []


def placed(trittons: Places, place: int) -> Places:
    """In order, so that the way a position came about leaves no trace in it."""
    return tuple(sorted((*trittons, place)))


def slid(trittons: Places, slide: Slide) -> Places:
    return tuple(sorted([slide.end if place == slide.start else place for place in trittons]))


def covered(table: Sequence[int], trittons: Iterable[int]) -> int:
    """All the dots that a table of dots by place has for these trittons."""
    return sum(table[place] for place in trittons)


def names_of(trittons: Iterable[int]) -> list[str]:
    return [NAMES[place] for place in trittons]


def open_steps(rays: tuple[Ray, Ray], occupied: int) -> list[Step]:
    """The slides along these rays that no occupied dot is in the way of."""
    steps = []
    for ray in rays:
        for step in ray:
            if occupied & step.dot:
                break
            steps.append(step)
    return steps


def can_slide(slide: Slide, rays: Rays, occupied: int) -> bool:
    return any(slide == step.slide for step in open_steps(rays[slide.start], occupied))


def win_for(seat: int, reason: str) -> Outcome:
    return Outcome((0.0, 1.0) if seat else (1.0, 0.0), reason)


def refuse_if_over(awaiting: Turn | Outcome) -> None:
    if isinstance(awaiting, Outcome):
        raise IllegalMove("The game is over.")


def place_named(text: str) -> int | None:
    """The place with these ends, in either order; nothing if these are not two dots."""
    place = NAMED.get(text)
    if place is None:
        ends = text.split("-")
        if len(ends) == 2 and ends[0] in DOTS and ends[1] in DOTS:
            raise IllegalMove(
                "{place} is no place for a tritton: "
                "it covers three adjacent dots in a straight line, and is named by its two ends.",
                place=text,
            )
    return place


def refuse_taken(place: int, occupied: int) -> NoReturn:
    raise IllegalMove(
        "{place} cannot be entered: a tritton needs three free dots; taken already: {dots}.",
        place=NAMES[place],
        dots=" ".join(dot_names(COVERS[place] & occupied)),
    )


def refuse_slide(slide: Slide, own: Places, theirs: Places, occupied: int) -> NoReturn:
    """Raises IllegalMove with the reason why a slide of any length is not possible."""
    names = {"tritton": NAMES[slide.start], "goal": NAMES[slide.end]}
    if slide.start in own:
        raise IllegalMove(
            "{tritton} is your own tritton; only your opponent's may be slid.", **names
        )
    if slide.start not in theirs:
        raise IllegalMove("There is no tritton on {tritton} that could slide.", **names)
    if slide.start == slide.end:
        raise IllegalMove("A slide must end elsewhere than it began, not on {goal}.", **names)
    for step in (*RAYS[slide.start][0], *RAYS[slide.start][1]):
        if step.slide == slide:
            raise IllegalMove(
                "{tritton} cannot slide to {goal}: it is blocked at {dots}.",
                **names,
                dots=" ".join(dot_names(step.way & occupied)),
            )
    raise IllegalMove(
        "{tritton} slides only along the line of dots it lies on, and {goal} is not on that line.",
        **names,
    )
