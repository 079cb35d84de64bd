"""Games, slow webhooks, letters and a flood of mail on a site; what was measured, as JSON.

Run as `python -m tests.config.load <seconds> <seconds ago that flags fell> <slow address>` on the
database of the site, of which all background processes and the mail server run. No web process
does: moves are made here, and it is the background that is under load. `tests.chaos` has the web.
"""

import json
import math
import secrets
import smtplib
import sys
import threading
import time
from datetime import datetime, timedelta
from statistics import median

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402
from django.db.models import Min  # noqa: E402
from django.utils import timezone  # noqa: E402

from accounts.models import Player  # noqa: E402
from games.clock import PerMove  # noqa: E402
from games.models import EntryPoint, Game, Heartbeat, OutboxMessage, Status  # noqa: E402
from games.starting import start_game  # noqa: E402
from notifications import webhooks  # noqa: E402
from notifications.models import InboundMail, Letter  # noqa: E402
from tests.conftest import make_player  # noqa: E402
from tests.games.acts import as_stored, both_move, move  # noqa: E402

PAIRS = 6
SLOW = 4
MAILS = 300
MAIL = b"""From: stranger@example.net\r\nTo: play@localhost\r\nSubject: %d
Message-ID: <%s-%d@example.net>\r\nDate: Mon, 2 Mar 2026 12:00:00 +0000\r\n\r\nHello\r\n"""


class Flood(threading.Thread):
    """Mail of a stranger, one after the other on one line, as fast as the mail server takes it."""

    def __init__(self, run: str) -> None:
        super().__init__(daemon=True)
        self.run_id = run
        self.seconds = 0.0

    def run(self) -> None:
        began = time.monotonic()
        with smtplib.SMTP("127.0.0.1", settings.MAIL_LISTEN_PORT, timeout=30) as line:
            for number in range(MAILS):
                to = f"play@{settings.MAIL_DOMAIN}"
                line.sendmail("s@example.net", to, MAIL % (number, self.run_id.encode(), number))
        self.seconds = time.monotonic() - began

    def read(self) -> int:
        """How many were stored, and have been looked at."""
        stored = InboundMail.objects.filter(message_id__startswith=f"<{self.run_id}-")
        return stored.exclude(state="new").count()


# By a trigger: what is relayed sooner than one could look counts too.
NOTE_RELAYED = """
CREATE TABLE load_relayed (seconds float8);
CREATE FUNCTION load_note_relayed() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO load_relayed
    VALUES (extract(epoch FROM clock_timestamp() - OLD.recorded_at));
    RETURN NULL;
END $$;
CREATE TRIGGER load_note_relayed AFTER DELETE ON games_outboxmessage
FOR EACH ROW EXECUTE FUNCTION load_note_relayed()
"""
FORGET_RELAYED = """
DROP TRIGGER load_note_relayed ON games_outboxmessage;
DROP FUNCTION load_note_relayed;
DROP TABLE load_relayed
"""


def seconds_relayed() -> tuple[list[float], float]:
    """How long each fact waited, and the longest that one which is still there has."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT seconds FROM load_relayed ORDER BY seconds")
        waited = [seconds for (seconds,) in cursor.fetchall()]
    oldest = OutboxMessage.objects.aggregate(at=Min("recorded_at"))["at"] or timezone.now()
    return waited, (timezone.now() - oldest).total_seconds()


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
    with connection.cursor() as cursor:
        cursor.execute(NOTE_RELAYED)
    try:
        print(json.dumps(measured(seconds, ago, address)))
    finally:
        with connection.cursor() as cursor:
            cursor.execute(FORGET_RELAYED)


def measured(seconds: float, ago: float, address: str) -> dict[str, float]:
    run = secrets.token_hex(3)
    players = [make_player(f"load{run}{number}") for number in range(2 * PAIRS)]
    pairs = list(zip(players[::2], players[1::2], strict=True))
    played, lost = ([begin(*pair) for pair in pairs] for _ in range(2))
    write_to_slow_addresses(players, address)
    flood = Flood(run)
    flood.start()
    flags = let_flags_fall(lost, ago)
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
    flood.join()
    done = Game.objects.filter(pk__in=[game.pk for game in lost]).exclude(status=Status.RUNNING)
    late = [(game.ended_at - flags[game.pk]).total_seconds() for game in done if game.ended_at]
    waited, still_waiting = seconds_relayed()
    letters = Letter.objects.filter(player__in=players, attempts__gt=0)
    return {
        "moves": moves,
        "oldest_beat": max(beats),
        "ended": done.count(),
        "latest_end": max(late, default=0.0),
        "facts_relayed": len(waited),
        "oldest_fact": max([still_waiting, *waited]),
        "median_fact": median(waited or [math.inf]),
        "webhook_letters_tried": letters.filter(channel="webhook").count(),
        "mail_letters_tried": letters.filter(channel="mail").count(),
        "mails_read": flood.read(),
        "seconds_of_flood": flood.seconds,
    }


if __name__ == "__main__":
    main(float(sys.argv[1]), float(sys.argv[2]), sys.argv[3])
