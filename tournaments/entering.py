"""Players enter an event, wait for a place in it, or are invited."""

from collections.abc import Sequence
from datetime import datetime

from django.db.models import F

from accounts import locks
from accounts.models import Player
from games import blocks, budgets, elo, house_bots, outbox, salts
from games.models import Rating
from games.ratings import pool_key
from games.refusals import NotAllowed
from games.rules.position import Term
from tournaments import event_log
from tournaments.facts import EntrantInvited, InvitationDeclined
from tournaments.finding import lock, require_director, require_state
from tournaments.models import Entry, EntryState, Event, Guest, State
from tournaments.refusals import CannotEnter, NotEntered, WrongMoment

NO_INVITATIONS = Term("{name} does not accept invitations from you.")
ALREADY_INVITED = Term("{player} is already invited.")
LATE_ENTRY = ("swiss", "ladder")
"""Formats whose plan does not change when somebody joins."""
NEAR = (EntryState.ENTERED, EntryState.WAITING)
ASKED = (EntryState.INVITED, EntryState.DECLINED, EntryState.LAPSED)
"""Were named by an organiser and have not said yes; declining does not bar from entering."""


@locks.action
def enter(*, event_id: int, player: Player, now: datetime, salt: str = "") -> Entry:
    """Accepts an invitation too; twice is the same as once; a full event has a waiting list.

    The salt comes after the commitments, which were published when the event opened.
    """
    salt = salts.checked(salt)
    event = lock(event_id)
    entry = event.entries.filter(player=player).first()
    if entry is not None and entry.state in NEAR:
        return entry
    if takes_late_entries(event):
        return _salted(_enter_late(event, player, entry, now), salt)
    require_state(event, State.OPEN)
    require_not_expelled(entry)
    is_invited = entry is not None and entry.state == EntryState.INVITED
    if event.closes_at is not None and now >= event.closes_at and not is_invited:
        raise WrongMoment("Entries for this event are closed.")
    _require_welcome(event, player, entry)
    return _salted(_admit(event, player, entry, now), salt)


def require_not_expelled(entry: Entry | None) -> None:
    """An invitation lifts it; bots of the house enter at a director's word alone."""
    if entry is None or entry.state != EntryState.EXPELLED or entry.player.bot_level is not None:
        return
    raise CannotEnter(
        "You were expelled from this event. You can enter it again only if its organiser"
        " invites you."
    )


def _salted(entry: Entry, salt: str) -> Entry:
    """Once: whoever leaves and enters again keeps their first salt."""
    if salt and not entry.salt:
        entry.salt = salt
        entry.save(update_fields=["salt"])
    return entry


@locks.action
def decline(*, event_id: int, player: Player, now: datetime) -> Entry:
    """An invitation; the organiser is told, and the player can still enter."""
    event = lock(event_id)
    entry = event.entries.filter(player=player, state=EntryState.INVITED).first()
    if entry is None:
        raise NotEntered("You have no open invitation to this event.")
    entry.state = EntryState.DECLINED
    entry.save(update_fields=["state"])
    outbox.record(InvitationDeclined(event_id=event.pk, entry_id=entry.pk), now=now)
    return entry


@locks.action
def invite(*, event_id: int, player: Player, by: Player, now: datetime) -> Entry | None:
    """Asks a player to enter; of a draft that is told when it opens, and there is no entry yet."""
    event = lock(event_id)
    require_director(event, by)
    require_state(event, State.DRAFT, State.OPEN, State.RUNNING)
    if not takes_invitations(event):
        raise WrongMoment("The event has started and takes no late entries. Nobody was invited.")
    _guest, is_new = Guest.objects.get_or_create(event=event, player=player)
    if is_new:
        event_log.write(event, "invited", now=now, by=by, player=player.name)
    if event.state != State.DRAFT:
        return enter_by_director(event=event, player=player, by=by, now=now)
    if not is_new:
        raise CannotEnter(ALREADY_INVITED, player=player.name)
    require_invitable(event, player, None)
    reach(player, by, now)
    return None


@locks.action
def uninvite(*, event_id: int, player: Player, by: Player, now: datetime) -> None:
    """Takes an invitation back that was not answered; whoever has accepted is expelled instead."""
    event = lock(event_id)
    require_director(event, by)
    event.entries.filter(player=player, state=EntryState.INVITED).delete()
    event.guests.filter(player=player).delete()


def allows_late_entries(event: Event) -> bool:
    return event.late_entry and event.format in LATE_ENTRY


def takes_late_entries(event: Event) -> bool:
    return event.state == State.RUNNING and allows_late_entries(event)


def takes_invitations(event: Event) -> bool:
    return event.state in (State.DRAFT, State.OPEN) or takes_late_entries(event)


@locks.action
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
    """An invitation until the player accepts; the event is held still.

    Bots of the house always say yes, and whoever enters themselves has said so.
    """
    entry = event.entries.filter(player=player).first()
    require_invitable(event, player, entry)
    if player.pk == by.pk or player.bot_level is not None:
        if takes_late_entries(event):
            return _enter_late(event, player, entry, now)
        return _admit(event, player, entry, now)
    return _invite(event, player, entry, by, now)


def require_invitable(event: Event, player: Player, entry: Entry | None) -> None:
    if entry is not None and entry.state in NEAR:
        raise CannotEnter("{player} has already entered.", player=player.name)
    if entry is not None and entry.state == EntryState.INVITED:
        raise CannotEnter(ALREADY_INVITED, player=player.name)
    if entry is not None and entry.state == EntryState.DECLINED:
        raise CannotEnter(
            "{player} declined the invitation, but can still enter.", player=player.name
        )
    if blocks.is_blocked_by([player.pk], event.organiser_id):
        raise NotAllowed(NO_INVITATIONS, name=player.name)
    require_fit(event, player)


def reach(player: Player, by: Player, now: datetime) -> None:
    """Whoever is asked has not blocked the one who asks, who has asked few enough today."""
    blocks.require_no_block(by, player, NO_INVITATIONS)
    if player.bot_level is None and player.pk != by.pk:
        budgets.spend(budgets.Act.EVENT_INVITATION, sender=by, recipient=player, now=now)


def _invite(event: Event, player: Player, entry: Entry | None, by: Player, now: datetime) -> Entry:
    if event.entries.filter(state=EntryState.INVITED).count() >= event.most_entrants:
        raise CannotEnter(
            "At most {most} invitations can be open at once, as many as players fit in.",
            most=event.most_entrants,
        )
    entry = entry or Entry(event=event, player=player)
    entry.state, entry.rating = EntryState.INVITED, rating_of(player, event)
    entry.entered_at = now
    entry.save()
    if not is_guest(event, player):
        event_log.write(event, "invited", now=now, by=by, player=player.name)
    fact = EntrantInvited(event_id=event.pk, entry_id=entry.pk, by_id=by.pk)
    outbox.record(fact, now=now)
    reach(player, by, now)
    return entry


def _require_welcome(event: Event, player: Player, entry: Entry | None) -> None:
    is_asked = entry is not None and entry.state in ASKED
    if event.invitation_only and not is_asked and not is_guest(event, player):
        raise CannotEnter("This event is by invitation only; ask its organiser for one.")
    require_fit(event, player)


def is_guest(event: Event, player: Player) -> bool:
    return event.guests.filter(player=player).exists()


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
    if entry is not None and entry.state not in ASKED:
        raise CannotEnter("You have left this event and cannot enter it again.")
    _require_welcome(event, player, entry)
    if event.entries.filter(state=EntryState.ENTERED).count() >= event.most_entrants:
        raise CannotEnter("This event is full.")
    last = event.rounds.order_by("-number").values_list("number", flat=True).first() or 0
    number = event.entries.order_by(F("number").desc(nulls_last=True))[0].number or 0
    place = event.entries.order_by(F("place").desc(nulls_last=True))[0].place
    made = entry or Entry(event=event, player=player)
    made.state, made.number, made.joined_round = EntryState.ENTERED, number + 1, last + 1
    made.rating, made.entered_at = rating_of(player, event), now
    made.place = place + 1 if place is not None else None
    made.save()
    event_log.write(event, "late-entry", now=now, player=player.name, round=last + 1)
    return made
