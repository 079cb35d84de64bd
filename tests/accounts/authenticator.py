"""A passkey made of plain Python, which can also lie."""

import json
from typing import Any

from allauth.account.utils import user_pk_to_url_str
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from django.conf import settings
from fido2.cose import ES256
from fido2.utils import sha256, websafe_encode
from fido2.webauthn import (
    Aaguid,
    AttestationObject,
    AttestedCredentialData,
    AuthenticatorData,
    CollectedClientData,
)

from accounts.models import Player

FLAG = AuthenticatorData.FLAG


class Passkey:
    """Answers for the site's own origin, its owner verified, unless told otherwise."""

    def __init__(self, player: Player, number: int = 1) -> None:
        self.id = bytes([number]) * 16
        self.user_handle = websafe_encode(user_pk_to_url_str(player).encode())
        self.key = ec.generate_private_key(ec.SECP256R1())

    def created(self, options: dict[str, Any], **lies: Any) -> str:
        public = ES256.from_cryptography_key(self.key.public_key())
        credential = AttestedCredentialData.create(Aaguid(bytes(16)), self.id, public)
        data = self._data(FLAG.AT, credential, **lies)
        attested = AttestationObject.create("none", data, {})
        client = self._client(CollectedClientData.TYPE.CREATE, options, **lies)
        return self._said(clientDataJSON=client, attestationObject=attested)

    def shown(self, options: dict[str, Any], **lies: Any) -> str:
        data = self._data(FLAG(0), b"", **lies)
        client = self._client(CollectedClientData.TYPE.GET, options, **lies)
        signature = self.key.sign(data + client.hash, ec.ECDSA(hashes.SHA256()))
        return self._said(
            self.user_handle, clientDataJSON=client, authenticatorData=data, signature=signature
        )

    def _data(
        self, flags: Any, credential: bytes, host: str = "", verified: bool = True, **_lies: Any
    ) -> AuthenticatorData:
        flags |= FLAG.UP | (FLAG.UV if verified else FLAG(0))
        return AuthenticatorData.create(
            sha256((host or settings.SITE_HOST).encode()), flags, 1, credential
        )

    def _client(
        self, kind: str, options: dict[str, Any], origin: str = "", **_lies: Any
    ) -> CollectedClientData:
        challenge = options["publicKey"]["challenge"]
        return CollectedClientData.create(kind, challenge, origin or settings.SITE_URL)

    def _said(self, user_handle: str = "", **parts: bytes) -> str:
        response = {name: websafe_encode(part) for name, part in parts.items()}
        if user_handle:
            response["userHandle"] = user_handle
        key = websafe_encode(self.id)
        return json.dumps({"id": key, "rawId": key, "type": "public-key", "response": response})


def registered(player: Player) -> dict[str, Any]:
    """The credential of some passkey, as it is stored."""
    said = Passkey(player).created({"publicKey": {"challenge": ""}})
    return dict(json.loads(said))
