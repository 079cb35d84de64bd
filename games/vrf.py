"""Verifiable random numbers (RFC 9381, ECVRF-EDWARDS25519-SHA512-TAI), standard library alone.

For each text a key has exactly one number of 32 bytes, which only its owner can work out
beforehand, and a proof of it, which anyone can check. So whoever publishes a public key is bound
to the numbers for all texts at once.
"""

import hashlib

from games.ed25519 import (
    BASE,
    NEUTRAL,
    ORDER,
    Point,
    decoded,
    encoded,
    is_same,
    negative,
    plus,
    times,
)

SUITE = b"\x03"
COFACTOR = 8
PROOF_BYTES = 80


def public_key(secret: bytes) -> bytes:
    return encoded(times(_scalar(secret), BASE))


def prove(secret: bytes, text: bytes) -> tuple[bytes, bytes]:
    """The key's number for a text, and the proof of it."""
    scalar, public = _scalar(secret), public_key(secret)
    hashed = _hashed_to_curve(public, text)
    gamma = times(scalar, hashed)
    nonce_key = hashlib.sha512(secret).digest()[32:]
    nonce = int.from_bytes(hashlib.sha512(nonce_key + encoded(hashed)).digest(), "little") % ORDER
    challenge = _challenge(public, hashed, gamma, times(nonce, BASE), times(nonce, hashed))
    answer = (nonce + challenge * scalar) % ORDER
    proof = encoded(gamma) + challenge.to_bytes(16, "little") + answer.to_bytes(32, "little")
    return _number(gamma), proof


def number(public: bytes, text: bytes, proof: bytes) -> bytes | None:
    """The key's number for a text; None if the proof is wrong."""
    key = decoded(public) if len(public) == 32 else None
    gamma = decoded(proof[:32]) if len(proof) == PROOF_BYTES else None
    # A key of small order would leave its owner a choice of numbers.
    if key is None or gamma is None or is_same(times(COFACTOR, key), NEUTRAL):
        return None
    challenge = int.from_bytes(proof[32:48], "little")
    answer = int.from_bytes(proof[48:], "little")
    if answer >= ORDER:
        return None
    hashed = _hashed_to_curve(public, text)
    u = plus(times(answer, BASE), negative(times(challenge, key)))
    v = plus(times(answer, hashed), negative(times(challenge, gamma)))
    if _challenge(public, hashed, gamma, u, v) != challenge:
        return None
    return _number(gamma)


def _number(gamma: Point) -> bytes:
    return _digest(b"\x03", encoded(times(COFACTOR, gamma)))[:32]


def _scalar(secret: bytes) -> int:
    """As RFC 8032, 5.1.5, clamps it."""
    low = int.from_bytes(hashlib.sha512(secret).digest()[:32], "little")
    return low & ((1 << 254) - 8) | 1 << 254


def _hashed_to_curve(public: bytes, text: bytes) -> Point:
    """Tries one number after the other until one is a point: every second is."""
    for counter in range(256):
        point = decoded(_digest(b"\x01", public, text, bytes([counter]))[:32])
        if point is not None:
            return times(COFACTOR, point)
    raise ValueError("no point for this text")  # once in 2 to the power of 256


def _challenge(public: bytes, *points: Point) -> int:
    digest = _digest(b"\x02", public, *map(encoded, points))
    return int.from_bytes(digest[:16], "little")


def _digest(purpose: bytes, *parts: bytes) -> bytes:
    return hashlib.sha512(b"".join((SUITE, purpose, *parts, b"\x00"))).digest()
