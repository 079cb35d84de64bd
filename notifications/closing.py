"""A closed account in notifications: nothing more is sent, received or remembered."""

from collections.abc import Callable
from datetime import datetime

from django.db.models import Q

from accounts import locks
from accounts.closing import Rows, has_trace, replace_traces, walk
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
        Suppression.objects.filter(address__iexact=address).delete()
    some = Letter.objects.filter(player=player).order_by("pk").values("pk")[:SLICE]
    return Letter.objects.filter(pk__in=some).delete()[0] > 0


def clear_letters(closing: Closing, now: datetime) -> bool:
    """Those to an address of the player's, and the name in what others were told."""

    def clear(letters: Rows) -> None:
        for address in closing.addresses:
            letters.filter(address__iexact=address).delete()
        _replace_details(closing, letters)
        replace_traces(closing, letters.exclude(error=""), "error")

    return walk(closing, Letter.objects.all(), clear)


def _replace_details(closing: Closing, letters: Rows) -> None:
    told = letters.filter(has_trace(closing, "details"))
    near = set(told.filter(_is_near(closing)).values_list("pk", flat=True))
    for letter in told.order_by("pk"):
        in_texts = closing.without_traces if letter.pk in near else closing.without_addresses
        details = letter.details | {
            key: _replaced(shown, closing.without_name if key in NAMES else in_texts)
            for key, shown in letter.details.items()
            if key in NAMES + TEXTS
        }
        if details != letter.details:
            Letter.objects.filter(pk=letter.pk).update(details=details)


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


def clear_mails(closing: Closing, now: datetime) -> bool:
    """Those from an address of the player's, and what others have quoted.

    Mail quotes what it answers or sends back, encoded, so it cannot be searched.
    """
    shared = Game.objects.filter(seats__player=closing.player_id).values("pk")

    def clear(mails: Rows) -> None:
        for address in closing.addresses:
            locks.delete_by_id(mails.filter(mail_from__iexact=address))
        read = mails.exclude(state=InboundMail.State.NEW)
        quoting = read.filter(Q(token__game__in=shared) | Q(token=None)).exclude(raw=b"")
        locks.update_by_id(quoting, raw=b"")
        replace_traces(closing, read, "reason")

    return walk(closing, InboundMail.objects.all(), clear)


def clear_mailbox(closing: Closing, now: datetime) -> bool:
    """Each letter holds pictures. On a trial set-up, rather one too many goes than one too few."""

    def clear(letters: Rows) -> None:
        for address in closing.addresses:
            letters.filter(recipient__iexact=address).delete()
        named = [one.pk for one in letters if _names(one, closing)]
        MailboxLetter.objects.filter(pk__in=named).delete()

    return walk(closing, MailboxLetter.objects.all(), clear, most=MAILS_AT_ONCE)


def _names(letter: MailboxLetter, closing: Closing) -> bool:
    shown = mailbox.shown(letter)
    text = f"{shown.subject} {shown.text}"
    return closing.without_traces(text) != text
