"""Mails as players send them, and the way from the mail server to what comes of them."""

import socket
from datetime import datetime, timedelta
from email.message import EmailMessage
from email.utils import make_msgid

from accounts.models import Player
from games.models import Game
from notifications import inbound, mail_in, reply_address
from notifications.models import InboundMail, ReplyToken
from tests.conftest import NOW

SOON = NOW + timedelta(hours=1)


def free_port() -> int:
    with socket.socket() as trial:
        trial.bind(("127.0.0.1", 0))
        return trial.getsockname()[1]


def token_of(game: Game, seat: int = 0, ply: int | None = None) -> ReplyToken:
    """What a letter about this ply would carry."""
    game.refresh_from_db()
    player = game.seats.get(number=seat).player
    return reply_address.token_for(
        game_id=game.pk,
        seat=seat,
        ply=game.ply if ply is None else ply,
        player_id=player.pk,
        now=NOW,
    )


def mail(text: str, *, sender: str | Player, to: str = "play@localhost", **headers: str) -> bytes:
    message = EmailMessage()
    message["From"] = sender.email if isinstance(sender, Player) else sender
    message["To"] = to
    message["Subject"] = "Re: the game"
    message["Message-ID"] = make_msgid(domain="example.org")
    for name, value in headers.items():
        message[name.replace("_", "-")] = value
    message.set_content(text)
    return message.as_bytes()


def arrive(
    raw: bytes, to: str, *, mail_from: str = "alice@example.org", at: datetime = SOON
) -> InboundMail:
    """Stores a message and settles it, as the mail server and a worker do."""
    known = set(InboundMail.objects.values_list("pk", flat=True))
    mail_in.store(raw, recipients=[to], mail_from=mail_from, peer="127.0.0.1")
    InboundMail.objects.exclude(pk__in=known).update(received_at=at, due_at=at)
    inbound.read_new(now=at)
    return InboundMail.objects.exclude(pk__in=known).get()


def answer(
    token: ReplyToken, text: str, *, sender: str | Player = "", at: datetime = SOON, **more: str
) -> InboundMail:
    """The player of a token writes to its address."""
    address = reply_address.address_of(token)
    return arrive(mail(text, sender=sender or token.player, to=address, **more), address, at=at)
