"""A board to try lines on, from any ply of a game: the address holds the line, nothing is kept."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from typing import Any
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.safestring import mark_safe
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from games import picker
from games.boards.registry import BOARDS
from games.pages.seated import visible_game
from games.pages.shown import ShownGame
from games.pages.table import ply_asked
from games.pages.wording import game_name
from games.refusals import BadRequest
from games.rules.position import Outcome, Position, Refusal, Roll, Turn
from games.trial import is_throw

MOST_ACTS = 120
BETWEEN = ","


class NoSuchLine(BadRequest):
    def __init__(self) -> None:
        super().__init__("This line cannot be played from here, so it was left out.")


@dataclass(frozen=True)
class Line:
    """Moves and throws after a ply of a game."""

    shown: ShownGame
    acts: tuple[str, ...]

    @cached_property
    def position(self) -> Position:
        position = self.shown.position
        for act in self.acts:
            position = _played(position, act)
        return position

    @property
    def can_be_played(self) -> bool:
        try:
            return self.position is not None
        except ValueError:
            return False

    @property
    def last_move(self) -> str:
        moves = (act for act in reversed(self.acts) if not is_throw(act))
        return next(moves, self.shown.line.text)

    def with_act(self, act: str) -> "Line":
        if len(self.acts) >= MOST_ACTS:
            raise BadRequest(
                "A line ends after {number} moves and throws; take some back.", number=MOST_ACTS
            )
        return Line(self.shown, (*self.acts, act))

    def address(self, length: int | None = None) -> str:
        query = {"ply": self.shown.line.ply, "line": BETWEEN.join(self.acts[:length])}
        return f"{self.shown.address}analysis/?{urlencode(query)}"


@require_safe
def analysis(request: HttpRequest, **at: Any) -> HttpResponseBase:
    line, refusal = _asked(request, at)
    try:
        if act := _wanted(line.position, request.GET):
            return redirect(line.with_act(act).address())
    except Refusal as refused:
        refusal = refused
    return _page(request, line, refusal)


@require_safe
def choices(request: HttpRequest, **at: Any) -> JsonResponse:
    """What can follow the beginning of a move on this board."""
    line, _refusal = _asked(request, at)
    prefix = request.GET.get("prefix", "")
    choices = picker.choices_after(line.position, prefix)
    return JsonResponse({"choices": choices, "board": _drawing(line, prefix)})


def _asked(request: HttpRequest, at: dict[str, Any]) -> tuple[Line, Refusal | None]:
    """The line of the address, or none of it if it cannot be played."""
    game, mine = visible_game(request, **at)
    shown = ShownGame(game, mine, now=timezone.now(), ply=ply_asked(request))
    acts = tuple(filter(None, request.GET.get("line", "").split(BETWEEN)))
    line = Line(shown, acts)
    if len(acts) > MOST_ACTS or not line.can_be_played:
        return Line(shown, ()), NoSuchLine()
    return line, None


def _wanted(position: Position, query: QueryDict) -> str:
    """The act that is asked for, as it is written; nothing if none is; raises a refusal."""
    roll = position.awaiting
    if isinstance(roll, Roll):
        return _throw(roll, query)
    text = query.get("move", "").strip()
    return str(position.parse(text)) if text and isinstance(roll, Turn) else ""


def _throw(roll: Roll, query: QueryDict) -> str:
    if "throw" in query:
        faces = [secrets.randbelow(roll.sides) + 1 for _ in range(roll.dice)]
    elif "die" in query:
        faces = [int(die) for die in query.getlist("die") if die.isdecimal() and len(die) < 4]
    else:
        return ""
    if len(faces) != roll.dice or not all(1 <= face <= roll.sides for face in faces):
        raise BadRequest(
            "Throw {dice} dice, each from 1 to {sides}.", dice=roll.dice, sides=roll.sides
        )
    return "+".join(map(str, faces))


def _played(position: Position, act: str) -> Position:
    if is_throw(act):
        return position.rolled(tuple(map(int, act.split("+"))))
    return position.play(position.parse(act))


def _page(request: HttpRequest, line: Line, refusal: Refusal | None) -> HttpResponse:
    shown = line.shown
    board = BOARDS[shown.game.ruleset]
    awaited = line.position.awaiting
    context = {
        "game": shown.game,
        "shown": shown,
        "name": game_name(shown.game.ruleset),
        "board": mark_safe(_drawing(line)),  # noqa: S308 (drawn by us, escaped there)
        "spoken": board.describe(line.position, translate=gettext),
        "written": board.text(line.position, translate=gettext),
        "acts": _steps(line),
        "line": BETWEEN.join(line.acts),
        "back": line.address(len(line.acts) - 1) if line.acts else "",
        "choices": picker.choices_after(line.position, ""),
        "is_over": isinstance(awaited, Outcome),
        "dice": [range(1, awaited.sides + 1)] * awaited.dice if isinstance(awaited, Roll) else [],
        "typed": request.GET.get("move", "") if refusal else "",
        "refusal": refusal.sentence(gettext) if refusal else "",
        "is_elsewhere": shown.mine is None,
    }
    status = HTTPStatus.UNPROCESSABLE_ENTITY if refusal else HTTPStatus.OK
    return render(request, "games/analysis.html", context, status=status)


def _steps(line: Line) -> Sequence[dict[str, object]]:
    return [
        {
            "text": act.replace("+", " + ") if is_throw(act) else act,
            "is_throw": is_throw(act),
            "address": line.address(number),
            "is_last": number == len(line.acts),
        }
        for number, act in enumerate(line.acts, start=1)
    ]


def _drawing(line: Line, prefix: str = "") -> str:
    return picker.drawn_after(
        line.shown.game.ruleset,
        line.position,
        prefix,
        seat=line.shown.viewed_from,
        last=line.last_move,
        translate=gettext,
    )
