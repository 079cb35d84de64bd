"""A game as a letter shows it to one of its players: where it stands and what he can do."""

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property

from django.core.cache import cache
from django.db.models import QuerySet
from django.utils.translation import gettext

from games import elo, pictures, plans, replay
from games.boards.registry import BOARDS
from games.models import ChatLine, Game, Move, RatingEntry, Seat, Via
from games.pages.seated import SEATS
from games.pages.wording import COLOUR_NAMES, colour_of, game_name, result_for, result_of
from games.rules.position import MoveError, Position, Turn
from games.rules.registry import ruleset
from games.table import look
from notifications import plain_text

LAST_MOVES = 4
MOST_CHAT_LINES = 10
FEW_MOVES = 12
EXAMPLES = 3
PICTURE_WIDTH = 800
PICTURES_ARE_KEPT_FOR = timedelta(days=2)


@dataclass(frozen=True, kw_only=True)
class Line:
    number: int
    who: str
    text: str
    dice: str


@dataclass(frozen=True, kw_only=True)
class RatingChange:
    name: str
    before: int
    after: int

    @property
    def change(self) -> str:
        return f"{self.after - self.before:+d}".replace("-", "\N{MINUS SIGN}")


class Scene:
    """`seat` is the reader's; `ply` is the moment that the letter is about, now if none."""

    def __init__(self, game: Game, seat: int, *, now: datetime, ply: int | None = None) -> None:
        self.game = game
        self.seat = seat
        self.now = now
        self.ply = game.ply if ply is None else min(ply, game.ply)

    # Who plays what

    @cached_property
    def seats(self) -> list[Seat]:
        return sorted(self.game.seats.all(), key=lambda seat: seat.number)

    @property
    def mine(self) -> Seat:
        return self.seats[self.seat]

    @property
    def opponent(self) -> str:
        return self.seats[1 - self.seat].player.name

    @property
    def name(self) -> str:
        return game_name(self.game.ruleset)

    @property
    def my_colour(self) -> str:
        return str(COLOUR_NAMES[colour_of(self.game.ruleset, self.position, self.seat)])

    # Where it stands

    @cached_property
    def log(self) -> list[Move]:
        lines = Move.objects.filter(game=self.game, ply__lte=self.ply).order_by("ply")
        return list(
            lines.only("game_id", "ply", "seat", "text", "throws", "back_to", "via", "played_at")
        )

    @cached_property
    def standing(self) -> list[Move]:
        return replay.standing(self.log)

    @cached_property
    def position(self) -> Position:
        if self.ply == self.game.ply:
            return ruleset(self.game.ruleset, self.game.version).load(self.game.position)
        return replay.positions(self.game, self.standing)[-1]

    @property
    def is_my_turn(self) -> bool:
        return self.game.is_running and self.position.awaiting == Turn(self.seat)

    @property
    def my_time_ran_out(self) -> bool:
        """Of a game that ended on time."""
        return self.position.awaiting == Turn(self.seat)

    @property
    def has_begun(self) -> bool:
        return self.ply > 0

    @property
    def was_taken_back(self) -> bool:
        return self.log[-1].back_to is not None

    @cached_property
    def deadline(self) -> datetime | None:
        """By all pauses that are known now."""
        # It may have ended since its row was read.
        table = look([self.game.pk])[0] if self.game.is_running else None
        return table.flag_falls_at() if table and table.is_running else None

    @property
    def left(self) -> timedelta:
        assert self.deadline is not None
        return max(self.deadline - self.now, timedelta())

    # What was played and said

    @property
    def last_moves(self) -> list[Line]:
        return [self._line(move) for move in self.standing[-LAST_MOVES:] if move.ply]

    def _line(self, move: Move) -> Line:
        assert move.seat is not None
        who = self.seats[move.seat].player.name
        return Line(number=move.ply, who=who, text=move.text, dice=dice_of(move))

    @property
    def last_move(self) -> Line | None:
        return self.last_moves[-1] if self.last_moves else None

    @property
    def moves_since_i_was_asked(self) -> list[Line]:
        """What came after the last move that the reader made by hand."""
        by_hand = (m.ply for m in self.standing if m.seat == self.seat and m.via != Via.CONDITIONAL)
        since = max(by_hand, default=0)
        return [self._line(move) for move in self.standing if move.ply > since]

    @property
    def dice(self) -> str:
        """What the decision that is awaited has to be made with."""
        return dice_of(self.standing[-1])

    @property
    def plan_entry(self) -> dict[str, object]:
        """What became of the reader's plan at this moment, if anything did."""
        entries = plans.of_seat(self.mine.pk).log
        return next((entry for entry in reversed(entries) if entry["ply"] == self.ply), {})

    @cached_property
    def chat(self) -> list[ChatLine]:
        """What the opponent wrote since the reader's last move."""
        if self.mine.hides_chat:
            return []
        mine = (move.played_at for move in self.log if move.seat == self.seat)
        since = max(mine, default=self.game.started_at)
        return self.chat_lines(ChatLine.objects.filter(written_at__gte=since))

    def chat_lines(self, lines: QuerySet[ChatLine]) -> list[ChatLine]:
        of_the_opponent = lines.filter(game=self.game, hidden_at=None).exclude(
            author_id=self.mine.player_id
        )
        return list(of_the_opponent.order_by("-id")[:MOST_CHAT_LINES])[::-1]

    # What can be done

    @cached_property
    def legal(self) -> list[str]:
        return [str(move) for move in self.position.legal_moves()] if self.is_my_turn else []

    @property
    def are_few(self) -> bool:
        return len(self.legal) <= FEW_MOVES

    @property
    def examples(self) -> list[str]:
        """All moves if they are few, else one of each shape."""
        return self.legal if self.are_few else different(self.legal, EXAMPLES)

    @property
    def example(self) -> str:
        return self.examples[0] if self.examples else ""

    # How it looks

    @property
    def written(self) -> str:
        """The board in letters; no line of it can be played."""
        text = BOARDS[self.game.ruleset].text(self.position, translate=gettext)
        return plain_text.without_commands(text, self._is_move)

    def _is_move(self, text: str) -> bool:
        try:
            self.position.parse(text)
        except MoveError:
            return False
        return True

    @property
    def spoken(self) -> str:
        told = BOARDS[self.game.ruleset].describe(self.position, translate=gettext)
        return f"{self.last_move.text}. {told}" if self.last_move else told

    def picture(self) -> bytes:
        last = self.last_move.text if self.last_move else ""
        drawing = BOARDS[self.game.ruleset].draw(
            self.position, seat=self.seat, last=last, translate=gettext
        )
        return kept_picture(drawing)

    # What it came to

    @property
    def result(self) -> str:
        return result_of(self.game, self.seats)

    @property
    def my_result(self) -> str:
        return result_for(self.game, self.seat)

    @cached_property
    def rating_changes(self) -> list[RatingChange]:
        """Both players', the reader's first."""
        entry = RatingEntry.objects.filter(game=self.game, is_void=False).first()
        if entry is None:
            return []
        rows = [(entry.first_before, entry.first_after), (entry.second_before, entry.second_after)]
        changes = [
            RatingChange(
                name=seat.player.name, before=elo.displayed(before), after=elo.displayed(after)
            )
            for seat, (before, after) in zip(self.seats, rows, strict=True)
        ]
        return changes if self.seat == 0 else changes[::-1]


def load(game_id: int, seat: int, *, now: datetime, ply: int | None = None) -> Scene:
    game = Game.objects.prefetch_related(SEATS).get(pk=game_id)
    return Scene(game, seat, now=now, ply=ply)


def dice_of(move: Move) -> str:
    return ", ".join(" + ".join(map(str, faces)) for faces in move.throws)


def different(moves: Sequence[str], most: int) -> list[str]:
    """One of each shape, the shortest first; if there are few shapes, others too."""
    shapes: dict[tuple[str, int], str] = {}
    for move in moves:
        shapes.setdefault(shape(move), move)
    found = [*sorted(shapes.values(), key=len), moves[len(moves) // 2], moves[-1]]
    return list(dict.fromkeys(found))[:most]


def shape(move: str) -> tuple[str, int]:
    """Its first word and how many there are; which places it names does not matter."""
    words = re.sub(r"\b[a-z]?\d+\b", "#", move).split()
    return words[0], len(words)


def kept_picture(drawing: str) -> bytes:
    """The same drawing is painted once, whoever looks at it."""
    key = f"board:{PICTURE_WIDTH}:{hashlib.sha256(drawing.encode()).hexdigest()}"
    png = cache.get(key)
    if png is None:
        png = pictures.png(drawing, width=PICTURE_WIDTH)
        cache.set(key, png, int(PICTURES_ARE_KEPT_FOR.total_seconds()))
    return bytes(png)
