"""What a director does to somebody or to a game: with a look first at what comes of it."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext
from django.views.decorators.http import require_http_methods

from accounts.current import player_of
from accounts.models import Player
from games.refusals import OwnGame
from games.rules.position import Refusal
from tournaments import (
    directing,
    entrants_csv,
    leaving,
    previews,
)
from tournaments.deciding import require_not_own
from tournaments.forms import (
    EntrantsForm,
    ReasonForm,
    RulingForm,
)
from tournaments.pages import standing
from tournaments.pages.console import directed
from tournaments.pages.frame import Seen, show
from tournaments.pages.refused import back, of_events, tried
from tournaments.pages.wording import both_results

# If this player leaves now


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@of_events
def expel(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    """What would become of the tables, and the form that does it."""
    of = directed(request, pk)
    player = get_object_or_404(Player, name__iexact=name)
    form = ReasonForm(request.POST or None)
    if form.is_valid():
        given = {"event_id": pk, "player": player, "by": player_of(request), "now": of.now}
        done = gettext("{name} is expelled.").format(name=player.name)
        tried(request, leaving.expel, done=done, **form.cleaned_data, **given)
        return back("event_console", pk)
    try:
        preview = previews.if_he_leaves(event=of.event, player=player)
    except Refusal as refusal:
        messages.error(request, refusal.sentence(gettext))
        return back("event_console", pk)
    context = {"preview": preview, "player": player, "form": form, **compared(of, preview)}
    return show(request, "expel", of, context)


def compared(of: Seen, preview: previews.Preview) -> dict[str, Any]:
    """The leaver's table before and after, with the places that changed."""
    section = preview.entry.section
    before, after = (_places(board, section) for board in (preview.before, preview.after))
    changes = [{"name": name, "before": before[name], "after": after.get(name)} for name in before]
    return {"changes": changes[: standing.LINES_ON_A_PAGE]}


def _places(board: Any, section: int) -> dict[str, dict[str, Any]]:
    return {
        line.entry.player.name: standing.row_of(line, None)
        for part in board.sections
        if part.number == section
        for line in part.lines
    }


# A ruling


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
@of_events
def rule(request: HttpRequest, pk: int, meeting: int) -> HttpResponse:
    of = directed(request, pk)
    rows = of.event.meetings.select_related("first__player", "second__player", "game")
    row = get_object_or_404(rows, pk=meeting)
    try:
        require_not_own([row], of.viewer)
    except OwnGame as refusal:
        messages.error(request, refusal.sentence(gettext))
        return back("event_rounds", pk)
    form = RulingForm(request.POST or None)
    if form.is_valid():
        score, other_score = form.scores()
        given = {
            "event_id": pk, "meeting_id": row.pk, "score": score, "other_score": other_score,
            "by": player_of(request), "reason": form.cleaned_data["reason"], "now": of.now,
        }  # fmt: skip
        tried(request, directing.rule, done=gettext("The ruling is made."), **given)
        return back("event_rounds", pk)
    return show(request, "rule", of, {"row": row, "result": both_results(row), "form": form})


# Entrants out of a table


@login_required
@require_http_methods(["POST"])
@of_events
def entrants(request: HttpRequest, pk: int) -> HttpResponse:
    """First it is only looked through; entered with a second button, all or nobody."""
    of = directed(request, pk)
    form = EntrantsForm(request.POST, request.FILES)
    if not form.is_valid():
        return show(request, "entrants", of, {"form": form}, status=422)
    text = form.cleaned_data["names"]
    if "enter" in request.POST:
        given = {"event_id": pk, "text": text, "by": player_of(request), "now": of.now}
        if tried(
            request, entrants_csv.enter_all, done=gettext("The invitations are sent."), **given
        ):
            return back("event", pk)
    try:
        lines = entrants_csv.look_through(event=of.event, text=text)
    except Refusal as refusal:
        form.add_error(None, refusal.sentence(gettext))
        return show(request, "entrants", of, {"form": form}, status=422)
    wrong = sum(bool(line.problem) for line in lines)
    shown = sorted(lines, key=lambda line: (not line.problem, line.number))[:200]
    context = {"lines": shown, "wrong": wrong, "right": len(lines) - wrong, "text": text}
    return show(request, "entrants", of, {"form": EntrantsForm(initial={"names": text}), **context})
