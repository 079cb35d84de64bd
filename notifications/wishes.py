"""A player changes how he is told; what already waits follows his new wish."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from accounts import locks
from accounts.models import Player
from games.refusals import BadRequest
from notifications import desk, preferences, reminders
from notifications.models import Channel, Habits, Preference, Timing
from notifications.preferences import CHOOSABLE, REMINDERS

FIELDS = ("digest_hour", "quiet_from", "quiet_until", "one_until_back", "reminders")


@locks.action
def change(
    *, player: Player, kinds: Iterable[Mapping[str, Any]], habits: Mapping[str, Any], now: datetime
) -> None:
    """Several wishes at once, or none of them."""
    for kind in kinds:
        _choose(player=player, **kind)
    if habits:
        _live_by(player, habits)
    _apply(player, now)


def choose(
    *, player: Player, kind: str, timing: str, channels: Sequence[str], now: datetime
) -> None:
    """How one kind of letter reaches a player."""
    wish = {"kind": kind, "timing": timing, "channels": channels}
    change(player=player, kinds=[wish], habits={}, now=now)


def live_by(*, player: Player, now: datetime, **habits: Any) -> None:
    """Hours, moments and the rest; what is not named stays as it is."""
    change(player=player, kinds=[], habits=habits, now=now)


def _choose(*, player: Player, kind: str, timing: str, channels: Sequence[str]) -> None:
    if kind not in CHOOSABLE:
        raise BadRequest(
            "There is no choice about {kind}; there is one about: {kinds}.",
            kind=kind,
            kinds=", ".join(CHOOSABLE),
        )
    if timing not in Timing.values or not set(channels) <= set(Channel.values):
        raise BadRequest(
            "A letter comes {timings}, by {channels}.",
            timings=", ".join(Timing.values),
            channels=", ".join(Channel.values),
        )
    if not channels and timing != Timing.OFF:
        raise BadRequest("Choose at least one way to be told, or “not at all”.")
    ordered = [channel for channel in Channel.values if channel in channels]
    Preference.objects.update_or_create(
        player=player,
        kind=kind,
        defaults={"timing": timing, "channels": ordered or [Channel.MAIL.value]},
    )


def stop_mail(*, player: Player, kinds: Iterable[str], now: datetime) -> None:
    """Other ways that he chose go on."""
    change(player=player, kinds=[_without_mail(player, kind) for kind in kinds], habits={}, now=now)


def _without_mail(player: Player, kind: str) -> dict[str, Any]:
    choice = preferences.preference(player, kind)
    others = [channel for channel in choice.channels if channel != Channel.MAIL]
    timing = Timing.AT_ONCE if others else Timing.OFF
    return {"kind": kind, "timing": timing, "channels": others or choice.channels}


def _live_by(player: Player, changed: Mapping[str, Any]) -> None:
    habits = preferences.habits(player)
    for name in FIELDS:
        setattr(habits, name, changed.get(name, getattr(habits, name)))
    _require_sense(habits)
    habits.reminders = [moment for moment in REMINDERS if moment in habits.reminders]
    habits.save()


def _require_sense(habits: Habits) -> None:
    hours = [habits.digest_hour, habits.quiet_from, habits.quiet_until]
    if any(hour is not None and not 0 <= hour <= 23 for hour in hours) or hours[0] is None:
        raise BadRequest("An hour is a number from 0 to 23.")
    if (habits.quiet_from is None) != (habits.quiet_until is None):
        raise BadRequest("Quiet hours have a beginning and an end; give both or neither.")
    if habits.quiet_from is not None and habits.quiet_from == habits.quiet_until:
        raise BadRequest("Quiet hours must not be the whole day; choose “not at all” for that.")
    unknown = [moment for moment in habits.reminders if moment not in REMINDERS]
    if unknown:
        raise BadRequest(
            "There is no reminder at {moment}; there are: {moments}.",
            moment=unknown[0],
            moments=", ".join(REMINDERS),
        )


def _apply(player: Player, now: datetime) -> None:
    desk.reschedule(player=player, now=now)
    reminders.arm_games_of(player.pk, now=now)
    desk.ring_after_commit()
