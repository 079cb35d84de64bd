"""A game to take along: its board, its whole course, and the proof of its dice."""

import json
import logging
from collections.abc import Callable
from subprocess import SubprocessError
from typing import Any

from csp.constants import NONE, UNSAFE_INLINE
from csp.decorators import csp
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_safe

from games import animation, dice, files, pictures, proof, rendering, replay
from games import signing_keys as keys
from games.boards.registry import BOARDS
from games.boards.theme import THEMES
from games.pages.seated import visible_game
from games.pages.shown import ShownGame
from games.pages.table import ply_asked
from games.pages.wording import game_name

logger = logging.getLogger(__name__)
AN_HOUR = 60 * 60
A_MONTH = 30 * 24 * AN_HOUR
DRAWN_LIKE = 1
"""Goes up when boards are drawn differently: what browsers have kept is then fetched anew."""
ALONE = csp({"default-src": [NONE], "style-src": [UNSAFE_INLINE]})
"""For a drawing that is opened by itself: it brings its colours along and runs nothing."""


@ALONE
@require_safe
def board_svg(request: HttpRequest, **at: Any) -> HttpResponseBase:
    def make(shown: ShownGame, theme: str) -> bytes:
        return pictures.standalone(_drawn(shown), theme).encode()

    return _picture(request, at, "svg", "image/svg+xml", make)


@require_safe
def board_png(request: HttpRequest, **at: Any) -> HttpResponseBase:
    def make(shown: ShownGame, theme: str) -> bytes:
        return pictures.png_apart(_drawn(shown), theme=theme)

    return _picture(request, at, "png", "image/png", make)


@require_safe
def board_text(request: HttpRequest, **at: Any) -> HttpResponse:
    shown = _shown(request, at)
    return HttpResponse(shown.written.encode(), content_type="text/plain; charset=utf-8")


@ALONE
@require_safe
def game_animation(request: HttpRequest, **at: Any) -> HttpResponseBase:
    """The whole game as one drawing that plays itself, as far as it has come."""
    return _picture(request, at, "animation", "image/svg+xml", _animated)


def _animated(shown: ShownGame, theme: str) -> bytes:
    lines = [line for line in shown.standing if line.ply <= shown.line.ply]
    board = BOARDS[shown.game.ruleset]
    drawings = [
        board.draw(position, seat=shown.viewed_from, last=line.text, translate=gettext)
        for line, position in zip(lines, replay.positions(shown.game, lines), strict=True)
    ]
    return animation.animated(drawings, theme).encode()


def _picture(
    request: HttpRequest,
    at: dict[str, Any],
    name: str,
    kind: str,
    make: Callable[[ShownGame, str], bytes],
) -> HttpResponseBase:
    """What the browser has is not sent again, what another has seen is not made again."""
    shown, theme = _shown(request, at), _theme(request)
    mark = (DRAWN_LIKE, name, shown.game.pk, shown.line.ply, shown.viewed_from, theme)
    key = "-".join(map(str, (*mark, get_language())))
    response = get_conditional_response(request, etag=f'"{key}"')
    if response is None:
        try:
            content = rendering.made_once(key, lambda: make(shown, theme))
        except rendering.Busy:
            return _busy()
        except SubprocessError:
            logger.exception("picture %s was not painted", key)
            return _busy()
        response = HttpResponse(content, content_type=kind)
    ending = "png" if kind == "image/png" else "svg"
    response["Content-Disposition"] = f'inline; filename="tripost-{shown.game.pk}.{ending}"'
    response["ETag"] = f'"{key}"'
    response["Cross-Origin-Resource-Policy"] = "cross-origin"
    patch_vary_headers(response, ["Cookie", "Accept-Language"])
    is_public = shown.game.private_link is None and shown.mine is None
    whose = {"public": True} if is_public else {"private": True}
    # What an address without a ply shows changes once more if a ruling reopens the game.
    if shown.game.is_running or ply_asked(request) != shown.line.ply:
        patch_cache_control(response, no_cache=True, **whose)
    else:
        patch_cache_control(response, max_age=A_MONTH, immutable=True, **whose)
    return response


def _busy() -> HttpResponse:
    sentence = gettext("This picture cannot be made at the moment. Try again in a few seconds.")
    response = HttpResponse(sentence, content_type="text/plain; charset=utf-8", status=503)
    response["Retry-After"] = str(rendering.RETRY_AFTER)
    # An honest no is no error of this process; Django would log it as one.
    response._has_been_logged = True  # type: ignore[attr-defined]
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
    }
    return render(request, "games/dice.html", context)


@require_safe
def dice_file(request: HttpRequest, **at: Any) -> HttpResponse:
    """The same for `python -m games.dice verify`."""
    game, _mine = visible_game(request, **at)
    written = json.dumps(proof.of_game(game), indent=2).encode()
    return _attached(written, f"tripost-{game.pk}-dice.json", "application/json")


@require_safe
def signing_keys(request: HttpRequest) -> HttpResponse:
    """The keys that game files are signed with, old ones included."""
    response = JsonResponse(keys.published(), json_dumps_params={"indent": 2})
    patch_cache_control(response, public=True, max_age=AN_HOUR)
    return response


def _attached(content: bytes, name: str, kind: str) -> HttpResponse:
    response = HttpResponse(content, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


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
