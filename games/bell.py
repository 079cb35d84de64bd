"""The doorbell: wakes a worker for what waits in the tables; without it the next beat finds it."""

import logging
from functools import cache

from celery import Task
from django.conf import settings
from django.core.cache import cache as redis
from redis import Redis

from accounts.breaker import redis_breaker

logger = logging.getLogger(__name__)


def ring(bell: str, task: Task) -> None:
    """One ring is enough until a worker has heard it; Redis away or emptied costs only time."""
    breaker = redis_breaker(settings.REDIS_URL)
    if not breaker.may_try():
        return
    try:
        if _doorbell().set(redis.make_key(bell), 1, nx=True, ex=30):
            task.delay()
    except Exception as error:
        breaker.failed()
        logger.warning("the bell is out of order: %s", error)
    else:
        breaker.succeeded()


def heard(bell: str) -> None:
    """A worker has come; whatever happens from now on rings again."""
    redis.delete(bell)


@cache
def _doorbell() -> Redis:
    """One client for good: Django's cache makes one a call, which takes longer than the call."""
    return Redis.from_url(settings.REDIS_URL, socket_timeout=1, socket_connect_timeout=1)
