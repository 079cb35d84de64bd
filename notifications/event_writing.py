"""What happens in events becomes letters: to entrants, the invited and those who run them."""

from collections.abc import Iterable
from datetime import datetime
from fractions import Fraction
from typing import Any

from django.utils import timezone

from games import blocks
from notifications import desk
from notifications.models import Kind
from tournaments import facts
from tournaments.entering import ASKED
from tournaments.models import Entry, EntryState, Event, Meeting
from tournaments.tables import board_of

NEAR = 3
"""So many places above and below his own are in a player's letter."""


def tell_of_opening(fact: facts.EventOpened) -> None:
    """Those who were invited beforehand, and those whom a new season has entered already."""
    event = _event(fact.event_id)
    asked = event.entries.filter(state__in=ASKED).values("player")
    guests = event.guests.filter(blocks.is_near(event.organiser_id, field="player"))
    beforehand = guests.exclude(player__in=asked).values_list("player", flat=True)
    _tell(event, {*beforehand, *_players(event)}, "opened", timezone.now())


def tell_of_calling_off(fact: facts.EventCalledOff) -> None:
    event = _event(fact.event_id)
    _tell(event, _players(event), "cancelled", timezone.now())


def tell_of_invitation(fact: facts.EntrantInvited) -> None:
    """Whoever was named by an organiser is asked."""
    entry = Entry.objects.select_related("event").get(pk=fact.entry_id)
    if entry.state == EntryState.INVITED:
        _tell(entry.event, [entry.player_id], "invited", timezone.now(), by=fact.by_id)


def tell_of_appointment(fact: facts.DirectorAppointed) -> None:
    _tell(_event(fact.event_id), [fact.player_id], "appointed", timezone.now(), by=fact.by_id)


def tell_of_handing_over(fact: facts.EventHandedOver) -> None:
    _tell(_event(fact.event_id), [fact.player_id], "handed-over", timezone.now())


def tell_of_declining(fact: facts.InvitationDeclined) -> None:
    entry = Entry.objects.select_related("event", "player").get(pk=fact.entry_id)
    event = entry.event
    desk.write(
        kind=Kind.EVENT, player_id=event.organiser_id, now=timezone.now(), about=event.pk,
        key=f"e{event.pk}.p{entry.player_id}.declined",
        details=_details(event) | {"what": "declined", "player": entry.player.name},
    )  # fmt: skip


def tell_of_start(fact: facts.EventStarted) -> None:
    event = _event(fact.event_id)
    _tell(event, _players(event), "started", timezone.now())


def tell_of_end(fact: facts.EventFinished) -> None:
    event = _event(fact.event_id)
    entries = list(event.entries.exclude(number=None))
    now = timezone.now()
    for entry in entries:
        place = {"place": entry.rank, "players": len(entries)} if entry.rank else {}
        _tell(event, [entry.player_id], "finished", now, **place)


def tell_of_leave(fact: facts.EntrantLeft) -> None:
    """Whoever was taken out hears of it; whoever left knows."""
    entry = Entry.objects.select_related("event", "player").get(pk=fact.entry_id)
    if entry.state in (EntryState.EXPELLED, EntryState.VANISHED):
        _tell(entry.event, [entry.player_id], "withdrawn", timezone.now())


def tell_of_pairing(fact: facts.RoundPaired) -> None:
    """One letter a player with all his games that began together; his rest is told as well."""
    event = _event(fact.event_id)
    now = timezone.now()
    games = _games(event, fact)
    resting = event.rests.filter(round__in=fact.rounds, kind="U")
    byes = set(resting.values_list("entry__player", flat=True))
    for player in sorted(games.keys() | byes):
        details = _details(event) | {"round": min(fact.rounds), "games": games.get(player, [])}
        if player in byes:
            details["bye"] = True
        key = f"e{event.pk}.r{fact.rounds[0]}.m{fact.first_meeting}.p{player}.round-paired"
        desk.write(
            kind=Kind.ROUND_PAIRED, player_id=player, key=key, now=now, about=event.pk,
            details=details,
        )  # fmt: skip


def tell_of_standing(fact: facts.RoundEnded) -> None:
    """After a round everybody sees his place and those around it."""
    event = _event(fact.event_id)
    now = timezone.now()
    for section in board_of(event).sections:
        rows = [
            [line.row.rank, line.entry.player.name, _points(line.row.points)]
            for line in section.lines
        ]
        for at, line in enumerate(section.lines):
            if line.entry.state == EntryState.ENTERED:
                near = rows[max(0, at - NEAR) : at + NEAR + 1]
                _tell_standing(event, line.entry.player_id, fact.round, near, now)


def _tell_standing(
    event: Event, player: int, round: int, rows: list[list[object]], now: datetime
) -> None:
    desk.write(
        kind=Kind.STANDINGS, player_id=player, now=now, about=event.pk,
        key=f"e{event.pk}.r{round}.p{player}.standings",
        details=_details(event) | {"round": round, "rows": rows},
    )  # fmt: skip


def _games(event: Event, fact: facts.RoundPaired) -> dict[int, list[list[str]]]:
    """Opponents and addresses of the games that began, by player."""
    games: dict[int, list[list[str]]] = {}
    begun = Meeting.objects.filter(
        event=event, pk__gte=fact.first_meeting, pk__lte=fact.last_meeting, game__isnull=False
    )
    for row in begun.select_related("first__player", "second__player", "game").order_by("id"):
        assert row.game is not None
        address = row.game.get_absolute_url()
        one, other = row.first.player, row.second.player
        games.setdefault(one.pk, []).append([other.name, address])
        games.setdefault(other.pk, []).append([one.name, address])
    return games


def _event(event_id: int) -> Event:
    return Event.objects.get(pk=event_id)


def _players(event: Event) -> list[int]:
    near = (EntryState.ENTERED, EntryState.WAITING)
    return list(event.entries.filter(state__in=near).values_list("player", flat=True))


def _details(event: Event) -> dict[str, Any]:
    return {"event": event.name, "address": f"/events/{event.pk}/"}


def _tell(event: Event, whom: Iterable[int], what: str, now: datetime, **details: object) -> None:
    for player in sorted(whom):
        desk.write(
            kind=Kind.EVENT, player_id=player, now=now, about=event.pk,
            key=f"e{event.pk}.p{player}.{what}",
            details=_details(event) | {"what": what, **details},
        )  # fmt: skip


def _points(points: Fraction) -> str:
    whole, half = divmod(points, 1)
    return f"{whole}½" if half and whole else "½" if half else str(whole)
