"""Answers that have arrived and that nobody has read yet: no flag falls before they are."""

from datetime import datetime

from django.conf import settings
from django.utils.module_loading import import_string


def answers(*, due_by: datetime) -> dict[int, datetime]:
    """By game, of those due by then: when the first answer of whoever is to move arrived."""
    arrived: dict[int, datetime] = {}
    for path in settings.UNREAD_ANSWERS:
        for game_id, at in import_string(path)(due_by=due_by):
            arrived[game_id] = min(at, arrived.get(game_id, at))
    return arrived
