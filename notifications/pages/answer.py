"""The page behind a letter's link: looking changes nothing, a button plays the one move."""

from collections.abc import Callable
from functools import wraps
from typing import Any
from zoneinfo import ZoneInfo

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone, translation
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_safe

from accounts.presence import note_seen
from games import picker, play
from games.boards.registry import BOARDS
from games.models import Move, Via
from games.pages.shown import ShownGame
from games.pages.wording import game_name, result_of
from games.rules.position import Refusal
from notifications import answer_links
from notifications.models import ReplyToken

View = Callable[[HttpRequest, ReplyToken], HttpResponseBase]


def for_the_bearer(view: View) -> Callable[..., HttpResponseBase]:
    """Finds what the link stands for, speaks its player's language, and leaves no trace of it."""

    @wraps(view)
    def wrapped(request: HttpRequest, pk: int, secret: str) -> HttpResponseBase:
        token = answer_links.found(pk, secret)
        if token is None:
            raise Http404
        zone = ZoneInfo(token.player.zone)
        with translation.override(token.player.language), timezone.override(zone):
            response = view(request, token)
        response["Content-Language"] = token.player.language
        response["Referrer-Policy"] = "no-referrer"
        response["X-Robots-Tag"] = "noindex, nofollow"
        return response

    return wrapped


# The power is in the address and not in a cookie, so no other site can borrow it.
@csrf_exempt
@require_http_methods(["GET", "HEAD", "POST"])
@for_the_bearer
def answer(request: HttpRequest, token: ReplyToken) -> HttpResponseBase:
    """GET shows the board; POST plays the move, or only shows where it leads."""
    if request.method != "POST":
        return _page(request, token)
    typed = request.POST.get("move", "")
    note_seen(token.player, now=timezone.now())
    try:
        if "preview" in request.POST and answer_links.has_power(token):
            _shown(token).position.parse(typed)
            return _page(request, token, typed=typed)
        play.submit_move(
            game_id=token.game_id,
            player_id=token.player_id,
            text=typed,
            ply=token.ply,
            now=timezone.now(),
            via=Via.WEB,
        )
    except Refusal as refusal:
        token.game.refresh_from_db()
        return _page(request, token, typed=typed, refusal=refusal)
    return redirect(request.path)


@require_safe
@for_the_bearer
def choices(request: HttpRequest, token: ReplyToken) -> HttpResponseBase:
    """What can follow the beginning of a move, and the board by then."""
    if not answer_links.has_power(token) or request.GET.get("ply") != str(token.ply):
        return JsonResponse({"error": gettext("The game has gone on; load the page.")}, status=409)
    shown, prefix = _shown(token), request.GET.get("prefix", "")
    drawing = picker.drawn_after(
        token.game.ruleset,
        shown.position,
        prefix,
        seat=token.seat,
        last=shown.line.text,
        translate=gettext,
    )
    return JsonResponse({"choices": picker.choices_after(shown.position, prefix), "board": drawing})


def _shown(token: ReplyToken) -> ShownGame:
    mine = token.game.seats.all()[token.seat]
    return ShownGame(token.game, mine, now=timezone.now(), ply=None)


def _page(
    request: HttpRequest, token: ReplyToken, *, typed: str = "", refusal: Refusal | None = None
) -> HttpResponse:
    game, shown = token.game, _shown(token)
    has_power = answer_links.has_power(token)
    picked = typed if typed and has_power and not refusal else ""
    context: dict[str, Any] = {
        "token": token,
        "game": game,
        "shown": shown,
        "name": game_name(game.ruleset),
        "has_power": has_power,
        "board": shown.board(picked) if has_power else _board_to_look_at(shown),
        "typed": typed,
        "is_preview": bool(picked),
        "refusal": refusal.sentence(gettext) if refusal else "",
        "played": _played(token),
        "result": result_of(game, list(game.seats.all())),
    }
    status = int(getattr(refusal, "status", 422)) if refusal else 200
    return render(request, "notifications/answer.html", context, status=status)


def _board_to_look_at(shown: ShownGame) -> SafeString:
    """Without what can be picked: it may be this seat's turn again, but not by this link."""
    drawing = BOARDS[shown.game.ruleset].draw(
        shown.position, seat=shown.viewed_from, last=shown.line.text, translate=gettext
    )
    return mark_safe(drawing)  # noqa: S308 (drawn by us, escaped there)


def _played(token: ReplyToken) -> Move | None:
    """The line that answered this ply, if this seat wrote it."""
    return Move.objects.filter(game=token.game_id, ply=token.ply + 1, seat=token.seat).first()
