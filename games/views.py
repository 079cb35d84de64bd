"""Pages about games."""

from typing import Any

from django.contrib import messages
from django.contrib.auth import login
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from accounts.current import player_of
from accounts.models import NAME_TAKEN
from games import lobby
from games.invitations import StrangerForm, accept_as_stranger, is_for_a_stranger
from games.models import Challenge
from games.rules.position import Refusal
from games.rules.registry import RULESETS


@require_http_methods(["GET", "HEAD", "POST"])
def invitation(request: HttpRequest, link: str) -> HttpResponse:
    """To look at it changes nothing; to accept or to decline is one click."""
    offer = get_object_or_404(Challenge.objects.select_related("challenger"), link=link)
    if request.method != "POST":
        return _invitation_page(request, offer, StrangerForm())
    try:
        if request.POST.get("answer") == "decline":
            return _decline(request, offer)
        return _accept(request, offer)
    except Refusal as refusal:
        messages.error(request, refusal.sentence(_))
        return redirect("invitation", link=link)


def _accept(request: HttpRequest, offer: Challenge) -> HttpResponse:
    now = timezone.now()
    if request.user.is_authenticated:
        player = player_of(request)
        lobby.accept(
            challenge_id=offer.pk,
            player=player,
            link=offer.link or "",
            now=now,
            salt=request.POST.get("salt", ""),
        )
    elif is_for_a_stranger(offer):
        form = StrangerForm(request.POST)
        if not form.is_valid():
            return _invitation_page(request, offer, form)
        salt = request.POST.get("salt", "")
        chosen = form.cleaned_data
        try:
            player = accept_as_stranger(offer=offer, chosen=chosen, now=now, salt=salt)
        except IntegrityError:
            return _outrun(request, offer, form)
        login(request, player)
    else:
        return redirect("invitation", link=offer.link)
    messages.success(request, _("The game has begun. Have fun!"))
    return redirect("invitation", link=offer.link)


def _outrun(request: HttpRequest, offer: Challenge, form: StrangerForm) -> HttpResponse:
    """The name or the invitation was taken a moment ago: the database let only one have it."""
    if is_for_a_stranger(offer):
        form.add_error("name", NAME_TAKEN)
        return _invitation_page(request, offer, form)
    return redirect("invitation", link=offer.link)


def _decline(request: HttpRequest, offer: Challenge) -> HttpResponse:
    lobby.decline_by_link(link=offer.link or "", now=timezone.now())
    messages.success(request, _("The invitation is declined."))
    return redirect("invitation", link=offer.link)


def _invitation_page(request: HttpRequest, offer: Challenge, form: StrangerForm) -> HttpResponse:
    expired = offer.state == Challenge.State.OPEN and offer.expires_at <= timezone.now()
    context: dict[str, Any] = {
        "offer": offer,
        "game_name": RULESETS[offer.ruleset].name,
        "state": Challenge.State.EXPIRED if expired else offer.state,
        "is_own": offer.challenger_id == request.user.pk,
        "is_player": offer.opponent_id is not None and offer.opponent_id == request.user.pk,
        "for_a_stranger": not request.user.is_authenticated and is_for_a_stranger(offer),
        "form": form,
    }
    return render(request, "games/invitation.html", context)
