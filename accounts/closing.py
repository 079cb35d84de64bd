"""Closing an account: shut at once, then settled and erased by a worker, step by step."""

import json
import logging
import math
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from allauth.account.internal.stagekit import LOGIN_SESSION_KEY
from allauth.account.models import EmailAddress
from allauth.account.utils import user_pk_to_url_str
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.contrib.admin.models import LogEntry
from django.contrib.auth import SESSION_KEY
from django.contrib.sessions.models import Session
from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.module_loading import import_string

from accounts import account_mail, background, locks
from accounts.background import TimeBox
from accounts.models import Block, Closing, Player, closed_name

logger = logging.getLogger(__name__)

CLAIMED_FOR = timedelta(minutes=2)
"""Longer than a slice: a worker that was killed is followed by another."""
PAUSE_AFTER_FAILURE = timedelta(minutes=2)
SECOND_LOOK_AFTER = timedelta(minutes=15)
"""Longer than any act that was under way at the closing, such as a game being accepted."""
BATCH = 50
ROWS = 2000
"""Looked at in one slice of a table."""

Step = Callable[[Closing, datetime], bool]
"""Does one slice in short transactions; whether there may be more to do."""
Rows = QuerySet[Any]


@locks.action
def close_account(*, player: Player, now: datetime) -> None:
    """Replace the name and end every access at once; a worker does the rest.

    Games, events and texts may be many: `CLOSING_STEPS` settles them in slices.
    """
    player = Player.objects.select_for_update(no_key=True).get(pk=player.pk)
    if player.is_closed:
        return
    # Anybody can name an address as a new one; those that are confirmed are the player's.
    addresses = EmailAddress.objects.filter(user=player, verified=True)
    Closing.objects.create(
        player=player,
        name=player.name,
        addresses=sorted(addresses.values_list("email", flat=True)),
        asked_at=now,
        due_at=now,
    )
    _forget_person(player, now)
    transaction.on_commit(_wake_worker)


@locks.action
def _forget_person_again(closing: Closing) -> None:
    """A request that was under way may have written something of the person since."""
    player = Player.objects.select_for_update(no_key=True).get(pk=closing.pk)
    _forget_person(player, closing.asked_at)


def _forget_person(player: Player, now: datetime) -> None:
    player.name = closed_name(player.pk)
    player.email = player.about = ""
    player.zone, player.language = "UTC", "en"
    player.is_active = player.is_staff = player.is_superuser = False
    player.last_login = player.seen_at = None
    player.closed_at = now
    player.set_unusable_password()
    player.save()
    player.groups.clear()
    player.user_permissions.clear()
    player.tokens.all().delete()
    EmailAddress.objects.filter(user=player).delete()
    Authenticator.objects.filter(user=player).delete()
    Block.objects.filter(blocker=player).delete()
    UserSession.objects.filter(user=player).delete()


def forget_blocks(closing: Closing, now: datetime) -> bool:
    """Of this player by others, which say who inherits nothing of theirs."""
    Block.objects.filter(blocked=closing.player).delete()
    return False


def _wake_worker() -> None:
    from accounts.tasks import settle_closed_accounts

    background.wake(settle_closed_accounts)


# The worker


def settle_closings(*, now: datetime, seconds: float = math.inf) -> int:
    """Carry out what is due; a closing that fails is tried again and holds up no other."""
    box = TimeBox(seconds)
    due = Closing.objects.filter(due_at__lte=now).order_by("due_at")
    settled = 0
    for player_id in list(due.values_list("pk", flat=True)[:BATCH]):
        if box.is_over:
            break
        try:
            settled += _settle(player_id, now, box)
        except SoftTimeLimitExceeded:
            raise
        except Exception:
            logger.exception("closing of %s failed", player_id)
            Closing.objects.filter(pk=player_id).update(due_at=now + PAUSE_AFTER_FAILURE)
    return settled


def _settle(player_id: int, now: datetime, box: TimeBox) -> bool:
    """Every step finds by itself what is left to do, so a killed worker loses nothing.

    All of it is done at once, and once more when nothing of the player's can be under way.
    """
    mine = Closing.objects.filter(pk=player_id, due_at__lte=now)
    if not mine.update(due_at=now + CLAIMED_FOR):
        return False
    found = Closing.objects.filter(pk=player_id).first()
    if found is not None:
        _forget_person_again(found)
    closing = Closing.objects.select_related("player").filter(pk=player_id).first()
    if closing is None:
        # A slower worker, whose claim had run out, has just finished it.
        return False
    # Whoever has signed up with an address since then keeps what is sent to it.
    closing.addresses = [one for one in closing.addresses if not account_mail.is_members(one)]
    if not _take_steps(closing, now, box):
        # Behind the others that are due, for the next slice.
        Closing.objects.filter(pk=player_id).update(due_at=now)
        return False
    second_look_at = closing.asked_at + SECOND_LOOK_AFTER
    if now < second_look_at:
        Closing.objects.filter(pk=player_id).update(due_at=second_look_at, steps_done=0, cursor="")
        return False
    closing.delete()
    return True


def _take_steps(closing: Closing, now: datetime, box: TimeBox) -> bool:
    """Whether all are done; those that were done in an earlier slice are not looked at again."""
    for number, path in enumerate(settings.CLOSING_STEPS):
        if number < closing.steps_done:
            continue
        step: Step = import_string(path)
        while step(closing, now):
            if box.is_over:
                return False
        closing.steps_done = number + 1
        Closing.objects.filter(pk=closing.pk).update(steps_done=closing.steps_done)
        if box.is_over:
            return number + 1 == len(settings.CLOSING_STEPS)
    return True


def summary(player: Player) -> list[str]:
    """What closing would do to this player's games, offers and events, in sentences."""
    return [line for path in settings.CLOSING_SUMMARIES for line in import_string(path)(player)]


# Tools of the steps


def walk(closing: Closing, rows: Rows, work: Callable[[Rows], object], *, most: int = ROWS) -> bool:
    """Does this work on the next rows by key; whether there may be more.

    A step walks one table: the closing says how far, so that a slice never begins anew.
    """
    ahead = rows.filter(pk__gt=closing.cursor) if closing.cursor else rows
    keys = list(ahead.order_by("pk").values_list("pk", flat=True)[: min(most, ROWS)])
    if keys:
        work(rows.filter(pk__gte=keys[0], pk__lte=keys[-1]))
    has_more = len(keys) >= min(most, ROWS)
    closing.cursor = str(keys[-1]) if has_more else ""
    Closing.objects.filter(pk=closing.pk).update(cursor=closing.cursor)
    return has_more


def has_trace(closing: Closing, field: str) -> Q:
    """A condition on rows: this field may hold the former name or an address."""
    found = Q()
    for word in closing.traces:
        found |= Q(**{f"{field}__icontains": word})
    return found


def replace_traces(closing: Closing, rows: QuerySet[Any], *fields: str) -> None:
    """In these text fields, wherever the former name or an address is a word of its own."""
    for field in fields:
        length = rows.model._meta.get_field(field).max_length
        found = rows.filter(has_trace(closing, field)).values_list("pk", field)
        for pk, text in found.distinct().order_by("pk").iterator():
            changed = closing.without_traces(text)[:length]
            if changed != text:
                rows.model._default_manager.filter(pk=pk).update(**{field: changed})


def end_sessions(closing: Closing, now: datetime) -> bool:
    """A session names its player inside its data alone, so all are looked at."""

    def end(sessions: Rows) -> None:
        theirs = [
            session.pk
            for session in sessions
            if _is_session_of(closing.player, session.get_decoded())
        ]
        Session.objects.filter(pk__in=theirs).delete()

    return walk(closing, Session.objects.all(), end)


def _is_session_of(player: Player, data: dict[str, Any]) -> bool:
    """Logged in, or half-way there with the second factor still to come."""
    pending = data.get(LOGIN_SESSION_KEY) or {}
    is_pending = pending.get("user_pk") == user_pk_to_url_str(player)
    return is_pending or data.get(SESSION_KEY) == str(player.pk)


def erase_from_admin_log(closing: Closing, now: datetime) -> bool:
    """The staff's log shows objects under the names that they had."""

    def erase(entries: Rows) -> None:
        replace_traces(closing, entries, "object_repr")
        for entry in entries.filter(has_trace(closing, "change_message")).order_by("pk"):
            message = _without_names(closing, entry.change_message)
            if message != entry.change_message:
                LogEntry.objects.filter(pk=entry.pk).update(change_message=message)

    return walk(closing, LogEntry.objects.all(), erase)


def _without_names(closing: Closing, message: str) -> str:
    """Django's own messages are JSON, in which only an `object` has a name; others are text."""
    try:
        changes = json.loads(message)
    except ValueError:
        return closing.without_traces(message)
    for change in changes:
        for about in change.values():
            if "object" in about:
                about["object"] = closing.without_traces(about["object"])
    return json.dumps(changes)
