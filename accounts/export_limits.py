"""So many exports a day for each player, and for each place that visitors come from."""

from datetime import datetime

from django.http import HttpRequest
from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.exceptions import Throttled
from rest_framework.request import Request

from accounts import daily
from accounts.visitors import network_of

MOST_A_DAY = 20


def count_export(request: HttpRequest | Request, *, now: datetime) -> bool:
    """Whether there was room for one more today."""
    return daily.count_once(kind="export", key=who_exports(request), most=MOST_A_DAY, now=now)


def who_exports(request: HttpRequest | Request) -> str:
    return f"p{request.user.pk}" if request.user.is_authenticated else network_of(request.META)


def refusal() -> str:
    return _("You can export %(most)d times a day. Try again tomorrow.") % {"most": MOST_A_DAY}


def require_export(request: Request) -> None:
    """For the API; raises Throttled."""
    now = timezone.now()
    if not count_export(request, now=now):
        refused = Throttled(detail=refusal())
        # Set afterwards: given at once, it adds a sentence about so many thousand seconds.
        refused.wait = daily.seconds_until_tomorrow(now)  # type: ignore[attr-defined]
        raise refused
