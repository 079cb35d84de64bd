"""The server's own signature: made with one key, checked with any that was ever published."""

import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from cryptography.fernet import Fernet, InvalidToken
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.conf import settings
from django.utils import timezone
from django.utils.crypto import salted_hmac

from accounts import locks
from accounts.models import Player
from games import commitments
from games.models import SigningKey
from games.record_origin import Keys

SALT = "games.signing_keys"


class Signer:
    """The current key, ready to sign."""

    def __init__(self, key: SigningKey, private: Ed25519PrivateKey) -> None:
        self.key = key.pk
        self.sign = private.sign


def signer() -> Signer:
    """Makes the first key, and a new one if SECRET_KEY was changed and the last cannot be read."""
    key = SigningKey.objects.filter(retired_at=None).order_by("created_at").last()
    private = _unlocked(key) if key else None
    if key is None or private is None:
        key = rotate(now=timezone.now())
        private = _unlocked(key)
        assert private is not None
    return Signer(key, private)


@locks.action
def rotate(*, now: datetime) -> SigningKey:
    """A new key signs from now on; what the old ones signed stays valid."""
    SigningKey.objects.filter(retired_at=None).update(retired_at=now)
    private = Ed25519PrivateKey.generate()
    public = private.public_key().public_bytes_raw()
    return SigningKey.objects.create(
        pk=hashlib.sha256(public).hexdigest()[:16],
        public_key=public.hex(),
        private_key=_fernet().encrypt(private.private_bytes_raw()),
        created_at=now,
    )


def published() -> dict[str, Any]:
    signer()
    return {
        "site": settings.SITE_URL,
        "dice_with_bots": commitments.key_for_bots(now=timezone.now()).public_key,
        "bots": sorted(_bots()),
        "keys": [
            {
                "id": key.pk,
                "algorithm": "Ed25519",
                "public_key": key.public_key,
                "created_at": key.created_at,
                "retired_at": key.retired_at,
            }
            for key in SigningKey.objects.all()
        ],
    }


def own_keys() -> Keys:
    """As the verifier takes them."""
    public = SigningKey.objects.values_list("pk", "public_key")
    return Keys(
        settings.SITE_URL,
        {pk: bytes.fromhex(key) for pk, key in public},
        commitments.key_for_bots(now=timezone.now()).public_key,
        frozenset(_bots()),
    )


def _bots() -> Iterable[str]:
    return Player.objects.filter(bot_level__isnull=False).values_list("name", flat=True)


def _fernet() -> Fernet:
    secret = salted_hmac(SALT, "private keys", algorithm="sha256").digest()
    return Fernet(urlsafe_b64encode(secret))


def _unlocked(key: SigningKey) -> Ed25519PrivateKey | None:
    try:
        return Ed25519PrivateKey.from_private_bytes(_fernet().decrypt(bytes(key.private_key)))
    except InvalidToken:
        return None
