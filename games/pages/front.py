"""What the front page tells of the games: what waits for a member, a board to try, open seeks."""

from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from accounts.current import player_of
from games import lobby
from games.diagrams import TRIALS
from games.models import Challenge
from games.pages import selfplay
from games.pages.lobby import described
from games.pages.mine import row_of, turns_of
from games.pages.seated import SEATS
from games.rules_pages import trial_context
from games.trial import Trial

MOST_TURNS = 4
MOST_SEEKS = 6
TRIED_HERE = "tritt-reloaded"


def context(request: HttpRequest) -> dict[str, Any]:
    now = timezone.now()
    seeks = described(list(lobby.open_seeks(now=now, viewer_id=request.user.pk)[:MOST_SEEKS]))
    if not request.user.is_authenticated:
        return {
            "seeks": seeks,
            "selfplay": selfplay.shown(request.GET.get("watch", "")),
            **trial_context(Trial.begun(TRIED_HERE, TRIALS[TRIED_HERE])),
        }
    player = player_of(request)
    turns = turns_of(player)
    return {
        "seeks": seeks,
        "now": now,
        "turns": [row_of(game, player) for game in turns.prefetch_related(SEATS)[:MOST_TURNS]],
        "turns_in_all": turns.count(),
        "challenged": Challenge.objects.filter(
            opponent=player, state=Challenge.State.OPEN, expires_at__gt=now
        ).count(),
    }
