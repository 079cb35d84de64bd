"""Games whose time runs out during the run: nobody moves in them."""

from collections.abc import Sequence
from datetime import datetime, timedelta

from django.utils import timezone

from games.clock import PerMove
from games.starting import start_game
from tests.chaos.players import Seated
from tests.games.acts import as_stored, both_move

DAYS = 3
FIRST = 10.0
EVERY = 20.0
"""Seconds between two time-outs, and at least as many games as there are in `LEAST`."""
LEAST = 8
ROOM = 60.0
"""Seconds before the end of the run: the grace, a sweep and an outage."""


def begin(seats: Sequence[Seated], seconds: float) -> dict[int, datetime]:
    """By game: when its time runs out if there is no outage; as if played three days ago."""
    now = timezone.now()
    number = max(LEAST, round(seconds / EVERY))
    step = max(seconds - ROOM - FIRST, 1.0) / number
    return dict(_begin(seats, now + timedelta(seconds=FIRST + step * at)) for at in range(number))


def _begin(seats: Sequence[Seated], ends_at: datetime) -> tuple[int, datetime]:
    long_ago = ends_at - timedelta(days=DAYS)
    game = start_game(
        ruleset="tritt-classic",
        options={},
        players=[player for player, _token in seats],
        clock_settings=PerMove(DAYS),
        now=long_ago,
    )
    both_move(game, now=long_ago)
    deadline = as_stored(game).deadline_at
    assert deadline == ends_at, deadline
    return game.pk, ends_at
