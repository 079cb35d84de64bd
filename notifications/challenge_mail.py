"""Challenges that are answered by mail: the address to write to, and what a reply does."""

from datetime import datetime
from hmac import compare_digest

from django.conf import settings
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext as _

from accounts import locks
from games import lobby
from games.models import Challenge
from games.rules.position import Refusal
from notifications.commands import Command

PREFIX = "c+"


def address_of(offer: Challenge) -> str:
    """Lower case throughout, because some mail programs write addresses small."""
    return f"{PREFIX}{offer.pk}-{_signature(offer)}@{settings.MAIL_DOMAIN}"


def find(recipient: str) -> Challenge | None:
    """The challenge of an address, if we made it for whoever is challenged."""
    local, _at, domain = recipient.strip().lower().rpartition("@")
    number, _dash, signature = local.removeprefix(PREFIX).partition("-")
    if not local.startswith(PREFIX) or domain != settings.MAIL_DOMAIN.lower():
        return None
    if not (number.isascii() and number.isdecimal() and len(number) < 19):
        return None
    offers = Challenge.objects.select_related("opponent")
    offer = offers.filter(pk=int(number), opponent__is_active=True).first()
    if offer and compare_digest(signature.encode(), _signature(offer).encode()):
        return offer
    return None


def _signature(offer: Challenge) -> str:
    """With the epoch of the player's sessions: whoever ends all access ends this too."""
    assert offer.opponent is not None
    text = f"{offer.pk}.{offer.opponent.pk}.{offer.opponent.session_epoch}"
    return salted_hmac("notifications.challenge_mail", text, algorithm="sha256").hexdigest()[:32]


def answer(
    offer: Challenge,
    commands: tuple[Command, ...],
    *,
    salt: str,
    sent_at: datetime,
    now: datetime,
) -> tuple[str, str]:
    """A code for what was done, and the sentence for it; accepts or declines, or does nothing."""
    names = {command.name for command in commands}
    if names not in ({"accept"}, {"decline"}):
        return "not-understood", _(
            "We could not read the first line of your e-mail, so nothing was done."
            " Write “accept” or “decline”."
        )
    assert offer.opponent is not None
    try:
        with locks.savepoint():
            if names == {"decline"}:
                lobby.decline(challenge_id=offer.pk, player=offer.opponent, now=sent_at)
                return "done", _("You declined the challenge.")
            lobby.accept(
                challenge_id=offer.pk, player=offer.opponent, now=now, salt=salt, sent_at=sent_at
            )
            return "done", _("You accepted the challenge. The game has begun.")
    except Refusal as refusal:
        return "refused", refusal.sentence(_)
