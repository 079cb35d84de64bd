"""How many letters should have gone out by now, and since when the oldest of them."""

from datetime import datetime

from django.db.models import Count, Min

from notifications.models import Letter, State


def letters(now: datetime) -> tuple[int, datetime | None]:
    """Those that wait for a digest or an hour to come are not due yet."""
    due = Letter.objects.filter(
        state__in=[State.WAITING, State.SENDING], due_at__lte=now, digest=False
    ).aggregate(number=Count("pk"), oldest=Min("due_at"))
    return due["number"], due["oldest"]
