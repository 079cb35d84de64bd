"""An event is prepared, opened for entries, or called off before it starts."""

import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime, timedelta

from accounts import locks
from accounts.models import Player
from games import clock, outbox
from games.refusals import NotAllowed, TooMany
from games.rules.position import Refusal, checked_options
from games.starting import known_ruleset
from tournaments import event_dice, event_log
from tournaments.entering import LATE_ENTRY
from tournaments.facts import EventCalledOff, EventOpened
from tournaments.finding import lock, require_director, require_state
from tournaments.formats import registry, tie_breaks
from tournaments.formats.format import Format, check_games
from tournaments.models import Event, State
from tournaments.refusals import BadEvent

NEW_FOR = timedelta(days=14)
MOST_EVENTS_OF_THE_NEW = 1
MOST_EVENTS = 10
LIVING = (State.DRAFT, State.OPEN, State.RUNNING)
DEFAULT_TIE_BREAKS = {
    "swiss": ["BH-C1", "BH", "SB", "DE", "WON", "LOT"],
    "knockout": [],
    "ladder": [],
}
USUAL_TIE_BREAKS = ["DE", "SB", "WON", "KS"]


@dataclass(frozen=True, kw_only=True)
class Plan:
    """All that an organiser fills in; whatever is left out is as usual for the format."""

    name: str
    format: str
    ruleset: str
    clock: clock.Clock
    about: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)
    options: Mapping[str, object] = field(default_factory=dict)
    tie_breaks: list[str] | None = None
    rules_edition: str = "2026"
    rated: bool = True
    weekends: bool = False
    vacation_allowed: bool = True
    bots_allowed: bool = False
    least_entrants: int = 3
    most_entrants: int = 16
    rating_from: int | None = None
    rating_to: int | None = None
    invitation_only: bool = False
    late_entry: bool = False
    closes_at: datetime | None = None
    starts_at: datetime | None = None
    round_days: int | None = None
    ends_at: datetime | None = None
    round_end: str = Event.RoundEnd.WAIT
    drop_out: str = Event.DropOut.STRIKE
    renews: bool = False


@locks.action
def prepare(*, plan: Plan, organiser: Player, now: datetime) -> Event:
    """A draft that its organiser alone sees."""
    if not organiser.is_active or organiser.is_guest:
        raise NotAllowed("Only players with an account can organise an event.")
    Player.objects.select_for_update(no_key=True, of=("self",)).get(pk=organiser.pk)
    _require_room(organiser, now)
    event = Event(organiser=organiser, seed=secrets.token_hex(16), created_at=now)
    _fill(event, plan)
    event.save()
    event_log.write(event, "created", now=now, by=organiser)
    return event


@locks.action
def change(*, event_id: int, plan: Plan, by: Player, now: datetime) -> Event:
    """Only a draft: what people enter is not changed under their hands."""
    event = lock(event_id)
    require_director(event, by)
    require_state(event, State.DRAFT)
    _fill(event, plan)
    event.save()
    event_log.write_once(event, "changed", now=now, by=by)
    return event


@locks.action
def open_entries(*, event_id: int, by: Player, now: datetime) -> Event:
    event = lock(event_id)
    require_director(event, by)
    require_state(event, State.DRAFT)
    _require_future(event, now)
    event.state, event.opened_at = State.OPEN, now
    event.due_at = _next_look(event)
    event.dice_key = event_dice.new_key(event, now=now)
    event.save()
    event_log.write(event, "opened", now=now, by=by)
    outbox.record(EventOpened(event_id=event.pk), now=now)
    return event


@locks.action
def call_off(*, event_id: int, by: Player | None, reason: str, now: datetime) -> Event:
    """Before it starts; a running event is finished instead."""
    event = lock(event_id)
    if by is not None:
        require_director(event, by)
    require_state(event, State.DRAFT, State.OPEN)
    if not (reason := reason.strip()) or len(reason) > 500:
        raise BadEvent("Say in 1 to 500 characters why, for everyone to read.")
    event.state, event.finished_at, event.due_at = State.CALLED_OFF, now, None
    event.save()
    event_log.write(event, "called-off", now=now, by=by, reason=reason)
    outbox.record(EventCalledOff(event_id=event.pk), now=now)
    return event


def _require_room(organiser: Player, now: datetime) -> None:
    is_new = now - organiser.joined_at < NEW_FOR
    most = MOST_EVENTS_OF_THE_NEW if is_new and not organiser.is_staff else MOST_EVENTS
    running = Event.objects.filter(organiser=organiser, state__in=LIVING)
    # Whoever inherited an event did not ask for it.
    if running.exclude(log__what="handed-over").count() >= most:
        raise TooMany(
            "You run {most} events already, the most you can at present; finish one first.",
            most=most,
        )


def _fill(event: Event, plan: Plan) -> None:
    values = asdict(plan)
    rules = known_ruleset(plan.ruleset)
    format = registry.from_json({"format": plan.format, **plan.settings})
    values |= {
        "name": " ".join(plan.name.split()),
        "about": plan.about.strip(),
        "clock": clock.to_json(plan.clock),
        "options": checked_options(rules.options, plan.options),
        "settings": {k: v for k, v in registry.to_json(format).items() if k != "format"},
        "tie_breaks": _tie_breaks(plan),
    }
    for name, value in values.items():
        setattr(event, name, value)
    _check(event, plan)
    format.check(plan.most_entrants)
    check_games(format, plan.most_entrants)
    event.least_entrants = _enough(format, plan)


def _enough(format: Format, plan: Plan) -> int:
    """As declared, but never fewer than the format can be played with."""
    for entrants in range(plan.least_entrants, plan.most_entrants):
        try:
            format.check(entrants)
        except Refusal:
            continue
        return entrants
    return plan.most_entrants


def _tie_breaks(plan: Plan) -> list[str]:
    if plan.tie_breaks is None:
        return list(DEFAULT_TIE_BREAKS.get(plan.format, USUAL_TIE_BREAKS))
    return [tie_breaks.parse(text).code for text in plan.tie_breaks]


def _check(event: Event, plan: Plan) -> None:
    if not 3 <= len(event.name) <= 80:
        raise BadEvent("The name of an event has 3 to 80 characters.")
    if len(event.about) > 4000:
        raise BadEvent("The description has at most 4000 characters.")
    if "\0" in event.name + event.about:
        raise BadEvent("A name and a description are plain text.")
    if not 2 <= plan.least_entrants <= plan.most_entrants <= 5000:
        raise BadEvent("Entrants: at least 2, at most 5000, and the fewest not above the most.")
    if (plan.rating_from or 0) > (plan.rating_to or 9999):
        raise BadEvent("The lowest rating is above the highest.")
    if plan.rules_edition not in Event.Edition.values:
        raise BadEvent("The edition of the tie-breaks is 2023 or 2026.")
    if plan.round_end not in Event.RoundEnd.values or plan.drop_out not in Event.DropOut.values:
        raise BadEvent("There is no such rule for a deadline or for somebody who leaves.")
    if plan.round_days is not None and not 1 <= plan.round_days <= 365:
        raise BadEvent("A round lasts 1 to 365 days.")
    if plan.late_entry and plan.format not in LATE_ENTRY:
        raise BadEvent("Only Swiss events and ladders can be entered after the start.")
    if plan.renews and plan.format != "league":
        raise BadEvent("Only a league is followed by a new season.")
    if plan.bots_allowed and plan.rated:
        raise BadEvent("Bots may enter events that are not rated; leave one of the two out.")
    if plan.round_end != Event.RoundEnd.WAIT and not (plan.round_days or plan.ends_at):
        raise BadEvent("A rule for the deadline needs one: say how many days a round lasts.")
    _check_times(event)


def _check_times(event: Event) -> None:
    times = [event.closes_at, event.starts_at, event.ends_at]
    there = [time for time in times if time is not None]
    if there != sorted(there):
        raise BadEvent("Entries close before the start, and the start is before the end.")


def _require_future(event: Event, now: datetime) -> None:
    for time in (event.closes_at, event.starts_at, event.ends_at):
        if time is not None and time <= now:
            raise BadEvent("The closing, the start and the end lie in the future.")


def _next_look(event: Event) -> datetime | None:
    """When the sweep must come by, if nobody fills the event before."""
    return event.starts_at or event.closes_at
