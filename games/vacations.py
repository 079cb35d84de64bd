"""Time off: begun, ended, taken by itself before a flag falls; every clock of the player stops."""

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta

from django.db.models import F

from accounts import locks
from games import clock, outbox
from games.clock import Interval
from games.events import VacationChanged
from games.models import Game, Participant, Status, Vacation
from games.refusals import NotAllowed, NothingToAnswer
from games.table import look


def balance(player_id: int, *, now: datetime) -> timedelta:
    """What a player has saved."""
    participant = Participant.objects.select_related("player").get(pk=player_id)
    return _balance(participant, now)


def _balance(participant: Participant, now: datetime) -> timedelta:
    taken = [
        Interval(vacation.began_at, vacation.ends_at)
        for vacation in Vacation.objects.filter(player_id=participant.pk, began_at__lte=now)
    ]
    return clock.vacation_balance(participant.player.joined_at, taken, now)


@locks.action
def begin(*, player_id: int, until: datetime | None = None, now: datetime) -> Vacation:
    """Until a chosen end, at the latest when what was saved is used up."""
    participant = _locked(player_id)
    if _going_on(player_id, now):
        raise NotAllowed("You are on vacation already.")
    saved = _balance(participant, now)
    if saved <= clock.NOTHING:
        raise NotAllowed("You have no vacation saved yet; each day earns three hours.")
    ends_at = clock.vacation_end(now, saved)
    if until is not None:
        if until <= now:
            raise NotAllowed("A vacation ends after it has begun.")
        ends_at = min(ends_at, until)
    return _begin(player_id, Interval(now, ends_at), automatic=False, now=now)


@locks.action
def end(*, player_id: int, now: datetime) -> None:
    """Back early: the clocks run from now on."""
    _locked(player_id)
    vacation = _going_on(player_id, now)
    if vacation is None:
        raise NothingToAnswer("You are not on vacation.")
    vacation.ends_at = now
    vacation.save(update_fields=["ends_at"])
    outbox.record(
        VacationChanged(player_id=player_id, began=False, automatic=vacation.automatic), now=now
    )


@locks.action
def choose(*, player_id: int, automatic: bool) -> None:
    """Whether a vacation begins by itself before a flag falls."""
    _locked(player_id)
    Participant.objects.filter(pk=player_id).update(takes_vacation_automatically=automatic)


def take_automatically(
    player_ids: Iterable[int], *, due_by: Mapping[str, datetime], now: datetime
) -> set[int]:
    """For those who wish it and have any saved: from when their first flag falls.

    `due_by` is the moment for each way in: none is spent on time that may be given back.
    """
    willing = Participant.objects.filter(
        pk__in=set(player_ids), takes_vacation_automatically=True
    ).values_list("pk", flat=True)
    return {
        player_id for player_id in sorted(willing) if _take_automatically(player_id, due_by, now)
    }


@locks.action
def _take_automatically(player_id: int, due_by: Mapping[str, datetime], now: datetime) -> bool:
    participant = _locked(player_id)
    flag_at = _first_flag(player_id, due_by)
    if flag_at is None:
        return False
    taken = clock.automatic_vacation(flag_at, _balance(participant, flag_at))
    if taken is None:
        return False
    _begin(player_id, _before_the_next(player_id, taken), automatic=True, now=now)
    return True


def _first_flag(player_id: int, due_by: Mapping[str, datetime]) -> datetime | None:
    """By all pauses that are known now, so that no vacation is spent on an older deadline."""
    due = Game.objects.filter(
        status=Status.RUNNING,
        vacation_allowed=True,
        deadline_at__lte=max(due_by.values()),
        seats__player_id=player_id,
        seats__number=F("seat_to_move"),
    )
    # Not locked: a move that comes between only means that the vacation was not needed.
    tables = look(list(due.values_list("pk", flat=True)))
    due_here = (t for t in tables if t.is_running and t.mover.player_id == player_id)
    return min((t.flag_falls_at() for t in due_here if t.ran_out(due_by)), default=None)


def _before_the_next(player_id: int, taken: Interval) -> Interval:
    """Vacations never overlap: one that was begun since the flag fell takes over."""
    later = Vacation.objects.filter(player_id=player_id, began_at__range=(taken.start, taken.end))
    following = later.order_by("began_at").first()
    return Interval(taken.start, following.began_at) if following else taken


def _begin(player_id: int, taken: Interval, *, automatic: bool, now: datetime) -> Vacation:
    vacation = Vacation.objects.create(
        player_id=player_id, began_at=taken.start, ends_at=taken.end, automatic=automatic
    )
    outbox.record(VacationChanged(player_id=player_id, began=True, automatic=automatic), now=now)
    return vacation


def _going_on(player_id: int, now: datetime) -> Vacation | None:
    return Vacation.objects.filter(player_id=player_id, began_at__lte=now, ends_at__gt=now).first()


def _locked(player_id: int) -> Participant:
    Participant.objects.get_or_create(player_id=player_id)
    return (
        Participant.objects.select_for_update(no_key=True, of=("self",))
        .select_related("player")
        .get(pk=player_id)
    )
