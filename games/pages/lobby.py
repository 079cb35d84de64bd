"""The lobby: open seeks, and what is offered to me or by me."""

from collections.abc import Iterable
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from accounts.current import player_of
from games import elo, lobby, ratings
from games.models import Challenge, Rating
from games.pages.unchanged import known_by_etag
from games.pages.wording import COLOUR_NAMES, COLOURS, game_name, options_in_words
from games.rules.position import Refusal
from games.rules.registry import RULESETS

SEEKS_ON_A_PAGE = 20
MOST_INCOMING = 100


@require_safe
@known_by_etag
def lobby_page(request: HttpRequest) -> HttpResponse:
    seeks = lobby.open_seeks(now=timezone.now(), viewer_id=request.user.pk)
    page = Paginator(seeks, SEEKS_ON_A_PAGE).get_page(request.GET.get("page"))
    incoming, outgoing = _mine(request)
    shown = described([*page, *incoming, *outgoing])
    context = {
        "page": page,
        "seeks": shown[: len(page)],
        "incoming": shown[len(page) : len(page) + len(incoming)],
        "outgoing": shown[len(page) + len(incoming) :],
        "bot_games": list(RULESETS.values()),
    }
    return render(request, "games/lobby.html", context)


def _mine(request: HttpRequest) -> tuple[list[Challenge], list[Challenge]]:
    """What is offered to me, and what I offer to somebody in particular."""
    if not request.user.is_authenticated:
        return [], []
    player = player_of(request)
    open_now = Challenge.objects.filter(
        Q(opponent=player) | Q(challenger=player),
        state=Challenge.State.OPEN,
        expires_at__gt=timezone.now(),
    )
    offers = list(
        open_now.exclude(challenger=player, opponent=None, link=None)
        .select_related("challenger", "opponent")
        .order_by("-made_at")[:MOST_INCOMING]
    )
    return (
        [offer for offer in offers if offer.opponent_id == player.pk],
        [offer for offer in offers if offer.challenger_id == player.pk],
    )


def described(offers: Iterable[Challenge]) -> list[dict[str, Any]]:
    """Each offer in words, with its maker's rating; ratings cost one query for all."""
    pools = {offer.pk: ratings.pool_key(offer.ruleset, offer.options) for offer in offers}
    found = Rating.objects.filter(
        pool__key__in=set(pools.values()), player__in={offer.challenger_id for offer in offers}
    ).select_related("pool")
    known = {(row.pool.key, row.player_id): row for row in found}
    return [_in_words(offer, known.get((pools[offer.pk], offer.challenger_id))) for offer in offers]


def _in_words(offer: Challenge, rating: Rating | None) -> dict[str, Any]:
    side = None
    if offer.side is not None:
        side = COLOUR_NAMES[COLOURS[offer.ruleset][1 - offer.side]]
    return {
        "offer": offer,
        "name": game_name(offer.ruleset),
        "options": options_in_words(offer.ruleset, offer.options),
        "rating": elo.displayed(rating.rating if rating else elo.START),
        "is_provisional": rating is None or rating.games < elo.PROVISIONAL_GAMES,
        "your_side": side,
        # The link of a letter proves who reads that address: not even the challenger sees it.
        "link": reverse("invitation", args=[offer.link]) if offer.link and not offer.email else "",
    }


@login_required
@require_POST
def answer(request: HttpRequest, pk: int) -> HttpResponse:
    """Accept, decline or withdraw, by the button that was pressed."""
    chosen = request.POST.get("answer")
    given: dict[str, Any] = {
        "challenge_id": pk,
        "player": player_of(request),
        "now": timezone.now(),
    }
    try:
        if chosen == "accept":
            return redirect(lobby.accept(**given, salt=request.POST.get("salt", "")))
        if chosen == "decline":
            lobby.decline(**given)
            messages.success(request, _("The challenge is declined."))
        elif chosen == "withdraw":
            lobby.withdraw(**given)
            messages.success(request, _("Your offer is withdrawn."))
    except Refusal as refusal:
        messages.error(request, refusal.sentence(_))
    return redirect("lobby")
