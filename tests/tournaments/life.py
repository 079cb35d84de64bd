"""An event in a few words: opened, entered, played on while the clock moves."""

from datetime import datetime, timedelta
from typing import Any

from accounts.models import Player
from games import outbox, play
from games.clock import PerMove
from games.models import Game
from games.sweeps import end_games_on_time
from tests.conftest import NOW
from tests.games.acts import both_move
from tournaments import advancing, entering, opening, results, sweeps
from tournaments.models import Entry, Event, Meeting, State
from tournaments.opening import Plan

JOINED = NOW - timedelta(days=100)


class Stage:
    """One organiser and a clock; `work` is what the workers do."""

    def __init__(self, organiser: Player) -> None:
        self.now = NOW
        self.organiser = organiser
        Player.objects.filter(pk=organiser.pk).update(joined_at=JOINED)
        organiser.refresh_from_db()

    def plan(self, **fields: Any) -> Plan:
        usual: dict[str, Any] = {
            "name": "Spring Cup",
            "format": "round-robin",
            "ruleset": "tritt-classic",
            "clock": PerMove(3),
            "least_entrants": 2,
        }
        return Plan(**(usual | fields))

    def draft(self, **fields: Any) -> Event:
        """With a seed that is known, so that every run draws the same lots."""
        plan = self.plan(**fields)
        event = opening.prepare(plan=plan, organiser=self.organiser, now=self.now)
        event.seed = "the same every time"
        event.save(update_fields=["seed"])
        return event

    def open(self, **fields: Any) -> Event:
        event = self.draft(**fields)
        return opening.open_entries(event_id=event.pk, by=self.organiser, now=self.now)

    def enter(self, event: Event, *players: Player) -> None:
        for player in players:
            entering.enter(event_id=event.pk, player=player, now=self.now)
            self.now += timedelta(seconds=1)

    def started(self, *players: Player, **fields: Any) -> Event:
        event = self.open(**fields)
        self.enter(event, *players)
        return self.start(event)

    def start(self, event: Event) -> Event:
        """Started, paired and begun by the workers, with nothing told yet."""
        advancing.start(event_id=event.pk, by=self.organiser, now=self.now)
        while results.catch_up_all(now=self.now):
            pass
        return fresh(event)

    # What goes on by itself

    def work(self) -> None:
        """As the workers do, until there is nothing left to do."""
        for _ in range(50):
            done = end_games_on_time(now=self.now)
            done += sweeps.look_at_due_events(now=self.now)
            done += outbox.relay(now=self.now + timedelta(days=3650))
            done += results.catch_up_all(now=self.now)
            if not done:
                return
        raise AssertionError("the work has no end")

    def later(self, **time: float) -> None:
        self.now += timedelta(**time)
        self.work()

    # At the tables

    def win(self, game: Game | None, winner: Player) -> None:
        """Both have moved, then the other gave up."""
        assert game is not None
        both_move(game, now=self.now)
        loser = game.seats.exclude(player=winner).get().player
        play.resign(game_id=game.pk, player_id=loser.pk, now=self.now)

    def draw(self, game: Game | None) -> None:
        assert game is not None
        both_move(game, now=self.now)
        for seat in game.seats.order_by("number"):
            play.offer_draw(game_id=game.pk, player_id=seat.player_id, now=self.now)

    def stronger_wins_all(self, event: Event) -> int:
        """In every game that runs, who has the better start number; how many there were."""
        running = event.meetings.filter(settled_at=None).select_related(
            "game", "first__player", "second__player"
        )
        games = list(running)
        for meeting in games:
            self.win(meeting.game, stronger(meeting).player)
        self.work()
        return len(games)

    def play_out(self, event: Event) -> Event:
        while fresh(event).state == State.RUNNING:
            assert self.stronger_wins_all(event), "the event runs, but nobody plays"
            self.later(hours=1)
        return fresh(event)


def stronger(meeting: Meeting) -> Entry:
    pair = (meeting.first, meeting.second)
    return min(pair, key=lambda entry: entry.number or 0)


def fresh(event: Event) -> Event:
    return Event.objects.get(pk=event.pk)


def entry(event: Event, player: Player) -> Entry:
    return Entry.objects.select_related("player").get(event=event, player=player)


def logged(event: Event) -> list[str]:
    return list(event.log.order_by("id").values_list("what", flat=True))


def moment(now: datetime, **time: float) -> datetime:
    return now + timedelta(**time)
