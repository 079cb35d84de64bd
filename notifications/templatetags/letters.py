"""How letters print instants, quotations and boards."""

from datetime import UTC, datetime

from django import template
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from notifications import plain_text

register = template.Library()
register.filter("quoted", plain_text.quoted)
register.filter("marked", plain_text.marked)


@register.filter
def instant(at: datetime) -> str:
    """As the pages print it, with the reader's zone and, where that is another, UTC."""
    local = timezone.localtime(at)
    here = f"{_printed(local)} {local:%Z}"
    if local.utcoffset() == UTC.utcoffset(None):
        return here
    in_utc = at.astimezone(UTC)
    there = f"{in_utc:%H:%M}" if in_utc.date() == local.date() else _printed(in_utc)
    return _("{local} ({utc} UTC)").format(local=here, utc=there)


def _printed(at: datetime) -> str:
    return date_format(at, pgettext("date format", "j M Y, H:i"))


@register.filter
def indented(text: str) -> str:
    """A board: its lines are never broken."""
    return "\n".join(f"  {line}".rstrip() for line in text.strip("\n").split("\n"))


@register.filter
def in_quotes(moves: list[str]) -> str:
    """Each in quotation marks, so that no line of a letter is a move."""
    return ", ".join(f'"{move}"' for move in moves)
