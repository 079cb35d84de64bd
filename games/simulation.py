"""A season in minutes: random players use the real doors while a clock of their own runs.

Everything the players choose comes from the seed. Dice, lots and links are drawn in secret as
always, so two runs with one seed begin alike and part at the first die.
"""

import random
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from heapq import heappop, heappush
from itertools import count
from typing import Any

from django.db.models import F

from accounts.models import Player
from games import crediting, lobby, outages, outbox, play, starting, sweeps, talk, vacations
from games.clock import PRESETS, Fischer
from games.lobby import Terms
from games.models import (
    Challenge,
    EntryPoint,
    Game,
    Outage,
    OutboxMessage,
    Participant,
    Status,
    Vacation,
    Via,
    WayIn,
)
from games.rules.position import Option, Position, Refusal
from games.rules.registry import RULESETS, ruleset

START = datetime(2026, 2, 2, 9, tzinfo=UTC)
"""Weeks before clocks are set forward in the zones below."""
ZONES = ("UTC", "Europe/Berlin", "America/New_York", "Asia/Kathmandu", "Pacific/Auckland")
CLOCKS = (*PRESETS.values(), Fischer(bank_hours=30, increment_hours=6, cap_hours=48))
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
OPENING_SHARE = 0.4
"""All games are begun in this first part of the time."""


@dataclass(frozen=True, slots=True)
class Person:
    player: Player
    looks_in_every: timedelta
    vanishes_at: datetime


class Simulation:
    def __init__(self, *, players: int, games: int, days: int, seed: int) -> None:
        self.chance = random.Random(seed)  # noqa: S311
        self.now = START
        self.end = START + timedelta(days=days)
        self.most_games = games
        self.games = 0
        self.did: Counter[str] = Counter()
        self.refused: Counter[str] = Counter()
        self.is_silent = False
        self.down_until = START
        self._agenda: list[tuple[datetime, int, Callable[[], None]]] = []
        self._order = count()
        self.people = self._settle_in(players)

    def run(self) -> None:
        """From the first day to the last; what is due then is done."""
        with _bell_held(), _own_clock(self):
            self._plan(timedelta(), self._work)
            self._plan(self._about(5 * DAY), self._fail)
            while self._agenda[0][0] < self.end:
                at, _order, act = heappop(self._agenda)
                self.now = max(self.now, at, self.down_until)
                self._keep_heart_beating()
                act()
            self.now = max(self.now, self.end)
            self._finish_work()

    # Time

    def _plan(self, after: timedelta, act: Callable[[], None]) -> None:
        # After an outage everything comes in any order, players before the first heartbeat too.
        earliest = max(self.now + after, self.down_until + self._about(timedelta(minutes=2)))
        heappush(self._agenda, (earliest, next(self._order), act))

    def _about(self, usual: timedelta) -> timedelta:
        return usual * self.chance.expovariate(1)

    def _happens(self, share: float) -> bool:
        return self.chance.random() < share

    # The service

    def _keep_heart_beating(self) -> None:
        """Stands for the beats since the last act: to make them all would be all that is done."""
        if not self.is_silent:
            EntryPoint.objects.update(beat_at=self.now)

    def _work(self) -> None:
        """What beat and workers do, here once in a while and in any order."""
        chores: list[tuple[str, Callable[..., int]]] = [
            ("outages noticed", self._beat),
            ("games swept", sweeps.end_games_on_time),
            ("challenges expired", sweeps.expire_challenges),
            ("deadlines credited", crediting.credit_outages),
            ("facts relayed", self._relay),
        ]
        self.chance.shuffle(chores)
        for name, chore in chores:
            self.did[name] += chore(now=self.now)
        self._start_event_game()
        self._plan(self._about(3 * HOUR), self._work)

    def _finish_work(self) -> None:
        """One chore may leave work to another that came before it."""
        for _ in range(3):
            self._work()
        outbox.relay(now=self.now)

    def _relay(self, *, now: datetime) -> int:
        """The rows that were due and have arrived."""
        waiting = OutboxMessage.objects.count()
        outbox.relay(now=now)
        return max(waiting - OutboxMessage.objects.count(), 0)

    def _beat(self, *, now: datetime) -> int:
        self.is_silent = False
        outages.beat(way_in=WayIn.WEB, now=now)
        return Outage.objects.count() - self.did["outages noticed"]

    def _fail(self) -> None:
        """From now on nobody is served, and the next heartbeat tells how long."""
        self._keep_heart_beating()
        self.is_silent = True
        self.down_until = self.now + self._about(6 * HOUR)
        postponed, self._agenda = self._agenda, []
        for at, _order, act in postponed:
            self._plan(at - self.now, act)
        self._plan(self._about(10 * DAY), self._fail)

    def _start_event_game(self) -> None:
        """As a tournament does, which may bar vacations."""
        if not self._room_for_a_game() or self._happens(0.9):
            return
        first, second = self.chance.sample(self.people, 2)
        terms = self._terms()
        starting.start_game(
            ruleset=terms.ruleset, options=terms.options, players=(first.player, second.player),
            clock_settings=terms.clock, weekends=terms.weekends, vacation_allowed=False,
            event_id=1, now=self.now,
        )  # fmt: skip
        self.games += 1
        self.did["event games started"] += 1

    # People

    def _settle_in(self, number: int) -> list[Person]:
        known = Player.objects.count()
        people = []
        for name in range(known + 1, known + number + 1):
            player = Player.objects.create_user(
                f"Player{name}",
                zone=self.chance.choice(ZONES),
                joined_at=START - self.chance.randrange(200) * DAY,
            )
            Participant.objects.create(
                player=player, takes_vacation_automatically=self._happens(0.3)
            )
            vanishes = START + self._about(self.end - START) if self._happens(0.3) else self.end
            person = Person(player, self.chance.uniform(3, 20) * HOUR, vanishes)
            people.append(person)
            self._plan(self._about(DAY), partial(self._look_in, person))
        return people

    def _look_in(self, person: Person) -> None:
        if self.now >= person.vanishes_at:
            return
        self._think_of_vacation(person)
        self._look_around(person)
        games = Game.objects.filter(seats__player=person.player).annotate(seat=F("seats__number"))
        for game in games.filter(status=Status.RUNNING).order_by("pk"):
            self.now += timedelta(seconds=self.chance.uniform(1, 30))
            self._keep_heart_beating()
            self._turn_to(person, game)
        for game in games.filter(ended_at__gt=self.now - person.looks_in_every).order_by("pk"):
            if self._room_for_a_game() and self._happens(0.2):
                offer = self._do(lobby.offer_rematch, player=person.player, game_id=game.pk)
                # Two who both ask are in the game at once.
                self.games += offer is not None and offer.state == Challenge.State.ACCEPTED
        self._plan(self._about(person.looks_in_every), partial(self._look_in, person))

    def _do(self, door: Callable[..., Any], **arguments: Any) -> Any:
        """Goes through a door; a refusal is an answer like another."""
        name = f"{door.__module__.removeprefix('games.')}.{door.__name__}"
        try:
            answer = door(now=self.now, **arguments)
        except Refusal as refusal:
            self.refused[f"{name}: {type(refusal).__name__}"] += 1
            return None
        self.did[name] += 1
        return answer

    # At the table

    def _turn_to(self, person: Person, game: Game) -> None:
        at_table = {"game_id": game.pk, "player_id": person.player.pk}
        seat: int = game.seat  # type: ignore[attr-defined]
        self._answer_offers(game, seat, at_table)
        for door, share in ACTS_AT_WILL:
            if self._happens(share):
                self._do(door, **at_table)
        if self._happens(0.02):
            self._do(talk.say, text="A fine move.", **at_table)
        if game.seat_to_move == seat and self._happens(0.85):
            self._move(game, at_table)

    def _answer_offers(self, game: Game, seat: int, at_table: dict[str, int]) -> None:
        if game.draw_offered_by == 1 - seat and self._happens(0.5):
            self._do(self.chance.choice([play.accept_draw, play.decline_draw]), **at_table)
        if game.draw_offered_by == seat and self._happens(0.1):
            self._do(play.withdraw_draw, **at_table)
        if game.takeback_asked_by == 1 - seat and self._happens(0.8):
            if self._happens(0.5):
                self._do(play.accept_takeback, via=Via.API, **at_table)
            else:
                self._do(play.decline_takeback, **at_table)

    def _move(self, game: Game, at_table: dict[str, int]) -> None:
        text = self._random_move(ruleset(game.ruleset, game.version).load(game.position))
        if self._happens(0.01):
            text += "?!"
        sent = {"text": text, "ply": game.ply, "via": Via.API, **at_table}
        played = self._do(play.submit_move, **sent)
        if played and self._happens(0.05) and self._do(play.submit_move, **sent) != played:
            raise AssertionError(f"{played} was answered otherwise when it was sent again")

    def _random_move(self, position: Position) -> str:
        """Token by token; where a move may end or go on, either is as likely."""
        text = ""
        while choices := position.choices(text):
            choice = self.chance.choice(choices)
            text += choice.token
            if choice.whole and self._happens(0.5):
                break
        return text

    # In the lobby

    def _room_for_a_game(self) -> bool:
        opened = (self.now - START) / (OPENING_SHARE * (self.end - START))
        return self.games < self.most_games * min(opened, 1.0)

    def _look_around(self, person: Person) -> None:
        self._answer_challenges(person)
        for _ in range(3):
            if self._room_for_a_game():
                self._offer(person)
        if self._happens(0.02):
            mine = Challenge.objects.filter(challenger=person.player, state=Challenge.State.OPEN)
            for offer in mine[:1]:
                self._do(lobby.withdraw, challenge_id=offer.pk, player=person.player)

    def _answer_challenges(self, person: Person) -> None:
        """Answers what it finds, what is meant for others as well now and then."""
        offers = Challenge.objects.filter(state=Challenge.State.OPEN).order_by("-pk")[:30]
        for offer in offers:
            mine = offer.opponent_id == person.player.pk
            if not mine and (offer.opponent_id or offer.challenger_id == person.player.pk):
                if not self._happens(0.01):
                    continue
            elif not self._happens(0.6 if mine else 0.2):
                continue
            if not self._room_for_a_game():
                return
            answer = {
                "challenge_id": offer.pk,
                "player": person.player,
                "link": offer.link if self._happens(0.95) and offer.link else "",
            }
            if self._happens(0.1):
                self._do(lobby.decline, **answer)
            elif self._do(lobby.accept, **answer):
                self.games += 1

    def _offer(self, person: Person) -> None:
        offer = {"challenger": person.player, "terms": self._terms()}
        kind = self.chance.random()
        if kind < 0.5:
            self._do(lobby.seek, **offer)
        elif kind < 0.6:
            self._do(lobby.invite_by_link, **offer)
        else:
            opponent = self.chance.choice(self.people).player
            self._do(lobby.challenge, opponent=opponent, **offer)

    def _terms(self) -> Terms:
        rules = self.chance.choice(list(RULESETS.values()))
        return Terms(
            ruleset=rules.key,
            clock=self.chance.choice(CLOCKS),
            options={o.name: self._value(o) for o in rules.options if self._happens(0.3)},
            weekends=self._happens(0.3),
            rated=self._happens(0.8),
            private=self._happens(0.1),
            side=self.chance.choice([None, None, 0, 1]),
            rating_least=1480 if self._happens(0.05) else None,
            rating_most=1520 if self._happens(0.05) else None,
            lasts=self.chance.uniform(1, 168) * HOUR,
        )

    def _value(self, option: Option) -> object:
        if isinstance(option.choices, range):
            return self.chance.randrange(10, 60)
        return self.chance.choice(option.choices)

    # Away

    def _think_of_vacation(self, person: Person) -> None:
        away = Vacation.objects.filter(
            player=person.player, began_at__lte=self.now, ends_at__gt=self.now
        )
        if away.exists():
            if self._happens(0.2):
                self._do(vacations.end, player_id=person.player.pk)
        elif self._happens(0.02):
            until = self.now + self._about(5 * DAY) if self._happens(0.5) else None
            self._do(vacations.begin, player_id=person.player.pk, until=until)


ACTS_AT_WILL: tuple[tuple[Callable[..., None], float], ...] = (
    (play.offer_draw, 0.01),
    (play.ask_takeback, 0.03),
    (play.abort, 0.01),
    (play.resign, 0.003),
)


@contextmanager
def _bell_held() -> Iterator[None]:
    """This process is its own worker, at its own time: no other one is to be rung."""
    ring = outbox.ring
    outbox.ring = lambda: None
    try:
        yield
    finally:
        outbox.ring = ring


@contextmanager
def _own_clock(simulation: Simulation) -> Iterator[None]:
    """What the service asks the database's clock for, it is told by the simulation's."""
    database_now = outages.database_now
    outages.database_now = lambda: simulation.now
    try:
        yield
    finally:
        outages.database_now = database_now
