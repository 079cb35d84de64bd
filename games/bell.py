"""Wake-ups under a flag of one's own; without them the timetable finds what waits in the tables."""

from celery import Task
from django.core.cache import cache as redis

from accounts import background


def ring(bell: str, task: Task) -> None:
    """One ring is enough until a worker has heard it; Redis away or emptied costs only time."""
    background.wake(task, flag=bell)


def heard(bell: str) -> None:
    """A worker has come; whatever happens from now on rings again."""
    redis.delete(bell)
