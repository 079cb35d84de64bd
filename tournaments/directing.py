"""What organisers and directors do with an event that runs, and who is one."""

from datetime import datetime

from accounts import locks
from accounts.models import Player
from games import budgets, outbox
from games.models import Game
from games.refusals import NotAllowed
from tournaments import advancing, entering, event_log, handing_over, sweeps
from tournaments.deciding import Scores, decide
from tournaments.facts import DirectorAppointed
from tournaments.finding import (
    format_of,
    lock,
    may_direct,
    require_director,
    require_organiser,
    require_state,
)
from tournaments.formats.swiss import Swiss
from tournaments.leaving import checked_reason, entry_of
from tournaments.models import Director, EntryState, Event, Meeting, Rest, State
from tournaments.refusals import BadEvent, WrongMoment

MOST_DIRECTORS = 20
BYES = ("F", "H", "Z")
LIVING = (State.DRAFT, State.OPEN, State.RUNNING)
RESULTS = {(2, 0): "1-0", (1, 1): "½-½", (0, 2): "0-1", (0, 0): "0-0"}


def may_rule(player: Player, game: Game) -> bool:
    """Directors rule on the games of their events."""
    event = Event.objects.filter(pk=game.event_id).first() if game.event_id else None
    return event is not None and player.is_active and may_direct(event, player)


@locks.action
def appoint(*, event_id: int, player: Player, by: Player, now: datetime) -> None:
    """Reaches the player as an invitation does; whoever is appointed can step down."""
    event = _of_the_organiser(event_id, by)
    if not player.is_active or player.is_bot or player.is_guest:
        raise BadEvent("Only players with an account can direct an event.")
    if event.directors.count() >= MOST_DIRECTORS:
        raise BadEvent("An event has at most {most} directors.", most=MOST_DIRECTORS)
    _director, is_new = Director.objects.get_or_create(event=event, player=player)
    if is_new:
        event_log.write(event, "director", now=now, by=by, player=player.name)
        fact = DirectorAppointed(event_id=event.pk, player_id=player.pk, by_id=by.pk)
        outbox.record(fact, now=now)
        entering.reach(player, by, now)


@locks.action
def dismiss(*, event_id: int, player: Player, by: Player, now: datetime) -> None:
    event = _of_the_organiser(event_id, by)
    gone, _ = event.directors.filter(player=player).delete()
    if gone:
        event_log.write(event, "no-director", now=now, by=by, player=player.name)


@locks.action
def step_down(*, event_id: int, by: Player, now: datetime) -> None:
    """A director dismisses themselves; an organiser who took the event over passes it on."""
    event = lock(event_id)
    require_director(event, by)
    gone, _ = event.directors.filter(player=by).delete()
    if gone:
        event_log.write(event, "stepped-down", now=now, by=by, player=by.name)
    elif may_pass_on(event, by):
        handing_over.hand_over(event, handing_over.STEPPED_DOWN, now=now, by=by)
    else:
        raise BadEvent(
            "You cannot step down: you were not appointed as a director, and you did not take the"
            " event over from somebody else."
        )


def may_pass_on(event: Event, player: Player) -> bool:
    """Whoever inherited an event was not asked."""
    is_theirs = player.pk == event.organiser_id and event.state in LIVING
    return is_theirs and handing_over.is_inherited(event)


def rule(
    *,
    event_id: int,
    meeting_id: int,
    score: int,
    other_score: int,
    by: Player,
    reason: str,
    now: datetime,
) -> Meeting:
    """Sets what two came to, in half points: 2-0, 1-1, 0-2, or 0-0 if neither deserves a point."""
    meeting = _rule(event_id, meeting_id, (score, other_score), by, reason, now)
    advancing.advance(event_id=event_id, now=now)
    return meeting


@locks.action
def _rule(
    event_id: int, meeting_id: int, scores: Scores, by: Player, reason: str, now: datetime
) -> Meeting:
    event = lock(event_id)
    require_director(event, by)
    require_state(event, State.RUNNING, State.FINISHED)
    reason = checked_reason(reason)
    meeting = _meeting(event, meeting_id)
    if scores not in RESULTS:
        raise BadEvent("A result is 2-0, 1-1, 0-2 or 0-0 in half points.")
    decide(
        event, [meeting], lambda *_: scores, reason=reason, by=by, now=now, even_if_over=True
    )  # fmt: skip
    on = f"g{meeting.game_id}" if meeting.game_id else f"m{meeting.pk}"
    budgets.spend_on_ruling(budgets.Act.RULING, on=on, by=by, now=now)
    _log_ruling(event, meeting, by, reason, now)
    return meeting


@locks.action
def give_bye(
    *, event_id: int, player: Player, kind: str, by: Player, now: datetime, round: int | None = None
) -> Rest:
    """The player sits out a round that is not paired yet: F for a point, H for half, Z for none."""
    event = lock(event_id)
    require_director(event, by)
    if player.pk == by.pk:
        raise NotAllowed("You cannot give yourself a bye; another director or the staff can.")
    if event.entries.filter(player=by, state=EntryState.ENTERED).exists():
        raise NotAllowed(
            "You play in this event yourself; another director or the staff can give byes."
        )
    require_state(event, State.RUNNING)
    format = format_of(event)
    if not isinstance(format, Swiss):
        raise BadEvent("Only Swiss events have byes that are given.")
    if kind not in BYES:
        raise BadEvent("A bye is F for a point, H for half a point or Z for none.")
    last = event.rounds.order_by("-number").values_list("number", flat=True).first() or 0
    number = round if round is not None else last + 1
    if not last < number <= format.rounds:
        raise WrongMoment("Round {round} is paired already, or there is none.", round=number)
    entry = entry_of(event, player)
    rest, is_new = Rest.objects.update_or_create(
        event=event, round=number, entry=entry, defaults={"kind": kind}
    )
    if is_new:
        event_log.write(event, "bye", now=now, by=by, player=player.name, round=number)
    return rest


def finish_now(*, event_id: int, by: Player, now: datetime) -> Event:
    """What still runs is decided as at the last day; nothing more is paired."""
    event = _decide_the_rest(event_id, by, now)
    advancing.advance(event_id=event_id, now=now)
    event.refresh_from_db()
    return event


@locks.action
def _decide_the_rest(event_id: int, by: Player, now: datetime) -> Event:
    event = lock(event_id)
    require_director(event, by)
    require_state(event, State.RUNNING)
    running = event.meetings.filter(settled_at=None).order_by("id")
    games = sweeps.decide_by_rule(event, running, by=by, now=now)
    event_log.write(event, "ended", now=now, by=by, games=games)
    event.ends_at = event.due_at = now
    event.save(update_fields=["ends_at", "due_at"])
    return event


@locks.action
def postpone(
    *,
    event_id: int,
    by: Player,
    now: datetime,
    starts_at: datetime | None = None,
    closes_at: datetime | None = None,
) -> Event:
    """An open event gets more time to fill."""
    event = lock(event_id)
    require_director(event, by)
    require_state(event, State.OPEN)
    for time in (starts_at, closes_at):
        if time is not None and time <= now:
            raise BadEvent("The closing, the start and the end lie in the future.")
    event.starts_at = starts_at or event.starts_at
    event.closes_at = closes_at or event.closes_at
    there = [at for at in (event.closes_at, event.starts_at, event.ends_at) if at is not None]
    if there != sorted(there):
        raise BadEvent("Entries close before the start, and the start is before the end.")
    event.due_at = event.starts_at or event.closes_at
    event.save(update_fields=["starts_at", "closes_at", "due_at"])
    event_log.write_once(event, "postponed", now=now, by=by)
    return event


def _of_the_organiser(event_id: int, by: Player) -> Event:
    event = lock(event_id)
    require_organiser(event, by)
    require_state(event, *LIVING)
    return event


def _meeting(event: Event, meeting_id: int) -> Meeting:
    found = event.meetings.select_related("first__player", "second__player")
    meeting = found.filter(pk=meeting_id).first()
    if meeting is None:
        raise BadEvent("There is no such game in this event.")
    return meeting


def _log_ruling(event: Event, meeting: Meeting, by: Player, reason: str, now: datetime) -> None:
    assert meeting.score is not None
    assert meeting.other_score is not None
    words = {
        "first": meeting.first.player.name,
        "second": meeting.second.player.name,
        "round": meeting.round,
        "result": RESULTS[meeting.score, meeting.other_score],
        "reason": reason,
    }
    event_log.write(event, "ruled", now=now, by=by, **words)
