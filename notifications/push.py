"""Messages to browsers, encrypted for each of them; one that is gone is forgotten."""

import binascii
import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import cache
from http import HTTPStatus

from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from py_vapid import Vapid02  # type: ignore[import-untyped]
from pywebpush import WebPusher  # type: ignore[import-untyped]

from accounts import locks
from accounts.models import Player
from games.refusals import BadRequest, NotAllowed
from notifications import call_budget, calls
from notifications.calls import DeliveryFailed, NobodyThere
from notifications.in_short import in_short
from notifications.models import Kind, Letter, PushSubscription

MOST_A_PLAYER = 10
GONE = (HTTPStatus.NOT_FOUND, HTTPStatus.GONE)
KEPT_FOR = timedelta(days=1)
"""How long the browser's provider keeps a message that has no deadline."""
SIGNATURE_HOLDS = timedelta(hours=12)


# Who is told


def is_offered() -> bool:
    return bool(settings.PUSH_KEY)


def public_key() -> str:
    """What a browser must know before it lets us write to it."""
    point = _vapid(settings.PUSH_KEY).public_key.public_bytes(
        Encoding.X962, PublicFormat.UncompressedPoint
    )
    return urlsafe_b64encode(point).rstrip(b"=").decode()


@cache
def _vapid(private_key: str) -> Vapid02:
    return Vapid02.from_string(private_key)


@locks.action
def subscribe(
    *, player: Player, endpoint: str, p256dh: str, auth: str, browser: str, now: datetime
) -> PushSubscription:
    """A browser that comes again, or with somebody else before it, is the same browser."""
    if not is_offered():
        raise NotAllowed("This service sends no messages to browsers.")
    calls.target_of(endpoint)
    _require_keys(p256dh, auth)
    Player.objects.select_for_update(no_key=True).get(pk=player.pk)
    others = player.browsers.exclude(endpoint=endpoint)
    if others.count() >= MOST_A_PLAYER:
        raise NotAllowed("You have 10 browsers here, the most one can have; remove one first.")
    subscription, _new = PushSubscription.objects.update_or_create(
        endpoint=endpoint,
        defaults={
            "player": player,
            "p256dh": p256dh,
            "auth": auth,
            "browser": browser[:200],
            "created_at": now,
        },
    )
    return subscription


def _require_keys(p256dh: str, auth: str) -> None:
    try:
        EllipticCurvePublicKey.from_encoded_point(SECP256R1(), _decoded(p256dh))
        is_right = len(_decoded(auth)) == 16
    except (ValueError, binascii.Error):
        is_right = False
    if not is_right:
        raise BadRequest("These are not the keys of a browser’s subscription.")


def _decoded(text: str) -> bytes:
    return urlsafe_b64decode(text.encode() + b"=" * (-len(text) % 4))


def browsers_of(player_id: int) -> Sequence[PushSubscription]:
    return list(PushSubscription.objects.filter(player=player_id)) if is_offered() else []


# Telling


def tell(browser: PushSubscription, letter: Letter, *, now: datetime, seconds: float) -> None:
    """Through the browser's provider, who cannot read it."""
    body, headers = _encrypted(browser, message(letter)), _headers(browser, letter, now)
    with call_budget.spending(browser.player_id, now=now):
        status = calls.post(browser.endpoint, body=body, headers=headers, seconds=seconds)
    if status in GONE:
        browser.delete()
        raise NobodyThere
    if not 200 <= status < 300:
        raise DeliveryFailed("The browser’s provider answered with {status}.", status=status)


def message(letter: Letter) -> dict[str, str]:
    """What the service worker shows; a later message of the same game replaces it."""
    words = in_short(letter)
    tag = f"g{letter.game_id}" if letter.game_id else letter.key
    return {"title": words.title, "body": words.body, "url": words.url, "tag": tag}


def _encrypted(browser: PushSubscription, content: dict[str, str]) -> bytes:
    keys = {"p256dh": browser.p256dh, "auth": browser.auth}
    pusher = WebPusher({"endpoint": browser.endpoint, "keys": keys})
    encrypted: bytes = pusher.encode(json.dumps(content, ensure_ascii=False).encode())["body"]
    return encrypted


def _headers(browser: PushSubscription, letter: Letter, now: datetime) -> dict[str, str]:
    until = letter.deadline_at or now + KEPT_FOR
    headers = {
        **_signature(browser.endpoint, now),
        "Content-Encoding": "aes128gcm",
        "Content-Type": "application/octet-stream",
        "TTL": str(max(int((until - now).total_seconds()), 0)),
        "Urgency": "high" if letter.kind == Kind.REMINDER else "normal",
    }
    if letter.game_id:
        headers["Topic"] = f"g{letter.game_id}"
    return headers


def _signature(endpoint: str, now: datetime) -> dict[str, str]:
    scheme, _colon, rest = endpoint.partition("://")
    claims = {
        "aud": f"{scheme}://{rest.partition('/')[0]}",
        "exp": int((now + SIGNATURE_HOLDS).timestamp()),
        "sub": f"mailto:postmaster@{settings.MAIL_DOMAIN}",
    }
    signed: dict[str, str] = _vapid(settings.PUSH_KEY).sign(claims)
    return signed
