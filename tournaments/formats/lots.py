"""Lots that anybody can draw again: numbers from an event's recorded seed and what they decide."""

from collections.abc import Callable
from hashlib import sha256


def lot(seed: str, *what: object) -> int:
    """A number of 64 bits, the same whenever the same is asked under the same seed."""
    words = ":".join((seed, *map(str, what)))
    return int.from_bytes(sha256(words.encode()).digest()[:8])


def lots_of_pairs(seed: str, number: int) -> Callable[[int, int], int]:
    """Draws `lot(seed, number, one, other)` for many pairs, hashing what they share once."""
    shared = sha256(f"{seed}:{number}:".encode())

    def lot_of_pair(one: int, other: int) -> int:
        own = shared.copy()
        own.update(b"%d:%d" % (one, other))
        return int.from_bytes(own.digest()[:8])

    return lot_of_pair
