"""Games, slow webhooks, letters and a flood of mail on a site; what was measured, as JSON.

Run as `python -m tests.config.load <seconds> <seconds ago that flags fell> <slow address>` on the
database of the site.
"""

import json
import secrets
import sys
import threading
import time
from datetime import datetime, timedelta

import django

django.setup()

from django.db import connection  # noqa: E402
from django.utils import timezone  # noqa: E402

from accounts.models import Player  # noqa: E402
from games import sweeps  # noqa: E402
from games.clock import PerMove  # noqa: E402
from games.models import EntryPoint, Game, Heartbeat, OutboxMessage, Status  # noqa: E402
from games.starting import start_game  # noqa: E402
from notifications import mail_in, webhooks  # noqa: E402
from notifications.models import Letter  # noqa: E402
from tests.conftest import make_player  # noqa: E402
from tests.games.acts import as_stored, both_move, move  # noqa: E402

PAIRS = 6
SLOW = 4
MAILS = 300
MAIL = b"""From: stranger@example.net\r\nTo: play@localhost\r\nSubject: %d
Message-ID: <flood%d@example.net>\r\nDate: Mon, 2 Mar 2026 12:00:00 +0000\r\n\r\nHello\r\n"""


class Relayed(threading.Thread):
    """How long facts waited, as far as they were seen waiting."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.is_over = threading.Event()
        self.seconds: list[float] = []
        self.oldest = 0.0

    def run(self) -> None:
        seen: dict[int, float] = {}
        while not self.is_over.wait(0.1):
            now = timezone.now()
            rows = OutboxMessage.objects.values_list("pk", "recorded_at")
            ages = {pk: (now - at).total_seconds() for pk, at in rows}
            self.seconds += [age for pk, age in seen.items() if pk not in ages]
            self.oldest = max([self.oldest, *ages.values()])
            seen = ages
        connection.close()


def begin(first: Player, second: Player) -> Game:
    """A game in which both have moved, so that it can be lost."""
    game = start_game(
        ruleset="tritt-classic", options={}, players=(first, second), clock_settings=PerMove(3),
        now=timezone.now(), rated=False,
    )  # fmt: skip
    both_move(game, now=timezone.now())
    return game


def let_flags_fall(games: list[Game], ago: float) -> dict[int, datetime]:
    """One second after the other; when each falls."""
    flags = {}
    for number, game in enumerate(games):
        flag = timezone.now() - timedelta(seconds=ago - number)
        flags[game.pk] = flag
        game = as_stored(game)
        Game.objects.filter(pk=game.pk).update(clock_from=flag - game.time_left, deadline_at=flag)
    return flags


def write_to_slow_addresses(players: list[Player], address: str) -> None:
    for player in players[:SLOW]:
        webhooks.register(player=player, url=address, now=timezone.now())
    details = {"event": "Spring", "name": "Spring", "address": "/", "what": "opened"}
    Letter.objects.bulk_create(
        Letter(key=f"load{player.pk}.{n}", kind="event", channel="webhook", player=player,
               details=details)
        for player in players[:SLOW]
        for n in range(20)
    )  # fmt: skip


def main(seconds: float, ago: float, address: str) -> None:
    EntryPoint.objects.all().delete()
    OutboxMessage.objects.all().delete()
    run = secrets.token_hex(3)
    players = [make_player(f"load{run}{number}") for number in range(2 * PAIRS)]
    pairs = list(zip(players[::2], players[1::2], strict=True))
    played, lost = ([begin(*pair) for pair in pairs] for _ in range(2))
    write_to_slow_addresses(players, address)
    relayed = Relayed()
    relayed.start()
    flags = let_flags_fall(lost, ago)
    for number in range(MAILS):
        mail_in.store(
            MAIL % (number, number),
            recipients=["play@localhost"],
            mail_from="s@example.net",
            peer="x",
        )
    beats, moves = [], 0
    ends_at = time.monotonic() + seconds
    while time.monotonic() < ends_at:
        second_ends_at = time.monotonic() + 1
        beats.append((timezone.now() - Heartbeat.objects.get().beat_at).total_seconds())
        for at, pair in enumerate(pairs):
            if not as_stored(played[at]).is_running:
                played[at] = begin(*pair)
            move(played[at], now=timezone.now())
            moves += 1
        time.sleep(max(second_ends_at - time.monotonic(), 0))
    relayed.is_over.set()
    relayed.join()
    done = Game.objects.filter(pk__in=[game.pk for game in lost]).exclude(status=Status.RUNNING)
    late = [(game.ended_at - flags[game.pk]).total_seconds() for game in done if game.ended_at]
    called = Letter.objects.filter(key__startswith="load", attempts__gt=0)
    measured = {
        "moves": moves,
        "oldest_beat": max(beats),
        "ended": done.count(),
        "latest_end": max(late, default=0.0) - sweeps.GRACE.total_seconds(),
        "oldest_fact": max([relayed.oldest, *relayed.seconds]),
        "median_fact": sorted(relayed.seconds or [0.0])[len(relayed.seconds) // 2],
        "facts_seen": len(relayed.seconds),
        "webhook_letters_tried": called.count(),
        "mail_letters_tried": Letter.objects.filter(channel="mail", error__gt="").count(),
        "mails_read": MAILS - mail_in.InboundMail.objects.filter(state="new").count(),
    }
    print(json.dumps(measured))


if __name__ == "__main__":
    main(float(sys.argv[1]), float(sys.argv[2]), sys.argv[3])
