"""Every letter about me: sent, waiting, cancelled, refused, and why."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.http import require_POST, require_safe

from accounts.current import player_of
from games.pages.wording import game_name
from games.rules.position import Refusal
from notifications import bounces, preferences
from notifications.models import Letter
from notifications.receipts import VIEWS, letters_of, sentence

ON_A_PAGE = 30


@login_required
@require_safe
def receipts(request: HttpRequest) -> HttpResponse:
    player = player_of(request)
    view = request.GET.get("show", "all")
    view = view if view in VIEWS else "all"
    page = Paginator(letters_of(player, view), ON_A_PAGE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "rows": [_row(letter) for letter in page],
        "view": view,
        "address": preferences.address_of(player),
        "trouble": bounces.trouble_of(player),
    }
    return render(request, "notifications/receipts.html", context)


def _row(letter: Letter) -> dict[str, Any]:
    return {
        "letter": letter,
        "game": game_name(letter.game.ruleset) if letter.game else "",
        "sentence": sentence(letter),
    }


@login_required
@require_POST
def try_again(request: HttpRequest) -> HttpResponse:
    try:
        bounces.try_again(player=player_of(request))
        messages.success(request, gettext("Letters go to your address again."))
    except Refusal as refusal:
        messages.error(request, refusal.sentence(gettext))
    return redirect("receipts")
