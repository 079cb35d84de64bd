"""What every page knows of the letters: whether they reach the player at all."""

from typing import Any

from django.http import HttpRequest
from django.utils.functional import SimpleLazyObject

from notifications.models import Suppression


def letters(request: HttpRequest) -> dict[str, Any]:
    return {"letters_do_not_arrive": SimpleLazyObject(lambda: _do_not_arrive(request))}


def _do_not_arrive(request: HttpRequest) -> bool:
    user = getattr(request, "user", None)
    address = user.email if user is not None and user.is_authenticated else ""
    return (
        bool(address)
        and Suppression.objects.filter(address__iexact=address, since__isnull=False).exists()
    )
