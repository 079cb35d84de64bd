"""Lasting access beside tokens: feeds, webhooks and browsers that go on without a log-in."""

from dataclasses import dataclass
from datetime import datetime

from django.conf import settings
from django.utils.module_loading import import_string

from accounts.models import ApiToken, Player


@dataclass(frozen=True)
class Connection:
    kind: str
    label: str
    """The kind in words, translated where it is shown."""
    name: str
    created_at: datetime
    token: ApiToken | None
    """What made it, unless the player did in person."""
    page: str
    """The name of the page where it is ended."""


def connections_of(player: Player) -> list[Connection]:
    """Every app adds its part; CONNECTIONS lists them."""
    return [one for part in settings.CONNECTIONS for one in import_string(part)(player)]
