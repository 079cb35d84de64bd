"""A fair share for everyone: requests a minute, counted in Redis, or here while it is away."""

import logging
import math
import time
from collections import Counter
from dataclasses import dataclass
from functools import cache
from threading import Lock
from typing import Any

import redis
from django.conf import settings
from django.utils.translation import ngettext
from rest_framework.exceptions import APIException, Throttled
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from accounts.breaker import redis_breaker
from accounts.visitors import network_of

logger = logging.getLogger(__name__)

WINDOW = 60
PATIENCE = 0.2
MOST_COUNTED_HERE = 10_000


@dataclass(frozen=True, slots=True)
class Share:
    """How much of what is allowed is used in this window, and how long that lasts."""

    most: int
    used: int
    seconds: float

    @property
    def left(self) -> int:
        return max(self.most - self.used, 0)

    @property
    def is_exceeded(self) -> bool:
        return self.used > self.most


def take(kind: str, who: str, most: int) -> Share:
    """One request more of this kind."""
    now = time.time()
    used = _count(f"throttle:{kind}:{who}:{int(now // WINDOW)}", now)
    return Share(most, used, WINDOW - now % WINDOW)


def too_many(seconds: float) -> str:
    """What is said wherever a share is exceeded."""
    wait = math.ceil(seconds)
    said = ngettext(
        "You have made too many requests in a short time. Try again in {seconds} second.",
        "You have made too many requests in a short time. Try again in {seconds} seconds.",
        wait,
    )
    return said.format(seconds=wait)


# The API


class TooManyRequests(Throttled):
    """In our own words: those of its class add a sentence about the seconds to any other."""

    def __init__(self, wait: float) -> None:
        APIException.__init__(self, too_many(wait))
        self.wait = math.ceil(wait)


class Politeness(BaseThrottle):
    """Reads and writes are counted apart; visitors by their address, players by who they are."""

    def allow_request(self, request: Request, view: Any) -> bool:
        who, kind = self._who(request)
        request._request.is_counted = True  # type: ignore[attr-defined]
        most = settings.API_LIMITS.get(kind)
        if not most:
            return True
        share = take(kind, who, most)
        request._request.allowance = share  # type: ignore[attr-defined]
        if share.is_exceeded:
            raise TooManyRequests(share.seconds)
        return True

    def _who(self, request: Request) -> tuple[str, str]:
        if not request.user.is_authenticated:
            return network_of(request.META), "anonymous"
        return str(request.user.pk), "read" if request.method in SAFE_METHODS else "write"


# Counting


@cache
def _redis() -> redis.Redis:
    return redis.Redis.from_url(
        settings.REDIS_URL, socket_timeout=PATIENCE, socket_connect_timeout=PATIENCE
    )


def _count(key: str, now: float) -> int:
    """How often in this window."""
    breaker = redis_breaker(settings.REDIS_URL)
    if breaker.may_try():
        try:
            with _redis().pipeline(transaction=False) as together:
                together.incr(key)
                together.expire(key, 2 * WINDOW)
                used = int(together.execute()[0])
        except redis.RedisError as error:
            breaker.failed()
            logger.warning("requests are counted in this process: %s", error)
        else:
            breaker.succeeded()
            return used
    return here.add(key, int(now // WINDOW))


class CountsHere:
    """The counts of this process in the current window; its memory is bounded."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._window = 0
        self._counts: Counter[str] = Counter()

    def add(self, key: str, window: int) -> int:
        with self._lock:
            if window != self._window:
                self._window = window
                self._counts.clear()
            if key not in self._counts and len(self._counts) >= MOST_COUNTED_HERE:
                key = "everyone else"
            self._counts[key] += 1
            return self._counts[key]


here = CountsHere()
