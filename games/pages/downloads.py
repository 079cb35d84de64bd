"""A game to take along: its board, its whole course, and the proof of its dice."""

import json
from typing import Any

from csp.constants import NONE, UNSAFE_INLINE
from csp.decorators import csp
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_cache_control
from django.utils.translation import gettext
from django.views.decorators.http import require_safe

from games import animation, dice, files, pictures, proof, replay
from games.boards.registry import BOARDS
from games.boards.theme import THEMES
from games.models import Game
from games.pages.seated import visible_game
from games.pages.shown import ShownGame
from games.pages.table import ply_asked
from games.pages.wording import game_name

A_DAY = 60 * 60 * 24
ALONE = csp({"default-src": [NONE], "style-src": [UNSAFE_INLINE]})
"""For a drawing that is opened by itself: it brings its colours along and runs nothing."""


@ALONE
@require_safe
def board_svg(request: HttpRequest, **at: Any) -> HttpResponse:
    drawing = pictures.standalone(_drawn(_shown(request, at)), _theme(request))
    return _file(request, drawing.encode(), "image/svg+xml")


@require_safe
def board_png(request: HttpRequest, **at: Any) -> HttpResponse:
    picture = pictures.png(_drawn(_shown(request, at)), theme=_theme(request))
    return _file(request, picture, "image/png")


@require_safe
def board_text(request: HttpRequest, **at: Any) -> HttpResponse:
    return _file(request, _shown(request, at).written.encode(), "text/plain; charset=utf-8")


@ALONE
@require_safe
def game_animation(request: HttpRequest, **at: Any) -> HttpResponse:
    """The whole game as one drawing that plays itself, as far as it has come."""
    shown = _shown(request, at)
    lines = [line for line in shown.standing if line.ply <= shown.line.ply]
    board = BOARDS[shown.game.ruleset]
    drawings = [
        board.draw(position, seat=shown.viewed_from, last=line.text, translate=gettext)
        for line, position in zip(lines, replay.positions(shown.game, lines), strict=True)
    ]
    name = f"tripost-{shown.game.pk}.svg"
    content = animation.animated(drawings, _theme(request)).encode()
    response = _file(request, content, "image/svg+xml")
    response["Content-Disposition"] = f'inline; filename="{name}"'
    return response


@require_safe
def game_file(request: HttpRequest, **at: Any) -> HttpResponse:
    """The whole game, for `python -m games.record verify`."""
    game, _mine = visible_game(request, **at)
    file = files.file_of(game.pk)
    return _attached(file.as_json(), f"{file.name}.json", "application/json")


@require_safe
def game_text(request: HttpRequest, **at: Any) -> HttpResponse:
    """The whole game, for people."""
    game, _mine = visible_game(request, **at)
    file = files.file_of(game.pk)
    return _attached(file.as_text(), f"{file.name}.txt", "text/plain; charset=utf-8")


@require_safe
def dice_proof(request: HttpRequest, **at: Any) -> HttpResponseBase:
    """What was promised, what was thrown and, once the game is over, whether it fits."""
    game, mine = visible_game(request, **at)
    record = proof.of_game(game)
    context = {
        "game": game,
        "mine": mine,
        "name": game_name(game.ruleset),
        "record": record,
        "seats": game.seats.all(),
        "problems": None if game.is_running else dice.verify(record),
        "can_salt": _can_salt(game, mine),
    }
    return render(request, "games/dice.html", context)


@require_safe
def dice_file(request: HttpRequest, **at: Any) -> HttpResponse:
    """The same for `python -m games.dice verify`."""
    game, _mine = visible_game(request, **at)
    written = json.dumps(proof.of_game(game), indent=2).encode()
    return _attached(written, f"tripost-{game.pk}-dice.json", "application/json")


def _attached(content: bytes, name: str, kind: str) -> HttpResponse:
    response = HttpResponse(content, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _can_salt(game: Game, mine: Any) -> bool:
    if mine is None or mine.salt or not game.is_running:
        return False
    return not game.seats_moved & 1 << mine.number


def _shown(request: HttpRequest, at: dict[str, Any]) -> ShownGame:
    game, mine = visible_game(request, **at)
    return ShownGame(game, mine, now=timezone.now(), ply=ply_asked(request))


def _drawn(shown: ShownGame) -> str:
    """As whoever looks sees it, without what could be picked."""
    return BOARDS[shown.game.ruleset].draw(
        shown.position, seat=shown.viewed_from, last=shown.line.text, translate=gettext
    )


def _theme(request: HttpRequest) -> str:
    wanted = request.GET.get("theme", "")
    return wanted if wanted in THEMES else "light"


def _file(request: HttpRequest, content: bytes, kind: str) -> HttpResponse:
    response = HttpResponse(content, content_type=kind)
    if "ply" in request.GET:
        patch_cache_control(response, private=True, max_age=A_DAY)
    return response
