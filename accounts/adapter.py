"""How allauth speaks to our player model."""

from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
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
        return Player(language=(get_language() or "en")[:2])
