"""Letters are written here, each once, for every channel that the player has chosen."""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction

from accounts import locks
from accounts.models import Player
from games import bell
from notifications import preferences, timing
from notifications.models import Channel, Habits, Kind, Letter, Preference, State, Timing

BELL = "bell:letters"
WEBHOOK_BELL = "bell:webhooks"


def write(
    *,
    kind: Kind,
    player_id: int | None,
    key: str,
    now: datetime,
    game_id: int | None = None,
    ply: int | None = None,
    seat: int | None = None,
    about: int | None = None,
    details: dict[str, Any] | None = None,
    deadline: datetime | None = None,
    address: str = "",
    at: datetime | None = None,
) -> None:
    """One row a channel, due when the player wishes it and never past the deadline.

    What has been written already is not written again. `at` is for what is to be told later.
    """
    draft = Letter(
        kind=kind, key=key, player_id=player_id, address=address, game_id=game_id, ply=ply,
        seat=seat, about=about, details=details or {}, deadline_at=deadline,
        written_at=now, due_at=at or now,
    )  # fmt: skip
    letters = [draft] if player_id is None else list(_for_player(draft, player_id, now))
    Letter.objects.bulk_create(letters, ignore_conflicts=True)
    due = [one.channel for one in letters if one.state == State.WAITING and one.due_at <= now]
    if any(channel != Channel.WEBHOOK for channel in due):
        ring_after_commit()
    if Channel.WEBHOOK in due:
        transaction.on_commit(ring_for_webhooks)


def _for_player(draft: Letter, player_id: int, now: datetime) -> Iterator[Letter]:
    player = Player.objects.filter(pk=player_id, is_active=True).first()
    if player is None:
        return
    choice = preferences.preference(player, draft.kind)
    habits = preferences.habits(player)
    for channel in _channels(choice, player):
        letter = _copy_for(draft, channel)
        if choice.timing == Timing.OFF:
            letter.state, letter.why, letter.settled_at = State.CANCELLED, "off", now
        else:
            _set_due(letter, choice, habits, wanted=draft.due_at, now=now)
        yield letter


def _channels(choice: Preference, player: Player) -> list[str]:
    """A bot reads no mail, and whoever wants nothing needs no copies of it."""
    channels = [Channel.MAIL.value] if choice.timing == Timing.OFF else choice.channels
    cannot_read = player.is_bot or player.is_guest
    return [one for one in channels if not (cannot_read and one == Channel.MAIL)]


def _copy_for(draft: Letter, channel: str) -> Letter:
    copy = Letter(**{f.attname: getattr(draft, f.attname) for f in Letter._meta.concrete_fields})
    copy.channel = channel
    if channel != Channel.MAIL:
        copy.key = f"{draft.key}.{channel}"
    return copy


# When it is due


def _set_due(
    letter: Letter, choice: Preference, habits: Habits, *, wanted: datetime, now: datetime
) -> None:
    """A program is told at once, and so is whoever has just written; others by their habits."""
    letter.digest = False
    letter.why = ""
    if letter.channel == Channel.WEBHOOK or letter.kind == Kind.REPLY:
        letter.due_at = wanted
        return
    rhythm = preferences.rhythm(habits)
    deadline = letter.deadline_at
    if letter.channel == Channel.MAIL and choice.timing == Timing.DIGEST:
        digest = timing.next_digest(max(wanted, now), rhythm)
        if deadline is None or digest + timing.LEAST_NOTICE <= deadline:
            letter.due_at, letter.digest, letter.why = digest, True, "digest"
            return
    wanted = wanted + _pause(letter)
    letter.due_at = timing.leaves_at(wanted, rhythm, now=now, deadline=deadline)
    if letter.due_at > max(wanted, now):
        letter.why = "quiet"


def _pause(letter: Letter) -> timedelta:
    """A turn letter waits a little, for a second turn or for second thoughts."""
    waits = letter.kind == Kind.TURN and letter.channel == Channel.MAIL
    return timedelta(seconds=settings.LETTER_PAUSE if waits else 0)


@locks.action
def reschedule(*, player: Player, now: datetime) -> None:
    """After a change of mind: what still waits leaves when the player wishes it now.

    Reminders are not touched: `reminders.arm` reckons them from the game.
    """
    habits = preferences.habits(player)
    choices = {choice.kind: choice for choice in preferences.preferences(player)}
    waiting = (
        Letter.objects.select_for_update(no_key=True)
        .filter(player=player, state=State.WAITING, attempts=0, carried_by=None)
        .filter(kind__in=choices)
        .exclude(kind=Kind.REMINDER)
        .exclude(why="many-today")
    )
    letters = list(waiting.order_by("pk"))
    for letter in letters:
        _set_due(letter, choices[letter.kind], habits, wanted=letter.written_at, now=now)
    Letter.objects.bulk_update(letters, ["due_at", "digest", "why"], batch_size=500)


def due_for(letter: Letter, *, wanted: datetime, now: datetime) -> Letter:
    """The same letter, its due time reckoned from another wish; nothing is stored."""
    assert letter.player is not None
    choice = preferences.preference(letter.player, letter.kind)
    _set_due(letter, choice, preferences.habits(letter.player), wanted=wanted, now=now)
    return letter


# What needs not be told any more


def cancel(
    *,
    game_id: int,
    kinds: Iterable[str],
    why: str,
    now: datetime,
    seat: int | None = None,
    before_ply: int | None = None,
) -> int:
    """Whatever of this still waits will not be sent; the number of letters."""
    waiting = Letter.objects.filter(game_id=game_id, kind__in=list(kinds), state=State.WAITING)
    if seat is not None:
        waiting = waiting.filter(seat=seat)
    if before_ply is not None:
        waiting = waiting.filter(ply__lt=before_ply)
    return waiting.update(state=State.CANCELLED, why=why, settled_at=now)


# The bell


def ring_after_commit() -> None:
    transaction.on_commit(ring)


def ring() -> None:
    from notifications.tasks import send_letters

    bell.ring(BELL, send_letters)


def ring_for_webhooks() -> None:
    from notifications.tasks import call_webhooks

    bell.ring(WEBHOOK_BELL, call_webhooks)
