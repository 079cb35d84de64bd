"""One game as its page shows it: seats with clocks, lines, the board at a ply."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from games import clock, elo, picker, ratings, replay
from games.boards.registry import BOARDS
from games.models import Game, Move, Rating, RatingEntry, Seat, Via
from games.pages.wording import COLOUR_NAMES, colour_of
from games.rules.position import Choice, Position
from games.rules.registry import ruleset
from games.table import Table, look

SOON = timedelta(days=1)


@dataclass(frozen=True, kw_only=True)
class ShownClock:
    """`state` is one of: runs, soon, late, paused, waits."""

    state: str
    left: timedelta
    deadline: datetime | None = None
    paused_until: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class ShownSeat:
    seat: Seat
    colour: str
    rating: int
    is_provisional: bool
    is_mover: bool
    is_me: bool
    clock: ShownClock | None
    change: int | None

    @property
    def colour_name(self) -> str:
        return str(COLOUR_NAMES[self.colour])


@dataclass(frozen=True, kw_only=True)
class ShownLine:
    line: Move
    stands: bool
    is_shown: bool

    @property
    def dice(self) -> str:
        return " · ".join("+".join(map(str, faces)) for faces in self.line.throws)

    @property
    def way(self) -> str:
        """How it came, where that was not by hand."""
        usual = (Via.START, Via.WEB)
        return "" if self.line.via in usual else str(Via(self.line.via).label)


class ShownGame:
    """`mine` is the seat of whoever looks; `ply` the one that is looked at, the latest if none."""

    def __init__(self, game: Game, mine: Seat | None, *, now: datetime, ply: int | None) -> None:
        self.game = game
        self.mine = mine
        self.now = now
        self._wanted = ply

    # Where the game stands

    @cached_property
    def address(self) -> str:
        return self.game.get_absolute_url()

    @cached_property
    def log(self) -> list[Move]:
        return list(Move.objects.filter(game=self.game).order_by("ply"))

    @cached_property
    def standing(self) -> list[Move]:
        return replay.standing(self.log)

    @cached_property
    def _index(self) -> int:
        """Of the standing line that is shown: the last one not after the wanted ply."""
        last = len(self.standing) - 1
        if self._wanted is None:
            return last
        earlier = (at for at, line in enumerate(self.standing) if line.ply <= self._wanted)
        return max(earlier, default=last)

    @property
    def line(self) -> Move:
        return self.standing[self._index]

    @property
    def is_latest(self) -> bool:
        return self._index == len(self.standing) - 1

    @cached_property
    def position(self) -> Position:
        if self.is_latest:
            return ruleset(self.game.ruleset, self.game.version).load(self.game.position)
        return replay.positions(self.game, self.standing[: self._index + 1])[-1]

    @property
    def is_my_turn(self) -> bool:
        return bool(
            self.mine and self.game.is_running and self.game.seat_to_move == self.mine.number
        )

    @property
    def can_move(self) -> bool:
        return self.is_my_turn and self.is_latest

    # What is drawn and said

    @property
    def viewed_from(self) -> int:
        return self.mine.number if self.mine else 0

    @property
    def choices(self) -> Sequence[Choice]:
        return self.position.choices("") if self.can_move else ()

    @property
    def choices_json(self) -> list[object]:
        return list(picker.choices_after(self.position, "")) if self.can_move else []

    def board(self, picked: str = "") -> SafeString:
        """With what can be picked on it, or after a move that is only looked at."""
        position = self.position.play(self.position.parse(picked)) if picked else self.position
        drawing = BOARDS[self.game.ruleset].draw(
            position,
            seat=self.viewed_from,
            last=picked or self.line.text,
            choices=() if picked else self.choices,
            translate=gettext,
        )
        return mark_safe(drawing)  # noqa: S308 (drawn by us, escaped there)

    @property
    def spoken(self) -> str:
        return BOARDS[self.game.ruleset].describe(self.position, translate=gettext)

    @property
    def written(self) -> str:
        return BOARDS[self.game.ruleset].text(self.position, translate=gettext)

    # Lines

    @cached_property
    def lines(self) -> list[ShownLine]:
        stands = {line.ply for line in self.standing}
        shown = self.line.ply
        return [
            ShownLine(line=line, stands=line.ply in stands, is_shown=line.ply == shown)
            for line in self.log
            if line.ply
        ]

    @property
    def thrown(self) -> str:
        return ShownLine(line=self.line, stands=True, is_shown=True).dice

    @property
    def steps(self) -> dict[str, int | None]:
        """The plies that the buttons below the board lead to."""
        last = len(self.standing) - 1
        at = self._index
        return {
            "first": self.standing[0].ply if at else None,
            "back": self.standing[at - 1].ply if at else None,
            "on": self.standing[at + 1].ply if at < last else None,
            "last": self.standing[last].ply if at < last else None,
        }

    # Seats

    @cached_property
    def seats(self) -> list[ShownSeat]:
        seats = list(self.game.seats.all())
        ratings_now = self._ratings(seats)
        changes = self._changes()
        table = look([self.game.pk])[0] if self.game.is_running else None
        return [
            ShownSeat(
                seat=seat,
                colour=colour_of(self.game.ruleset, self.position, seat.number),
                rating=elo.displayed(rating.rating if rating else elo.START),
                is_provisional=rating is None or rating.games < elo.PROVISIONAL_GAMES,
                is_mover=self.game.is_running and seat.number == self.game.seat_to_move,
                is_me=seat == self.mine,
                clock=_clock(table, seat.number, self.now) if table else None,
                change=changes[seat.number] if changes else None,
            )
            for seat, rating in zip(seats, ratings_now, strict=True)
        ]

    @property
    def seats_from_the_top(self) -> list[ShownSeat]:
        """In the order of the board: whoever looks is at the bottom."""
        return self.seats[::-1] if self.viewed_from == 0 else self.seats

    @property
    def mover(self) -> ShownSeat | None:
        return next((seat for seat in self.seats if seat.is_mover), None)

    @property
    def opponent(self) -> ShownSeat | None:
        return next((seat for seat in self.seats if not seat.is_me), None) if self.mine else None

    def _ratings(self, seats: list[Seat]) -> list[Rating | None]:
        pool = ratings.pool_key(self.game.ruleset, self.game.options)
        found = Rating.objects.filter(pool__key=pool, player__in=[s.player_id for s in seats])
        by_player = {rating.player_id: rating for rating in found}
        return [by_player.get(seat.player_id) for seat in seats]

    def _changes(self) -> tuple[int, int] | None:
        if self.game.is_running or not self.game.rated:
            return None
        entry = RatingEntry.objects.filter(game=self.game, is_void=False).first()
        if entry is None:
            return None
        first = elo.displayed(entry.first_after) - elo.displayed(entry.first_before)
        second = elo.displayed(entry.second_after) - elo.displayed(entry.second_before)
        return first, second


def _clock(table: Table, number: int, now: datetime) -> ShownClock:
    seat = table.seats[number]
    if table.seat_to_move != number:
        return ShownClock(state="waits", left=seat.bank)
    deadline = table.flag_falls_at()
    left = max(table.time_left - table.used(now), clock.NOTHING)
    pause = next(table.pauses(seat).since(now), None)
    if deadline <= now:
        return ShownClock(state="late", left=left, deadline=deadline)
    if pause and pause.start <= now:
        return ShownClock(state="paused", left=left, deadline=deadline, paused_until=pause.end)
    state = "soon" if deadline - now < SOON else "runs"
    return ShownClock(state=state, left=left, deadline=deadline)
