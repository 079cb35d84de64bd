"""Lengths of time as people say them."""

from datetime import datetime, timedelta

from django import template
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

register = template.Library()

MINUTE = timedelta(minutes=1)
HOUR = timedelta(hours=1)
DAY = timedelta(days=1)


@register.filter
def duration(length: timedelta) -> str:
    """The two units that matter, rounded down: nobody is promised time he does not have."""
    days, rest = divmod(length, DAY)
    hours, rest = divmod(rest, HOUR)
    minutes = rest // MINUTE
    if days:
        said = ngettext("{number} day", "{number} days", days).format(number=days)
        return f"{said} {_('{number} h').format(number=hours)}" if hours else said
    if hours:
        said = _("{number} h").format(number=hours)
        return f"{said} {_('{number} min').format(number=minutes)}" if minutes else said
    return _("{number} min").format(number=minutes) if minutes else _("less than a minute")


@register.filter
def hours(number: int) -> str:
    """A number of hours, in days where it is some."""
    return duration(number * HOUR)


@register.filter
def is_soon(deadline: datetime, now: datetime) -> bool:
    return deadline - now < DAY
