"""How an event and what is in it are written as JSON."""

from collections.abc import Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.db.models import Count, Q

from accounts.models import Player
from tournaments import event_log
from tournaments.attention import Attention
from tournaments.finding import format_of
from tournaments.forecasts import forecast
from tournaments.formats.knockout import NOBODY
from tournaments.formats.knockout import State as MatchState
from tournaments.models import Entry, EntryState, Event, LogLine, Meeting, Round, State
from tournaments.previews import Preview
from tournaments.reports import number_of
from tournaments.showing import Viewer, directs
from tournaments.tables import Board, Line, Section

SUMMARY = (
    "id", "name", "state", "format", "ruleset", "season", "rated", "invitation_only",
    "least_entrants", "most_entrants", "closes_at", "starts_at", "ends_at", "opened_at",
    "started_at", "finished_at",
)  # fmt: skip
IN_FULL = (
    "about", "settings", "options", "clock", "tie_breaks", "rules_edition", "weekends",
    "vacation_allowed", "bots_allowed", "late_entry", "rating_from", "rating_to", "round_days",
    "round_end", "drop_out", "renews",
)  # fmt: skip


def summary(event: Event) -> dict[str, Any]:
    """The organiser must have been fetched."""
    return {name: getattr(event, name) for name in SUMMARY} | {"organiser": event.organiser.name}


def in_full(event: Event, *, viewer: Viewer, now: datetime) -> dict[str, Any]:
    counted = event.entries.aggregate(
        entered=Count("pk", filter=Q(state=EntryState.ENTERED)),
        waiting=Count("pk", filter=Q(state=EntryState.WAITING)),
        invited=Count("pk", filter=Q(state=EntryState.INVITED)),
    )
    games = event.meetings.aggregate(
        games_paired=Count("pk"), games_begun=Count("pk", filter=Q(game__isnull=False))
    )
    has_started = event.state in (State.RUNNING, State.FINISHED)
    expected = forecast(event=event, now=now)
    return {
        **summary(event),
        **{name: getattr(event, name) for name in IN_FULL},
        "seed": event.seed if has_started else None,
        "dice_key": event.dice_key and event.dice_key.public_key,
        "directors": list(event.directors.values_list("player__name", flat=True)),
        **counted,
        **games,
        "you_direct": directs(event, viewer),
        "you": _mine(event, viewer),
        "forecast": expected and vars(expected),
        "games_expected": [
            _games_expected(event, number)
            for number in (max(counted["entered"], event.least_entrants), event.most_entrants)
        ],
    }


def _games_expected(event: Event, entrants: int) -> dict[str, Any]:
    return {"entrants": entrants, **asdict(format_of(event).games_for(entrants))}


def _mine(event: Event, viewer: Viewer) -> dict[str, Any] | None:
    entry = event.entries.filter(player=viewer).first() if isinstance(viewer, Player) else None
    names = ("state", "number", "place", "rank", "stays")
    return {name: getattr(entry, name) for name in names} if entry else None


def entrant(entry: Entry) -> dict[str, Any]:
    names = (
        "id", "state", "number", "section", "place", "rank", "rating", "struck", "entered_at",
    )  # fmt: skip
    return {name: getattr(entry, name) for name in names} | {"player": entry.player.name}


def line(part: Section, one: Line, *, in_final: bool) -> dict[str, Any]:
    return {
        "section": part.number,
        "in_final": in_final,
        "rank": one.row.rank,
        "number": one.entry.number,
        "player": one.entry.player.name,
        "rating": one.entry.rating,
        "state": one.entry.state,
        "points": number_of(one.row.points),
        "tie_breaks": [number_of(value) for value in one.row.values],
        "played": one.row.played,
        "left": one.left,
        "best": one.best,
        "worst": one.worst,
    }


def lines(board: Board) -> list[dict[str, Any]]:
    """The final first, then section by section."""
    parts = [*([board.final] if board.final else []), *board.sections]
    return [line(part, one, in_final=part is board.final) for part in parts for one in part.lines]


def meeting(row: Meeting) -> dict[str, Any]:
    """Both entrants and their players must have been fetched."""
    over = row.score is not None and row.other_score is not None
    return {
        "id": row.pk,
        "round": row.round,
        "leg": row.leg,
        "first": row.first.player.name,
        "second": row.second.player.name,
        "scores": [(row.score or 0) / 2, (row.other_score or 0) / 2] if over else None,
        "forfeit": row.forfeit,
        "ruled": row.ruled,
        "game": row.game_id,
    }


def round(row: Round) -> dict[str, Any]:
    names = ("number", "paired_at", "deadline_at", "sealed_at")
    return {name: getattr(row, name) for name in names}


def match(state: MatchState, names: dict[int, str]) -> dict[str, Any]:
    return {
        "match": state.match.number,
        "stage": state.match.stage,
        "side": state.match.side,
        "players": [names.get(player or NOBODY) for player in state.players],
        "winner": names.get(state.winner or NOBODY),
        "bye": NOBODY in state.players,
    }


def log_line(row: LogLine) -> dict[str, Any]:
    return {
        "id": row.pk,
        "at": row.at,
        "what": row.what,
        "sentence": event_log.sentence(row),
        "by": row.by.name if row.by else None,
    }


def preview(made: Preview) -> dict[str, Any]:
    before, after = (_table(board, made.entry.section) for board in (made.before, made.after))
    return {
        "player": made.entry.player.name,
        "struck": made.struck,
        "played": made.played,
        "planned": made.planned,
        "lines": [_compared(name, now, after.get(name)) for name, now in before.items()],
    }


def _table(board: Board, section: int) -> dict[str, Line]:
    parts: Sequence[Section] = [part for part in board.sections if part.number == section]
    return {one.entry.player.name: one for part in parts for one in part.lines}


def _compared(name: str, now: Line, then: Line | None) -> dict[str, Any]:
    return {
        "player": name,
        "rank_now": now.row.rank,
        "points_now": number_of(now.row.points),
        "rank_then": then.row.rank if then else None,
        "points_then": number_of(then.row.points) if then else None,
    }


def attention(needed: Attention) -> dict[str, Any]:
    return {
        "rulings_asked": [
            {
                "id": one.pk,
                "game": one.game_id,
                "player": one.player.name,
                "text": one.text,
                "asked_at": one.asked_at,
            }
            for one in needed.rulings_asked
        ],
        "late": [meeting(row) for row in needed.late],
        "no_shows": [meeting(row) for row in needed.no_shows],
        "timed_out": [entry.player.name for entry in needed.timed_out],
        "waiting": [entry.player.name for entry in needed.waiting],
        "unpairable": [event_log.sentence(row) for row in needed.unpairable],
        "not_begun": [meeting(row) for row in needed.not_begun],
    }
