"""What every template knows."""

from django.conf import settings
from django.http import HttpRequest


def site(request: HttpRequest) -> dict[str, object]:
    return {
        "debug": settings.DEBUG,
        "mailbox": settings.MAILBOX and settings.DEBUG,
        "languages": settings.LANGUAGES,
    }
