"""Somebody leaves an event, and his games are treated by the rule declared beforehand."""

from datetime import datetime

from django.db import transaction
from django.db.models import Q
from django.utils.translation import gettext

from accounts.models import Player
from games import outbox
from tournaments import advancing, entering, event_log
from tournaments.deciding import Decision, decide
from tournaments.facts import EntrantLeft
from tournaments.finding import lock, require_director, require_state
from tournaments.formats.ladder import Ladder
from tournaments.models import Entry, EntryState, Event, State
from tournaments.refusals import BadEvent, NotEntered

WORDS = {
    EntryState.WITHDRAWN: "left",
    EntryState.EXPELLED: "expelled",
    EntryState.VANISHED: "vanished",
}
EVERYBODY_MEETS = ("round-robin", "league", "stages")


def leave(*, event_id: int, player: Player, now: datetime) -> Entry:
    """Before the start whoever waits moves up; afterwards his games are forfeited or struck."""
    with transaction.atomic():
        event = lock(event_id)
        require_state(event, State.OPEN, State.RUNNING)
        entry = entry_of(event, player)
        take_out(event, entry, EntryState.WITHDRAWN, now=now)
    advancing.advance(event_id=event_id, now=now)
    return entry


def expel(*, event_id: int, player: Player, by: Player, reason: str, now: datetime) -> Entry:
    with transaction.atomic():
        event = lock(event_id)
        require_director(event, by)
        require_state(event, State.OPEN, State.RUNNING)
        reason = checked_reason(reason)
        entry = entry_of(event, player)
        take_out(event, entry, EntryState.EXPELLED, now=now, by=by, reason=reason)
    advancing.advance(event_id=event_id, now=now)
    return entry


def checked_reason(reason: str) -> str:
    reason = reason.strip()
    if not reason or len(reason) > 500 or "\0" in reason:
        raise BadEvent("Say in 1 to 500 characters why, for everyone to read.")
    return reason


def take_out(
    event: Event, entry: Entry, state: EntryState, *, now: datetime, by: Player | None = None,
    reason: str = "",
) -> None:  # fmt: skip
    """The event is held still; nothing is paired here. Games come first, entrants' rows last."""
    running = event.state == State.RUNNING
    entry.struck = running and is_struck(event, entry)
    if running:
        _give_up_games(event, entry, now)
        _hold_places(event)
    entry.state = state
    entry.left_round = event.rounds.order_by("-number").values_list("number", flat=True).first()
    entry.place = None
    entry.save(update_fields=["state", "left_round", "struck", "place"])
    words = {"player": entry.player.name, "reason": reason, "timeouts": entry.timeouts}
    event_log.write(event, WORDS[state], now=now, by=by, **words)
    if running:
        _tell_the_rule(event, entry, now)
        _close_the_ranks(event)
    else:
        entering.move_up(event, now=now)
    outbox.record(EntrantLeft(event_id=event.pk, entry_id=entry.pk), now=now)


def is_struck(event: Event, entry: Entry) -> bool:
    """Under half of his games played, if that was declared and everybody meets everybody."""
    if event.drop_out != Event.DropOut.STRIKE or event.format not in EVERYBODY_MEETS:
        return False
    if entry.qualified:
        return False
    planned, played = games_of(event, entry)
    return 2 * played < planned


def games_of(event: Event, entry: Entry) -> tuple[int, int]:
    """How many games he has in all by the schedule, and how many are played to the end."""
    others = event.entries.filter(section=entry.section).exclude(number=None).exclude(pk=entry.pk)
    planned = others.count() * (2 if event.settings.get("double") else 1)
    his = event.meetings.filter(Q(first=entry) | Q(second=entry))
    played = his.filter(settled_at__isnull=False, forfeit=False).count()
    return planned, played


def entry_of(event: Event, player: Player) -> Entry:
    entry = event.entries.select_related("player").filter(player=player).first()
    if entry is None or entry.state not in entering.NEAR:
        raise NotEntered("{player} is not in this event.", player=player.name)
    return entry


def _give_up_games(event: Event, entry: Entry, now: datetime) -> None:
    """His running games are lost: rated if both have moved, void and forfeited if not."""
    his = event.meetings.filter(Q(first=entry) | Q(second=entry), settled_at=None)
    reason = gettext("{player} left the event.").format(player=entry.player.name)
    decisions = [
        Decision(
            meeting=meeting,
            score=0 if meeting.first_id == entry.pk else 2,
            other_score=2 if meeting.first_id == entry.pk else 0,
            reason=reason,
        )
        for meeting in his.order_by("id")
    ]
    decide(event, decisions, now=now)


def _tell_the_rule(event: Event, entry: Entry, now: datetime) -> None:
    if event.format in EVERYBODY_MEETS:
        what = "struck" if entry.struck else "forfeited"
        event_log.write(event, what, now=now, player=entry.player.name)


def _hold_places(event: Event) -> None:
    """All of a ladder and in one order, as a game that ends on it does."""
    if event.format == Ladder.key:
        list(event.entries.select_for_update(of=("self",), no_key=True).order_by("id"))


def _close_the_ranks(event: Event) -> None:
    """On a ladder those below move up."""
    for place, entry in enumerate(event.entries.exclude(place=None).order_by("place"), 1):
        if entry.place != place:
            entry.place = place
            entry.save(update_fields=["place"])
