"""A small world to look at: a dozen people who have played for weeks, through the real doors.

Who plays whom, when and what comes from one seed; only the dice are drawn in secret, as always,
so that no two loads are quite alike.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth.hashers import make_password

from accounts.models import Player
from games import lobby, outbox, play, starting, talk, vacations
from games.clock import PRESETS, Clock
from games.lobby import Terms
from games.models import Game, OutboxMessage, Status, Via
from games.rules.position import Outcome, Position, Turn
from games.rules.registry import ruleset

PASSWORD = "tripost"  # noqa: S105
PEOPLE = [
    ("alice", "Europe/Berlin", "en", "I play everything, but Tritt most of all."),
    ("bob", "America/New_York", "en", "Slow thinker. A move a day keeps the doctor away."),
    ("charlie", "Asia/Tokyo", "de", "Spielt gern mit Würfeln."),
    ("dora", "Europe/Vienna", "de", ""),
    ("emil", "Europe/Copenhagen", "en", "Always up for a game of Tri-Trac."),
    ("fatima", "Africa/Casablanca", "en", ""),
    ("greta", "Europe/Zurich", "de", ""),
    ("hugo", "America/Sao_Paulo", "en", "By e-mail only, and proud of it."),
    ("ines", "Europe/Lisbon", "en", ""),
    ("jonas", "Europe/Berlin", "de", ""),
    ("kaya", "Europe/Istanbul", "en", "Rock, paper, golden cow."),
    ("liam", "Europe/Dublin", "en", ""),
]
REGULARS = 4
"""So many play so much that they are ranked."""
GAMES = {
    "tritt-classic": 42,
    "tritt-reloaded": 10,
    "tritoc": 8,
    "tri-trac": 8,
    "triotrio": 8,
}
BEGUN_LATELY = 4
"""So many games of each kind began in the last days, and most of them still run."""
SAID = (
    "Have a good game!",
    "I did not see that coming.",
    "Nice move.",
    "Sorry for the wait, I was travelling.",
    "One more after this one?",
)
DAY = timedelta(days=1)
HOUR = timedelta(hours=1)
MINUTE = timedelta(minutes=1)
WEEKS = 8 * 7 * DAY
LATELY = 2 * DAY
TRIES = 5
"""Moves that a player looks at before he chooses."""
LONG_GAME = 45
ROLL = "roll"
"""Whoever may roll does: games are to be short."""


def load(*, now: datetime, seed: int = 1) -> tuple[int, int]:
    """How many players and games there are then; for an empty service."""
    ring, outbox.ring = outbox.ring, lambda: None
    try:
        world = _World(now, seed)
        world.play()
        world.look_around()
        # What happened in the past weeks is no news to anybody.
        OutboxMessage.objects.all().delete()
    finally:
        outbox.ring = ring
    return len(world.people), Game.objects.count()


@dataclass
class _Table:
    """A game as it goes on: what the doors answer is enough to follow it."""

    game_id: int
    players: tuple[int, int]
    position: Position
    ply: int = 0

    def go_on(self, position: Position, throws: list[list[int]]) -> None:
        for faces in throws:
            position = position.rolled(tuple(faces))
        self.position = position
        self.ply += 1


class _World:
    def __init__(self, now: datetime, seed: int) -> None:
        self.now = now
        self.chance = random.Random(seed)  # noqa: S311
        # Hashed once for all: to hash it is meant to be slow.
        self.password = make_password(PASSWORD)
        self.people = [self._settle_in(number, *who) for number, who in enumerate(PEOPLE)]
        self._order = count()
        self.shown: dict[str, _Table] = {}

    def _settle_in(self, number: int, name: str, zone: str, language: str, about: str) -> Player:
        is_staff = number == 0
        player = Player.objects.create(
            name=name,
            email=f"{name}@example.org",
            password=self.password,
            zone=zone,
            language=language,
            about=about,
            is_staff=is_staff,
            is_superuser=is_staff,
            joined_at=self.now - WEEKS - self.chance.randrange(1, 60) * DAY,
        )
        EmailAddress.objects.create(user=player, email=player.email, verified=True, primary=True)
        return player

    # At the tables, all at once, in the order of time

    def play(self) -> None:
        agenda: list[tuple[datetime, int, str, _Table | None]] = [
            (at, next(self._order), key, None) for at, key in self._beginnings()
        ]
        heapify(agenda)
        while agenda:
            at, _order, key, table = heappop(agenda)
            if at >= self.now:
                continue
            if table is None:
                table = self._begin(key, at)
                after: timedelta | None = self._pause()
            else:
                after = self._turn(table, at)
            if after:
                heappush(agenda, (at + after, next(self._order), key, table))
        self._wait_for_the_first()

    def _beginnings(self) -> Iterator[tuple[datetime, str]]:
        for key, number in GAMES.items():
            for _ in range(number - BEGUN_LATELY):
                yield self.now - self.chance.uniform(0.4, 1) * WEEKS, key
            for _ in range(BEGUN_LATELY):
                yield self.now - self.chance.uniform(0.1, 1) * LATELY, key

    def _begin(self, key: str, at: datetime) -> "_Table":
        first, second = self._pair(key, at)
        game = starting.start_game(
            ruleset=key,
            options={},
            players=(first, second),
            clock_settings=self._clock(),
            rated=self.chance.random() < 0.9,
            now=at,
        )
        position = ruleset(key, game.version).load(game.position)
        table = _Table(game.pk, (first.pk, second.pk), position)
        if self._is_late(at) and self.people[0] in (first, second):
            self.shown[key] = table
        return table

    def _pair(self, key: str, at: datetime) -> tuple[Player, Player]:
        """The first of them plays one of the latest games of each kind."""
        often = key == "tritt-classic" and self.chance.random() < 0.9
        first, second = self.chance.sample(self.people[:REGULARS] if often else self.people, 2)
        if self._is_late(at) and key not in self.shown and second != self.people[0]:
            first = self.people[0]
        return first, second

    def _is_late(self, at: datetime) -> bool:
        return self.now - at <= LATELY

    def _wait_for_the_first(self) -> None:
        """Whoever looks in finds something to do."""
        for table in self.shown.values():
            while (
                isinstance(turn := table.position.awaiting, Turn)
                and table.players[turn.seat] != self.people[0].pk
            ):
                self._turn(table, self.now)

    def _clock(self) -> Clock:
        return PRESETS[self.chance.choice(["3d", "3d", "5d", "7d", "10d+1d"])]

    def _turn(self, table: "_Table", at: datetime) -> timedelta | None:
        """One act of whoever is to move; how long until the next, if the game goes on."""
        turn = table.position.awaiting
        assert isinstance(turn, Turn)
        who: dict[str, Any] = {
            "game_id": table.game_id,
            "player_id": table.players[turn.seat],
            "now": at,
        }
        if table.ply > LONG_GAME and self.chance.random() < 0.03:
            play.resign(**who)
            return None
        if self.chance.random() < 0.02:
            talk.say(text=self.chance.choice(SAID), **who)
        text, after = self._chosen(table.position)
        played = play.play_move(text=text, ply=table.ply, via=self._way(), **who)
        table.go_on(after, played.throws)
        if isinstance(table.position.awaiting, Outcome):
            return None
        return 2 * MINUTE if table.position.awaiting == turn else self._pause()

    def _way(self) -> str:
        return self.chance.choice([Via.WEB, Via.WEB, Via.MAIL, Via.API])

    def _pause(self) -> timedelta:
        return self.chance.triangular(0.3, 24, 2) * HOUR

    # How they think

    def _chosen(self, position: Position) -> tuple[str, Position]:
        """A win, if one is seen; never a blunder that loses at once, if there is anything else."""
        found = [self._tried(position) for _ in range(TRIES)]
        return max(found, key=lambda tried: _worth(position, tried[1]))

    def _tried(self, position: Position) -> tuple[str, Position]:
        text = ""
        while choices := position.choices(text):
            wanted = [choice for choice in choices if choice.token == ROLL] or choices
            choice = self.chance.choice(wanted)
            text += choice.token
            if choice.whole and self.chance.random() < 0.5:
                break
        return text, position.play(position.parse(text))

    # In the lobby, and away

    def look_around(self) -> None:
        alice, bob, charlie, dora, emil, fatima, *others = self.people
        for challenger, terms in (
            (bob, Terms(ruleset="tritoc", clock=PRESETS["3d"], message="Anyone for dice?")),
            (dora, Terms(ruleset="tritt-reloaded", clock=PRESETS["7d"], weekends=True)),
            (emil, Terms(ruleset="tri-trac", clock=PRESETS["10d+1d"], side=1)),
            (
                fatima,
                Terms(
                    ruleset="tritt-classic",
                    clock=PRESETS["2d"],
                    options={"slide": "any"},
                    rating_least=1400,
                    rating_most=1700,
                ),
            ),
            (others[0], Terms(ruleset="triotrio", clock=PRESETS["5d"], rated=False)),
        ):
            lobby.seek(challenger=challenger, terms=terms, now=self._lately())
        usual = Terms(ruleset="tritt-classic", clock=PRESETS["3d"], message="Shall we?")
        lobby.challenge(challenger=charlie, opponent=alice, terms=usual, now=self._lately())
        lobby.challenge(challenger=alice, opponent=dora, terms=usual, now=self._lately())
        lobby.invite_by_link(challenger=alice, terms=usual, now=self._lately())
        self._go_away(others[-1])

    def _go_away(self, player: Player) -> None:
        """From now on: nothing that was played is reckoned anew, only the deadlines ahead."""
        vacations.begin(player_id=player.pk, until=self.now + 3 * DAY, now=self.now)
        running = Game.objects.filter(status=Status.RUNNING, seats__player=player)
        for game_id in running.values_list("pk", flat=True):
            play.recount_deadline(game_id)

    def _lately(self) -> datetime:
        return self.now - self.chance.uniform(1, 30) * HOUR


def _worth(before: Position, after: Position) -> float:
    """For the mover: what an end is worth, and half of it while nothing is decided."""
    if not isinstance(after.awaiting, Outcome):
        return 0.5
    assert isinstance(before.awaiting, Turn)
    return after.awaiting.scores[before.awaiting.seat]
