"""An event goes on: it starts, its next games are paired and begun, and in the end it is over."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from accounts import locks
from accounts.models import Player
from games import outbox
from games.rules.position import Refusal
from tournaments import entering, errands, event_log, seasons, tables
from tournaments.facts import EventCalledOff, EventFinished, EventStarted, RoundEnded, RoundPaired
from tournaments.finding import format_of, lock, require_director, require_state
from tournaments.formats.format import Format, TooFew, check_games
from tournaments.formats.history import Draw, Entrant, History, Unpairable
from tournaments.formats.ladder import Ladder
from tournaments.formats.league import League
from tournaments.formats.round_robin import RoundRobin
from tournaments.formats.stages import Stages
from tournaments.formats.swiss import Swiss
from tournaments.models import Entry, EntryState, Event, Meeting, Rest, Round, State
from tournaments.rows import Told, tell, without_struck

ROWS_AT_ONCE = 1000


@locks.action
def start(*, event_id: int, by: Player | None, now: datetime) -> Event:
    """Numbers the entrants; a worker pairs them. Too few, and the event is called off."""
    event = lock(event_id)
    if by is not None:
        require_director(event, by)
    require_state(event, State.OPEN)
    entries = list(event.entries.filter(state=EntryState.ENTERED).select_related("player"))
    if len(entries) < event.least_entrants:
        return _start_too_few(event, len(entries), by, now)
    try:
        format = format_of(event)
        format.check(len(entries))
        check_games(format, len(entries))
    except Refusal as refusal:
        if by is not None:
            raise
        return call_off(event, "called-off", now, reason=refusal)
    _number(event, entries)
    event.state, event.started_at, event.due_at = State.RUNNING, now, None
    event.save()
    event_log.write(event, "started", now=now, by=by, entrants=len(entries))
    outbox.record(EventStarted(event_id=event.pk), now=now)
    errands.note(event.pk, now=now)
    return event


@locks.action
def advance(*, event_id: int, now: datetime) -> None:
    """Pairs whatever is wanted next; asked again, it finds nothing to do."""
    event = lock(event_id)
    if event.state == State.RUNNING:
        go_on(event, now=now)


def go_on(event: Event, *, now: datetime) -> None:
    """The event is held still: pairings, log and facts are one transaction; games begin later."""
    format = format_of(event)
    told = tell(event, format)
    if isinstance(format, Stages):
        told = _draw_final(event, format, told, now)
    draw = Draw(over=True)
    if not _is_past_its_end(event, told, now):
        draw = _next_draw(event, format, told, now)
    _seal(event, format, told, draw, now)
    if draw.over:
        finish(event, now=now)
        return
    _pair(event, told, draw, now)
    set_due(event)


def _is_past_its_end(event: Event, told: Told, now: datetime) -> bool:
    """The last day has come and everything that was begun is decided."""
    if event.ends_at is None or now < event.ends_at:
        return False
    return all(row.settled_at for row in told.meetings)


def _next_draw(event: Event, format: Format, told: Told, now: datetime) -> Draw:
    try:
        return format.next(told.history, seed=event.seed)
    except Unpairable as refusal:
        _note_unpairable(event, refusal, told, now)
        return Draw()


def finish(event: Event, *, now: datetime) -> None:
    """The final places are written down once; what is decided later does not move them."""
    tables.write_final_ranks(event)
    event.state, event.finished_at, event.due_at = State.FINISHED, now, None
    event.save()
    event_log.write(event, "finished", now=now)
    outbox.record(EventFinished(event_id=event.pk), now=now)
    seasons.renew(event, now=now)


def set_due(event: Event) -> None:
    """When the sweep must look again: the nearest deadline of a round, or the last day."""
    deadlines = [
        round.deadline_at
        for round in event.rounds.filter(sealed_at=None)
        if round.deadline_at is not None and event.round_end != Event.RoundEnd.WAIT
    ]
    if event.ends_at is not None:
        deadlines.append(event.ends_at)
    event.due_at = min(deadlines, default=None)
    event.save(update_fields=["due_at"])


def _start_too_few(event: Event, entrants: int, by: Player | None, now: datetime) -> Event:
    if by is not None:
        raise TooFew(
            "This event needs at least {least} entrants; it has {entrants}.",
            least=event.least_entrants,
            entrants=entrants,
        )
    return call_off(event, "too-few", now, entrants=entrants, least=event.least_entrants)


def call_off(event: Event, what: str, now: datetime, **words: Any) -> Event:
    """The event is held still; `what` is the line of its log that says why."""
    event.state, event.finished_at, event.due_at = State.CALLED_OFF, now, None
    event.save()
    event_log.write(event, what, now=now, **words)
    outbox.record(EventCalledOff(event_id=event.pk), now=now)
    return event


def _number(event: Event, entries: list[Entry]) -> None:
    """Start numbers by rating, sections as the format makes them, places on a ladder."""
    format = format_of(event)
    ratings = entering.ratings_of([entry.player for entry in entries], event)
    for entry in entries:
        entry.rating = ratings[entry.player_id]
    entries.sort(key=lambda entry: (-entry.rating, entry.entered_at, entry.pk))
    for number, entry in enumerate(entries, 1):
        entry.number = number
        entry.place = number if isinstance(format, Ladder) else None
    _assign_sections(format, entries)
    Entry.objects.bulk_update(entries, ["number", "rating", "place", "section"])
    event.entries.filter(state=EntryState.WAITING).update(state=EntryState.WITHDRAWN)
    if not entering.allows_late_entries(event):
        event.entries.filter(state=EntryState.INVITED).update(state=EntryState.LAPSED)


def _assign_sections(format: Format, entries: list[Entry]) -> None:
    entrants = [Entrant(number=e.number or 0, rating=e.rating) for e in entries]
    sections: Sequence[Sequence[int]] = ()
    if isinstance(format, League):
        sections = _divisions(format, entries)
    elif isinstance(format, RoundRobin | Stages):
        sections = format.sections(entrants)
    of = {number: at for at, numbers in enumerate(sections, 1) for number in numbers}
    for entry in entries:
        entry.section = of.get(entry.number or 0, 0)


def _divisions(format: League, entries: list[Entry]) -> Sequence[Sequence[int]]:
    """As the season before earned them, free places filled from below; newcomers come last.

    Of a first season everybody is new. Entries of a later one were made in their order.
    """
    known = sorted((entry for entry in entries if entry.section), key=lambda entry: entry.pk)
    new = [entry for entry in entries if not entry.section]
    return format.divide([entry.number or 0 for entry in (*known, *new)])


def _seal(event: Event, format: Format, told: Told, draw: Draw, now: datetime) -> None:
    """A round is done when it and all before it are; of a Swiss round the standing is told."""
    if getattr(format, "at_once", 0) and not draw.over:
        return
    open_rounds = [row.round for row in told.meetings if row.settled_at is None]
    open_rounds += [pairing.round for pairing in draw.pairings]
    done = event.rounds.filter(sealed_at=None)
    if open_rounds:
        done = done.filter(number__lt=min(open_rounds))
    for round in done:
        round.sealed_at = now
        round.save(update_fields=["sealed_at"])
        if isinstance(format, Swiss) and not draw.over:
            outbox.record(RoundEnded(event_id=event.pk, round=round.number), now=now)


def _draw_final(event: Event, format: Stages, told: Told, now: datetime) -> Told:
    """Who is in the final is stored with its drawing, so that no late ruling changes it."""
    if any(entry.qualified for entry in told.entries.values()):
        return told
    if not format.sections_are_over(told.history, seed=event.seed):
        return told
    qualifiers = format.qualifiers(_with_nothing_struck(told), seed=event.seed)
    for seed, number in enumerate(qualifiers, 1):
        told.entries[number].qualified = seed
        told.entries[number].save(update_fields=["qualified"])
    players = ", ".join(told.entries[number].player.name for number in qualifiers)
    event_log.write(event, "final", now=now, players=players)
    return tell(event, format)


def _with_nothing_struck(told: Told) -> History:
    """Without the games of those who are struck; they themselves keep their place in the plan."""
    counted = without_struck(told)
    return replace(told.history, meetings=counted.meetings)


def _note_unpairable(event: Event, refusal: Unpairable, told: Told, now: datetime) -> None:
    """Said once for a round; its organiser can finish the event or let somebody in."""
    round = max((meeting.round for meeting in told.meetings), default=0) + 1
    if not event.log.filter(what="unpairable", words__round=round).exists():
        event_log.write(event, "unpairable", now=now, round=round, reason=refusal)


def _pair(event: Event, told: Told, draw: Draw, now: datetime) -> None:
    rounds = sorted({each.round for each in draw.pairings} | {each.round for each in draw.idles})
    if not rounds:
        return
    for number in rounds:
        _open_round(event, number, now)
    paired = Meeting.objects.bulk_create(
        (
            Meeting(
                event=event, round=pairing.round, leg=pairing.leg,
                first=told.entries[pairing.first], second=told.entries[pairing.second],
            )
            for pairing in draw.pairings
        ),
        batch_size=ROWS_AT_ONCE,
    )  # fmt: skip
    Rest.objects.bulk_create(
        Rest(event=event, round=idle.round, entry=told.entries[idle.number], kind=idle.kind)
        for idle in draw.idles
    )
    for number in rounds:
        games = sum(pairing.round == number for pairing in draw.pairings)
        event_log.write(event, "paired", now=now, round=number, games=games)
    if paired:
        _leave_to_the_worker(event, min(meeting.pk for meeting in paired))
    else:
        fact = RoundPaired(event_id=event.pk, rounds=rounds, first_meeting=0, last_meeting=0)
        outbox.record(fact, now=now)


def _leave_to_the_worker(event: Event, first: int) -> None:
    if event.unbegun_from is None:
        event.unbegun_from = first
        event.save(update_fields=["unbegun_from"])
    errands.ring_after_commit()


def _open_round(event: Event, number: int, now: datetime) -> None:
    """A round that is paired piece by piece keeps its first deadline."""
    deadline = now + timedelta(days=event.round_days) if event.round_days else None
    Round.objects.get_or_create(
        event=event, number=number, defaults={"paired_at": now, "deadline_at": deadline}
    )
