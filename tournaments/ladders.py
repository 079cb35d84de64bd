"""A ladder: players challenge those above them, and places change when the game ends."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db.models import Q

from accounts import locks
from accounts.models import Player
from games import budgets
from games.events import GameFinished
from tournaments import beginning, event_log, results
from tournaments.finding import format_of, lock, require_state
from tournaments.formats.ladder import Challenge, Ladder
from tournaments.leaving import entry_of
from tournaments.models import Entry, Event, Meeting, State
from tournaments.refusals import BadEvent


@locks.action
def challenge(*, event_id: int, challenger: Player, challenged: Player, now: datetime) -> Meeting:
    """The game begins at once; whoever is challenged has the first move."""
    event = lock(event_id)
    require_state(event, State.RUNNING)
    format = _ladder(event)
    lower, upper = entry_of(event, challenger), entry_of(event, challenged)
    assert lower.number is not None
    assert upper.number is not None
    format.check_challenge(
        places_of(event), _challenges(event, lower, upper),
        challenger=lower.number, challenged=upper.number, now=now,
    )  # fmt: skip
    before = event.meetings.filter(first=upper, second=lower).count()
    meeting = Meeting(event=event, round=1, leg=before + 1, first=upper, second=lower)
    beginning.begin_game(event, meeting, now=now)
    if challenged.bot_level is None:
        budgets.spend(budgets.Act.CHALLENGE, sender=challenger, recipient=challenged, now=now)
    event_log.write(
        event, "challenged", now=now, challenger=challenger.name, challenged=challenged.name
    )
    return meeting


def within_reach(*, event: Event, player: Player) -> list[Entry]:
    """Whom he may challenge as far as places go, the highest first."""
    entry = event.entries.filter(player=player).exclude(place=None).first()
    if entry is None or entry.number is None:
        return []
    numbers = _ladder(event).within_reach(places_of(event), entry.number)
    return list(event.entries.filter(number__in=numbers).select_related("player").order_by("place"))


def places_of(event: Event) -> tuple[int, ...]:
    """Start numbers from the top down."""
    there = event.entries.exclude(place=None).exclude(number=None).order_by("place")
    return tuple(there.values_list("number", flat=True))  # type: ignore[arg-type]


def hear_of_the_end(facts: Sequence[GameFinished], *, now: datetime) -> None:
    """In the transaction in which the games end; it locks entrants only, and after all else."""
    games = [fact.game_id for fact in facts]
    ended = Meeting.objects.filter(
        game__in=games, ruled=False, event__format=Ladder.key, event__state=State.RUNNING
    )
    for meeting in ended.select_related("event").order_by("event", "id"):
        _change_places(meeting.event, meeting.pk, now)


def _change_places(event: Event, meeting_id: int, now: datetime) -> None:
    entries = _hold_entries(event)
    meeting = Meeting.objects.select_related("game").get(pk=meeting_id)
    assert meeting.game_id is not None
    assert meeting.game is not None
    results.settle(event, meeting.game_id, now=now)
    meeting.refresh_from_db(fields=["score", "other_score"])
    upper, lower = entries[meeting.first_id], entries[meeting.second_id]
    winner = _winner(meeting, upper, lower)
    before = _places(entries.values())
    after = _ladder(event).after(
        before, challenger=lower.number or 0, challenged=upper.number or 0,
        winner=winner.number if winner else None, on_time=meeting.game.reason == "time",
    )  # fmt: skip
    _write_places(entries.values(), after)
    if winner is lower and before != after:
        event_log.write(
            event, "places", now=now, winner=lower.player.name, loser=upper.player.name,
            place=after.index(lower.number or 0) + 1,
        )  # fmt: skip


def _hold_entries(event: Event) -> dict[int, Entry]:
    """All of the ladder, in one order: a place taken moves everybody between."""
    held = event.entries.select_for_update(of=("self",), no_key=True).exclude(number=None)
    return {entry.pk: entry for entry in held.select_related("player").order_by("id")}


def _winner(meeting: Meeting, upper: Entry, lower: Entry) -> Entry | None:
    assert meeting.score is not None
    assert meeting.other_score is not None
    if meeting.score == meeting.other_score:
        return None
    return upper if meeting.score > meeting.other_score else lower


def _places(entries: Iterable[Entry]) -> tuple[int, ...]:
    there = sorted((entry.place, entry.number or 0) for entry in entries if entry.place is not None)
    return tuple(number for _, number in there)


def _write_places(entries: Iterable[Entry], after: tuple[int, ...]) -> None:
    place = {number: at for at, number in enumerate(after, 1)}
    for entry in entries:
        if entry.number in place and entry.place != place[entry.number]:
            entry.place = place[entry.number]
            entry.save(update_fields=["place"])


def _ladder(event: Event) -> Ladder:
    format = format_of(event)
    if not isinstance(format, Ladder):
        raise BadEvent("Only on a ladder can one player challenge another.")
    return format


def _challenges(event: Event, lower: Entry, upper: Entry) -> list[Challenge]:
    """All that the limits ask about: what runs, and what these two have played."""
    his = Q(second=lower) | Q(first=upper)
    both = Q(first__in=[lower, upper], second__in=[lower, upper])
    rows = event.meetings.filter(his & Q(settled_at=None) | both)
    return [
        Challenge(
            challenger=row.second.number or 0, challenged=row.first.number or 0,
            ended_at=row.settled_at,
        )
        for row in rows.select_related("first", "second")
    ]  # fmt: skip
