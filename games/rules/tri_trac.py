"""Tri-Trac: two players turn triangles into one track, and who completes it between arrows wins."""

from collections.abc import Mapping
from string import ascii_letters, digits
from typing import NamedTuple

from games.rules.position import (
    JSON,
    WHOLE_NUMBERS,
    AmbiguousMove,
    Choice,
    IllegalMove,
    Option,
    Outcome,
    Ruleset,
    Turn,
    checked_options,
)
from games.rules.tri_trac_board import (
    ALL_LAYS,
    ALL_SPACES,
    CENTRE,
    CENTRE_SPACES,
    LANE,
    LAYS,
    SPACE_BITS,
    SPACES,
    TRACKS,
    each_bit,
    has_complete_track,
    spaces_of,
)
from games.rules.tri_trac_moves import (
    BEGINNINGS,
    MOVE,
    MOVE_CHOICES,
    MOVES,
    PLACE,
    PLACE_CHOICES,
    ROTATE_CHOICES,
    ROTATIONS,
    TO_CHOICES,
    TRACK_CHOICES,
    Move,
    Said,
    read,
)

OPTIONS = (Option("move_limit", 120, WHOLE_NUMBERS),)
TURNS = (Turn(0), Turn(1))
IN_HAND = 7
NEUTRAL = 2
TIMES_TO_A_DRAW = 3
MOVES_NAMED = 6
"""How many moves a refusal names when a text could be any of them."""

# A step is stored as two letters: for the lay that a triangle left, and for the one it took.
LETTERS = dict(zip((lay.bit for lay in LAYS), ascii_letters + digits, strict=False))
LAY_OF = {letter: bit for bit, letter in LETTERS.items()}
NAMES = {lay.bit: f"{lay.space}{lay.track}" for lay in LAYS}
LAYS_NAMED = {name: bit for bit, name in NAMES.items()}

WIDTH = 3 * len(SPACES)
SEAT_FLAG = 1 << 3 * WIDTH
BARRED_FLAG = SEAT_FLAG << 1


class TriTrac(NamedTuple):
    """`laid` holds the triangles of seat 0, of seat 1 and the neutral one.

    `barred` says that the neutral one may not be touched now. `steps` are the moves and rotations
    since a triangle was last placed, for none of the positions before can come again; `history`
    has a snapshot of each position since, this one included, and follows from the steps.
    """

    move_limit: int
    ply: int
    laid: tuple[int, int, int]
    barred: bool
    steps: str
    history: tuple[int, ...]
    awaiting: Turn | Outcome

    @property
    def seat(self) -> int:
        return self.ply & 1

    def in_hand(self, seat: int) -> int:
        return IN_HAND - self.laid[seat].bit_count()

    def legal_moves(self) -> list[Move]:
        """Never empty while a turn is awaited: 15 triangles leave nine spaces or more to go to."""
        if not isinstance(self.awaiting, Turn):
            return []
        everything = self._everything()
        moves = [PLACE[lay] for lay in each_bit(self._placeable() * LANE & ALL_LAYS)]
        free = each_bit(self._empty() * LANE & ALL_LAYS)
        for origin in each_bit(self._touchable()):
            to = MOVE[origin]
            moves += [to[lay] for lay in free]
            moves += ROTATIONS[origin * LANE & everything]
        return moves

    def choices(self, prefix: str = "") -> tuple[Choice, ...]:
        if not isinstance(self.awaiting, Turn):
            return ()
        if not prefix:
            return self._openings()
        origin, space = BEGINNINGS.get(prefix, (0, 0))
        if origin and not space:
            movable = origin & self._touchable()
            return tuple(TO_CHOICES[to] for to in each_bit(self._empty())) if movable else ()
        if not self._leads(origin, space):
            return ()
        return tuple(TRACK_CHOICES[lay] for lay in each_bit(self._other_lays(space)))

    def parse(self, text: str) -> Move:
        self._demand_turn()
        move = MOVES.get(text)
        if move and self._allows(move):
            return move
        return self._meant(read(text))

    def play(self, move: Move) -> "TriTrac":
        self._demand_turn()
        if not self._allows(move):
            raise self._objection(read(move.text))
        lifted = move.origin * LANE & self._everything()
        owner = NEUTRAL if self.ply == 0 or lifted & self.laid[NEUTRAL] else self.seat
        laid = list(self.laid)
        laid[owner] ^= lifted | move.lay
        return arranged(
            self.move_limit,
            self.ply + 1,
            (laid[0], laid[1], laid[2]),
            owner == NEUTRAL,
            self.steps + LETTERS[lifted] + LETTERS[move.lay] if lifted else "",
            self.history if lifted else (),
        )

    def rolled(self, dice: tuple[int, ...]) -> "TriTrac":
        raise ValueError("No roll is awaited.")

    def forfeited_by(self, seat: int) -> Outcome:
        return Outcome((1.0, 0.0) if seat else (0.0, 1.0), "time")

    def to_json(self) -> JSON:
        orange, yellow, white = (named(mask) for mask in self.laid)
        return {
            "move_limit": self.move_limit,
            "ply": self.ply,
            "orange": orange,
            "yellow": yellow,
            "white": white,
            "steps": self.steps,
        }

    def _everything(self) -> int:
        return self.laid[0] | self.laid[1] | self.laid[2]

    def _empty(self) -> int:
        return ALL_SPACES & ~spaces_of(self._everything())

    def _placeable(self) -> int:
        """The spaces into which a triangle may come from the hand."""
        if self.ply == 0:
            return CENTRE
        return self._empty() if self.in_hand(self.seat) else 0

    def _touchable(self) -> int:
        """The spaces whose triangles may be moved or rotated."""
        own = self.laid[self.seat]
        return spaces_of(own if self.barred else own | self.laid[NEUTRAL])

    def _other_lays(self, space: int) -> int:
        return space * LANE & ALL_LAYS & ~self._everything()

    def _leads(self, origin: int, space: int) -> bool:
        """Whether a triangle may go from there to there, if its track does."""
        if origin == 0:
            return bool(space & self._placeable())
        if not origin & self._touchable():
            return False
        return origin == space or bool(space & self._empty())

    def _allows(self, move: Move) -> bool:
        return self._leads(move.origin, move.space) and not move.lay & self._everything()

    def _openings(self) -> tuple[Choice, ...]:
        touchable = self._touchable()
        lying = self._everything()
        return (
            *(PLACE_CHOICES[space] for space in each_bit(self._placeable())),
            *(MOVE_CHOICES[space] for space in each_bit(touchable)),
            *(
                ROTATE_CHOICES[space]
                for space in each_bit(touchable)
                if ROTATIONS[space * LANE & lying]
            ),
        )

    def _demand_turn(self) -> None:
        if isinstance(self.awaiting, Outcome):
            raise IllegalMove("The game is over.")

    def _meant(self, said: Said) -> Move:
        moves = [move for move in self.legal_moves() if said.fits(move)]
        if not moves:
            raise self._objection(said)
        if len(moves) > 1:
            raise AmbiguousMove(
                "That could be any of these: {moves}.",
                moves=", ".join(map(str, moves[:MOVES_NAMED])) + ", …" * (len(moves) > MOVES_NAMED),
            )
        return moves[0]

    def _objection(self, said: Said) -> IllegalMove:
        """Why no move that is allowed is meant."""
        space = SPACE_BITS[said.space]
        if said.track and said.track not in TRACKS[said.space]:
            return IllegalMove(
                "A track {track} does not fit {space}; there it can be: {tracks}.",
                track=said.track,
                space=said.space,
                tracks=", ".join(TRACKS[said.space]),
            )
        if self.ply == 0:
            return IllegalMove(
                "The first move places the white triangle into one of these spaces: {spaces}.",
                spaces=", ".join(CENTRE_SPACES),
            )
        rotates = said.verb == "rotate" or not (said.verb or said.origin or space & self._empty())
        if said.origin or rotates:
            at = said.origin or said.space
            if not SPACE_BITS[at] & self._touchable():
                return self._objection_to_touching(at)
        if rotates:
            return self._objection_to_rotating(said.space)
        if not said.origin and not self.in_hand(self.seat):
            return IllegalMove("All your triangles are on the board; there is none to place.")
        return IllegalMove("There is a triangle in {space} already.", space=said.space)

    def _objection_to_touching(self, space: str) -> IllegalMove:
        lane = SPACE_BITS[space] * LANE
        if lane & self.laid[1 - self.seat]:
            return IllegalMove("The triangle in {space} is your opponent's.", space=space)
        if not lane & self.laid[NEUTRAL]:
            return IllegalMove("There is no triangle in {space}.", space=space)
        if self.ply == 1:
            return IllegalMove("Your first move places a triangle of your own.")
        return IllegalMove(
            "Your opponent has just moved or rotated the white triangle in {space};"
            " you may not touch it on this turn.",
            space=space,
        )

    def _objection_to_rotating(self, space: str) -> IllegalMove:
        if len(TRACKS[space]) == 1:
            return IllegalMove("A triangle in {space} has one direction only.", space=space)
        return IllegalMove("The triangle in {space} already has that direction.", space=space)


def arranged(
    move_limit: int,
    ply: int,
    laid: tuple[int, int, int],
    barred: bool,
    steps: str,
    earlier: tuple[int, ...],
) -> TriTrac:
    """The position that these triangles make, after earlier ones like it."""
    now = snapshot(laid, ply, barred)
    history = (*earlier, now)
    awaiting: Turn | Outcome = TURNS[ply & 1]
    if has_complete_track(laid[0] | laid[1] | laid[2]):
        awaiting = Outcome((1.0, 0.0) if ply & 1 else (0.0, 1.0), "track")
    elif history.count(now) >= TIMES_TO_A_DRAW:
        awaiting = Outcome((0.5, 0.5), "repetition")
    elif ply >= move_limit:
        awaiting = Outcome((0.5, 0.5), "move-limit")
    return TriTrac(move_limit, ply, laid, barred, steps, history, awaiting)


def snapshot(laid: tuple[int, int, int], ply: int, barred: bool) -> int:
    """All of a position that counts for repetition, in one number; hands are what is not laid."""
    return (
        laid[0]
        | laid[1] << WIDTH
        | laid[2] << 2 * WIDTH
        | (ply & 1) * SEAT_FLAG
        | barred * BARRED_FLAG
    )


def retraced(laid: tuple[int, int, int], ply: int, steps: str) -> list[int]:
    """The snapshots from which these steps led here, this one first."""
    there = snapshot(laid, ply, False)
    seat, white = ply & 1, laid[NEUTRAL]
    snapshots = []
    for left, taken in zip(steps[-2::-2], steps[::-2], strict=True):
        seat ^= 1
        change = LAY_OF[left] | LAY_OF[taken]
        if change & white:
            white ^= change
            snapshots.append(there | BARRED_FLAG)
            there ^= change << NEUTRAL * WIDTH ^ SEAT_FLAG
        else:
            snapshots.append(there)
            there ^= change << seat * WIDTH ^ SEAT_FLAG
    return [*snapshots, there]


def named(lays: int) -> str:
    return " ".join(NAMES[lay] for lay in each_bit(lays))


def mask_of(names: str) -> int:
    return sum(LAYS_NAMED[name] for name in names.split())


def start(options: Mapping[str, object]) -> TriTrac:
    move_limit = checked_options(OPTIONS, options)["move_limit"]
    return arranged(int(move_limit), 0, (0, 0, 0), False, "", ())


def load(stored: JSON) -> TriTrac:
    laid = mask_of(stored["orange"]), mask_of(stored["yellow"]), mask_of(stored["white"])
    ply, steps = stored["ply"], stored["steps"]
    now, *earlier = retraced(laid, ply, steps)
    barred = now >= BARRED_FLAG or ply == 1
    return arranged(stored["move_limit"], ply, laid, barred, steps, tuple(earlier[::-1]))


RULESET = Ruleset("tri-trac", "Tri-Trac", 1, OPTIONS, start, load)
