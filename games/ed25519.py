"""Whether a message was signed with an Ed25519 key (RFC 8032), with the standard library alone.

It takes its time and gives away what it works on by how long it takes; both are of no concern
where everything is public. Whoever signs uses a library for it.
"""

import hashlib

PRIME = 2**255 - 19
ORDER = 2**252 + 27742317777372353535851937790883648493
CURVE = -121665 * pow(121666, -1, PRIME) % PRIME
ROOT_OF_MINUS_ONE = pow(2, (PRIME - 1) // 4, PRIME)

Point = tuple[int, int, int, int]
"""Extended coordinates: x / z, y / z, z, x * y / z."""
NEUTRAL: Point = (0, 1, 1, 0)


def is_signed(message: bytes, signature: bytes, public_key: bytes) -> bool:
    """Whether the signature, of 64 bytes, is the key's for this message."""
    if len(signature) != 64 or len(public_key) != 32:
        return False
    key, commitment = decoded(public_key), decoded(signature[:32])
    scalar = int.from_bytes(signature[32:], "little")
    if key is None or commitment is None or scalar >= ORDER:
        return False
    challenge = hashlib.sha512(signature[:32] + public_key + message).digest()
    factor = int.from_bytes(challenge, "little") % ORDER
    return is_same(times(scalar, BASE), plus(commitment, times(factor, key)))


def plus(one: Point, other: Point) -> Point:
    a = (one[1] - one[0]) * (other[1] - other[0]) % PRIME
    b = (one[1] + one[0]) * (other[1] + other[0]) % PRIME
    c = 2 * one[3] * other[3] * CURVE % PRIME
    d = 2 * one[2] * other[2] % PRIME
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % PRIME, g * h % PRIME, f * g % PRIME, e * h % PRIME)


def times(factor: int, point: Point) -> Point:
    product = NEUTRAL
    while factor:
        if factor & 1:
            product = plus(product, point)
        point = plus(point, point)
        factor >>= 1
    return product


def is_same(one: Point, other: Point) -> bool:
    return (one[0] * other[2] - other[0] * one[2]) % PRIME == 0 and (
        one[1] * other[2] - other[1] * one[2]
    ) % PRIME == 0


def negative(point: Point) -> Point:
    return (PRIME - point[0], point[1], point[2], PRIME - point[3])


def encoded(point: Point) -> bytes:
    """Its y in 32 bytes, and in the highest bit whether x is odd."""
    inverse = pow(point[2], -1, PRIME)
    x, y = point[0] * inverse % PRIME, point[1] * inverse % PRIME
    return (y | (x & 1) << 255).to_bytes(32, "little")


def decoded(data: bytes) -> Point | None:
    """The point that 32 bytes stand for: y, and in the highest bit whether x is odd."""
    number = int.from_bytes(data, "little")
    is_odd, y = number >> 255, number & ((1 << 255) - 1)
    if y >= PRIME:
        return None
    square = (y * y - 1) * pow(CURVE * y * y + 1, -1, PRIME) % PRIME
    x = pow(square, (PRIME + 3) // 8, PRIME)
    if (x * x - square) % PRIME:
        x = x * ROOT_OF_MINUS_ONE % PRIME
    if (x * x - square) % PRIME or (x == 0 and is_odd):
        return None
    x = PRIME - x if x & 1 != is_odd else x
    return (x, y, 1, x * y % PRIME)


def _base() -> Point:
    point = decoded((4 * pow(5, -1, PRIME) % PRIME).to_bytes(32, "little"))
    assert point is not None
    return point


BASE = _base()
