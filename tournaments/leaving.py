"""Somebody leaves an event, and his games are treated by the rule declared beforehand."""

from datetime import datetime

from django.db.models import Q
from django.utils.translation import gettext

from accounts import locks
from accounts.models import Player
from games import outbox
from games.models import Game, Status
from games.refusals import NotAllowed
from games.table import BOTH_SEATS
from tournaments import advancing, entering, event_log
from tournaments.deciding import Scores, decide, hold_games, require_not_own
from tournaments.facts import EntrantLeft
from tournaments.finding import lock, require_director, require_state
from tournaments.formats.ladder import Ladder
from tournaments.models import Entry, EntryState, Event, Meeting, State
from tournaments.refusals import BadEvent, NotEntered

WORDS = {
    EntryState.WITHDRAWN: "left",
    EntryState.EXPELLED: "expelled",
    EntryState.VANISHED: "vanished",
}
EVERYBODY_MEETS = ("round-robin", "league", "stages")


def leave(*, event_id: int, player: Player, now: datetime) -> Entry:
    """Before the start whoever waits moves up; afterwards his games are forfeited or struck.

    Whoever was only invited declines.
    """
    entry = _leave(event_id, player, now)
    advancing.advance(event_id=event_id, now=now)
    return entry


@locks.action
def _leave(event_id: int, player: Player, now: datetime) -> Entry:
    event = lock(event_id)
    if event.entries.filter(player=player, state=EntryState.INVITED).exists():
        return entering.decline(event_id=event_id, player=player, now=now)
    require_state(event, State.OPEN, State.RUNNING)
    entry = entry_of(event, player)
    take_out(event, entry, EntryState.WITHDRAWN, now=now)
    return entry


def expel(*, event_id: int, player: Player, by: Player, reason: str, now: datetime) -> Entry:
    entry = _expel(event_id, player, by, reason, now)
    advancing.advance(event_id=event_id, now=now)
    return entry


@locks.action
def _expel(event_id: int, player: Player, by: Player, reason: str, now: datetime) -> Entry:
    event = lock(event_id)
    require_director(event, by)
    require_state(event, State.OPEN, State.RUNNING)
    reason = checked_reason(reason)
    entry = entry_of(event, player)
    # Results that are struck or forfeited must not be those of whoever expels.
    require_not_own(list(event.meetings.filter(_of(entry))), by)
    # Those below move up.
    if entry.place and event.entries.filter(player=by, place__gt=entry.place).exists():
        raise NotAllowed(
            "{player} is above you on this ladder; another director or the staff decides it.",
            player=player.name,
        )
    take_out(event, entry, EntryState.EXPELLED, now=now, by=by, reason=reason)
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
    if running:
        hold_games(list(event.meetings.filter(_of(entry), settled_at=None)))
        entry.struck = is_struck(event, entry)
        _give_up_games(event, entry, by, now)
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
    over = Q(settled_at=None, game__status=Status.FINISHED, game__seats_moved=BOTH_SEATS)
    played = Q(settled_at__isnull=False, forfeit=False) | over
    return planned, event.meetings.filter(_of(entry)).filter(played).count()


def _of(entry: Entry) -> Q:
    return Q(first=entry) | Q(second=entry)


def entry_of(event: Event, player: Player) -> Entry:
    entry = event.entries.select_related("player").filter(player=player).first()
    if entry is None or entry.state not in entering.NEAR:
        raise NotEntered("{player} is not in this event.", player=player.name)
    return entry


def _give_up_games(event: Event, entry: Entry, by: Player | None, now: datetime) -> None:
    """His running games are lost: rated if both have moved, void and forfeited if not."""
    reason = gettext("{player} left the event.").format(player=entry.player.name)

    def lost(meeting: Meeting, game: Game | None) -> Scores:
        return (0, 2) if meeting.first_id == entry.pk else (2, 0)

    his = event.meetings.filter(_of(entry), settled_at=None).order_by("id")
    decide(event, list(his), lost, reason=reason, by=by, now=now)


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
