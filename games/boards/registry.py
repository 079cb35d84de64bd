"""Every game's board, by the key of its rules: a module that draws, writes and tells a position."""

from collections.abc import Sequence
from typing import Any, Protocol

from games.boards import tri_trac, triotrio, tritoc, tritt
from games.rules.position import Choice, Translate


class Board(Protocol):
    """What the module of a board offers."""

    def draw(
        self,
        position: Any,
        *,
        seat: int = 0,
        last: str = "",
        choices: Sequence[Choice] = (),
        ids: str = "",
        coordinates: bool = True,
        translate: Translate = str,
    ) -> str:
        """A drawing with `seat` at the bottom; `ids` begins all its ids, if a page has several."""
        ...

    def text(self, position: Any, *, translate: Translate = str) -> str:
        """At most 78 columns, from which one can play."""
        ...

    def describe(self, position: Any, *, translate: Translate = str) -> str:
        """One to three sentences to be read aloud."""
        ...


BOARDS: dict[str, Board] = {
    "tritt-reloaded": tritt,
    "tritt-classic": tritt,
    "tritoc": tritoc,
    "tri-trac": tri_trac,
    "triotrio": triotrio,
}
