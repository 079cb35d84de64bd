"""Answer links: a page that plays for one seat at one ply, without a log-in, and nothing else."""

from django.conf import settings
from django.db.models import Prefetch
from django.urls import reverse
from django.utils.crypto import constant_time_compare, salted_hmac

from games.models import Seat
from notifications.models import ReplyToken

SALT = "notifications.answer_links"
LENGTH = 32


def link_for(token: ReplyToken) -> str:
    """Its address; whoever reads it off somewhere cannot tell the address of the mail from it."""
    return settings.SITE_URL + reverse("answer", args=[token.pk, secret_of(token)])


def secret_of(token: ReplyToken) -> str:
    return salted_hmac(SALT, token.token, algorithm="sha256").hexdigest()[:LENGTH]


def found(pk: int, secret: str) -> ReplyToken | None:
    """The right that a link stands for, unless it was revoked."""
    seats = Prefetch("game__seats", Seat.objects.select_related("player").order_by("number"))
    tokens = ReplyToken.objects.select_related("game", "player").prefetch_related(seats)
    token = tokens.filter(pk=pk, revoked_at=None, player__is_active=True).first()
    if token is None or not constant_time_compare(secret, secret_of(token)):
        return None
    return token


def has_power(token: ReplyToken) -> bool:
    """Only while the game waits for this seat at this ply."""
    game = token.game
    return game.is_running and game.ply == token.ply and game.seat_to_move == token.seat
