"""Players enter an event, wait for a place in it, or are invited."""

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import F

from accounts.models import Player
from games import elo, house_bots
from games.models import Rating
from games.ratings import pool_key
from tournaments import event_log
from tournaments.finding import lock, require_director, require_state
from tournaments.models import Entry, EntryState, Event, Guest, State
from tournaments.refusals import CannotEnter, WrongMoment

LATE_ENTRY = ("swiss", "ladder")
"""Formats whose plan does not change when somebody joins."""
NEAR = (EntryState.ENTERED, EntryState.WAITING)


@transaction.atomic
def enter(*, event_id: int, player: Player, now: datetime) -> Entry:
    """Entering twice is the same as once; a full event has a waiting list."""
    event = lock(event_id)
    entry = event.entries.filter(player=player).first()
    if entry is not None and entry.state in NEAR:
        return entry
    if event.state == State.RUNNING and event.late_entry and event.format in LATE_ENTRY:
        return _enter_late(event, player, entry, now)
    require_state(event, State.OPEN)
    if event.closes_at is not None and now >= event.closes_at:
        raise WrongMoment("Entries for this event are closed.")
    _require_welcome(event, player)
    return _admit(event, player, entry, now)


@transaction.atomic
def invite(*, event_id: int, player: Player, by: Player, now: datetime) -> None:
    """Lets a player enter an event that is by invitation only."""
    event = lock(event_id)
    require_director(event, by)
    require_state(event, State.DRAFT, State.OPEN, State.RUNNING)
    _guest, is_new = Guest.objects.get_or_create(event=event, player=player)
    if is_new:
        event_log.write(event, "invited", now=now, by=by, player=player.name)


@transaction.atomic
def enter_bot(*, event_id: int, level: str, by: Player, now: datetime) -> Entry:
    """A bot of the house, which needs no invitation; it leaves as whoever is expelled does."""
    event = lock(event_id)
    require_director(event, by)
    bot = house_bots.of_level(level)
    if event.invitation_only:
        Guest.objects.get_or_create(event=event, player=bot)
    return enter(event_id=event_id, player=bot, now=now)


def rating_of(player: Player, event: Event) -> int:
    return ratings_of([player], event)[player.pk]


def ratings_of(players: Sequence[Player], event: Event) -> dict[int, int]:
    """As they are shown, in the pool that the event's games are rated in."""
    pool = pool_key(event.ruleset, event.options)
    found = Rating.objects.filter(player__in=players, pool__key=pool)
    known = dict(found.values_list("player", "rating"))
    return {player.pk: elo.displayed(known.get(player.pk, elo.START)) for player in players}


def move_up(event: Event, *, now: datetime) -> None:
    """Whoever has waited longest takes a place that became free; the event is held still."""
    free = event.most_entrants - event.entries.filter(state=EntryState.ENTERED).count()
    waiting = event.entries.filter(state=EntryState.WAITING).order_by("entered_at", "id")
    for entry in waiting.select_related("player")[: max(0, free)]:
        entry.state = EntryState.ENTERED
        entry.save(update_fields=["state"])
        event_log.write(event, "moved-up", now=now, player=entry.player.name)


def enter_by_director(*, event: Event, player: Player, by: Player, now: datetime) -> Entry:
    """Without an invitation; the event is held still and the director was asked for."""
    entry = event.entries.filter(player=player).first()
    if entry is not None and entry.state in NEAR:
        return entry
    require_fit(event, player)
    return _admit(event, player, entry, now)


def _require_welcome(event: Event, player: Player) -> None:
    if event.invitation_only and not event.guests.filter(player=player).exists():
        raise CannotEnter("This event is by invitation only; ask its organiser for one.")
    require_fit(event, player)


def require_fit(event: Event, player: Player) -> None:
    """Whoever enters, and however, is somebody for whom the event was declared."""
    if not player.is_active or player.is_guest:
        raise CannotEnter("Only players with an account can enter an event.")
    if player.is_bot and not event.bots_allowed:
        raise CannotEnter(
            "Bots cannot enter this event. They can enter one that is not rated, if its organiser "
            "allowed it from the beginning."
        )
    rating = rating_of(player, event)
    if not (event.rating_from or 0) <= rating <= (event.rating_to or 9999):
        raise CannotEnter(
            "This event is for ratings from {least} to {most}; yours is {rating}.",
            least=event.rating_from or 0,
            most=event.rating_to or 9999,
            rating=rating,
        )


def _admit(event: Event, player: Player, entry: Entry | None, now: datetime) -> Entry:
    full = event.entries.filter(state=EntryState.ENTERED).count() >= event.most_entrants
    entry = entry or Entry(event=event, player=player)
    entry.state = EntryState.WAITING if full else EntryState.ENTERED
    entry.rating, entry.entered_at = rating_of(player, event), now
    entry.save()
    event_log.write(event, "waits" if full else "entered", now=now, player=player.name)
    if not full:
        _note_full(event, now)
    return entry


def _note_full(event: Event, now: datetime) -> None:
    """A full event without a time to start is due at once."""
    entered = event.entries.filter(state=EntryState.ENTERED).count()
    if event.starts_at is None and entered >= event.most_entrants:
        event.due_at = now
        event.save(update_fields=["due_at"])


def _enter_late(event: Event, player: Player, entry: Entry | None, now: datetime) -> Entry:
    if entry is not None:
        raise CannotEnter("You have left this event and cannot enter it again.")
    _require_welcome(event, player)
    if event.entries.filter(state=EntryState.ENTERED).count() >= event.most_entrants:
        raise CannotEnter("This event is full.")
    last = event.rounds.order_by("-number").values_list("number", flat=True).first() or 0
    number = event.entries.order_by(F("number").desc(nulls_last=True))[0].number or 0
    place = event.entries.order_by(F("place").desc(nulls_last=True))[0].place
    made = Entry.objects.create(
        event=event, player=player, number=number + 1, joined_round=last + 1, entered_at=now,
        rating=rating_of(player, event), place=place + 1 if place is not None else None,
    )  # fmt: skip
    event_log.write(event, "late-entry", now=now, player=player.name, round=last + 1)
    return made
