"""The page of all ways to be told other than by mail; each can be revoked."""

import hashlib
import json
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, RawPostDataException
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_GET, require_POST, require_safe

from accounts.current import player_of
from accounts.models import Player
from accounts.reauthentication import confirmation_required, is_confirmed
from accounts.user_agents import named
from games.rules.position import Refusal
from notifications import call_budget, feeds, push, webhooks
from notifications.models import FeedLink, PushSubscription

WORKER = settings.BASE_DIR / "static" / "js" / "push-worker.js"
FEEDS = {
    FeedLink.Feed.CALENDAR: (
        _("Calendar of my deadlines"),
        _("For any calendar program: every flag that may fall, at its instant."),
    ),
    FeedLink.Feed.TURNS: (
        _("Feed of my turns"),
        _("For any feed reader: one entry for each game that waits for you."),
    ),
}


@login_required
@require_safe
@confirmation_required
def channels(request: HttpRequest) -> HttpResponse:
    return _page(request)


def _page(request: HttpRequest, *, status: int = 200, **more: Any) -> HttpResponse:
    player = player_of(request)
    context = {
        "feeds": _feeds(player),
        "webhooks": player.webhooks.all(),
        "most_failures": webhooks.FAILURES_UNTIL_OFF,
        "browsers": [(one, _mark(one)) for one in player.browsers.all()],
        "calls_limit": round(call_budget.A_PLAYER_AN_HOUR),
        "calls_wait_until": call_budget.waits_until(player.pk, now=timezone.now()),
        "push_key": push.public_key() if push.is_offered() else "",
        **more,
    }
    return render(request, "notifications/channels.html", context, status=status)


def _feeds(player: Player) -> list[dict[str, Any]]:
    links = {link.feed: link for link in player.feed_links.all()}
    return [
        {
            "key": feed.value,
            "title": title,
            "help": help_text,
            "address": feeds.address_of(links[feed]) if feed in links else "",
        }
        for feed, (title, help_text) in FEEDS.items()
    ]


def _mark(browser: PushSubscription) -> str:
    """By this a browser knows itself in the list."""
    return hashlib.sha256(browser.endpoint.encode()).hexdigest()


# Feeds


@login_required
@require_POST
@confirmation_required
def change_feed(request: HttpRequest, feed: str) -> HttpResponse:
    player = player_of(request)
    if feed not in FeedLink.Feed.values:
        raise Http404
    if request.POST.get("act") == "revoke":
        feeds.revoke(player=player, feed=feed)
        messages.success(request, gettext("The link is revoked and leads nowhere any more."))
    else:
        feeds.link_of(player=player, feed=feed, now=timezone.now())
        messages.success(request, gettext("This is your new link; an older one leads nowhere."))
    return redirect("channels")


# Webhooks


@login_required
@require_POST
@confirmation_required
def register_webhook(request: HttpRequest) -> HttpResponse:
    """Answers with the page itself, because the secret is on it this once."""
    url = request.POST.get("url", "")
    try:
        made = webhooks.register(player=player_of(request), url=url, now=timezone.now())
    except Refusal as refusal:
        problem = {"url": url, "url_error": refusal.sentence(gettext)}
        return _page(request, status=int(getattr(refusal, "status", 422)), **problem)
    return _page(request, made=made)


@login_required
@require_POST
def change_webhook(request: HttpRequest, pk: int) -> HttpResponse:
    acts: dict[str, tuple[Callable[..., Any], str]] = {
        "try": (_try_out, gettext("Your address has taken the trial message.")),
        "switch-on": (webhooks.switch_on, gettext("The webhook is switched on again.")),
        "remove": (webhooks.remove, gettext("The webhook is removed.")),
    }
    if request.POST.get("act") not in acts:
        raise Http404
    act, done = acts[request.POST["act"]]
    try:
        act(player=player_of(request), webhook_id=pk)
    except Refusal as refusal:
        messages.error(request, refusal.sentence(gettext))
    else:
        messages.success(request, done)
    return redirect("channels")


def _try_out(*, player: Player, webhook_id: int) -> None:
    webhooks.try_out(player=player, webhook_id=webhook_id, now=timezone.now())


# Browsers


@login_required
@require_POST
def subscribe(request: HttpRequest) -> JsonResponse:
    """Called by the script of the page with what the browser told it."""
    if not is_confirmed(request):
        error = gettext("Reload the page and confirm that it is you first.")
        return JsonResponse({"error": error}, status=403)
    try:
        given = json.loads(request.body)
        keys = given["keys"]
        wanted = {"endpoint": given["endpoint"], "p256dh": keys["p256dh"], "auth": keys["auth"]}
    except (ValueError, KeyError, TypeError, RecursionError, RawPostDataException):
        wanted = {}
    if not wanted or not all(isinstance(value, str) for value in wanted.values()):
        return JsonResponse({"error": gettext("This is no browser’s subscription.")}, status=400)
    try:
        push.subscribe(
            player=player_of(request),
            browser=named(request.headers.get("User-Agent", "")),
            now=timezone.now(),
            **wanted,
        )
    except Refusal as refusal:
        status = int(getattr(refusal, "status", 422))
        return JsonResponse({"error": refusal.sentence(gettext)}, status=status)
    messages.success(request, gettext("This browser will be told."))
    return JsonResponse({}, status=201)


@login_required
@require_POST
def remove_browser(request: HttpRequest, pk: int) -> HttpResponse:
    player_of(request).browsers.filter(pk=pk).delete()
    messages.success(request, gettext("The browser is removed and will not be told any more."))
    return redirect("channels")


@require_GET
def worker(request: HttpRequest) -> HttpResponse:
    """The service worker, at the top: a browser lets it serve no more than what is below it."""
    response = HttpResponse(WORKER.read_bytes(), content_type="text/javascript; charset=utf-8")
    response["Cache-Control"] = "no-cache"
    return response
