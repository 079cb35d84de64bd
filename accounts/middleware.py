"""A player sees the site in the language and the time zone that he chose."""

from collections.abc import Callable
from zoneinfo import ZoneInfo

from django.http import HttpRequest, HttpResponse
from django.utils import timezone, translation

from accounts.presence import note_seen


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
