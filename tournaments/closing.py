"""A closed account in events: entries withdrawn, events handed over, the name replaced."""

from datetime import datetime

from django.db.models import Q, QuerySet
from django.utils.translation import ngettext

from accounts import locks
from accounts.closing import Rows, has_trace, replace_traces, walk
from accounts.models import Closing, Player
from tournaments import entering, handing_over, leaving
from tournaments.finding import lock
from tournaments.models import Director, Entry, EntryState, Event, Guest, LogLine, State

LIVING = (State.DRAFT, State.OPEN, State.RUNNING)
UNDER_WAY = (State.OPEN, State.RUNNING)


def leave_events(closing: Closing, now: datetime) -> bool:
    """One event at a time, by the rule that it declared for those who leave."""
    entry = _entries(closing.player).first()
    if entry is not None:
        leaving.leave(event_id=entry.event_id, player=closing.player, now=now)
    return entry is not None


def hand_over_events(closing: Closing, now: datetime) -> bool:
    for event_id in list(_organised(closing.player).values_list("pk", flat=True)):
        _hand_over(event_id, now)
    Director.objects.filter(player=closing.player).delete()
    Guest.objects.filter(player=closing.player).delete()
    return False


@locks.action
def _hand_over(event_id: int, now: datetime) -> None:
    handing_over.hand_over(lock(event_id), handing_over.ACCOUNT_CLOSED, now=now)


def replace_names(closing: Closing, now: datetime) -> bool:
    """In the texts of events that the player had part in."""
    replace_traces(closing, Event.objects.filter(pk__in=_own_events(closing)), "name", "about")
    return False


def replace_names_in_logs(closing: Closing, now: datetime) -> bool:
    """By the words that hold a name, and in the texts of events that the player had part in."""

    def replace(lines: Rows) -> None:
        found = list(lines.filter(has_trace(closing, "words")).order_by("pk"))
        own_ids = _own_events(closing) if found else set()
        for line in found:
            words = {
                key: _replaced(closing, word, in_texts=line.event_id in own_ids)
                for key, word in line.words.items()
            }
            if words != line.words:
                LogLine.objects.filter(pk=line.pk).update(words=words)

    return walk(closing, LogLine.objects.all(), replace)


def _own_events(closing: Closing) -> set[int]:
    """That the player had part in."""
    played = Q(entries__player=closing.player) | Q(organiser=closing.player)
    own = Event.objects.filter(played | Q(log__by=closing.player))
    return set(own.values_list("pk", flat=True))


def _replaced(closing: Closing, word: object, *, in_texts: bool) -> object:
    """A name as it is; a longer text only where the player took part."""
    if isinstance(word, str) and (in_texts or word.casefold() == closing.name.casefold()):
        return closing.without_traces(word)
    if isinstance(word, list):
        template, parameters = word
        return [
            template,
            {key: _replaced(closing, one, in_texts=in_texts) for key, one in parameters.items()},
        ]
    return word


def summary(player: Player) -> list[str]:
    """For the page that asks whether the account is to be closed."""
    lines = []
    if entries := _entries(player).count():
        lines.append(
            ngettext(
                "You withdraw from %(count)s tournament. Your games in it are treated by its rule"
                " for players who leave.",
                "You withdraw from %(count)s tournaments. Your games in them are treated by their"
                " rules for players who leave.",
                entries,
            )
            % {"count": entries}
        )
    if events := _organised(player).count():
        lines.append(
            ngettext(
                "You organise %(count)s event: one of your directors takes over. Without"
                " a director it is called off, or, once it has started, goes on under our staff.",
                "You organise %(count)s events: one of your directors takes over."
                " Without a director they are called off, or, once started, go on under our staff.",
                events,
            )
            % {"count": events}
        )
    return lines


def _entries(player: Player) -> QuerySet[Entry]:
    there = Entry.objects.filter(player=player, state__in=(*entering.NEAR, EntryState.INVITED))
    return there.filter(event__state__in=UNDER_WAY).order_by("event")


def _organised(player: Player) -> QuerySet[Event]:
    return Event.objects.filter(organiser=player, state__in=LIVING).order_by("pk")
