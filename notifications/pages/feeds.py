"""The feeds as programs fetch them, again and again: what has not changed costs a 304."""

import hashlib
from zoneinfo import ZoneInfo

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.utils import timezone, translation
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.http import require_safe

from notifications import feeds
from notifications.models import FeedLink

FEEDS = {ending: feed for feed, ending in feeds.ENDINGS.items()}
TYPES = {
    FeedLink.Feed.CALENDAR: "text/calendar; charset=utf-8",
    FeedLink.Feed.TURNS: "application/atom+xml; charset=utf-8",
}


@require_safe
def feed(request: HttpRequest, key: str, ending: str) -> HttpResponseBase:
    link = feeds.found(key, FEEDS.get(ending, ""), now=timezone.now())
    if link is None:
        raise Http404
    with translation.override(link.player.language), timezone.override(ZoneInfo(link.player.zone)):
        content = _content(link)
    etag = f'"{hashlib.md5(content, usedforsecurity=False).hexdigest()}"'
    made = HttpResponse(content, content_type=TYPES[FeedLink.Feed(link.feed)])
    response = get_conditional_response(request, etag=etag, response=made) or made
    response["ETag"] = etag
    response["Content-Language"] = link.player.language
    response["X-Robots-Tag"] = "noindex"
    patch_cache_control(response, private=True, no_cache=True)
    return response


def _content(link: FeedLink) -> bytes:
    if link.feed == FeedLink.Feed.CALENDAR:
        return feeds.calendar(link.player, now=timezone.now())
    return feeds.turns(link.player, link)
