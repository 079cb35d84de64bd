"""A player sees the site in his language and time zone; a guest can sign up."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation

from accounts.presence import note_seen

WAYS_IN = ("/accounts/login/", "/accounts/signup/", "/accounts/2fa/webauthn/login/")


class GuestsComingIn:
    """A guest comes to an account as a visitor does, and takes along what was played."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path in WAYS_IN and getattr(request.user, "is_guest", False):
            request.guest = request.user  # type: ignore[attr-defined]
            request.user = AnonymousUser()
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
