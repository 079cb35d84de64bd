"""No letter of ours, of whatever kind and game, does anything when it comes back quoted."""

from datetime import timedelta
from email.message import EmailMessage

import pytest

from games import play
from games.models import Via
from games.rules.position import Outcome, Turn
from games.rules.registry import RULESETS
from games.rules.registry import ruleset as rules_of
from notifications import html_text, letters, mail_acts, mail_body, mail_reading, window
from notifications.commands import read
from notifications.models import Kind, Letter
from tests.conftest import NOW
from tests.notifications.mails import token_of
from tests.notifications.test_window import HEADS, STYLES, TAILS

pytestmark = pytest.mark.django_db
AT_THE_TABLE = (Kind.TURN, Kind.REMINDER, Kind.STARTED, Kind.REPLY)


@pytest.fixture
def played(start):
    """A game of this kind with some moves in it."""

    def play_some(key: str):
        game = start(key)
        for _move in range(6):
            game.refresh_from_db()
            position = rules_of(key, game.version).load(game.position)
            assert isinstance(position.awaiting, Turn)
            player = game.seats.get(number=position.awaiting.seat).player
            harmless = (
                move
                for move in position.legal_moves()
                if not isinstance(position.play(move).awaiting, Outcome)
            )
            play.submit_move(
                game_id=game.pk, player_id=player.pk, text=str(next(harmless)), ply=game.ply,
                now=NOW, via=Via.WEB,
            )  # fmt: skip
        game.refresh_from_db()
        return game

    return play_some


def composed(game, kind: Kind) -> EmailMessage:
    player = game.seats.get(number=game.seat_to_move).player
    letter = Letter(
        key=f"g{game.pk}.{kind}", kind=kind, game=game, ply=game.ply, seat=game.seat_to_move,
        player=player, address=player.email,
        details={"outcome": "illegal", "said": ["No."], "wants": ["help", "history"], "ply": 0},
    )  # fmt: skip
    return letters.compose(letter, now=NOW + timedelta(hours=1))


@pytest.mark.parametrize("kind", AT_THE_TABLE)
@pytest.mark.parametrize("key", sorted(RULESETS))
def test_a_quoted_letter_does_nothing(played, key, kind, monkeypatch):
    monkeypatch.setattr("notifications.scene.kept_picture", lambda drawing: b"")
    game = played(key)
    is_move = mail_acts.is_move_in(mail_acts.position_of(token_of(game, game.seat_to_move)))
    message = composed(game, kind)
    [(html, _type)] = message.alternatives
    for text in (message.body, html_text.text_of(html)):
        for style in STYLES.values():
            for head in HEADS:
                for tail in TAILS:
                    quoted = head + style(text) + tail
                    assert _commands(quoted, is_move) == ()
                    assert _commands(f"board\n\n{quoted}", is_move) == ("board",)


@pytest.mark.parametrize("key", sorted(RULESETS))
def test_a_letter_sent_back_whole_does_nothing(played, key, monkeypatch):
    monkeypatch.setattr("notifications.scene.kept_picture", lambda drawing: b"")
    game = played(key)
    is_move = mail_acts.is_move_in(mail_acts.position_of(token_of(game, game.seat_to_move)))
    raw = composed(game, Kind.TURN).message().as_bytes()
    assert mail_reading.words_of(mail_body.opened(raw), is_move).commands == ()


def _commands(text: str, is_move) -> tuple[str, ...]:
    return window.find(text, lambda line: read(line, is_move) is not None).commands
