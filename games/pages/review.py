"""What the computer thinks of a game that is over, while it is thinking and afterwards."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from accounts.current import player_of
from games import replay, reviews
from games.models import Game, Review
from games.pages.seated import visible_game
from games.pages.wording import game_name
from games.rules.position import Refusal

SLIP = 0.08
BLUNDER = 0.25


@require_safe
def review(request: HttpRequest, pk: int | None = None, link: str | None = None) -> HttpResponse:
    """The whole page, or the part that goes on by itself if htmx asks for it."""
    game, _mine = visible_game(request, pk=pk, link=link)
    found = reviews.of(game)
    context: dict[str, Any] = {
        "game": game,
        "name": game_name(game.ruleset),
        "seats": list(game.seats.all()),
        "review": found,
        "rows": _rows(game, found) if found else [],
    }
    part = request.headers.get("HX-Request") == "true"
    return render(request, "games/review_part.html" if part else "games/review.html", context)


def _rows(game: Game, found: Review) -> list[dict[str, Any]]:
    lines = {line.ply: line for line in replay.standing_lines(game.pk)}
    names = [seat.player.name for seat in game.seats.all()]
    return [
        {
            "ply": one["ply"],
            "name": names[one["seat"]],
            "played": lines[one["ply"]].text,
            "best": one["best"] if one["best"] != lines[one["ply"]].text else "",
            "chance": round(100 * one["value"]),
            "swing": round(100 * one["swing"]),
            "verdict": _verdict(one["swing"]),
        }
        for one in found.judgements
        if one["ply"] in lines
    ]


def _verdict(swing: float) -> str:
    if swing >= BLUNDER:
        return "bad"
    return "care" if swing >= SLIP else ""


@login_required
@require_POST
def ask(request: HttpRequest, pk: int | None = None, link: str | None = None) -> HttpResponse:
    game, _mine = visible_game(request, pk=pk, link=link)
    try:
        reviews.ask(game=game, player=player_of(request), now=timezone.now())
    except Refusal as refusal:
        messages.error(request, refusal.sentence(gettext))
    return redirect(f"{game.get_absolute_url()}review/")
