"""Ways other than mail: every browser or address of a player is told of a letter once."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from django.utils import timezone, translation

from accounts.background import TimeBox
from notifications import push, webhooks
from notifications.calls import DeliveryFailed, NobodyThere
from notifications.models import Channel, Letter

SECONDS_A_LETTER = 8.0
"""For all browsers or addresses of a player together."""
LEAST_SECONDS = 1.0

__all__ = ["DeliveryFailed", "NobodyThere", "deliver"]


class Way(NamedTuple):
    targets: Callable[[int], Sequence[Any]]
    tell: Callable[..., None]


WAYS = {
    Channel.PUSH: Way(push.browsers_of, push.tell),
    Channel.WEBHOOK: Way(webhooks.living, webhooks.tell),
}


def deliver(letter: Letter, *, now: datetime) -> None:
    """Tells whoever is to be told; raises DeliveryFailed for as long as somebody is left.

    Whoever was told is noted with the letter at once, so that another try reaches only those
    whom the first one did not.
    """
    letter = _in_full(letter)
    way = WAYS[Channel(letter.channel)]
    player = letter.player
    targets = way.targets(player.pk) if player and player.is_active else ()
    if player is None or not targets:
        raise NobodyThere
    with translation.override(player.language), timezone.override(player.zone):
        _tell_each(letter, targets, way, now)


def _tell_each(letter: Letter, targets: Sequence[Any], way: Way, now: datetime) -> None:
    """For some seconds in all; another try begins with another, so that each has its turn."""
    box = TimeBox(SECONDS_A_LETTER)
    first = letter.attempts % len(targets)
    failure = None
    for target in (*targets[first:], *targets[:first]):
        if target.pk in letter.details.get("told", []):
            continue
        if box.left < LEAST_SECONDS:
            raise failure or DeliveryFailed("There was no time left.")
        try:
            way.tell(target, letter, now=now, seconds=box.left)
        except NobodyThere:
            continue
        except DeliveryFailed as failed:
            failure = failed
        else:
            _note_told(letter, target.pk)
    if failure:
        raise failure
    if not letter.details.get("told"):
        raise NobodyThere


def _note_told(letter: Letter, target: int) -> None:
    letter.details = {**letter.details, "told": [*letter.details.get("told", []), target]}
    Letter.objects.filter(pk=letter.pk).update(details=letter.details)


def _in_full(letter: Letter) -> Letter:
    """With its game, seats and players, in a fixed number of queries."""
    rows = Letter.objects.select_related("game", "player").prefetch_related("game__seats__player")
    return rows.get(pk=letter.pk)
