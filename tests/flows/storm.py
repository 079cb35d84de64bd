"""Everybody does everything at once: whatever can be done to a few games, players and events."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db import connections

from accounts import closing
from accounts.models import Player
from games import (
    blocking,
    lobby,
    outbox,
    plans,
    play,
    refolding,
    reviews,
    rulings,
    starting,
    sweeps,
    talk,
    vacations,
)
from games.clock import PerMove
from games.lobby import Terms
from games.models import Challenge, Game, Ruling, Status, Via
from games.rules.position import Refusal
from games.rules.registry import RULESETS
from tests.conftest import NOW, make_player
from tests.tournaments.life import JOINED
from tournaments import directing, entering, ladders, leaving, results
from tournaments import sweeps as event_sweeps
from tournaments.models import Event, State

TERMS = Terms(ruleset="tritt-classic", clock=PerMove(1))
Act = Callable[["Sailor"], object]


@dataclass
class Sea:
    """What the storm is about, and the clock that runs in it: some hours a second."""

    players: list[Player]
    staff: Player
    events: list[Event]
    begun: float = field(default_factory=time.monotonic)
    done: Counter[str] = field(default_factory=Counter)
    failed: list[BaseException] = field(default_factory=list)

    @property
    def now(self) -> datetime:
        return NOW + timedelta(hours=4 * (time.monotonic() - self.begun))


class Sailor:
    """One thread's choices."""

    def __init__(self, sea: Sea, seed: int) -> None:
        self.sea = sea
        self.chance = random.Random(seed)

    @property
    def now(self) -> datetime:
        return self.sea.now

    def player(self) -> Player:
        return self.chance.choice(self.sea.players)

    def pair(self) -> list[Player]:
        return self.chance.sample(self.sea.players, 2)

    def event(self) -> Event:
        return self.chance.choice(self.sea.events)

    def game(self, **which: Any) -> Game:
        """One of the latest, so that they meet at the same tables."""
        return self.chance.choice(Game.objects.filter(**which).order_by("-pk")[:6])

    def at_a_table(self) -> dict[str, Any]:
        game = self.game(status=Status.RUNNING)
        player = self.chance.choice(game.seats.values_list("player_id", flat=True))
        return {"game_id": game.pk, "player_id": player, "now": self.now}


# At the tables


def move(sailor: Sailor) -> None:
    game = sailor.game(status=Status.RUNNING)
    seat = game.seats.get(number=game.seat_to_move)
    legal = RULESETS[game.ruleset].load(game.position).legal_moves()
    play.submit_move(
        game_id=game.pk, player_id=seat.player_id, text=str(sailor.chance.choice(legal)),
        ply=game.ply, now=sailor.now, via=Via.WEB,
    )  # fmt: skip


def plan(sailor: Sailor) -> None:
    at = sailor.at_a_table()
    branch = {"move": None, "dice": None, "then": "resign", "next": []}
    plans.write(game_id=at["game_id"], player_id=at["player_id"], tree=[branch])


def take_back(sailor: Sailor) -> None:
    at = sailor.at_a_table()
    play.ask_takeback(**at)
    other = Game.objects.get(pk=at["game_id"]).seats.exclude(player_id=at["player_id"]).get()
    play.accept_takeback(**at | {"player_id": other.player_id}, via=Via.API)


def review(sailor: Sailor) -> None:
    reviews.ask(game=sailor.game(status=Status.FINISHED), player=sailor.player(), now=sailor.now)


def rule(sailor: Sailor) -> None:
    given = {"by": sailor.sea.staff, "reason": "So be it.", "now": sailor.now}
    game = sailor.game()
    if sailor.chance.random() < 0.3:
        rulings.set_result(game_id=game.pk, score=sailor.chance.choice([0, 1, 2]), **given)
    elif sailor.chance.random() < 0.5:
        rulings.make_void(game_id=game.pk, **given)
    else:
        rulings.reopen(game_id=game.pk, hours=24, **given)


def undo(sailor: Sailor) -> None:
    latest = Ruling.objects.filter(undone_at=None).order_by("-pk")[:5]
    rulings.undo(ruling_id=sailor.chance.choice(latest).pk, by=sailor.sea.staff, now=sailor.now)


# In the lobby


def start(sailor: Sailor) -> None:
    """The house deals games out, so that there is always one to play."""
    if Game.objects.filter(status=Status.RUNNING).count() < 12:
        one, other = sailor.pair()
        starting.start_game(
            ruleset=sailor.chance.choice(["tritt-classic", "tritoc"]), options={},
            players=(one, other), clock_settings=PerMove(1), now=sailor.now,
        )  # fmt: skip


def challenge(sailor: Sailor) -> None:
    one, other = sailor.pair()
    lobby.challenge(challenger=one, opponent=other, terms=TERMS, now=sailor.now)


def accept(sailor: Sailor) -> None:
    offer = sailor.chance.choice(Challenge.objects.filter(state="open").order_by("-pk")[:4])
    lobby.accept(challenge_id=offer.pk, player=offer.opponent or sailor.player(), now=sailor.now)


def rematch(sailor: Sailor) -> None:
    game = sailor.game(status=Status.FINISHED)
    player = sailor.chance.choice(game.seats.select_related("player")).player
    lobby.offer_rematch(player=player, game_id=game.pk, now=sailor.now)


def block(sailor: Sailor) -> None:
    one, other = sailor.pair()
    blocking.block(blocker=one, blocked=other, now=sailor.now)
    blocking.unblock(blocker=one, blocked=other)


def close(sailor: Sailor) -> None:
    """Somebody comes, plays, enters and leaves for good."""
    name = f"brief{sailor.chance.randrange(10**9)}"
    player = make_player(name, joined_at=JOINED)
    opponent = sailor.player()
    starting.start_game(
        ruleset="tritt-classic", options={}, players=(player, opponent),
        clock_settings=PerMove(1), now=sailor.now,
    )  # fmt: skip
    lobby.challenge(challenger=player, opponent=opponent, terms=TERMS, now=sailor.now)
    closing.close_account(player=player, now=sailor.now)
    closing.settle_closings(now=sailor.now)


# In events


def meet(sailor: Sailor) -> None:
    ladder = next(event for event in sailor.sea.events if event.format == "ladder")
    one, other = sailor.pair()
    ladders.challenge(event_id=ladder.pk, challenger=one, challenged=other, now=sailor.now)


def direct(sailor: Sailor) -> None:
    event = sailor.event()
    meeting = sailor.chance.choice(event.meetings.all())
    directing.rule(
        event_id=event.pk, meeting_id=meeting.pk, score=2, other_score=0, by=event.organiser,
        reason="So be it.", now=sailor.now,
    )  # fmt: skip


def leave(sailor: Sailor) -> None:
    """Seldom, so that somebody is left; whoever left the ladder may come again as another."""
    if sailor.chance.random() < 0.05:
        leaving.leave(event_id=sailor.event().pk, player=sailor.player(), now=sailor.now)
    else:
        entering.enter(event_id=sailor.event().pk, player=sailor.player(), now=sailor.now)


AT_A_TABLE: dict[str, Callable[..., object]] = {
    "resign": play.resign,
    "draw": play.offer_draw,
    "accept draw": play.accept_draw,
    "decline take-back": play.decline_takeback,
}
ACTS: dict[str, Act] = {
    "move": move,
    "move again": move,
    "chat": lambda s: talk.say(text="well played", **s.at_a_table()),
    "plan": plan,
    "take back": take_back,
    "review": review,
    "rule": rule,
    "undo": undo,
    "start": start,
    "challenge": challenge,
    "accept": accept,
    "rematch": rematch,
    "block": block,
    "close": close,
    "meet": meet,
    "direct": direct,
    "leave": leave,
    "vacation": lambda s: vacations.begin(player_id=s.player().pk, now=s.now),
    "back": lambda s: vacations.end(player_id=s.player().pk, now=s.now),
    "automatic": lambda s: vacations.choose(player_id=s.player().pk, automatic=True),
    "time": lambda s: sweeps.end_games_on_time(now=s.now),
    "expire": lambda s: sweeps.expire_challenges(now=s.now),
    "relay": lambda s: outbox.relay(now=s.now),
    "events": lambda s: results.catch_up_all(now=s.now),
    "rounds": lambda s: event_sweeps.look_at_due_events(now=s.now),
    "ratings": lambda s: refolding.recalculate_all(seconds=0.2),
    **{
        name: lambda s, act=act: act(**s.at_a_table())  # type: ignore[misc]
        for name, act in AT_A_TABLE.items()
    },
}


def rage(sea: Sea, *, seconds: float, threads: int = 8) -> None:
    """Refusals are answers; whatever else is raised is kept in `sea.failed`."""
    until = time.monotonic() + seconds

    def sail(seed: int) -> None:
        sailor = Sailor(sea, seed)
        try:
            while time.monotonic() < until:
                name = sailor.chance.choice(list(ACTS))
                _do(sailor, name)
        finally:
            connections.close_all()

    crew = [threading.Thread(target=sail, args=[seed]) for seed in range(threads)]
    for one in crew:
        one.start()
    for one in crew:
        one.join()


def _do(sailor: Sailor, name: str) -> None:
    try:
        ACTS[name](sailor)
    except Refusal:
        sailor.sea.done[f"{name}, refused"] += 1
    except IndexError:
        sailor.sea.done[f"{name}, nothing there"] += 1
    except BaseException as error:
        error.add_note(name)
        sailor.sea.failed.append(error)
    else:
        sailor.sea.done[name] += 1


def until_calm(sea: Sea) -> datetime:
    """What the workers do after it, until nothing is left to do."""
    for _ in range(100):
        now = sea.now
        left = sweeps.end_games_on_time(now=now) + event_sweeps.look_at_due_events(now=now)
        left += sweeps.expire_challenges(now=now) + results.catch_up_all(now=now)
        left += outbox.relay(now=now + timedelta(days=3650))
        left += refolding.recalculate_all(seconds=5) + closing.settle_closings(now=now)
        if not left:
            return now
    raise AssertionError("the work has no end")


def running(events: list[Event]) -> list[Event]:
    return [one for one in events if Event.objects.get(pk=one.pk).state == State.RUNNING]
