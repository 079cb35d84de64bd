"""A Redis cache that forgets, rather than fails, while Redis is away."""

import logging
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.core.cache.backends.redis import RedisCache
from redis.exceptions import RedisError

logger = logging.getLogger(__name__)


def _forgiving(method: str, answer: Any) -> Callable[..., Any]:
    original = getattr(RedisCache, method)

    @wraps(original)
    def wrapped(self: RedisCache, *args: Any, **kwargs: Any) -> Any:
        try:
            return original(self, *args, **kwargs)
        except RedisError as error:
            logger.warning("cache unavailable in %s: %s", method, error)
            return answer(*args, **kwargs) if callable(answer) else answer

    return wrapped


def _default(key: str, default: Any = None, version: int | None = None) -> Any:
    return default


class ForgivingRedisCache(RedisCache):
    """While Redis is away, nothing is found and nothing is kept."""

    get = _forgiving("get", _default)
    get_many = _forgiving("get_many", lambda *args, **kwargs: {})
    has_key = _forgiving("has_key", False)
    add = _forgiving("add", True)
    set = _forgiving("set", None)
    set_many = _forgiving("set_many", lambda *args, **kwargs: [])
    touch = _forgiving("touch", False)
    delete = _forgiving("delete", False)
    delete_many = _forgiving("delete_many", None)
    clear = _forgiving("clear", False)

    def incr(self, key: str, delta: int = 1, version: int | None = None) -> int:
        try:
            return super().incr(key, delta, version)
        except RedisError as error:
            raise ValueError(f"Key {key!r} not found") from error
