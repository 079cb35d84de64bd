"""Blocked players: the list in the settings, and the buttons there and on a player's page."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.current import player_of
from accounts.models import Player
from games import blocking, blocks
from games.rules.position import Refusal

BLOCKS_ON_A_PAGE = 50


@login_required
@require_safe
def blocked_players(request: HttpRequest) -> HttpResponse:
    found = blocks.blocks_of(player_of(request))
    page = Paginator(found, BLOCKS_ON_A_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "block_means": _(blocks.MEANS)}
    return render(request, "games/blocked_players.html", context)


@login_required
@require_POST
def block(request: HttpRequest, name: str) -> HttpResponse:
    """Blocks the player, or unblocks them where the button says so."""
    other = get_object_or_404(Player, name__iexact=name, is_guest=False)
    me = player_of(request)
    if request.POST.get("act") == "unblock":
        blocking.unblock(blocker=me, blocked=other)
        messages.success(request, _("You have unblocked {name}.").format(name=other.name))
        return redirect("blocked_players")
    try:
        blocking.block(blocker=me, blocked=other, now=timezone.now())
        messages.success(request, _("You have blocked {name}.").format(name=other.name))
    except Refusal as refusal:
        messages.error(request, refusal.sentence(_))
    return redirect(other)
