"""All that is stored about a player, for him to take away."""

from typing import Any

from allauth.account.models import EmailAddress
from django.conf import settings
from django.utils.module_loading import import_string

from accounts.models import Player


def everything(player: Player) -> dict[str, Any]:
    """Every floor adds its part; DATA_EXPORTS lists them."""
    return {part.rsplit(".", 1)[1]: import_string(part)(player) for part in settings.DATA_EXPORTS}


def account(player: Player) -> dict[str, Any]:
    addresses = EmailAddress.objects.filter(user=player).values("email", "verified", "primary")
    tokens = player.tokens.values("name", "scopes", "created_at", "expires_at", "last_used_at")
    return {
        "name": player.name,
        "email_addresses": list(addresses),
        "zone": player.zone,
        "language": player.language,
        "about": player.about,
        "joined_at": player.joined_at,
        "last_login": player.last_login,
        "tokens": list(tokens),
    }
