"""Letters as the tests of the post write and read them."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings

from accounts.models import Player
from games.models import Game, Seat
from notifications import desk, post
from notifications.models import Kind, Letter
from tests.conftest import NOW

PAUSE = timedelta(seconds=settings.LETTER_PAUSE)
DUE = NOW + PAUSE
"""When a turn letter that was written now leaves."""


def write_turn(game: Game, *, now: datetime = NOW) -> Letter:
    """To whoever is to move."""
    game.refresh_from_db()
    seat = Seat.objects.get(game=game, number=game.seat_to_move)
    key = f"g{game.pk}.p{game.ply}.s{seat.number}.turn"
    desk.write(
        kind=Kind.TURN,
        player_id=seat.player_id,
        key=key,
        now=now,
        game_id=game.pk,
        ply=game.ply,
        seat=seat.number,
        deadline=game.deadline_at,
    )
    return Letter.objects.get(key=key)


def write_news(
    player: Player, key: str = "v1.1.news", *, now: datetime = NOW, **more: Any
) -> Letter:
    """Something that is never out of date and waits for nothing."""
    details = {"event": "Spring", "name": "Spring", "address": "/", "what": "opened"}
    desk.write(kind=Kind.EVENT, player_id=player.pk, key=key, now=now, details=details, **more)
    return Letter.objects.get(key=key)


def send(now: datetime = DUE) -> None:
    while post.send_due(now=now):
        pass
    while post.call_webhooks(now=now):
        pass


def again(letter: Letter) -> Letter:
    return Letter.objects.get(pk=letter.pk)


def outcome(letter: Letter) -> tuple[str, str]:
    now = again(letter)
    return now.state, now.why
