"""Bots in words: the levels of the house, how strong they are, and an account marked as one."""

from collections import defaultdict
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST

from accounts.current import player_of
from games import bot_accounts
from games.bots.levels import LEVELS
from games.bots.measured import MEASURED
from games.pages.wording import game_name
from games.rules.position import Refusal
from games.rules.registry import RULESETS

LEVELS_IN_WORDS = {
    "dew": _("Dew, who has just learnt the rules"),
    "brook": _("Brook, who sees what is near"),
    "river": _("River, who makes you think"),
    "ocean": _("Ocean, who looks as far as it can"),
}


def strengths() -> list[dict[str, Any]]:
    """What was measured, game by game: the score of each level against the one below."""
    by_game: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in MEASURED:
        by_game[row.ruleset].append(
            {
                "level": LEVELS[row.level].name,
                "games": row.games,
                "score": round(100 * row.score),
                "low": round(100 * row.low),
                "high": round(100 * row.high),
                "elo": row.elo[0],
            }
        )
    return [{"name": game_name(key), "rows": by_game[key]} for key in RULESETS if key in by_game]


@login_required
@require_POST
def mark(request: HttpRequest) -> HttpResponse:
    try:
        bot_accounts.mark(player=player_of(request), is_bot="bot" in request.POST)
        messages.success(request, gettext("Saved."))
    except Refusal as refusal:
        messages.error(request, refusal.sentence(gettext))
    return redirect("settings")
