"""Tritt Reloaded: enter a tritton of yours, then slide one of your opponent's if you like."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, NoReturn, cast

from games.rules.notation import normalised
from games.rules.position import (
    JSON,
    AmbiguousMove,
    Choice,
    IllegalMove,
    InvalidMove,
    MoveError,
    Outcome,
    Ruleset,
    Turn,
    checked_options,
)
from games.rules.tritt_board import (
    BOARD,
    CANONICAL,
    COLOUR_TERMS,
    COLOURS,
    COUNT_TERMS,
    COVERS,
    END_CHOICES,
    ENDS,
    ENTRY_CHOICES,
    MIDDLES,
    NAMES,
    NEXT_DOTS,
    PLACE_NUMBERS,
    RAYS,
    SPOTS,
    TURNS,
    Pair,
    Places,
    Slide,
    can_slide,
    completing,
    covered,
    has_line,
    line_in,
    names_of,
    open_steps,
    picked,
    place_named,
    placed,
    places_for,
    refuse_if_over,
    refuse_slide,
    refuse_taken,
    slid,
    win_for,
)

HAND = 10
ENTRY_EXAMPLE = "c3-e5"
EXAMPLE = "c3-e5 d6-f8>e7-g8"


class Move(NamedTuple):
    """An entry and, perhaps, a slide."""

    entry: int
    slide: Slide | None = None

    def __str__(self) -> str:
        name = NAMES[self.entry]
        return name if self.slide is None else f"{name} {self.slide}"


# A thousand moves are made several times faster than by calling `Move`.
MOVE_OF_PAIR = cast(Callable[[tuple[int, Slide]], Move], partial(tuple.__new__, Move))

ENTRIES = [Move(place) for place in PLACE_NUMBERS]
START_CHOICES = [Choice(f" {NAMES[at]}", SPOTS[at], whole=False) for at in PLACE_NUMBERS]


@dataclass(frozen=True, slots=True)
class TrittReloaded:
    """Which trittons lie where; all else follows, as every move enters exactly one.

    Pairs are by colour, orange first, which here is by seat too: `trittons` by who owns
    them, `dots` by what they show. `entries` is where the seat to move may enter one.
    """

    trittons: tuple[Places, Places]
    dots: Pair
    entries: int
    awaiting: Turn | Outcome

    @property
    def seat(self) -> int:
        return (len(self.trittons[0]) + len(self.trittons[1])) % 2

    @property
    def theirs(self) -> Places:
        """The trittons that the seat to move may slide."""
        return self.trittons[1 - self.seat]

    def legal_moves(self) -> Sequence[Move]:
        entries = picked(ENTRIES, self.entries)
        occupied = self.dots[0] | self.dots[1]
        steps = [step for place in self.theirs for step in open_steps(RAYS[place], occupied)]
        pairs = [
            (entry, slide)
            for entry, _ in entries
            for _, slide, way in steps
            if not way & COVERS[entry]
        ]
        return [*entries, *map(MOVE_OF_PAIR, pairs)]

    def choices(self, prefix: str = "") -> Sequence[Choice]:
        if not prefix:
            return picked(ENTRY_CHOICES, self.entries)
        entry_name, space, start_name = prefix.partition(" ")
        entry = CANONICAL.get(entry_name)
        if entry is None or not self.entries >> entry & 1:
            return ()
        occupied = self._occupied_after(entry)
        if not space:
            return [START_CHOICES[place] for place in self.theirs if NEXT_DOTS[place] & ~occupied]
        start = CANONICAL.get(start_name)
        if start is None or start not in self.theirs:
            return ()
        return [END_CHOICES[step.slide.end] for step in open_steps(RAYS[start], occupied)]

    def parse(self, text: str) -> Move:
        refuse_if_over(self.awaiting)
        line = normalised(text)
        entry_name, space, slide_text = line.partition(" ")
        entry = place_named(entry_name)
        if entry is None:
            raise _no_entry(line)
        if not space:
            return self._checked(Move(entry))
        start_name, arrow, end_name = slide_text.partition(">")
        start = place_named(start_name)
        end = place_named(end_name)
        if start is not None and not arrow:
            self._ask_where_to(entry, start)
        if start is None or end is None:
            raise _unreadable(line)
        return self._checked(Move(entry, Slide(start, end)))

    def play(self, move: Move) -> "TrittReloaded":
        refuse_if_over(self.awaiting)
        entry, slide = self._checked(move)
        seat, trittons, dots = self.seat, list(self.trittons), list(self.dots)
        trittons[seat] = placed(trittons[seat], entry)
        dots[seat] ^= MIDDLES[entry]
        dots[1 - seat] ^= ENDS[entry]
        if slide is not None:
            trittons[1 - seat] = slid(trittons[1 - seat], slide)
            dots[1 - seat] ^= MIDDLES[slide.start] ^ MIDDLES[slide.end]
            dots[seat] ^= ENDS[slide.start] ^ ENDS[slide.end]
        return _position((trittons[0], trittons[1]), (dots[0], dots[1]))

    def rolled(self, dice: tuple[int, ...]) -> "TrittReloaded":
        raise ValueError("Tritt awaits no dice.")

    def forfeited_by(self, seat: int) -> Outcome:
        return win_for(1 - seat, "time")

    def to_json(self) -> JSON:
        return dict(zip(COLOURS, map(names_of, self.trittons), strict=True))

    def _occupied_after(self, entry: int) -> int:
        return self.dots[0] | self.dots[1] | COVERS[entry]

    def _checked(self, move: Move) -> Move:
        """The move itself, if it is legal."""
        entry, slide = move
        if not self.entries >> entry & 1:
            self._refuse_entry(entry)
        if slide is not None:
            occupied = self._occupied_after(entry)
            if slide.start not in self.theirs or not can_slide(slide, RAYS, occupied):
                refuse_slide(slide, placed(self.trittons[self.seat], entry), self.theirs, occupied)
        return move

    def _refuse_entry(self, entry: int) -> NoReturn:
        if COVERS[entry] & (self.dots[0] | self.dots[1]):
            refuse_taken(entry, self.dots[0] | self.dots[1])
        added = {self.seat: MIDDLES[entry], 1 - self.seat: ENDS[entry]}
        colour = next(at for at, dots in added.items() if has_line(self.dots[at] | dots))
        line = line_in(self.dots[colour] | added[colour])
        raise IllegalMove(
            "{entry} would make a line of {count} {colour} dots: {dots}.",
            entry=NAMES[entry],
            count=COUNT_TERMS[len(line)],
            colour=COLOUR_TERMS[colour],
            dots=" ".join(line),
        )

    def _ask_where_to(self, entry: int, start: int) -> None:
        """Raises AmbiguousMove if the tritton to slide is named and has several ways to go."""
        self._checked(Move(entry))
        begun = f"{NAMES[entry]} {NAMES[start]}"
        moves = [begun + choice.token for choice in self.choices(begun)]
        if len(moves) > 1:
            raise AmbiguousMove(
                "{begun} could be any of: {moves}.", begun=begun, moves=", ".join(moves)
            )


def _no_entry(line: str) -> MoveError:
    start_name, _, end_name = line.partition(">")
    if place_named(start_name) is None or place_named(end_name) is None:
        return _unreadable(line)
    return IllegalMove(
        "A slide alone is no move: first enter a tritton of yours, as in {example}.",
        example=EXAMPLE,
    )


def _unreadable(line: str) -> MoveError:
    return InvalidMove(
        "“{text}” is no move here. Enter a tritton by its two ends, as in {entry}, "
        "and slide one of your opponent's if you like, as in {example}.",
        text=line,
        entry=ENTRY_EXAMPLE,
        example=EXAMPLE,
    )


def _position(trittons: tuple[Places, Places], dots: Pair) -> TrittReloaded:
    ply = len(trittons[0]) + len(trittons[1])
    seat = ply % 2
    ending = _ending(1 - seat, dots)
    if ending is not None:
        return TrittReloaded(trittons, dots, 0, ending)
    entries = _entries(seat, dots) if ply < 2 * HAND else 0
    return TrittReloaded(
        trittons, dots, entries, TURNS[seat] if entries else win_for(1 - seat, "stuck")
    )


def _ending(mover: int, dots: Pair) -> Outcome | None:
    """How a line ends the game; no entry makes one, so only a slide can have done it."""
    if has_line(dots[1 - mover]):
        return win_for(1 - mover, "opponent-line")
    if has_line(dots[mover]):
        return win_for(mover, "line")
    return None


def _entries(seat: int, dots: Pair) -> int:
    """Where the seat may enter a tritton without making a line.

    Its dots may be looked at one by one: the two ends cannot share a line,
    as the middle between them has the other colour.
    """
    free = BOARD & ~(dots[0] | dots[1])
    return places_for(free & ~completing(dots[seat]), free & ~completing(dots[1 - seat]))


def start(options: Mapping[str, object]) -> TrittReloaded:
    checked_options((), options)
    return _position(((), ()), (0, 0))


def load(stored: JSON) -> TrittReloaded:
    orange, blue = (tuple(sorted(CANONICAL[name] for name in stored[colour])) for colour in COLOURS)
    return _position(
        (orange, blue),
        (
            covered(MIDDLES, orange) | covered(ENDS, blue),
            covered(MIDDLES, blue) | covered(ENDS, orange),
        ),
    )


RULESET = Ruleset(
    key="tritt-reloaded", name="Tritt Reloaded", version=1, options=(), start=start, load=load
)
