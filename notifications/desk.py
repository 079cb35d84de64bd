"""Letters are written here, each once, for every channel that the player has chosen."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import transaction

from accounts import locks
from accounts.models import Player
from games import bell, prepared
from notifications import preferences, timing
from notifications.models import Channel, Kind, Letter, State, Timing
from notifications.readers import Reader, readers

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
    write_all([draft], now=now)


def write_all(
    drafts: Sequence[Letter], *, now: datetime, known: Mapping[int, Reader] | None = None
) -> None:
    """As `write`, for several at once; `known` are the players whose choices were read before."""
    known = known or {}
    unknown = {one.player_id for one in drafts if one.player_id and one.player_id not in known}
    to = {**known, **(readers(unknown) if unknown else {})}
    letters = [letter for draft in drafts for letter in _letters(draft, to, now)]
    if letters:
        _insert(letters)
    due = [one.channel for one in letters if one.state == State.WAITING and one.due_at <= now]
    if any(channel != Channel.WEBHOOK for channel in due):
        ring_after_commit()
    if Channel.WEBHOOK in due:
        transaction.on_commit(ring_for_webhooks)


def _letters(draft: Letter, to: Mapping[int, Reader], now: datetime) -> Iterator[Letter]:
    if draft.player_id is None:
        yield draft
    elif (reader := to.get(draft.player_id)) and reader.is_active:
        yield from _for_reader(draft, reader, now)


def _for_reader(draft: Letter, reader: Reader, now: datetime) -> Iterator[Letter]:
    choice, wanted = reader.choice(draft.kind), draft.due_at
    channels = reader.channels(draft.kind)
    for letter in [draft if one == Channel.MAIL else _copy_for(draft, one) for one in channels]:
        if choice.timing == Timing.OFF:
            letter.state, letter.why, letter.settled_at = State.CANCELLED, "off", now
        else:
            _set_due(letter, choice.timing, reader.rhythm, wanted=wanted, now=now)
        yield letter


def _copy_for(draft: Letter, channel: str) -> Letter:
    copy = Letter(**{f.attname: getattr(draft, f.attname) for f in Letter._meta.concrete_fields})
    copy.channel = channel
    copy.key = f"{draft.key}.{channel}"
    return copy


COLUMNS = {
    "key": "text", "kind": "text", "channel": "text", "player_id": "bigint", "address": "text",
    "game_id": "bigint", "ply": "int", "seat": "int", "about": "bigint", "details": "jsonb",
    "written_at": "timestamptz", "due_at": "timestamptz", "deadline_at": "timestamptz",
    "digest": "bool", "state": "text", "why": "text", "settled_at": "timestamptz",
}  # fmt: skip
# All letters of a fact in one statement that stays prepared; the ORM's is made anew each time.
INSERT = f"""
INSERT INTO notifications_letter ({", ".join(COLUMNS)}, attempts, doubts, error)
SELECT *, 0, 0, '' FROM unnest({", ".join(f"%s::{kind}[]" for kind in COLUMNS.values())})
ON CONFLICT DO NOTHING
"""  # noqa: S608 - made of the names above


def _insert(letters: Sequence[Letter]) -> None:
    columns = [[getattr(letter, name) for letter in letters] for name in COLUMNS]
    details = list(COLUMNS).index("details")
    columns[details] = [json.dumps(each) for each in columns[details]]
    with prepared.cursor() as cursor:
        cursor.execute(INSERT, columns)


# When it is due


def _set_due(
    letter: Letter, chosen: str, rhythm: timing.Rhythm, *, wanted: datetime, now: datetime
) -> None:
    """A program is told at once, and so is whoever has just written; others by their habits."""
    letter.digest = False
    letter.why = ""
    if letter.channel == Channel.WEBHOOK or letter.kind == Kind.REPLY:
        letter.due_at = wanted
        return
    deadline = letter.deadline_at
    if letter.channel == Channel.MAIL and chosen == Timing.DIGEST:
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
    rhythm = preferences.rhythm(preferences.habits(player))
    choices = {choice.kind: choice.timing for choice in preferences.preferences(player)}
    waiting = (
        Letter.objects.select_for_update(no_key=True)
        .filter(player=player, state=State.WAITING, attempts=0, carried_by=None)
        .filter(kind__in=choices)
        .exclude(kind=Kind.REMINDER)
        .exclude(why="many-today")
    )
    letters = list(waiting.order_by("pk"))
    for letter in letters:
        _set_due(letter, choices[letter.kind], rhythm, wanted=letter.written_at, now=now)
    Letter.objects.bulk_update(letters, ["due_at", "digest", "why"], batch_size=500)


def due_for(letter: Letter, *, wanted: datetime, now: datetime) -> Letter:
    """The same letter, its due time reckoned from another wish; nothing is stored."""
    assert letter.player is not None
    choice = preferences.preference(letter.player, letter.kind)
    rhythm = preferences.rhythm(preferences.habits(letter.player))
    _set_due(letter, choice.timing, rhythm, wanted=wanted, now=now)
    return letter


# What needs not be told any more

# Run for every move that is played, so that it pays to have it prepared.
CANCEL = """
UPDATE notifications_letter SET state = 'cancelled', why = %s, settled_at = %s
WHERE game_id = %s AND kind = ANY(%s) AND state = 'waiting'
  AND (%s::int IS NULL OR seat = %s) AND (%s::int IS NULL OR ply < %s)
"""


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
    with prepared.cursor() as cursor:
        cursor.execute(CANCEL, [why, now, game_id, list(kinds), seat, seat, before_ply, before_ply])
        return int(cursor.rowcount)


# The bell


def ring_after_commit() -> None:
    transaction.on_commit(ring)


def ring() -> None:
    from notifications.tasks import send_letters

    bell.ring(BELL, send_letters)


def ring_for_webhooks() -> None:
    from notifications.tasks import call_webhooks

    bell.ring(WEBHOOK_BELL, call_webhooks)
