"""Both editions of Tritt the slow way, sentence by sentence, to compare the engines with."""

from dataclasses import dataclass, field

Dot = tuple[int, int]
Place = tuple[Dot, Dot, Dot]

ROW_LENGTHS = [6, 7, 8, 9, 10, 11, 10, 9, 8, 7, 6]
DOTS = {(row, number) for row, length in enumerate(ROW_LENGTHS) for number in range(1, length + 1)}


def right(dot: Dot) -> Dot:
    return dot[0], dot[1] + 1


def up_left(dot: Dot) -> Dot:
    row, number = dot
    return (row + 1, number) if row < 5 else (row + 1, number - 1)


def up_right(dot: Dot) -> Dot:
    row, number = dot
    return (row + 1, number + 1) if row < 5 else (row + 1, number)


AXES = [right, up_left, up_right]
THREES = [
    (dot, axis(dot), axis(axis(dot)))
    for dot in sorted(DOTS)
    for axis in AXES
    if axis(dot) in DOTS and axis(axis(dot)) in DOTS
]
NEXT = {
    three: (three[1], three[2], axis(three[2]))
    for three in THREES
    for axis in AXES
    if axis(three[0]) == three[1] and axis(three[2]) in DOTS
}
BEFORE = {after: before for before, after in NEXT.items()}


def name(dot: Dot) -> str:
    return "abcdefghijk"[dot[0]] + str(dot[1])


def text(place: Place) -> str:
    return f"{name(place[0])}-{name(place[2])}"


PLACES = {text(three): three for three in THREES}


@dataclass
class Reference:
    """What the editions share; trittons are kept by place, with the colour of their owner."""

    trittons: dict[Place, str] = field(default_factory=dict)
    colour: str = "orange"
    result: tuple[str, str] | None = None
    """Winning colour (or none for a draw) and reason."""

    own_colour_in_middle = True

    def other(self) -> str:
        return "blue" if self.colour == "orange" else "orange"

    def show(self, trittons: dict[Place, str]) -> dict[Dot, str]:
        shown = {}
        for (low, middle, high), owner in trittons.items():
            rival = "blue" if owner == "orange" else "orange"
            centre, ends = (owner, rival) if self.own_colour_in_middle else (rival, owner)
            shown[low], shown[middle], shown[high] = ends, centre, ends
        return shown

    def lines(self, trittons: dict[Place, str]) -> set[str]:
        shown = self.show(trittons)
        return {
            shown[low]
            for low, middle, high in THREES
            if low in shown and shown[low] == shown.get(middle) == shown.get(high)
        }

    def free_places(self) -> list[Place]:
        taken = self.show(self.trittons)
        return [place for place in THREES if not any(dot in taken for dot in place)]

    def slides(self, trittons: dict[Place, str], furthest: int) -> list[tuple[Place, Place]]:
        found = []
        for place, owner in trittons.items():
            others = self.show({at: who for at, who in trittons.items() if at != place})
            for way in (NEXT, BEFORE):
                goal, steps = way.get(place), 1
                while owner != self.colour and goal and steps <= furthest:
                    if any(dot in others for dot in goal):
                        break
                    found.append((place, goal))
                    goal, steps = way.get(goal), steps + 1
        return found

    def slide(self, start: str, end: str) -> None:
        self.trittons[PLACES[end]] = self.trittons.pop(PLACES[start])

    def judge_lines(self) -> None:
        lines = self.lines(self.trittons)
        if self.other() in lines:
            self.result = (self.other(), "opponent-line")
        elif self.colour in lines:
            self.result = (self.colour, "line")


class ReloadedReference(Reference):
    def legal_moves(self) -> set[str]:
        if self.result or list(self.trittons.values()).count(self.colour) == 10:
            return set()
        moves = set()
        for place in self.free_places():
            after = {**self.trittons, place: self.colour}
            if not self.lines(after):
                moves.add(text(place))
                for start, end in self.slides(after, furthest=99):
                    moves.add(f"{text(place)} {text(start)}>{text(end)}")
        return moves

    def play(self, move: str) -> None:
        entry, _, slide = move.partition(" ")
        self.trittons[PLACES[entry]] = self.colour
        if slide:
            self.slide(*slide.split(">"))
            self.judge_lines()
        self.colour = self.other()
        if not self.result and not self.legal_moves():
            self.result = (self.other(), "stuck")


@dataclass
class ClassicReference(Reference):
    swap_allowed: bool = True
    furthest: int = 1
    orange_seat: int = 0
    plies: int = 0
    seen: list[object] = field(default_factory=list)

    own_colour_in_middle = False

    def legal_moves(self) -> set[str]:
        if self.result:
            return set()
        moves = {f"{text(a)}>{text(b)}" for a, b in self.slides(self.trittons, self.furthest)}
        if list(self.trittons.values()).count(self.colour) < 8:
            moves |= {text(place) for place in self.free_places()}
        if self.plies == 1 and self.swap_allowed:
            moves.add("swap")
        return moves

    def play(self, move: str) -> None:
        self.plies += 1
        if move == "swap":
            self.orange_seat = 1
        else:
            if ">" in move:
                self.slide(*move.split(">"))
            else:
                self.trittons[PLACES[move]] = self.colour
            self.judge_lines()
            self.colour = self.other()
        placement = (frozenset(self.trittons.items()), self.colour)
        self.seen.append(placement)
        if not self.result and self.seen.count(placement) == 3:
            self.result = ("nobody", "repetition")
        if not self.result and not self.legal_moves():
            self.result = (self.other(), "stuck")

    def seat(self, colour: str) -> int:
        return self.orange_seat if colour == "orange" else 1 - self.orange_seat
