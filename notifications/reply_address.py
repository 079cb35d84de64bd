"""The addresses that let a mail play: made here, and known again here."""

import base64
import re
import secrets
from collections.abc import Iterable
from datetime import datetime

from django.conf import settings

from notifications.models import Kind, Letter, ReplyToken

TOKEN = re.compile(r"r\+([a-z2-7]{26})")
REFERENCE = re.compile(r"<r\.([a-z2-7]{26})@([^<>@\s]{1,255})>")
MESSAGE_ID = re.compile(r"<([^<>@\s]{1,120})@([^<>@\s]{1,255})>")
MOST_REFERENCES = 200
REFERENCES = ("References", "In-Reply-To")
"""The headers that tell what a mail answers."""


def token_for(*, game_id: int, seat: int, ply: int, player_id: int, now: datetime) -> ReplyToken:
    """The one of this seat at this ply, made the first time that it is asked for.

    One that was revoked gets another secret: letters from before stay without power.
    """
    token, _made = ReplyToken.objects.get_or_create(
        game_id=game_id,
        seat=seat,
        ply=ply,
        defaults={"token": _new_token(), "player_id": player_id, "created_at": now},
    )
    if token.revoked_at is not None:
        token.token, token.created_at, token.revoked_at = _new_token(), now, None
        token.save(update_fields=["token", "created_at", "revoked_at"])
    return token


def _new_token() -> str:
    """128 random bits; lower case, because some mail programs write addresses small."""
    return base64.b32encode(secrets.token_bytes(16)).decode().rstrip("=").lower()


def address_of(token: ReplyToken) -> str:
    return f"r+{token.token}@{settings.MAIL_DOMAIN}"


def reference_of(token: ReplyToken) -> str:
    """A made-up Message-ID for `References`: it comes back where Reply-To is not heeded."""
    return f"<r.{token.token}@{settings.MAIL_DOMAIN}>"


def find(recipient: str) -> ReplyToken | None:
    """The right that goes with an address, in whatever case it is written."""
    written = written_in(recipient)
    return _usable(written) if written else None


def find_in_references(references: Iterable[str]) -> ReplyToken | None:
    """The right that an answered letter gave, for a mail that went to our common address."""
    for token, domain in reversed(
        REFERENCE.findall(" ".join(references).lower())[:MOST_REFERENCES]
    ):
        if domain == settings.MAIL_DOMAIN.lower():
            return _usable(token)
    return None


def find_secret(recipient: str, references: Iterable[str]) -> ReplyToken | None:
    """By what only the reader of a letter knows, wherever the mail shows it."""
    if written_in(recipient):
        return find(recipient)
    return find_in_references(references)


def find_by_letter(references: Iterable[str]) -> ReplyToken | None:
    """By the Message-ID of a letter, which anybody can guess: it proves nothing."""
    for letter in _letters_answered(references):
        if letter.game_id is None or letter.seat is None or letter.ply is None:
            continue
        at = ReplyToken.objects.filter(game_id=letter.game_id, seat=letter.seat, ply=letter.ply)
        token = at.values_list("token", flat=True).first()
        if token:
            return _usable(token)
    return None


def kind_answered(in_reply_to: str) -> Kind:
    """The kind of the letter that a mail answers; a turn, where that cannot be told."""
    letter = next(iter(_letters_answered([in_reply_to])), None)
    unstoppable = (Kind.REPLY, Kind.INVITATION)
    return Kind(letter.kind) if letter and letter.kind not in unstoppable else Kind.TURN


def _letters_answered(references: Iterable[str]) -> list[Letter]:
    """The last one first."""
    found = MESSAGE_ID.findall(" ".join(references).lower())[:MOST_REFERENCES]
    keys = [key for key, domain in found if domain == settings.MAIL_DOMAIN.lower()]
    by_key = {letter.key: letter for letter in Letter.objects.filter(key__in=keys)}
    return [by_key[key] for key in reversed(keys) if key in by_key]


def is_named(recipient: str, references: Iterable[str]) -> bool:
    """Whether there is a token to look up at all."""
    return bool(written_in(recipient) or REFERENCE.search(" ".join(references).lower()))


def written_in(recipient: str) -> str:
    """The token of an address of ours, known or not; nothing if it has none."""
    local, _at, domain = recipient.strip().lower().rpartition("@")
    found = TOKEN.fullmatch(local)
    return found[1] if found and domain == settings.MAIL_DOMAIN.lower() else ""


def _usable(token: str) -> ReplyToken | None:
    known = ReplyToken.objects.filter(token=token, revoked_at=None, player__is_active=True)
    return known.select_related("game", "player").first()
