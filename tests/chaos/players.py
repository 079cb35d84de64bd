"""Players who move by token, again and again, and keep a ledger of what they are told."""

import http.client
import json
import random
import threading
import time
from collections.abc import Sequence
from typing import Any

from django.db import Error, connection
from django.utils import timezone

from accounts import tokens
from accounts.models import Player, Scope
from bench.rules import picked
from games.clock import PerMove
from games.rules.registry import RULESETS
from games.starting import start_game
from notifications import webhooks
from notifications.models import Channel, Kind, Preference
from tests.chaos.ledger import Ledger, Sent
from tests.chaos.writers import Writer
from tests.conftest import make_player

PATIENCE = 15.0
SENT_TWICE = 0.3
"""The share of moves that are sent again although they were acknowledged."""
PAUSES = (0.3, 0.3, 0.3, 6.0)
"""Seconds between moves; some play so slowly that e-mails about turns go out."""

Reply = tuple[int, dict[str, str], bytes]
Seated = tuple[Player, str]
"""A player and the secret of a token."""


def make_pairs(number: int, webhook: str) -> list[tuple[Seated, Seated]]:
    """Every fourth pair has webhooks."""
    return [
        (
            _with_token(f"Chaos{at}White", webhook if at % 4 == 3 else ""),
            _with_token(f"Chaos{at}Black", webhook if at % 4 == 3 else ""),
        )
        for at in range(number)
    ]


def _with_token(name: str, webhook: str) -> Seated:
    player = make_player(name)
    if webhook:
        webhooks.register(player=player, url=webhook, now=timezone.now())
        channels = [Channel.MAIL, Channel.WEBHOOK]
        Preference.objects.create(player=player, kind=Kind.TURN, channels=channels)
    return player, tokens.mint(player=player, name="chaos", scopes=Scope.values)[1]


class Pair(threading.Thread):
    """Two players and their game; a new one when it is over."""

    def __init__(
        self,
        number: int,
        seats: Sequence[Seated],
        port: int,
        ledger: Ledger,
        seed: int,
        writer: Writer | None = None,
    ) -> None:
        """With a writer, the first of them moves by mail."""
        super().__init__(daemon=True)
        self.writer = writer
        self.seats, self.port, self.ledger = seats, port, ledger
        self.chance = random.Random(f"{seed}-{number}")
        self.pause = PAUSES[number % len(PAUSES)]
        self.rulesets = sorted(RULESETS)[number % len(RULESETS) :]
        self.game: int | None = None
        self.is_over = threading.Event()

    def run(self) -> None:
        try:
            while not self.is_over.wait(self.pause * self.chance.uniform(0.5, 1.5)):
                if self.game is None:
                    self._begin()
                else:
                    self._move(self.game)
        except Exception as error:
            self.ledger.contradictions.append(f"a player could not go on: {error!r}")
            raise
        finally:
            connection.close()

    def _begin(self) -> None:
        """Dealt out by the service itself: challenges have a daily limit."""
        try:
            game = start_game(
                ruleset=self.chance.choice(self.rulesets),
                options={},
                players=[player for player, _token in self.seats],
                clock_settings=PerMove(3),
                now=timezone.now(),
            )
        except Error:
            connection.close()
        else:
            self.game = game.pk

    def _move(self, game: int) -> None:
        reply = self._ask("GET", f"games/{game}", self.seats[0][1])
        if reply is None or reply[0] != 200:
            return
        state = json.loads(reply[2])
        if state["status"] != "running":
            self.game = None
            return
        if self.writer and state["seat_to_move"] == 0 and not self.writer.is_free(game, state):
            return
        position = RULESETS[state["ruleset"]].load(state["position"])
        move = Sent(game, state["ply"], picked(position, self.chance))
        self.ledger.note_sent(move)
        if self.writer and state["seat_to_move"] == 0:
            self.writer.write(move)
            return
        secret = self.seats[state["seat_to_move"]][1]
        if self._submit(move, secret) and self.chance.random() < SENT_TWICE:
            self._submit(move, secret, again=True)

    def _submit(self, move: Sent, secret: str, again: bool = False) -> bool:
        """Until it is known what became of it; whether it was acknowledged."""
        is_unknown = False
        while not self.is_over.is_set():
            began = time.monotonic()
            body = {"ply": move.ply, "move": move.text}
            reply = self._ask("POST", f"games/{move.game}/moves", secret, body)
            if reply and reply[0] == 201:
                self.ledger.note_acknowledged(move, json.loads(reply[2])["move"], began)
                return True
            if reply and reply[0] < 500:
                said = f"{reply[0]} {reply[2][:100]!r}"
                if again:
                    self.ledger.note_contradiction(move, said)
                elif is_unknown and self._is_in_the_log(move, secret):
                    self.ledger.note_contradiction(move, said, known="unanswered but in the log")
                return False
            is_unknown = True
            self.is_over.wait(0.5)
        return False

    def _is_in_the_log(self, move: Sent, secret: str) -> bool:
        """Nobody else answers this ply."""
        while not self.is_over.is_set():
            reply = self._ask("GET", f"games/{move.game}/moves", secret)
            if reply and reply[0] == 200:
                lines = json.loads(reply[2])["moves"]
                return any(line["ply"] == move.ply + 1 for line in lines)
            self.is_over.wait(0.5)
        return False

    def _ask(self, method: str, path: str, secret: str, body: Any = None) -> Reply | None:
        try:
            reply = ask(self.port, method, f"/api/v1/{path}", secret, body)
        except (OSError, http.client.HTTPException) as error:
            self.ledger.note_reply(type(error).__name__, str(error))
            return None
        kind = str(reply[0])
        if reply[0] == 503 and "retry-after" not in reply[1]:
            kind = "503 without Retry-After"
        self.ledger.note_reply(kind, " ".join(reply[2][:600].decode(errors="replace").split()))
        return reply


def ask(port: int, method: str, path: str, secret: str = "", body: Any = None) -> Reply:
    line = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
    headers = {"Host": f"localhost:{port}", "Connection": "close"}
    if secret:
        headers |= {"Authorization": f"Bearer {secret}", "Content-Type": "application/json"}
    try:
        line.request(method, path, json.dumps(body) if body else None, headers)
        reply = line.getresponse()
        received = {name.lower(): value for name, value in reply.getheaders()}
        return reply.status, received, reply.read()
    finally:
        line.close()
