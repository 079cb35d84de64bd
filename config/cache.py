"""A Redis cache that goes on in this process's memory while Redis is away."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

from accounts.breaker import redis_breaker

logger = logging.getLogger(__name__)

MOST_KEPT_HERE = 10_000


def _forgiving(method: str) -> Callable[..., Any]:
    original = getattr(RedisCache, method)

    @wraps(original)
    def wrapped(self: "ForgivingRedisCache", *args: Any, **kwargs: Any) -> Any:
        if self.breaker.may_try():
            try:
                found = original(self, *args, **kwargs)
            except RedisError as error:
                self.breaker.failed()
                logger.warning("cache unavailable in %s: %s", method, error)
            else:
                self.breaker.succeeded()
                return found
        return getattr(self.here, method)(*args, **kwargs)

    return wrapped


class ForgivingRedisCache(RedisCache):
    """Limits of sign-ins, mails and the like hold without Redis, in each process by itself."""

    def __init__(self, server: str, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self.breaker = redis_breaker(server)
        self.here = LocMemCache("while-redis-is-away", {"MAX_ENTRIES": MOST_KEPT_HERE})

    get = _forgiving("get")
    get_many = _forgiving("get_many")
    has_key = _forgiving("has_key")
    add = _forgiving("add")
    set = _forgiving("set")
    set_many = _forgiving("set_many")
    touch = _forgiving("touch")
    delete = _forgiving("delete")
    delete_many = _forgiving("delete_many")
    clear = _forgiving("clear")
    incr = _forgiving("incr")
