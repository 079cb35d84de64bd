"""How often one player may reach others in a day: one table for every way of doing so."""

import math
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from django.db import transaction

from accounts import daily, locks, never_write
from accounts.models import Player
from games.refusals import TooMany
from games.rules.position import Term


class Act(StrEnum):
    CHALLENGE = "challenge"
    CHAT = "chat"
    EMAIL_INVITATION = "email-invitation"
    EVENT_INVITATION = "event-invitation"
    RULING = "ruling"
    UNDOING = "undoing"


@dataclass(frozen=True, kw_only=True)
class Budget:
    """A day's limits, and the sentences for whoever reaches them."""

    to_one: int
    in_all: int
    to_one_reached: Term
    in_all_reached: Term


BUDGETS = {
    Act.CHALLENGE: Budget(
        to_one=6,
        in_all=60,
        to_one_reached=Term("You can challenge {name} {most} times a day. Try again in {hours} h."),
        in_all_reached=Term(
            "You can challenge players {most} times a day. Try again in {hours} h."
        ),
    ),
    Act.CHAT: Budget(
        to_one=120,
        in_all=600,
        to_one_reached=Term("You can send {name} {most} messages a day. Try again in {hours} h."),
        in_all_reached=Term("You can send {most} messages a day. Try again in {hours} h."),
    ),
    Act.EMAIL_INVITATION: Budget(
        to_one=1,
        in_all=10,
        to_one_reached=Term("We already e-mailed this address today. Try again in {hours} h."),
        in_all_reached=Term(
            "You can invite {most} people a day by e-mail. Try again in {hours} h."
        ),
    ),
    Act.EVENT_INVITATION: Budget(
        to_one=5,
        in_all=250,
        to_one_reached=Term(
            "You can invite {name} to {most} events a day. Try again in {hours} h."
        ),
        in_all_reached=Term(
            "You can invite {most} players a day to events. Try again in {hours} h."
        ),
    ),
    Act.RULING: Budget(
        to_one=12,
        in_all=300,
        to_one_reached=Term("A game can be ruled on {most} times a day. Try again in {hours} h."),
        in_all_reached=Term("You can make {most} rulings a day. Try again in {hours} h."),
    ),
    # Apart, so that whatever was ruled today can still be undone today.
    Act.UNDOING: Budget(
        to_one=12,
        in_all=300,
        to_one_reached=Term(
            "Rulings on a game can be undone {most} times a day. Try again in {hours} h."
        ),
        in_all_reached=Term("You can undo {most} rulings a day. Try again in {hours} h."),
    ),
}
MAILS_TO_ONE = 12
MAILS_IN_ALL = 150
MAILS_RECEIVED = 20
"""E-mails of their own that acts of others cause; what is beyond goes into the daily digest."""


class OverBudget(TooMany):
    """`retry_after` is the number of seconds until there is room again."""

    def __init__(self, template: str, *, now: datetime, **parameters: object) -> None:
        wait = daily.seconds_until_tomorrow(now)
        super().__init__(template, retry_after=wait, hours=math.ceil(wait / 3600), **parameters)


def spend(act: Act, *, sender: Player, recipient: Player, now: datetime) -> None:
    """In the transaction of the act, as its last lock: what is refused later counts nothing."""
    _spend(act, sender, f"p{sender.pk}>p{recipient.pk}", recipient.name, now)


def spend_on_address(address: str, *, sender: Player, now: datetime) -> None:
    """An address that belongs to nobody here has one budget for all who write to it."""
    _spend(Act.EMAIL_INVITATION, sender, f">{never_write.digest_of(address)}", address, now)


def spend_on_ruling(act: Act, *, on: str, by: Player | None, now: datetime) -> None:
    """A game has one budget for all who rule on it; staff and the rules of an event need none."""
    if by is not None and not by.acts_as_staff:
        _spend(act, by, f">{on}", "", now)


def _spend(act: Act, sender: Player, one: str, name: str, now: datetime) -> None:
    budget, everyone = BUDGETS[act], f"p{sender.pk}"
    if not daily.count_once(kind=act, key=everyone, most=budget.in_all, now=now):
        raise OverBudget(budget.in_all_reached, most=budget.in_all, now=now)
    if not daily.count_once(kind=act, key=one, most=budget.to_one, now=now):
        raise OverBudget(budget.to_one_reached, most=budget.to_one, name=name, now=now)


@locks.action
def may_mail(*, sender_id: int, recipient_id: int, now: datetime) -> bool:
    """Whether this act of one player is worth an e-mail of its own to the other today."""
    limits = {
        f"p{sender_id}": MAILS_IN_ALL,
        f"p{sender_id}>p{recipient_id}": MAILS_TO_ONE,
        f">p{recipient_id}": MAILS_RECEIVED,
    }
    fits = all(
        daily.count_once(kind="mail", key=key, most=most, now=now) for key, most in limits.items()
    )
    if not fits:
        transaction.set_rollback(True)
    return fits
