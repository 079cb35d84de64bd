"""The export of a player's events: played, organised, directed and invited to."""

from collections.abc import Iterator
from typing import Any

from django.db.models import F, Q

from accounts.export import rows
from accounts.models import Player
from tournaments import event_log
from tournaments.models import Director, Entry, Event, Guest, LogLine, Meeting, Rest

OF_EVENT = {"event_number": F("event_id"), "event_name": F("event__name")}


def events(player: Player) -> dict[str, Any]:
    entries = Entry.objects.filter(player=player).order_by("pk")
    invited = Guest.objects.filter(player=player).order_by("pk")
    directed = Director.objects.filter(player=player).order_by("pk")
    organised = Event.objects.filter(organiser=player).order_by("pk")
    return {
        "entries": rows(
            entries.values(
                "state",
                "number",
                "section",
                "place",
                "rating",
                "joined_round",
                "left_round",
                "struck",
                "timeouts",
                "stays",
                "rank",
                "entered_at",
                "salt",
                **OF_EVENT,
            )
        ),
        "games": _games(player),
        "rests": rows(
            Rest.objects.filter(entry__player=player).values("round", "kind", **OF_EVENT)
        ),
        "organised": rows(organised.values("id", "name", "about", "state", "created_at")),
        "directed": rows(directed.values(**OF_EVENT)),
        "invitations": rows(invited.values(**OF_EVENT)),
        "acts": (
            {"event": line.event_id, "at": line.at, "what": event_log.sentence(line)}
            for line in rows(LogLine.objects.filter(by=player).order_by("pk"))
        ),
    }


def _games(player: Player) -> Iterator[dict[str, Any]]:
    """What each meeting came to, in half points from the player's side."""
    games = Meeting.objects.filter(Q(first__player=player) | Q(second__player=player))
    return (
        {
            "event": meeting.event_id,
            "round": meeting.round,
            "game": meeting.game_id,
            "half_points": meeting.score
            if meeting.first.player_id == player.pk
            else meeting.other_score,
            "forfeit": meeting.forfeit,
            "settled_at": meeting.settled_at,
        }
        for meeting in rows(games.select_related("first").order_by("pk"))
    )
