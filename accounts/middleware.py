"""A player sees the site in his language and time zone, and a guest what is meant for guests."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

from django.contrib import messages
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone, translation
from django.utils.translation import gettext as _

from accounts.presence import note_seen

CLOSED_TO_GUESTS = (
    "/settings/",
    "/letters/preferences/",
    "/letters/channels/",
    "/challenge/",
    "/accounts/",
)
WAYS_IN = ("/accounts/login/", "/accounts/signup/")
OPEN_TO_ALL = ("/accounts/logout/", "/accounts/confirm-email/", "/accounts/password/reset/")


class Guests:
    """A guest comes to an account as a stranger does, and has no settings until then."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not getattr(request.user, "is_guest", False) or request.path.startswith(OPEN_TO_ALL):
            return self.get_response(request)
        if request.path in WAYS_IN:
            request.guest = request.user  # type: ignore[attr-defined]
            request.user = AnonymousUser()
        elif request.path.startswith(CLOSED_TO_GUESTS):
            messages.info(request, _("That is for players with an account; it takes a minute."))
            return redirect("account_signup")
        return self.get_response(request)


class PersonalZoneAndLanguage:
    """A player's preference comes first; a visitor gets what the browser asks for, and UTC."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.user.is_authenticated:
            request.LANGUAGE_CODE = request.user.language
            translation.activate(request.user.language)
            timezone.activate(ZoneInfo(request.user.zone))
            note_seen(request.user, now=timezone.now())
        else:
            timezone.deactivate()
        return self.get_response(request)
