"""A closed account in notifications: nothing more is sent, received or remembered."""

from collections.abc import Callable
from datetime import datetime

from django.db.models import Q

from accounts import locks
from accounts.closing import has_trace, replace_traces
from accounts.models import Closing
from games.models import Challenge, Game
from notifications import mailbox
from notifications.models import (
    FeedLink,
    Habits,
    InboundMail,
    Kind,
    Letter,
    MailboxLetter,
    Preference,
    PushSubscription,
    ReplyToken,
    Suppression,
    Webhook,
)
from tournaments.models import Event

SLICE = 1000
MAILS_AT_ONCE = 50
NAMES = ("games", "player", "rows")
"""Details of a letter that are names, or have names in lists."""
OF_EVENTS = (Kind.EVENT, Kind.ROUND_PAIRED, Kind.STANDINGS)
TEXTS = ("event", "said")
"""Details in which a name may be one word of many; nothing else holds any."""


def forget(closing: Closing, now: datetime) -> bool:
    player = closing.player
    locks.delete_by_id(InboundMail.objects.filter(player=player))
    locks.update_by_id(InboundMail.objects.filter(token__player=player), token=None)
    for model in (FeedLink, Webhook, PushSubscription, ReplyToken, Habits, Preference):
        model.objects.filter(player=player).delete()
    invited = Challenge.objects.filter(challenger=player).values("pk")
    Letter.objects.filter(kind=Kind.INVITATION, player=None, about__in=invited).delete()
    for address in closing.addresses:
        Letter.objects.filter(address__iexact=address).delete()
        locks.delete_by_id(InboundMail.objects.filter(mail_from__iexact=address))
        Suppression.objects.filter(address__iexact=address).delete()
        MailboxLetter.objects.filter(recipient__iexact=address).delete()
    some = Letter.objects.filter(player=player).order_by("pk").values("pk")[:SLICE]
    return Letter.objects.filter(pk__in=some).delete()[0] > 0


def replace_names(closing: Closing, now: datetime) -> bool:
    """In what others were told, as far as it is stored."""
    told = Letter.objects.filter(has_trace(closing, "details"))
    near = set(told.filter(_is_near(closing)).values_list("pk", flat=True))
    for letter in told.order_by("pk").iterator():
        in_texts = closing.without_traces if letter.pk in near else closing.without_addresses
        details = letter.details | {
            key: _replaced(shown, closing.without_name if key in NAMES else in_texts)
            for key, shown in letter.details.items()
            if key in NAMES + TEXTS
        }
        if details != letter.details:
            Letter.objects.filter(pk=letter.pk).update(details=details)
    replace_traces(closing, Letter.objects.exclude(error=""), "error")
    _empty_mails_of_others(closing)
    # Each holds pictures. On a trial set-up, rather one too many is deleted than one too few.
    kept = MailboxLetter.objects.iterator(chunk_size=MAILS_AT_ONCE)
    named = [one.pk for one in kept if _names(one, closing)]
    MailboxLetter.objects.filter(pk__in=named).delete()
    return False


def _is_near(closing: Closing) -> Q:
    """A condition on letters: about a game or an event that the player had part in."""
    player = closing.player_id
    games = Game.objects.filter(seats__player=player).values("pk")
    had_part = Q(entries__player=player) | Q(organiser=player) | Q(log__by=player)
    events = Event.objects.filter(had_part).values("pk")
    return Q(game__in=games) | Q(kind__in=OF_EVENTS, about__in=events)


def _replaced(shown: object, replace: Callable[[str], str]) -> object:
    if isinstance(shown, str):
        return replace(shown)
    if isinstance(shown, list):
        return [_replaced(one, replace) for one in shown]
    return shown


def _empty_mails_of_others(closing: Closing) -> None:
    """Mail quotes what it answers or sends back, encoded, so it cannot be searched."""
    shared = Game.objects.filter(seats__player=closing.player_id).values("pk")
    read = InboundMail.objects.exclude(state=InboundMail.State.NEW)
    quoting = read.filter(Q(token__game__in=shared) | Q(token=None)).exclude(raw=b"")
    locks.update_by_id(quoting, raw=b"")
    replace_traces(closing, read, "reason")


def _names(letter: MailboxLetter, closing: Closing) -> bool:
    shown = mailbox.shown(letter)
    text = f"{shown.subject} {shown.text}"
    return closing.without_traces(text) != text
