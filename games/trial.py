"""A board to try moves on: all that it remembers travels with the page, signed."""

import re
import secrets
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property

from django.core import signing

from games.rules.position import MoveError, Position, Refusal, Roll
from games.rules.registry import RULESETS

SALT = "games.trial"
MOST_MOVES = 60
THROW = re.compile(r"\d+(?:\+\d+)*")

Options = Mapping[str, object]


class TrialRefused(Refusal):
    """A trial that cannot go on."""


def script(text: str) -> tuple[str, ...]:
    """`5+3, roll, 3, d1-d4`: moves as players write them, and throws between them."""
    return tuple(filter(None, text.split(", ")))


def is_throw(act: str) -> bool:
    return THROW.fullmatch(act) is not None


def played(key: str, acts: Iterable[str], options: Options | None = None) -> Position:
    """Where these acts lead from the start of a game."""
    position = RULESETS[key].start(options or {})
    for act in acts:
        if is_throw(act):
            position = position.rolled(tuple(map(int, act.split("+"))))
        else:
            position = position.play(position.parse(act))
    return position


@dataclass(frozen=True)
class Trial:
    """The first `given` acts were there when it began, and are never taken back."""

    key: str
    acts: tuple[str, ...]
    given: int

    @classmethod
    def begun(cls, key: str, acts: tuple[str, ...]) -> "Trial":
        return cls(key, acts, len(acts))

    @classmethod
    def read(cls, state: str, key: str) -> "Trial":
        """The trial that was signed here as this state; raises TrialRefused."""
        try:
            signed_key, acts, given = signing.loads(state, salt=SALT)
            trial = cls(signed_key, tuple(acts), given)
            if signed_key == key and trial.position:
                return trial
        except (signing.BadSignature, MoveError, ValueError):
            # A move that was legal when it was signed can be refused by newer rules.
            pass
        raise TrialRefused("This trial board cannot be read any more, so a new one was set up.")

    def signed(self) -> str:
        return signing.dumps((self.key, self.acts, self.given), salt=SALT, compress=True)

    @cached_property
    def position(self) -> Position:
        return played(self.key, self.acts)

    @property
    def last_move(self) -> str:
        return next((act for act in reversed(self.acts) if not is_throw(act)), "")

    @property
    def throws_since(self) -> list[str]:
        """What was thrown after the last move."""
        since = self.acts[self._place_of_last_move() + 1 :]
        return [throw.replace("+", " + ") for throw in since]

    @property
    def has_moved(self) -> bool:
        return len(self.acts) > self.given

    def moved(self, text: str) -> "Trial":
        """With one more move and the throws that it calls for; raises a refusal."""
        tried = self.acts[self.given :]
        if sum(not is_throw(act) for act in tried) >= MOST_MOVES:
            raise TrialRefused(
                "A trial ends after {number} moves. Take some back, or start again.",
                number=MOST_MOVES,
            )
        move = self.position.parse(text)
        throws = _throws_after(self.position.play(move))
        return replace(self, acts=(*self.acts, str(move), *throws))

    def taken_back(self) -> "Trial":
        """Without its last move and what was thrown after it."""
        return replace(self, acts=self.acts[: max(self.given, self._place_of_last_move())])

    def _place_of_last_move(self) -> int:
        moves = [place for place, act in enumerate(self.acts) if not is_throw(act)]
        return moves[-1] if moves else -1


def _throws_after(position: Position) -> list[str]:
    throws = []
    while isinstance(roll := position.awaiting, Roll):
        faces = tuple(secrets.randbelow(roll.sides) + 1 for _ in range(roll.dice))
        throws.append("+".join(map(str, faces)))
        position = position.rolled(faces)
    return throws
