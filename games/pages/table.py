"""The page of a game: looked at by anybody, kept up to date, asked what can be picked."""

from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import get_conditional_response, patch_cache_control, patch_vary_headers
from django.utils.translation import get_language, gettext
from django.views.decorators.http import require_safe

from games import blocks, picker, plans, talk
from games.models import Challenge, Game, Seat
from games.pages.mine import stream_address, turns_of
from games.pages.seated import visible_game
from games.pages.shown import ShownGame
from games.pages.wording import game_name, options_in_words, result_of
from games.rules.position import Refusal

CLOCKS_GO_ON_EVERY = timedelta(minutes=10)
MOST_CHAT_LINES = 200


@require_safe
def table(request: HttpRequest, pk: int | None = None, link: str | None = None) -> HttpResponseBase:
    """The game as it stands, or as it stood after `?ply=`."""
    game, mine = visible_game(request, pk=pk, link=link)
    if game.private_link and link is None:
        return redirect(game)
    is_private = request.user.is_authenticated or game.private_link
    etag = None if is_private else _etag(request, game)
    unchanged = get_conditional_response(request, etag=etag)
    if unchanged is not None:
        return unchanged
    response = page(request, game, mine, ply=ply_asked(request))
    if etag:
        response["ETag"] = etag
        patch_cache_control(response, no_cache=True)
        patch_vary_headers(response, ["Cookie", "Accept-Language"])
    return response


@require_safe
def news(request: HttpRequest, pk: int | None = None, link: str | None = None) -> HttpResponse:
    """What has changed since the page was last told; nothing costs next to nothing."""
    game, mine = visible_game(request, pk=pk, link=link)
    now = timezone.now()
    seen = {name: request.GET.get(name, "") for name in ("course", "state", "chat")}
    marks = _marks(game, mine, now)
    if seen == marks:
        return HttpResponse(status=204)
    shown = ShownGame(game, mine, now=now, ply=None)
    context = _context(request, shown) | {
        "oob": True,
        "course_changed": seen["course"] != marks["course"],
    }
    return render(request, "games/table/news.html", context)


@require_safe
def choices(request: HttpRequest, pk: int | None = None, link: str | None = None) -> JsonResponse:
    """What can follow the beginning of a move, and the board by then."""
    game, mine = visible_game(request, pk=pk, link=link)
    shown = ShownGame(game, mine, now=timezone.now(), ply=None)
    if not shown.can_move or request.GET.get("ply") != str(game.ply):
        return JsonResponse({"error": gettext("The game has gone on; load the page.")}, status=409)
    prefix = request.GET.get("prefix", "")
    drawing = picker.drawn_after(
        game.ruleset,
        shown.position,
        prefix,
        seat=shown.viewed_from,
        last=shown.line.text,
        translate=gettext,
    )
    return JsonResponse({"choices": picker.choices_after(shown.position, prefix), "board": drawing})


# What the page is made of, for here and for refused acts


def page(
    request: HttpRequest,
    game: Game,
    mine: Seat | None,
    *,
    ply: int | None = None,
    typed: str = "",
    refusal: Refusal | None = None,
    status: int = 200,
) -> HttpResponse:
    """`typed` is a move that was refused, or one that is only looked at.

    A script that sends a form gets the parts that have changed, and puts them in their places.
    """
    shown = ShownGame(game, mine, now=timezone.now(), ply=ply)
    tried = typed if typed and not refusal else ""
    context = _context(request, shown, tried) | {
        "typed": typed,
        "is_preview": bool(tried),
        "refusal": refusal.sentence(gettext) if refusal else "",
    }
    if request.method == "POST" and request.headers.get("HX-Request"):
        context |= {"oob": True, "course_changed": True}
        return render(request, "games/table/news.html", context, status=status)
    return render(request, "games/table.html", context, status=status)


def _context(request: HttpRequest, shown: ShownGame, picked: str = "") -> dict[str, Any]:
    game, mine = shown.game, shown.mine
    context: dict[str, Any] = {
        "shown": shown,
        "game": game,
        "mine": mine,
        "name": game_name(game.ruleset),
        "options": options_in_words(game.ruleset, game.options),
        "board": shown.board(picked),
        "result": result_of(game, list(game.seats.all())),
        "rulings": game.rulings.all(),
        "marks": _marks(game, mine, shown.now),
        "stream": _stream(request, shown),
        "is_elsewhere": mine is None,
    }
    if mine:
        waiting = [pk for pk in turns_of(mine.player).values_list("pk", flat=True) if pk != game.pk]
        context |= {
            "chat": _chat(game, mine),
            "chat_is_closed": _chat_is_closed(game, mine),
            "games_waiting": len(waiting),
            "rematch": _rematch(game),
            "has_plan_log": not game.is_running and plans.has_log(mine.pk),
            "can_abort": game.seats_moved != 0b11,
        }
    return context


def _stream(request: HttpRequest, shown: ShownGame) -> str:
    """Where news come from by themselves: for those whom the stream knows and who may listen."""
    game = shown.game
    if not request.user.is_authenticated or (game.private_link and not shown.mine):
        return ""
    return f"{stream_address()}?game={game.pk}"


def _chat(game: Game, mine: Seat) -> list[Any]:
    lines = talk.lines_for(game_id=game.pk, player_id=mine.player_id)
    return list(lines.order_by("-id")[:MOST_CHAT_LINES])[::-1]


def _chat_is_closed(game: Game, mine: Seat) -> bool:
    opponent = next(seat.player_id for seat in game.seats.all() if seat.pk != mine.pk)
    return blocks.are_apart(mine.player_id, opponent)


def _rematch(game: Game) -> Challenge | None:
    if game.is_running:
        return None
    offers = Challenge.objects.select_related("game").filter(rematch_of=game)
    return offers.filter(state__in=[Challenge.State.OPEN, Challenge.State.ACCEPTED]).first()


def ply_asked(request: HttpRequest) -> int | None:
    asked = request.GET.get("ply", "")
    return int(asked) if asked.isdecimal() and len(asked) < 7 else None


# How a page knows that it is up to date


def _marks(game: Game, mine: Seat | None, now: datetime) -> dict[str, str]:
    """`course` changes with the board, `state` with all else that is shown, and as time passes."""
    time = int(now.timestamp() // CLOCKS_GO_ON_EVERY.total_seconds()) if game.is_running else 0
    deadline = int(game.deadline_at.timestamp()) if game.deadline_at else 0
    state = (game.draw_offered_by, game.takeback_asked_by, deadline, time)
    last_line = game.chat.order_by("-id").values_list("pk", flat=True).first() if mine else None
    return {
        "course": f"{game.ply}-{game.status}",
        "state": "-".join("" if part is None else str(part) for part in state),
        "chat": str(last_line or 0),
    }


def _etag(request: HttpRequest, game: Game) -> str:
    marks = _marks(game, None, timezone.now())
    parts = (game.pk, *marks.values(), request.GET.get("ply", ""), get_language())
    return 'W/"' + "/".join(map(str, parts)).replace('"', "") + '"'
