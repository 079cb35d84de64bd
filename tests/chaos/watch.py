"""How late each duty is and how old the heartbeat, read every second while things fail."""

import threading
import time

from django.db import DatabaseError, connection
from django.utils import timezone

from config import duties
from games.models import Heartbeat

EVERY = 1.0
HEARTBEAT = "heartbeat"

Sample = tuple[float, dict[str, float]]
"""When it was taken, and the seconds."""


class Watch(threading.Thread):
    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.is_over = threading.Event()
        self.samples: list[Sample] = []

    def run(self) -> None:
        while not self.is_over.wait(EVERY):
            try:
                self.samples.append((time.monotonic(), _seconds()))
            except DatabaseError:
                connection.close()
        connection.close()

    def end(self) -> list[Sample]:
        self.is_over.set()
        self.join()
        return self.samples


def _seconds() -> dict[str, float]:
    beat_at = Heartbeat.objects.values_list("beat_at", flat=True).get()
    return {HEARTBEAT: (timezone.now() - beat_at).total_seconds(), **duties.lags()}
