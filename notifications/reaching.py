"""Whose act a letter tells of: what a block keeps away, and what a day has room for."""

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum

from games import blocks, budgets
from games.models import Challenge, ChatLine, Ruling, RulingRequest, Seat, Vacation
from notifications.models import Kind, Letter
from tournaments.entering import NEAR
from tournaments.formats.ladder import Ladder
from tournaments.models import Entry, Event, Meeting


class Reach(StrEnum):
    PERSON = "person"
    """Another player wants to reach the reader: refused if the reader has blocked them."""
    COMMON = "common"
    """Part of a game or an event that both are in: it goes on in spite of a block."""
    STRANGER = "stranger"
    """To an address without an account: refused where it asked for that."""
    NOBODY = "nobody"
    """The reader's own acts, the clock, or the staff."""


REACHES: dict[Kind, Reach] = {
    Kind.TURN: Reach.COMMON,
    Kind.REMINDER: Reach.NOBODY,
    Kind.STARTED: Reach.COMMON,
    Kind.OFFER: Reach.COMMON,
    Kind.CHAT: Reach.PERSON,
    Kind.GAME_OVER: Reach.COMMON,
    Kind.TIMEOUT: Reach.NOBODY,
    Kind.PLAN: Reach.NOBODY,
    Kind.CHALLENGE: Reach.PERSON,
    Kind.CHALLENGE_ANSWER: Reach.COMMON,
    Kind.VACATION: Reach.COMMON,
    Kind.RULING: Reach.COMMON,
    Kind.EVENT: Reach.PERSON,
    Kind.ROUND_PAIRED: Reach.COMMON,
    Kind.STANDINGS: Reach.COMMON,
    Kind.UNREACHABLE: Reach.COMMON,
    Kind.INVITATION: Reach.STRANGER,
    Kind.REPLY: Reach.NOBODY,
    Kind.DIGEST: Reach.NOBODY,
}
ASKING = ("opened", "invited", "appointed")
"""What a letter about an event says when somebody wants the reader to enter or direct it."""


def _challenger(letter: Letter) -> int | None:
    made = Challenge.objects.filter(pk=letter.about or 0)
    return made.values_list("challenger", flat=True).first()


def _author(letter: Letter) -> int | None:
    line = ChatLine.objects.filter(pk=letter.about or 0)
    return line.values_list("author", flat=True).first()


def _opponent(letter: Letter) -> int | None:
    other = Seat.objects.filter(game=letter.game_id).exclude(player=letter.player_id)
    return other.values_list("player", flat=True).first()


def _traveller(letter: Letter) -> int | None:
    taken = Vacation.objects.filter(pk=letter.about or 0)
    return taken.values_list("player", flat=True).first()


def _inviter(letter: Letter) -> int | None:
    """The organiser, unless a director is named; none where a new season has entered the reader."""
    what = letter.details.get("what")
    entered = Entry.objects.filter(event=letter.about or 0, player=letter.player_id, state__in=NEAR)
    if what not in ASKING or (what == "opened" and entered.exists()):
        return None
    event = Event.objects.filter(pk=letter.about or 0)
    by: int | None = letter.details.get("by")
    return by or event.values_list("organiser", flat=True).first()


def _ruler(letter: Letter) -> int | None:
    """A director; none where the staff decided or the rules of an event did."""
    if letter.details.get("what") == "answered":
        asked = RulingRequest.objects.filter(pk=letter.about or 0)
        return asked.exclude(settled_by__is_staff=True).values_list("settled_by", flat=True).first()
    who = "undone_by" if letter.details.get("what") == "undone" else "made_by"
    ruling = Ruling.objects.filter(pk=letter.about or 0).exclude(**{f"{who}__is_staff": True})
    return ruling.values_list(who, flat=True).first()


def _challenger_on_a_ladder(letter: Letter) -> int | None:
    """Whoever is challenged has the first seat; other games begin with the word of both."""
    begun = Meeting.objects.filter(game=letter.game_id, event__format=Ladder.key)
    return begun.values_list("second__player", flat=True).first()


SENDERS: dict[Kind, Callable[[Letter], int | None]] = {
    Kind.CHALLENGE: _challenger,
    Kind.CHAT: _author,
    Kind.EVENT: _inviter,
    Kind.OFFER: _opponent,
    Kind.RULING: _ruler,
    Kind.STARTED: _challenger_on_a_ladder,
    Kind.VACATION: _traveller,
}
"""Of the letters that a player can cause at will, as many as they like."""


def is_kept_away(letter: Letter) -> bool:
    """Whether the reader has blocked the one who wants to reach them."""
    sender_id = _sender(letter)
    if sender_id is None or REACHES[Kind(letter.kind)] != Reach.PERSON:
        return False
    assert letter.player_id is not None
    return blocks.is_blocked_by([letter.player_id], sender_id)


def is_one_too_many(letter: Letter, *, now: datetime) -> bool:
    """Whether others have caused so many e-mails today that this one can wait for the digest."""
    sender_id = _sender(letter)
    if sender_id is None:
        return False
    assert letter.player_id is not None
    return not budgets.may_mail(sender_id=sender_id, recipient_id=letter.player_id, now=now)


def _sender(letter: Letter) -> int | None:
    """The other player whose act it tells of, if any."""
    find = SENDERS.get(Kind(letter.kind))
    sender_id = find(letter) if find and letter.player_id else None
    return None if sender_id == letter.player_id else sender_id
