"""So many requests a minute for each who asks, counted in Redis; without Redis, no limit."""

import logging
import time
from functools import cache
from typing import Any, cast

import redis
from django.conf import settings
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

logger = logging.getLogger(__name__)

WINDOW = 60
PATIENCE = 0.2
REST_AFTER_FAILURE = 5.0

_tried_again_at = 0.0


class Politeness(BaseThrottle):
    """Reads and writes are counted apart; a visitor by his address, a player by who he is."""

    left_in_window = 0.0

    def allow_request(self, request: Request, view: Any) -> bool:
        who, kind = self._who(request)
        most = settings.API_LIMITS.get(kind)
        if not most:
            return True
        now = time.time()
        count = _count(f"throttle:{kind}:{who}:{int(now // WINDOW)}", now)
        self.left_in_window = WINDOW - now % WINDOW
        request._request.allowance = (most, max(most - count, 0), self.left_in_window)  # type: ignore[attr-defined]
        return count <= most

    def wait(self) -> float:
        return self.left_in_window

    def _who(self, request: Request) -> tuple[str, str]:
        if not request.user.is_authenticated:
            return self.get_ident(request) or "", "anonymous"
        return str(request.user.pk), "read" if request.method in SAFE_METHODS else "write"


@cache
def _redis() -> redis.Redis:
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE
    )


def _count(key: str, now: float) -> int:
    """How often in this window; 0 while Redis is away, which is not asked at every request then."""
    global _tried_again_at
    if now < _tried_again_at:
        return 0
    try:
        count = cast(int, _redis().incr(key))
        if count == 1:
            _redis().expire(key, 2 * WINDOW)
        return count
    except redis.RedisError as error:
        logger.warning("requests are not counted: %s", error)
        _tried_again_at = now + REST_AFTER_FAILURE
        return 0
