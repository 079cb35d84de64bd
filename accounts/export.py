"""The export of everything that is stored about a player."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import F, QuerySet
from django.utils.module_loading import import_string

from accounts.models import Player

BATCH = 500


def everything(player: Player) -> dict[str, Any]:
    """Every app adds its parts; DATA_EXPORTS lists them."""
    return {name: _read(part) for name, part in _parts(player)}


def streamed(player: Player) -> Iterator[str]:
    """The same as JSON, a record at a time, so that the memory is that of a few."""
    yield from _object(_parts(player))
    yield "\n"


def rows(records: QuerySet[Any, Any], at_once: int = BATCH) -> Iterator[Any]:
    """What a part with many records is made of: read a few at a time."""
    return iter(records.iterator(chunk_size=at_once))


def _parts(player: Player) -> Iterator[tuple[str, Any]]:
    for path in settings.DATA_EXPORTS:
        yield path.rsplit(".", 1)[1], import_string(path)(player)


def _read(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _read(inner) for name, inner in value.items()}
    return list(value) if isinstance(value, Iterator) else value


def _written(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from _object(value.items())
    elif isinstance(value, Iterator):
        yield from _list(value)
    else:
        yield json.dumps(value, cls=DjangoJSONEncoder, ensure_ascii=False)


def _object(fields: Iterable[tuple[str, Any]]) -> Iterator[str]:
    before = "{"
    for name, value in fields:
        yield f"{before}\n{json.dumps(name)}: "
        yield from _written(value)
        before = ","
    yield "}" if before == "," else "{}"


def _list(records: Iterator[Any]) -> Iterator[str]:
    before = "["
    for record in records:
        yield f"{before}\n{json.dumps(record, cls=DjangoJSONEncoder, ensure_ascii=False)}"
        before = ","
    yield "]" if before == "," else "[]"


def account(player: Player) -> dict[str, Any]:
    addresses = EmailAddress.objects.filter(user=player).values("email", "verified", "primary")
    tokens = player.tokens.values("name", "scopes", "created_at", "expires_at", "last_used_at")
    factors = Authenticator.objects.filter(user=player).values(
        "type", "created_at", "last_used_at", name=F("data__name")
    )
    # Not `last_seen_at`: it is written when somebody logs in, and not as a session is used.
    sessions = UserSession.objects.filter(user=player).values("created_at", "ip", "user_agent")
    return {
        "id": player.pk,
        "name": player.name,
        "email_addresses": list(addresses),
        "zone": player.zone,
        "language": player.language,
        "about": player.about,
        "joined_at": player.joined_at,
        "last_login": player.last_login,
        "last_seen": player.seen_at,
        "asks_before_moves": player.confirms_moves,
        "bot": player.is_bot,
        "staff": player.is_staff,
        "groups": list(player.groups.values_list("name", flat=True)),
        "permissions": list(player.user_permissions.values_list("codename", flat=True)),
        "tokens": list(tokens),
        "blocked": rows(player.blocks.values("created_at", name=F("blocked__name"))),
        "second_factors": list(factors),
        "sessions": rows(sessions),
    }


def staff_acts(player: Player) -> Iterator[dict[str, Any]]:
    """What a member of the staff did on the staff pages."""
    acts = LogEntry.objects.filter(user=player).order_by("pk")
    fields = ("action_time", "object_repr", "change_message")
    return rows(acts.values(*fields))
