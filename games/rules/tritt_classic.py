"""Tritt as of 2009: enter a tritton of yours or slide one of your opponent's; lines decide."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from games.rules.notation import normalised
from games.rules.position import (
    JSON,
    Choice,
    IllegalMove,
    InvalidMove,
    MoveError,
    Option,
    Outcome,
    Ruleset,
    Turn,
    checked_options,
)
from games.rules.tritt_board import (
    BLUE,
    BOARD,
    CANONICAL,
    COLOURS,
    END_CHOICES,
    ENDS,
    ENTRY_CHOICES,
    MIDDLES,
    NAMES,
    NEXT_DOTS,
    ORANGE,
    PLACE_NUMBERS,
    RAYS,
    SHORT_RAYS,
    SPOTS,
    TURNS,
    Pair,
    Places,
    Slide,
    can_slide,
    covered,
    has_line,
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

HAND = 8
THIRD_TIME = 3
OPTIONS = (Option("swap", True, (True, False)), Option("slide", "one", ("one", "any")))
RAYS_BY_OPTION = {"one": SHORT_RAYS, "any": RAYS}

ENTRY_EXAMPLE = "c3-e5"
SLIDE_EXAMPLE = "c3-e5>d4-f6"


class Entry(NamedTuple):
    """A tritton of one's own comes onto the board."""

    place: int

    def __str__(self) -> str:
        return NAMES[self.place]


class Swap(NamedTuple):
    """The seats exchange colours."""

    def __str__(self) -> str:
        return "swap"


Move = Entry | Slide | Swap

ENTRIES = [Entry(place) for place in PLACE_NUMBERS]
START_CHOICES = [Choice(NAMES[at], SPOTS[at], whole=False) for at in PLACE_NUMBERS]
SWAP = Swap()
SWAP_CHOICE = Choice("swap", (), whole=True)


class Terms(NamedTuple):
    """The options, and whether the seats have exchanged colours: seat 0 then plays blue."""

    swap: bool
    slide: str
    swapped: bool = False


@dataclass(frozen=True, slots=True)
class TrittClassic:
    """Which trittons lie where, which colour is to move, and the slides since the last entry.

    Pairs are by colour, orange first: `trittons` by who owns them, `dots` by what they show.
    `entries` is where the colour to move may enter a tritton.
    """

    trittons: tuple[Places, Places]
    dots: Pair
    colour: int
    terms: Terms
    slides: tuple[Slide, ...]
    entries: int
    awaiting: Turn | Outcome

    @property
    def theirs(self) -> Places:
        """The trittons that the colour to move may slide; none when the game is over."""
        return self.trittons[1 - self.colour] if isinstance(self.awaiting, Turn) else ()

    @property
    def may_swap(self) -> bool:
        """Only before the second move is Blue alone with a single orange tritton."""
        orange, blue = self.trittons
        alone = len(orange) == 1 and not blue and self.colour == BLUE
        return alone and self.terms.swap and not self.terms.swapped

    def legal_moves(self) -> Sequence[Move]:
        moves: list[Move] = [SWAP] if self.may_swap else []
        moves += picked(ENTRIES, self.entries)
        rays, occupied = RAYS_BY_OPTION[self.terms.slide], self.dots[0] | self.dots[1]
        for place in self.theirs:
            moves += [step.slide for step in open_steps(rays[place], occupied)]
        return moves

    def choices(self, prefix: str = "") -> Sequence[Choice]:
        occupied = self.dots[0] | self.dots[1]
        if prefix:
            start = CANONICAL.get(prefix)
            if start is None or start not in self.theirs:
                return ()
            steps = open_steps(RAYS_BY_OPTION[self.terms.slide][start], occupied)
            return [END_CHOICES[step.slide.end] for step in steps]
        choices = [SWAP_CHOICE] if self.may_swap else []
        choices += picked(ENTRY_CHOICES, self.entries)
        choices += [START_CHOICES[place] for place in self.theirs if NEXT_DOTS[place] & ~occupied]
        return choices

    def parse(self, text: str) -> Move:
        refuse_if_over(self.awaiting)
        line = normalised(text)
        if line == "swap":
            return self._checked(SWAP)
        start_name, arrow, end_name = line.partition(">")
        start = place_named(start_name)
        end = place_named(end_name) if arrow else start
        if start is None or end is None:
            raise _unreadable(line)
        return self._checked(Slide(start, end) if arrow else Entry(start))

    def play(self, move: Move) -> "TrittClassic":
        refuse_if_over(self.awaiting)
        self._checked(move)
        match move:
            case Swap():
                return _position(self.trittons, self.dots, BLUE, self.terms._replace(swapped=True))
            case Entry(place):
                return self._entered(place)
        return self._slid(move)

    def rolled(self, dice: tuple[int, ...]) -> "TrittClassic":
        raise ValueError("Tritt awaits no dice.")

    def forfeited_by(self, seat: int) -> Outcome:
        return win_for(1 - seat, "time")

    def to_json(self) -> JSON:
        return {
            "orange": names_of(self.trittons[ORANGE]),
            "blue": names_of(self.trittons[BLUE]),
            "colour": COLOURS[self.colour],
            "slides": " ".join(map(str, self.slides)),
            **self.terms._asdict(),
        }

    def _entered(self, place: int) -> "TrittClassic":
        """Earlier placements had fewer trittons and cannot come back, so they are forgotten."""
        trittons, dots = list(self.trittons), list(self.dots)
        trittons[self.colour] = placed(trittons[self.colour], place)
        dots[self.colour] ^= ENDS[place]
        dots[1 - self.colour] ^= MIDDLES[place]
        return _position(
            (trittons[0], trittons[1]), (dots[0], dots[1]), 1 - self.colour, self.terms
        )

    def _slid(self, slide: Slide) -> "TrittClassic":
        trittons, dots, theirs = list(self.trittons), list(self.dots), 1 - self.colour
        trittons[theirs] = slid(trittons[theirs], slide)
        dots[theirs] ^= ENDS[slide.start] ^ ENDS[slide.end]
        dots[self.colour] ^= MIDDLES[slide.start] ^ MIDDLES[slide.end]
        slides = (*self.slides, slide)
        return _position((trittons[0], trittons[1]), (dots[0], dots[1]), theirs, self.terms, slides)

    def _checked(self, move: Move) -> Move:
        """The move itself, if it is legal."""
        match move:
            case Swap():
                if not self.may_swap:
                    self._refuse_swap()
            case Entry(place):
                if not self.entries >> place & 1:
                    self._refuse_entry(place)
            case _:
                occupied, rays = self.dots[0] | self.dots[1], RAYS_BY_OPTION[self.terms.slide]
                if move.start not in self.theirs or not can_slide(move, rays, occupied):
                    self._refuse_slide(move, occupied)
        return move

    def _refuse_swap(self) -> NoReturn:
        if not self.terms.swap:
            raise IllegalMove("This game is played without swap.")
        raise IllegalMove("Only the second move of the game may be swap.")

    def _refuse_entry(self, place: int) -> NoReturn:
        if len(self.trittons[self.colour]) == HAND:
            raise IllegalMove(
                "{place} cannot be entered: all your trittons are on the board.",
                place=NAMES[place],
            )
        refuse_taken(place, self.dots[0] | self.dots[1])

    def _refuse_slide(self, slide: Slide, occupied: int) -> NoReturn:
        if slide.start in self.theirs and can_slide(slide, RAYS, occupied):
            raise IllegalMove(
                "{tritton} slides exactly one step here, and {goal} is farther.",
                tritton=NAMES[slide.start],
                goal=NAMES[slide.end],
            )
        refuse_slide(slide, self.trittons[self.colour], self.theirs, occupied)


def _unreadable(line: str) -> MoveError:
    return InvalidMove(
        "“{text}” is no move here. Enter a tritton by its two ends, as in {entry}, "
        "or slide one of your opponent's, as in {slide}.",
        text=line,
        entry=ENTRY_EXAMPLE,
        slide=SLIDE_EXAMPLE,
    )


def _position(
    trittons: tuple[Places, Places],
    dots: Pair,
    colour: int,
    terms: Terms,
    slides: tuple[Slide, ...] = (),
) -> TrittClassic:
    """The position with `colour` to move, unless the move just made has ended the game."""
    ending = _ending(dots, colour, terms, slides)
    if ending is not None:
        return TrittClassic(trittons, dots, colour, terms, slides, 0, ending)
    free = BOARD & ~(dots[0] | dots[1])
    entries = places_for(free, free) if len(trittons[colour]) < HAND else 0
    stuck = not entries and not any(NEXT_DOTS[place] & free for place in trittons[1 - colour])
    seat = colour ^ terms.swapped
    awaiting = win_for(1 - seat, "stuck") if stuck else TURNS[seat]
    return TrittClassic(trittons, dots, colour, terms, slides, entries, awaiting)


def _ending(dots: Pair, colour: int, terms: Terms, slides: tuple[Slide, ...]) -> Outcome | None:
    """How a line or a repetition ends the game; a line comes first."""
    seat = colour ^ terms.swapped
    if has_line(dots[colour]):
        return win_for(seat, "opponent-line")
    if has_line(dots[1 - colour]):
        return win_for(1 - seat, "line")
    if _is_third_time(slides):
        return Outcome((0.5, 0.5), "repetition")
    return None


def _is_third_time(slides: tuple[Slide, ...]) -> bool:
    """Whether the present placement stood twice before among those that the slides led through.

    Going back in time, the places that changed hands are kept as bits, apart for the two colours
    whose trittons are slid in turn; where none is left, the placement was the same. The one that
    a swap repeats needs no count: it cannot come back, as Orange must then enter a tritton.
    """
    changed = [0, 0]
    times = 1
    for age, (start, end) in enumerate(reversed(slides), 1):
        changed[age % 2] ^= 1 << start ^ 1 << end
        times += changed == [0, 0] and age % 2 == 0
    return times >= THIRD_TIME


def start(options: Mapping[str, object]) -> TrittClassic:
    chosen = checked_options(OPTIONS, options)
    terms = Terms(swap=bool(chosen["swap"]), slide=str(chosen["slide"]))
    return _position(((), ()), (0, 0), ORANGE, terms)


def load(stored: JSON) -> TrittClassic:
    orange, blue = (tuple(CANONICAL[name] for name in stored[colour]) for colour in COLOURS)
    dots = (
        covered(ENDS, orange) | covered(MIDDLES, blue),
        covered(ENDS, blue) | covered(MIDDLES, orange),
    )
    terms = Terms(stored["swap"], stored["slide"], stored["swapped"])
    slides = tuple(
        Slide(*map(CANONICAL.__getitem__, slide.split(">"))) for slide in stored["slides"].split()
    )
    return _position((orange, blue), dots, COLOURS.index(stored["colour"]), terms, slides)


RULESET = Ruleset(
    key="tritt-classic",
    name="Tritt (2009)",
    version=1,
    options=OPTIONS,
    start=start,
    load=load,
)
