"""A league renews itself: the next season has the divisions that this one's tables make."""

from datetime import datetime, timedelta

from accounts.models import Player
from games import outbox
from tournaments import event_log
from tournaments.facts import EventOpened
from tournaments.finding import format_of
from tournaments.formats.league import League
from tournaments.models import Entry, EntryState, Event, State
from tournaments.tables import board_of

PAUSE = timedelta(days=7)
"""Between two seasons, for leaving, for entering and for looking at the tables."""

CARRIED = (
    "name", "about", "organiser_id", "format", "settings", "tie_breaks", "rules_edition",
    "ruleset", "options", "clock", "rated", "weekends", "vacation_allowed", "bots_allowed",
    "least_entrants", "most_entrants", "rating_from", "rating_to", "invitation_only",
    "late_entry", "round_days", "round_end", "drop_out", "renews", "dice_key_id",
)  # fmt: skip


def renew(event: Event, *, now: datetime) -> Event | None:
    """Once a season: the constraint on series and season says so. The event is held still."""
    format = format_of(event)
    if not event.renews or not isinstance(format, League):
        return None
    first = event.series or event
    if first.seasons.filter(season=event.season + 1).exists():
        return None
    following = _next_event(event, first, now)
    _enrol(event, following, format, now)
    event_log.write(event, "renewed", now=now)
    event_log.write(following, "opened", now=now)
    outbox.record(EventOpened(event_id=following.pk), now=now)
    return following


def _next_event(event: Event, first: Event, now: datetime) -> Event:
    length = event.ends_at - event.started_at if event.ends_at and event.started_at else None
    starts_at = now + PAUSE
    return Event.objects.create(
        **{name: getattr(event, name) for name in CARRIED},
        seed=f"{first.seed}/{event.season + 1}", series=first, season=event.season + 1,
        state=State.OPEN, created_at=now, opened_at=now, starts_at=starts_at, due_at=starts_at,
        ends_at=starts_at + length if length else None,
    )  # fmt: skip


def _enrol(event: Event, following: Event, format: League, now: datetime) -> None:
    """Everybody who stays, in the division that he has earned; newcomers enter behind them."""
    board = board_of(event)
    tables = [[line.entry.player_id for line in section.lines] for section in board.sections]
    staying = {
        entry.player_id: entry
        for entry in board.told.entries.values()
        if entry.state == EntryState.ENTERED and entry.stays and entry.player.is_active
    }
    divisions = format.next_season(tables, staying=set(staying))
    Entry.objects.bulk_create(
        Entry(
            event=following,
            player_id=player,
            section=division,
            entered_at=now,
            salt=staying[player].salt,
        )
        for division, players in enumerate(divisions, 1)
        for player in players
    )


def stay(*, event: Event, player: Player, stays: bool) -> None:
    """Whether he is entered into the next season."""
    event.entries.filter(player=player).update(stays=stays)
