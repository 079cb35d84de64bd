"""How allauth speaks to our player model."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.http import HttpRequest
from django.utils.translation import get_language

from accounts.models import Player


def display_name(player: Player) -> str:
    return player.name


class AccountAdapter(DefaultAccountAdapter):
    """Letters go out in the reader's language."""

    def send_mail(self, template_prefix: str, email: str, context: dict[str, Any]) -> None:
        context.setdefault("player", context.get("user"))
        super().send_mail(template_prefix, email, context)

    def new_user(self, request: HttpRequest) -> Player:
        """A guest who signs up stays the same player, with all that he has begun."""
        guest: Player | None = getattr(request, "guest", None)
        if guest:
            guest.is_guest = False
            # The new password ends the guest's session; what the sign-up keeps in it must stay.
            for key in (SESSION_KEY, BACKEND_SESSION_KEY, HASH_SESSION_KEY):
                request.session.pop(key, None)
            return guest
        return Player(language=(get_language() or "en")[:2])
