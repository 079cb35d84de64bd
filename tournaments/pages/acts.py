"""What a player does in an event by one button: enter, leave, stay, challenge."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from accounts.current import player_of
from accounts.models import Player
from tournaments import entering, ladders, leaving, seasons
from tournaments.models import EntryState, State
from tournaments.pages.frame import Seen, seen, show
from tournaments.pages.refused import back, of_events, tried
from tournaments.previews import if_he_leaves


@login_required
@require_POST
@of_events
def enter(request: HttpRequest, pk: int) -> HttpResponse:
    of = seen(request, pk)
    mine = _mine(request, of) | {"salt": request.POST.get("salt", "")}
    if tried(request, entering.enter, done=_("You have entered."), **mine):
        _tell_if_waiting(request, pk)
    return back("event", pk)


def _tell_if_waiting(request: HttpRequest, pk: int) -> None:
    of = seen(request, pk)
    if of.entry is not None and of.entry.state == EntryState.WAITING:
        messages.info(request, _("The event is full: you are on the waiting list."))


@login_required
@require_POST
@of_events
def leave(request: HttpRequest, pk: int) -> HttpResponse:
    """Asked first, with what it means, once the event runs."""
    of = seen(request, pk)
    is_invited = of.entry is not None and of.entry.state == EntryState.INVITED
    if of.event.state == State.RUNNING and not is_invited and request.POST.get("sure") != "yes":
        return _asked(request, of)
    done = _("You declined the invitation.") if is_invited else _("You have left the event.")
    tried(request, leaving.leave, done=done, **_mine(request, of))
    return back("event", pk)


def _asked(request: HttpRequest, of: Seen) -> HttpResponse:
    if of.entry is None or of.entry.state != EntryState.ENTERED:
        return back("event", of.event.pk)
    return show(
        request, "leave", of, {"preview": if_he_leaves(event=of.event, player=player_of(request))}
    )


@login_required
@require_POST
@of_events
def stay(request: HttpRequest, pk: int) -> HttpResponse:
    """Whether one is entered into the next season."""
    of = seen(request, pk)
    stays = request.POST.get("stays") == "yes"
    seasons.stay(event=of.event, player=player_of(request), stays=stays)
    return back("event", pk)


@login_required
@require_POST
@of_events
def challenge(request: HttpRequest, pk: int) -> HttpResponse:
    """On a ladder; the game begins at once."""
    of = seen(request, pk)
    challenged = get_object_or_404(Player, name__iexact=request.POST.get("player", ""))
    given = {
        "event_id": of.event.pk,
        "challenger": player_of(request),
        "challenged": challenged,
        "now": timezone.now(),
    }
    done = _("Your game with {name} has begun.").format(name=challenged.name)
    tried(request, ladders.challenge, done=done, **given)
    return redirect("event_table", pk)


def _mine(request: HttpRequest, of: Seen) -> dict[str, Any]:
    return {"event_id": of.event.pk, "player": player_of(request), "now": timezone.now()}
