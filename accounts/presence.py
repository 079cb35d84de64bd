"""When a player was last here: by web, by API or by mail."""

from datetime import datetime, timedelta

from django.db.models import Q

from accounts.models import Player

AT_LEAST_EVERY = timedelta(minutes=5)


def note_seen(player: Player, *, now: datetime) -> None:
    """At most one write in five minutes, however many requests there are."""
    if player.seen_at is not None and now - player.seen_at < AT_LEAST_EVERY:
        return
    earlier = Q(seen_at=None) | Q(seen_at__lte=now - AT_LEAST_EVERY)
    Player.objects.filter(earlier, pk=player.pk).update(seen_at=now)
    player.seen_at = now
