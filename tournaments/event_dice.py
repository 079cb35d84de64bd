"""The dice of an event: one key, published when it opens, has a seed for each of its games."""

from datetime import datetime

from django.db.models import Q

from games import commitments
from games.commitments import Commitment
from games.models import DiceKey
from games.rules.registry import RULESETS
from tournaments.models import Event, Meeting


def new_key(event: Event, *, now: datetime) -> DiceKey | None:
    """Before anybody enters. None without dice."""
    return commitments.new_key(now=now) if RULESETS[event.ruleset].has_dice else None


def commitment(event: Event, meeting: Meeting, *, now: datetime) -> Commitment:
    """What the key has for these two players' next game; the event is held still."""
    if event.dice_key is None:
        # An event that opened before there were keys publishes one now.
        event.dice_key = new_key(event, now=now)
        event.save(update_fields=["dice_key"])
    if event.dice_key is None:
        return commitments.new()
    first, second = meeting.first, meeting.second
    pair = Q(first=first, second=second) | Q(first=second, second=first)
    return commitments.of_key(
        event.dice_key,
        season=event.season,
        players=(first.player_id, second.player_id),
        game=event.meetings.filter(pair).exclude(game=None).count() + 1,
    )
