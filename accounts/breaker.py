"""Circuit breakers: while a server is away, one caller tries it now and then, the rest go on."""

import time
from functools import cache
from threading import Lock

LONGEST_ATTEMPT = 5.0


class Breaker:
    def __init__(self, rest: float) -> None:
        self.rest = rest
        """Seconds from a failure until the next attempt."""
        self._lock = Lock()
        self._try_again_at: float | None = None

    def may_try(self) -> bool:
        if self._try_again_at is None:
            return True
        with self._lock:
            now = time.monotonic()
            if self._try_again_at is not None and now < self._try_again_at:
                return False
            # The others keep away until this attempt has succeeded or failed.
            self._try_again_at = now + LONGEST_ATTEMPT
            return True

    def failed(self) -> None:
        self._try_again_at = time.monotonic() + self.rest

    def succeeded(self) -> None:
        self._try_again_at = None


@cache
def redis_breaker(url: str) -> Breaker:
    """One for all that ask this Redis in this process."""
    return Breaker(rest=5.0)
