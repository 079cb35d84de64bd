"""Something to look at: an event of each format in mid-flight, among the demo players."""

import random
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from accounts.models import Player
from games.clock import PRESETS
from games.models import OutboxMessage, Status
from games.rules.position import Refusal
from tournaments import advancing, beginning, entering, ladders, opening, results
from tournaments.models import Errand, Event, State
from tournaments.opening import Plan
from tournaments.simulation import play_on

STEP = timedelta(hours=12)


@dataclass(frozen=True, kw_only=True)
class Shown:
    """An event of the demo: what it is, how many play and how long it has run."""

    name: str
    format: str
    ruleset: str
    entrants: int
    days: int
    about: str = ""
    settings: dict[str, Any] = field(default_factory=dict)
    fields: dict[str, Any] = field(default_factory=dict)


EVENTS = (
    Shown(
        name="Spring Round Robin", format="round-robin", ruleset="tritt-classic", entrants=6,
        days=5, about="Everybody meets everybody, all games at once.",
    ),
    Shown(
        name="Tripost League", format="league", ruleset="tritt-reloaded", entrants=10, days=7,
        about="Two divisions; the best go up, the last go down, and a new season follows.",
        settings={"size": 5, "up": 1, "down": 1}, fields={"renews": True},
    ),
    Shown(
        name="Open Swiss", format="swiss", ruleset="tritt-classic", entrants=11, days=9,
        about="Five rounds; late entrants are welcome.",
        settings={"rounds": 5}, fields={"late_entry": True},
    ),
    Shown(
        name="Knockout Cup", format="knockout", ruleset="tritoc", entrants=12, days=6,
        about="Who loses is out; a drawn match is replayed.", settings={"drawn": "replay"},
    ),
    Shown(
        name="The Ladder", format="ladder", ruleset="triotrio", entrants=9, days=12,
        about="Challenge up to three places above you.",
        settings={"rest_days": 3}, fields={"late_entry": True},
    ),
    Shown(
        name="Sections and a Final", format="stages", ruleset="tritt-classic", entrants=8, days=6,
        about="Two sections of four, then a final of the two best of each.",
        settings={"section_size": 4, "qualify": 2},
    ),
)  # fmt: skip


def load(*, now: datetime, seed: int = 1) -> int:
    """Among the players who are there; how many events there are then."""
    chance = random.Random(seed)  # noqa: S311
    players = list(Player.objects.filter(is_bot=False, is_guest=False).order_by("pk"))
    for at, shown in enumerate(EVENTS):
        _run(shown, players[at:] + players[:at], chance, now)
    _open_one(players, now)
    # What happened in the past days is no news to anybody.
    OutboxMessage.objects.all().delete()
    return Event.objects.count()


def _run(shown: Shown, players: Sequence[Player], chance: random.Random, now: datetime) -> None:
    at = now - timedelta(days=shown.days)
    event = _opened(shown, players[0], at - timedelta(days=3))
    for place, player in enumerate(players[: shown.entrants], 1):
        entering.enter(event_id=event.pk, player=player, now=at - timedelta(hours=50 - place))
    event = advancing.start(event_id=event.pk, by=players[0], now=at)
    _go_on(event, at)
    while (at := at + STEP) < now and event.state == State.RUNNING:
        if shown.format == "ladder":
            _challenge(event, players[: shown.entrants], chance, at)
        play_on(event=event, chance=chance, now=at, ends=0.12, moves=0.8)
        _let_it_hear(event, at)
        event.refresh_from_db()


def _opened(shown: Shown, organiser: Player, at: datetime) -> Event:
    plan = Plan(
        name=shown.name, about=shown.about, format=shown.format, ruleset=shown.ruleset,
        clock=PRESETS["7d"], settings=shown.settings, most_entrants=max(12, shown.entrants),
        starts_at=at + timedelta(days=3), **shown.fields,
    )  # fmt: skip
    event = opening.prepare(plan=plan, organiser=organiser, now=at)
    return opening.open_entries(event_id=event.pk, by=organiser, now=at)


def _challenge(
    event: Event, players: Sequence[Player], chance: random.Random, at: datetime
) -> None:
    lower = chance.choice(players)
    for upper in ladders.within_reach(event=event, player=lower)[-1:]:
        with suppress(Refusal):
            ladders.challenge(event_id=event.pk, challenger=lower, challenged=upper.player, now=at)


def _let_it_hear(event: Event, at: datetime) -> None:
    """What the post would bring, without the letters that it would bring besides."""
    ended = event.meetings.filter(settled_at=None).exclude(game__status=Status.RUNNING)
    errands = [
        Errand(event=event, game_id=game_id, noted_at=at)
        for game_id in ended.values_list("game_id", flat=True)
    ]
    if errands:
        Errand.objects.bulk_create(errands)
        _go_on(event, at)


def _go_on(event: Event, at: datetime) -> None:
    results.catch_up(event_id=event.pk, now=at)
    while beginning.begin_slice(event_id=event.pk, now=at):
        pass


def _open_one(players: Sequence[Player], now: datetime) -> None:
    """One that can still be entered."""
    shown = Shown(
        name="Summer Swiss", format="swiss", ruleset="tritt-classic", entrants=12, days=0,
        about="Enter now; it starts in three days.", settings={"rounds": 5},
    )  # fmt: skip
    event = _opened(shown, players[1], now - timedelta(hours=5))
    for player in players[2:6]:
        entering.enter(event_id=event.pk, player=player, now=now - timedelta(hours=1))
