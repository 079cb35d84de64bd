"""A real mail program plays whole games for both seats, and nobody opens the site."""

import contextlib
import mailbox
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from email import message_from_bytes
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from aiosmtpd.controller import Controller
from django.db import connections
from django.utils import timezone

from accounts.models import Player
from games import outbox, pictures, replay
from games.models import Game, Move
from games.rules.position import Position, Turn
from games.rules.registry import ruleset
from notifications import inbound, mail_body, post
from notifications.models import InboundMail, Letter
from tests.notifications.mails import free_port
from tests.tools import mail_client

pytestmark = [pytest.mark.flow, pytest.mark.django_db(transaction=True)]

PROJECT = Path(__file__).resolve().parent.parent.parent
PATIENCE = 60
EDITOR = """\
#!/bin/sh
# Types the answer above what is quoted.
cat "$ANSWER" "$1" > "$1.new" && mv "$1.new" "$1"
"""


class Postman:
    """The players' own mail server: keeps what comes for each."""

    def __init__(self) -> None:
        self.letters: dict[str, list[bytes]] = {}

    async def handle_DATA(self, server, session, envelope) -> str:
        for recipient in envelope.rcpt_tos:
            self.letters.setdefault(recipient, []).append(envelope.original_content)
        return "250 OK"


@pytest.fixture
def postman(settings, monkeypatch) -> Iterator[Postman]:
    """Letters leave by SMTP, at once."""
    # Painting boards takes most of the time of a game and is looked at elsewhere.
    dot = pictures.png('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"></svg>', width=1)
    monkeypatch.setattr(pictures, "png", lambda *_drawing, **_size: dot)
    handler = Postman()
    controller = Controller(handler, hostname="127.0.0.1", port=free_port())
    controller.start()
    settings.EMAIL_BACKEND = "notifications.smtp.EmailBackend"
    settings.EMAIL_HOST, settings.EMAIL_PORT = controller.hostname, controller.port
    settings.LETTER_PAUSE = 0
    yield handler
    controller.stop()


@pytest.fixture
def mail_server() -> Iterator[int]:
    """Ours, as `make run` starts it; the port that it listens on."""
    port = free_port()
    database = connections["default"].settings_dict["NAME"]
    url = urlsplit(os.environ["DATABASE_URL"])._replace(path=f"/{database}").geturl()
    process = subprocess.Popen(
        [sys.executable, "-u", "manage.py", "mail_server"],
        cwd=PROJECT,
        env={**os.environ, "MAIL_PORT": str(port), "DATABASE_URL": url},
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert "listening for mail" in process.stdout.readline()
    yield port
    process.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(timeout=30)
    process.kill()


class MailProgram:
    """s-nail, which quotes, threads and addresses an answer by itself, in two ways."""

    def __init__(self, home: Path, port: int) -> None:
        self.home, self.port = home, port
        self.editor = home / "editor"
        self.editor.write_text(EDITOR)
        self.editor.chmod(0o755)

    def answer(self, letter: bytes, text: str, *, player: Player, heeds_reply_to: bool) -> None:
        box = self.home / "box"
        box.unlink(missing_ok=True)
        with contextlib.closing(mailbox.mbox(box)) as kept:
            kept.add(letter.replace(b"\r\n", b"\n"))
        typed = self.home / "typed"
        typed.write_text(f"{text}\n\n")
        options = [
            "v15-compat", f"mta=smtp://127.0.0.1:{self.port}", "smtp-auth=none", "quote",
            f"from={player.email}", "hostname=example.org", "DEAD=/dev/null", "ttycharset=utf-8",
            "sendwait",
            *(["reply-to-honour=yes", "indentprefix=> "] if heeds_reply_to else []),
        ]  # fmt: skip
        done = subprocess.run(
            [mail_client(), "-#", "-n", *(f"-S{one}" for one in options), "-f", str(box)],
            input="Reply 1\n~e\n~.\nexit\n",
            env={
                "PATH": os.environ["PATH"], "HOME": str(self.home), "TMPDIR": str(self.home),
                "EDITOR": str(self.editor), "VISUAL": str(self.editor), "ANSWER": str(typed),
                "LC_ALL": "C.UTF-8", "MAILRC": "/dev/null",
            },
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr


@pytest.fixture
def program(tmp_path, mail_server) -> MailProgram:
    return MailProgram(tmp_path, mail_server)


def work() -> None:
    """What the worker does when the bell rings: reads mail, carries facts, sends letters."""
    inbound.read_new(now=timezone.now())
    outbox.relay(now=timezone.now())
    while post.send_due(now=timezone.now()):
        pass


def latest_turn(postman: Postman, player: Player) -> bytes:
    """The newest letter that says it is his turn."""
    return next(
        raw
        for raw in reversed(postman.letters[player.email])
        if message_from_bytes(raw)["X-Mail-Kind"] in ("turn", "started")
    )


def kinds(postman: Postman, player: Player) -> list[str]:
    return [message_from_bytes(raw)["X-Mail-Kind"] for raw in postman.letters[player.email]]


def play_on(
    game: Game, postman: Postman, program: MailProgram, choose: Callable[[Position], str]
) -> Game:
    """Each player answers his turn letters until there is nothing left to answer."""
    work()
    seats = list(game.seats.select_related("player").order_by("number"))
    while game.is_running:
        mover = seats[game.seat_to_move].player
        position = ruleset(game.ruleset, game.version).load(game.position)
        text = f"{choose(position)}\n\nThis is move {game.ply + 1}."
        arrived = InboundMail.objects.count()
        # One of them uses a mail program that pays no heed to Reply-To.
        program.answer(
            latest_turn(postman, mover), text, player=mover, heeds_reply_to=mover is seats[0].player
        )
        assert InboundMail.objects.count() == arrived + 1
        work()
        before, game = game.ply, Game.objects.get(pk=game.pk)
        assert game.ply == before + 1, _why(InboundMail.objects.order_by("-pk")[0])
    return game


def _why(mail: InboundMail) -> str:
    return f"{mail.outcome}: {mail.reason}\n{bytes(mail.raw).decode()}"


def assert_played_by_mail_alone(game: Game, postman: Postman, players: list[Player]) -> None:
    lines = replay.standing_lines(game.pk)
    position = replay.positions(game, lines)[-1]
    assert position.to_json() == game.position
    assert {line.via for line in lines[1:]} == {"mail"}
    assert not Letter.objects.exclude(state__in=["sent", "cancelled"]).exists()
    for player in players:
        assert "game-over" in kinds(postman, player)
        assert kinds(postman, player).count("reply") == sum(
            line.seat == players.index(player) for line in lines[1:]
        )
    recipients = set(InboundMail.objects.values_list("recipient", flat=True))
    assert "play@localhost" in recipients
    assert len(recipients) > 2


def test_a_whole_game_of_tri_trac(start, alice, bob, postman, program):
    game = start("tri-trac", options={"move_limit": 8}, now=timezone.now())
    ended = play_on(game, postman, program, lambda position: str(position.legal_moves()[-1]))
    assert ended.reason in ("move-limit", "track")
    assert_played_by_mail_alone(ended, postman, [alice, bob])


def test_a_whole_game_of_tritoc_with_its_dice(start, alice, bob, postman, program, loaded_dice):
    throws = [(1, 2), (4, 6), (1, 3), (5, 6), (1, 4), (4, 5)]
    loaded_dice(*throws * 3)

    def legal(position: Position) -> list[object]:
        """Alice fills the fields from the first one on, Bob from the last."""
        moves = list(position.legal_moves())
        return moves if position.awaiting == Turn(0) else moves[::-1]

    game = start("tritoc", now=timezone.now())
    ended = play_on(game, postman, program, lambda position: str(legal(position)[0]))
    assert (ended.reason, ended.score) == ("fields", 2)
    assert_played_by_mail_alone(ended, postman, [alice, bob])
    for raw in InboundMail.objects.values_list("raw", flat=True):
        text = mail_body.body_of(mail_body.opened(bytes(raw))).text
        assert (
            text.count("\n> ##- Write your answer") + text.count("\n\t##- Write your answer") == 1
        )


def test_what_the_mail_program_sends_twice_is_played_once(start, alice, postman, program):
    game = start("tri-trac", options={"move_limit": 4}, now=timezone.now())
    work()
    letter = latest_turn(postman, alice)
    for _time in range(2):
        program.answer(letter, "place c4 wn", player=alice, heeds_reply_to=True)
    work()
    outcomes = sorted(InboundMail.objects.values_list("outcome", flat=True))
    assert outcomes == ["duplicate", "played"]
    assert Move.objects.filter(game=game, ply__gt=0).count() == 1
