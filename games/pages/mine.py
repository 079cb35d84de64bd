"""My games: what waits for me first, then what I wait for, then what is over."""

from typing import Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import F, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from accounts.current import player_of
from accounts.models import Player
from games.models import Game, Seat, Status
from games.pages.seated import SEATS
from games.pages.wording import game_name, reason_of, result_for

FINISHED_ON_A_PAGE = 20


def turns_of(player: Player) -> QuerySet[Game]:
    """The games that wait for a player, the most urgent first."""
    return Game.objects.filter(
        status=Status.RUNNING, seats__player=player, seats__number=F("seat_to_move")
    ).order_by("deadline_at", "id")


@login_required
@require_safe
def my_games(request: HttpRequest) -> HttpResponse:
    player = player_of(request)
    running = (
        Game.objects.filter(status=Status.RUNNING, seats__player=player)
        .prefetch_related(SEATS)
        .order_by("deadline_at", "id")
    )
    rows = [row_of(game, player) for game in running]
    over = (
        Game.objects.filter(seats__player=player)
        .exclude(status=Status.RUNNING)
        .prefetch_related(SEATS)
        .order_by("-ended_at", "-id")
    )
    page = Paginator(over, FINISHED_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "my_move": [row for row in rows if row["is_my_turn"]],
        "waiting": [row for row in rows if not row["is_my_turn"]],
        "finished": [row_of(game, player) for game in page],
        "page": page,
        "now": timezone.now(),
        "known": ",".join(f"{row['game'].pk}:{row['game'].ply}" for row in rows),
        "stream": stream_address(),
    }
    return render(request, "games/my_games.html", context)


@login_required
@require_safe
def next_turn(request: HttpRequest) -> HttpResponse:
    """The most urgent game that waits for me; the one behind `?after=`, or ahead of `?before=`."""
    waiting = list(turns_of(player_of(request)))
    if before := request.GET.get("before", ""):
        waiting.reverse()
    here = before or request.GET.get("after", "")
    at = next((n for n, game in enumerate(waiting) if str(game.pk) == here), -1)
    others = waiting[at + 1 :] + waiting[: max(at, 0)]
    return redirect(others[0]) if others else redirect("my_games")


def stream_address() -> str:
    """Where pages hear of turns and moves as they come."""
    return f"{settings.STREAM_URL}/api/v1/stream"


def row_of(game: Game, player: Player) -> dict[str, Any]:
    """A game in a list, as this player sees it; its seats must have been fetched."""
    mine, other = _mine_and_other(game, player)
    return {
        "game": game,
        "address": game.get_absolute_url(),
        "name": game_name(game.ruleset),
        "opponent": other.player,
        "is_my_turn": game.is_running and game.seat_to_move == mine.number,
        "asks_me": 1 - mine.number in (game.draw_offered_by, game.takeback_asked_by),
        "result": "" if game.is_running else result_for(game, mine.number),
        "reason": "" if game.is_running else reason_of(game),
    }


def _mine_and_other(game: Game, player: Player) -> tuple[Seat, Seat]:
    first, second = game.seats.all()
    return (first, second) if first.player_id == player.pk else (second, first)
