"""Who and what has access to an account: its sessions, and ending all of it in one act."""

from datetime import datetime

from allauth.account.models import EmailAddress
from allauth.usersessions.models import UserSession
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import F, QuerySet
from django.utils.module_loading import import_string

from accounts import locks
from accounts.models import Player


def sessions_of(player: Player, *, now: datetime) -> QuerySet[UserSession]:
    """The browsers in which the player is logged in, the latest first."""
    living = Session.objects.filter(expire_date__gt=now).values("session_key")
    mine = UserSession.objects.filter(user=player, session_key__in=living)
    return mine.order_by("-created_at", "-pk")


@locks.action
def end_session(*, player: Player, session_id: int) -> None:
    found = UserSession.objects.filter(user=player, pk=session_id).first()
    if found is not None:
        found.end()


@locks.action
def end_sessions(*, player: Player, keep: str | None) -> None:
    """End every session but the one with the key `keep`, whose request takes up the new epoch."""
    # The epoch is part of every session's hash, so this ends those that nobody has listed too.
    Player.objects.filter(pk=player.pk).update(session_epoch=F("session_epoch") + 1)
    player.refresh_from_db(fields=["session_epoch"])
    others = UserSession.objects.filter(user=player).exclude(session_key=keep or "")
    Session.objects.filter(session_key__in=others.values("session_key")).delete()
    others.delete()


def drop_new_addresses(player: Player) -> None:
    """Whoever asked for a change of address could still confirm it, without logging in."""
    EmailAddress.objects.filter(user=player, verified=False, primary=False).delete()


@locks.action
def revoke_all(*, player: Player, keep: str | None) -> None:
    """End all access but one session; every app ends its part, ACCESS_REVOCATIONS lists them."""
    end_sessions(player=player, keep=keep)
    drop_new_addresses(player)
    for part in settings.ACCESS_REVOCATIONS:
        import_string(part)(player)
