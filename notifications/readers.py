"""Who is written to, and what they have chosen, of many players in one statement."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from zoneinfo import ZoneInfo

from games import prepared
from notifications.models import Channel, Timing
from notifications.models.preferences import DEFAULT_REMINDERS
from notifications.preferences import UNASKED
from notifications.timing import Rhythm

# Instead of four queries of the ORM for each letter: this is read for every move that is played.
READ = """
SELECT p.id, p.zone, p.is_active, p.is_bot, p.is_guest,
       p.bot_level IS NOT NULL OR p.is_guest OR p.closed_at IS NOT NULL,
       coalesce(h.digest_hour, 7), h.quiet_from, h.quiet_until, h.reminders,
       (SELECT jsonb_object_agg(c.kind, jsonb_build_array(c.timing, to_jsonb(c.channels)))
        FROM notifications_preference c WHERE c.player_id = p.id)
FROM accounts_player p LEFT JOIN notifications_habits h ON h.player_id = p.id
WHERE p.id = ANY(%s)
"""


@dataclass(frozen=True, slots=True)
class Choice:
    """How one kind of letter reaches a player; by default at once by mail."""

    timing: str = Timing.AT_ONCE.value
    channels: tuple[str, ...] = (Channel.MAIL.value,)


DEFAULT = Choice()


@dataclass(frozen=True)
class Reader:
    id: int
    zone: str
    is_active: bool
    is_bot: bool
    is_guest: bool
    is_never_told: bool
    """Built-in bots, guests and people who have left are told nothing about games."""
    digest_hour: int
    quiet_from: int | None
    quiet_until: int | None
    reminders: tuple[str, ...]
    choices: dict[str, Choice]

    @property
    def is_told(self) -> bool:
        return self.is_active and not self.is_never_told

    @cached_property
    def rhythm(self) -> Rhythm:
        return Rhythm(
            zone=ZoneInfo(self.zone),
            digest_hour=self.digest_hour,
            quiet_from=self.quiet_from,
            quiet_until=self.quiet_until,
        )

    def choice(self, kind: str) -> Choice:
        return DEFAULT if kind in UNASKED else self.choices.get(kind, DEFAULT)

    def channels(self, kind: str) -> list[str]:
        """A bot reads no mail, and a player who wants nothing needs no copies of it."""
        choice = self.choice(kind)
        is_off = choice.timing == Timing.OFF
        channels = (Channel.MAIL.value,) if is_off else choice.channels
        cannot_read = self.is_bot or self.is_guest
        return [one for one in channels if not (cannot_read and one == Channel.MAIL)]


def readers(player_ids: Iterable[int]) -> dict[int, Reader]:
    with prepared.cursor() as cursor:
        cursor.execute(READ, [list(player_ids)])
        return {row[0]: _reader(*row) for row in cursor.fetchall()}


def _reader(*row: Any) -> Reader:
    *plain, reminders, choices = row
    chosen = json.loads(choices) if choices else {}
    wishes = {kind: Choice(timing, tuple(via)) for kind, (timing, via) in chosen.items()}
    moments = tuple(DEFAULT_REMINDERS if reminders is None else reminders)
    return Reader(*[*plain, moments, wishes])
