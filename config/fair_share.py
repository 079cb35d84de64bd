"""So many pages a minute for each visitor and player."""

import math
from collections.abc import Callable
from http import HTTPStatus

from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase

from accounts.visitors import network_of
from config import api_answers, problems
from config.throttles import Share, take, too_many
from config.views import error_page

KEYED = ("/metrics", "/anymail/")
"""For programs that prove who they are; only what is refused there is counted."""
PICTURES = ("/board.png", "/board.svg", "/game.svg")
"""Each can take longer to make than many pages."""
APART = {"/accounts/": "way-in"}
"""Where a visitor gets in although others at the same address have used up its pages."""


class FairShare:
    """Limits every page per visitor and player, and whatever programs are refused."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if request.path.startswith((api_answers.PREFIX, *KEYED)):
            return self._program(request)
        share = _share_of(request)
        if share and share.is_exceeded:
            return _too_many(request, share)
        return self.get_response(request)

    def _program(self, request: HttpRequest) -> HttpResponseBase:
        """What comes as far as a view of the API is counted there; bad tokens are not."""
        response = self.get_response(request)
        share: Share | None = getattr(request, "allowance", None)
        most = settings.API_LIMITS.get("refused")
        if most and _is_refused(request, response):
            share = take("refused", _who(request), most)
            if share.is_exceeded:
                response = _too_many(request, share)
        if share and request.path.startswith(api_answers.PREFIX):
            _tell(share, response)
        return response


def _tell(share: Share, response: HttpResponseBase) -> None:
    """What is left, with every answer of the API."""
    response["RateLimit-Limit"] = str(share.most)
    response["RateLimit-Remaining"] = str(share.left)
    response["RateLimit-Reset"] = str(math.ceil(share.seconds))


def _is_refused(request: HttpRequest, response: HttpResponseBase) -> bool:
    if request.path.startswith(api_answers.PREFIX):
        return not getattr(request, "is_counted", False)
    return response.status_code >= HTTPStatus.BAD_REQUEST


def _share_of(request: HttpRequest) -> Share | None:
    kind, limit = _kind_of(request)
    most = settings.PAGE_LIMITS.get(limit)
    return take(f"page-{kind}", _who(request), most) if most else None


def _who(request: HttpRequest) -> str:
    """The player, whom the API makes known by a good token too, or the visitor's network."""
    return str(request.user.pk) if request.user.is_authenticated else network_of(request.META)


def _kind_of(request: HttpRequest) -> tuple[str, str]:
    """What is counted together, and the limit that it has."""
    if request.path.endswith(PICTURES):
        return "picture", "picture"
    if request.user.is_authenticated:
        return "player", "player"
    apart = (kind for prefix, kind in APART.items() if request.path.startswith(prefix))
    return next(apart, "visitor"), "visitor"


def _too_many(request: HttpRequest, share: Share) -> HttpResponseBase:
    said = too_many(share.seconds)
    if request.path.startswith(api_answers.PREFIX):
        response: HttpResponseBase = problems.outside_the_views(429, said)
    else:
        response = error_page(request, 429, way_on=said)
    response["Retry-After"] = str(math.ceil(share.seconds))
    return response
