"""What becomes of mail that came in: each message is settled once, with a reason, and answered."""

import logging
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.message import Message

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import transaction
from django.utils import translation

from accounts.models import Player
from accounts.presence import note_seen
from games import bell
from games.refusals import NotFound
from notifications import (
    answers,
    bounced_mail,
    mail_acts,
    mail_body,
    mail_reading,
    reply_address,
    sender,
    unsubscribe,
)
from notifications.mail_body import Unreadable
from notifications.models import InboundMail, ReplyToken
from notifications.sender import DnsIsAway, Proof

logger = logging.getLogger(__name__)
State = InboundMail.State

BELL = "bell:inbound"
MOST_ATTEMPTS = 6
KEPT_FOR = timedelta(days=30)
BATCH = 200
FIRST_PAUSE = timedelta(minutes=1)
"""As long as a worker may take for one; after that another tries."""


@dataclass(kw_only=True)
class Made:
    """What was made of a mail; `said` is what its writer is answered, if anything."""

    outcome: str
    reason: str = ""
    state: str = State.DONE
    token: ReplyToken | None = None
    player: Player | None = None
    said: list[str] = field(default_factory=list)
    wants: list[str] = field(default_factory=list)
    is_answered: bool = False


# Taking one after the other


def read_new(*, now: datetime) -> int:
    """Settles everything that is due; the number looked at."""
    bell.heard(BELL)
    looked_at = 0
    while (pk := _claim(now)) is not None:
        settle(pk, now=now)
        looked_at += 1
    return looked_at


def _claim(now: datetime) -> int | None:
    """Puts the next one off before it is touched: whatever it does to a worker, it does rarely."""
    with transaction.atomic():
        due = InboundMail.objects.filter(state=State.NEW, due_at__lte=now).defer("raw")
        mail = due.select_for_update(skip_locked=True).order_by("due_at", "id").first()
        if mail is None:
            return None
        mail.attempts += 1
        mail.due_at = now + FIRST_PAUSE * 2 ** (mail.attempts - 1)
        if mail.attempts > MOST_ATTEMPTS:
            mail.state, mail.outcome = State.REFUSED, "failed"
            mail.reason, mail.handled_at = mail.reason or "it failed too often", now
        mail.save(update_fields=["attempts", "due_at", "state", "outcome", "reason", "handled_at"])
        return mail.pk


def settle(pk: int, *, now: datetime) -> None:
    """In one transaction: the move, the answer to it, and the note that both are made."""
    try:
        with transaction.atomic():
            mail = InboundMail.objects.select_for_update().get(pk=pk)
            if mail.state == State.NEW:
                _note(mail, _made_of(mail, now), now)
    except SoftTimeLimitExceeded:
        raise
    except Exception as error:
        if not isinstance(error, DnsIsAway):
            logger.exception("mail %s failed", pk)
        reason = f"{type(error).__name__}: {error}".replace("\0", "")[:2000]
        InboundMail.objects.filter(pk=pk, state=State.NEW).update(reason=reason)


def _note(mail: InboundMail, made: Made, now: datetime) -> None:
    mail.state, mail.outcome, mail.handled_at = made.state, made.outcome, now
    mail.reason = made.reason.replace("\0", "")[:2000]
    mail.token, mail.player = made.token, made.player
    mail.save()
    if made.is_answered and made.player is not None:
        answers.write(mail, said=made.said, wants=made.wants, now=now)


# From the envelope to the words


def _made_of(mail: InboundMail, now: datetime) -> Made:
    local = mail.recipient.partition("@")[0].lower()
    if local.startswith("stop+"):
        return _stopped(local.removeprefix("stop+"), now)
    raw = bytes(mail.raw)
    try:
        message = mail_body.opened(raw)
    except Unreadable as unreadable:
        return Made(outcome="unreadable", reason=unreadable.why, state=State.REFUSED)
    if local.startswith("b+"):
        outcome, reason = bounced_mail.note(mail.recipient, message, now=now)
        return Made(outcome=outcome, reason=reason)
    outcome, reason = mail_reading.why_not_read(
        message, mail_from=mail.mail_from, domain=settings.MAIL_DOMAIN
    )
    if outcome:
        return Made(outcome=outcome, reason=reason, state=State.REFUSED)
    return _from_a_person(mail, message, raw, now)


def _stopped(signed: str, now: datetime) -> Made:
    try:
        stopped = unsubscribe.stop(signed, now=now)
    except NotFound as refusal:
        return Made(outcome="refused", reason=str(refusal), state=State.REFUSED)
    return Made(outcome="stopped", reason=", ".join(stopped.kinds), player=stopped.player)


def _from_a_person(mail: InboundMail, message: Message, raw: bytes, now: datetime) -> Made:
    addresses = mail_body.senders(message)
    token, is_secret = _token_of(mail.recipient, message)
    if token is None:
        return _without_a_game(addresses, message, raw)
    with translation.override(token.player.language):
        if not sender.is_own_address(token.player, addresses):
            return _from_elsewhere(token, addresses)
        proof = sender.proof_of(message, raw)
        if proof == Proof.FAIL or (proof == Proof.NONE and not is_secret):
            return _held(token)
        return _heard(token, message, now=mail.received_at, moment=now)


def _token_of(recipient: str, message: Message) -> tuple[ReplyToken | None, bool]:
    """What it answers, and whether it shows a secret that only the letter's reader knows."""
    if reply_address.written_in(recipient):
        return reply_address.find(recipient), True
    references = [mail_body.header(message, name) for name in ("References", "In-Reply-To")]
    token = reply_address.find_in_references(references)
    if token is not None:
        return token, True
    return reply_address.find_by_letter(references), False


# Who may not


def _without_a_game(addresses: list[str], message: Message, raw: bytes) -> Made:
    """To our common address, about nothing that we know."""
    player = sender.owner_of(addresses)
    if player is None or sender.proof_of(message, raw) == Proof.FAIL:
        return Made(outcome="no-game", reason="it answers no letter", state=State.REFUSED)
    with translation.override(player.language):
        said = [answers.sentence("no-game")]
    return Made(
        outcome="no-game", reason="it answers no letter", state=State.REFUSED, player=player,
        said=said, is_answered=True,
    )  # fmt: skip


def _from_elsewhere(token: ReplyToken, addresses: list[str]) -> Made:
    return Made(
        outcome="other-address", reason=f"from {', '.join(addresses)}", state=State.REFUSED,
        token=token, player=token.player, is_answered=True,
        said=[answers.sentence("other-address", address=", ".join(addresses))],
    )  # fmt: skip


def _held(token: ReplyToken) -> Made:
    return Made(
        outcome="held", reason="its sender is not proved", state=State.HELD, token=token,
        player=token.player, said=[answers.sentence("held")], is_answered=True,
    )  # fmt: skip


# What it says


def _heard(token: ReplyToken, message: Message, *, now: datetime, moment: datetime) -> Made:
    """`now` is when it arrived, which decides against the flag; whoever writes has been here."""
    note_seen(token.player, now=now)
    position = mail_acts.position_of(token)
    try:
        words = mail_reading.words_of(message, mail_acts.is_move_in(position))
    except Unreadable as unreadable:
        return Made(outcome="unreadable", reason=unreadable.why, state=State.REFUSED)
    made = Made(outcome="not-understood", token=token, player=token.player, is_answered=True)
    if not words.commands:
        made.reason = "its first line is no command" if words.source else "it has no text"
        made.said, made.wants = [answers.sentence("not-understood")], ["help"]
        return made
    done = mail_acts.act(token, words, position, now=now)
    made.outcome, made.said, made.wants = done.outcome, done.said, done.wants
    made.reason = "; ".join(command.text for command in words.commands)
    if any(command.name == "stop" for command in words.commands) and done.outcome in (
        "shown", "played", "done", "duplicate",
    ):  # fmt: skip
        made.said.append(_stop_this_kind(token, message, moment))
    return made


def _stop_this_kind(token: ReplyToken, message: Message, now: datetime) -> str:
    kind = reply_address.kind_answered(mail_body.header(message, "In-Reply-To"))
    unsubscribe.stop(unsubscribe.signed(token.player_id, kind), now=now)
    return answers.sentence("stopped", kind=kind.label)


# What was held


def confirm(pk: int, *, now: datetime) -> Made | None:
    """Does what a held mail says, at its player's word; nothing if it waits no more."""
    with transaction.atomic():
        mail = InboundMail.objects.select_for_update().filter(pk=pk, state=State.HELD).first()
        if mail is None or mail.token is None:
            return None
        with translation.override(mail.token.player.language):
            made = _heard(mail.token, mail_body.opened(bytes(mail.raw)), now=now, moment=now)
        _note(mail, made, now)
        return made


# What is forgotten


def forget_old(*, now: datetime) -> int:
    """People's mail is not kept for ever; the oldest are looked at, until one is young enough."""
    forgotten = 0
    while True:
        oldest = InboundMail.objects.order_by("pk").values_list("pk", "received_at")[:BATCH]
        old = [pk for pk, received_at in oldest if received_at < now - KEPT_FOR]
        InboundMail.objects.filter(pk__in=old).delete()
        forgotten += len(old)
        if len(old) < BATCH:
            return forgotten
