"""What becomes of mail that came in: each message is settled once, with a reason, and answered."""

import logging
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from email.message import Message

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import InterfaceError, OperationalError
from django.db.models import F, QuerySet
from django.utils import translation
from django.utils.translation import gettext

from accounts import locks, never_write
from accounts.background import TimeBox
from accounts.models import Player
from accounts.presence import note_seen
from games import bell, play
from games.models import Challenge, Status
from games.refusals import NotFound, NotYetKnown
from games.table import look
from notifications import (
    answers,
    bounced_mail,
    challenge_mail,
    mail_acts,
    mail_body,
    mail_reading,
    reply_address,
    sender,
    unsubscribe,
)
from notifications.mail_body import Unreadable
from notifications.models import InboundMail, ReplyToken
from notifications.sender import UNPROVED, DnsIsAway, Proof

logger = logging.getLogger(__name__)
State = InboundMail.State

BELL = "bell:inbound"
MOST_ATTEMPTS = 6
"""After an error in the last of these, a mail is given up."""
MOST_CLAIMS = 12
"""A mail that never came to an end so often is what its workers died of."""
LONGEST_WAIT = timedelta(days=1)
"""For the sender's domain to be looked up; then its player is asked to confirm the mail."""
CONFIRMED_WITHIN = timedelta(days=1)
"""For as long again the game waits, since its player is not to blame."""
LONGEST_PAUSE = timedelta(minutes=15)
SOON = timedelta(seconds=10)
"""Until it is tried again whether the game's clock stood still; outages are known in a minute."""
KEPT_FOR = timedelta(days=30)
BATCH = 200
FIRST_PAUSE = timedelta(minutes=1)
"""As long as a worker may take for one; after that another tries, at first."""


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
    acted_at: datetime | None = None


# Taking one after the other


def read_new(*, now: datetime, seconds: float = math.inf) -> int:
    """Settles everything that is due, for some seconds; the number looked at."""
    bell.heard(BELL)
    box = TimeBox(seconds)
    looked_at = 0
    while not box.is_over and (pk := _claim(now)) is not None:
        settle(pk, now=now)
        looked_at += 1
    return looked_at


@locks.action
def _claim(now: datetime) -> int | None:
    """Puts the next one off before it is touched: whatever it does to a worker, it does rarely."""
    due = InboundMail.objects.filter(state=State.NEW, due_at__lte=now).defer("raw")
    mail = due.select_for_update(skip_locked=True, no_key=True).order_by("due_at", "id").first()
    if mail is None:
        return None
    if mail.attempts >= MOST_CLAIMS:
        _give_up(mail, now)
    else:
        mail.due_at = now + min(FIRST_PAUSE * 2**mail.attempts, LONGEST_PAUSE)
        mail.attempts += 1
        mail.save(update_fields=["attempts", "due_at"])
    return mail.pk


def _give_up(mail: InboundMail, now: datetime) -> None:
    reason = mail.reason or "no worker came to its end"
    _note(mail, _told(Made(outcome="failed", reason=reason, state=State.REFUSED), mail), now)


def _told(made: Made, mail: InboundMail) -> Made:
    """Answered, if the address it went to tells whose it is: no more than that may be legible."""
    player = _player_of(mail)
    if player is not None and mail.mail_from:
        made.token, made.player, made.is_answered = mail.token, player, True
        with translation.override(player.language):
            made.said = [answers.sentence(made.outcome)]
    return made


def _player_of(mail: InboundMail) -> Player | None:
    if mail.token is not None:
        return mail.token.player
    offer = challenge_mail.find(mail.recipient)
    return offer.opponent if offer else None


@locks.outermost
def settle(pk: int, *, now: datetime) -> None:
    """Once; a move that came too late ends its game when that is noted."""
    try:
        proof = _look_up(InboundMail.objects.get(pk=pk), now)
        _end_on_time(_settle(pk, proof, now))
    except SoftTimeLimitExceeded:
        raise
    except DnsIsAway as error:
        _wait_for_dns(pk, error, now)
    except NotYetKnown as error:
        _wait(pk, error, now + SOON)
    except (OperationalError, InterfaceError) as error:
        # Nothing is wrong with the mail: as if its worker had died.
        logger.warning("mail %s waits for the database: %s", pk, str(error).partition("\n")[0])
    except Exception as error:
        logger.exception("mail %s failed", pk)
        _note_failure(pk, error, now)


@locks.action
def _note_failure(pk: int, error: Exception, now: datetime) -> None:
    mails = InboundMail.objects.select_for_update(no_key=True)
    mail = mails.filter(pk=pk, state=State.NEW).first()
    if mail is None:
        return
    mail.reason = _reason(error)
    if mail.attempts >= MOST_ATTEMPTS:
        _give_up(mail, now)
    else:
        mail.save(update_fields=["reason"])


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}".replace("\0", "")[:2000]


def _wait_for_dns(pk: int, error: DnsIsAway, now: datetime) -> None:
    """No attempt: the mail cannot help it. The longer it has waited, the longer the next pause."""
    mail = InboundMail.objects.defer("raw").get(pk=pk)
    _wait(pk, error, now + min(max((now - mail.received_at) / 4, FIRST_PAUSE), LONGEST_PAUSE))


def _wait(pk: int, error: Exception, due_at: datetime) -> None:
    InboundMail.objects.filter(pk=pk, state=State.NEW).update(
        reason=_reason(error), attempts=F("attempts") - 1, due_at=due_at
    )


def _look_up(mail: InboundMail, now: datetime) -> Proof:
    """What is known of its sender, asked of the network while no transaction is open.

    Of strangers nobody wants to know. Raises DnsIsAway, for as long as a reply may still come.
    """
    raw = bytes(mail.raw)
    try:
        message = mail_body.opened(raw)
        addresses = mail_body.senders(message)
        if mail.state != State.NEW or sender.owner_of(addresses) is None:
            return Proof.FAIL
        return sender.proof_of(message, raw)
    except Unreadable:
        return Proof.FAIL
    except DnsIsAway:
        if now < mail.received_at + LONGEST_WAIT:
            raise
        return Proof.UNKNOWN


@locks.action
def _settle(pk: int, proof: Proof, now: datetime) -> Made | None:
    """In one transaction: the move, the answer to it, and the note that both are made."""
    mail = InboundMail.objects.select_for_update(no_key=True).get(pk=pk)
    if mail.state != State.NEW:
        return None
    made = _made_of(mail, proof, now)
    _note(mail, made, now)
    return made


def _end_on_time(made: Made | None) -> None:
    if made and made.token and made.acted_at and made.outcome == "time-ran-out":
        play.end_on_time(game_id=made.token.game_id, now=made.acted_at)


def _note(mail: InboundMail, made: Made, now: datetime) -> None:
    mail.state, mail.outcome, mail.handled_at = made.state, made.outcome, now
    mail.reason = made.reason.replace("\0", "")[:2000]
    mail.token, mail.player = made.token, made.player
    mail.save()
    if made.is_answered and made.player is not None:
        answers.write(mail, said=made.said, wants=made.wants, now=now)


# From the envelope to the words


def _made_of(mail: InboundMail, proof: Proof, now: datetime) -> Made:
    local = mail.recipient.partition("@")[0].lower()
    if local.startswith("stop+"):
        return _stopped(local.removeprefix("stop+"), now)
    try:
        message = mail_body.opened(bytes(mail.raw))
    except Unreadable as unreadable:
        return _told(Made(outcome="unreadable", reason=unreadable.why, state=State.REFUSED), mail)
    if local.startswith("b+"):
        outcome, reason = bounced_mail.note(mail.recipient, message, now=now)
        return Made(outcome=outcome, reason=reason)
    outcome, reason = mail_reading.why_not_read(
        message, mail_from=mail.mail_from, domain=settings.MAIL_DOMAIN
    )
    if outcome:
        return Made(outcome=outcome, reason=reason, state=State.REFUSED)
    return _from_a_person(mail, message, proof, now)


def _stopped(signed: str, now: datetime) -> Made:
    if signed.startswith("never-"):
        return _never_again(signed.removeprefix("never-"), now)
    try:
        stopped = unsubscribe.stop(signed, now=now)
    except NotFound as refusal:
        return Made(outcome="refused", reason=str(refusal), state=State.REFUSED)
    return Made(outcome="stopped", reason=", ".join(stopped.kinds), player=stopped.player)


def _never_again(signed: str, now: datetime) -> Made:
    digest = never_write.read(signed)
    if digest is None:
        return Made(outcome="refused", reason="not our address", state=State.REFUSED)
    never_write.refuse(digest, now=now)
    return Made(outcome="stopped", reason="never")


def _from_a_person(mail: InboundMail, message: Message, proof: Proof, now: datetime) -> Made:
    addresses = mail_body.senders(message)
    if offer := challenge_mail.find(mail.recipient):
        return _about_a_challenge(mail, offer, message, proof, now)
    token, is_secret = _token_of(mail.recipient, message)
    if token is None:
        return _without_a_game(addresses, proof)
    with translation.override(token.player.language):
        if not sender.is_own_address(token.player, addresses):
            return _from_elsewhere(token, addresses)
        if proof == Proof.UNKNOWN and is_secret:
            return _held(token, "unasked", "nobody could be asked about its sender")
        if proof in UNPROVED or (proof == Proof.NONE and not is_secret):
            return _held(token, "held", "its sender is not proved")
        return _heard(token, message, now=mail.received_at, moment=now)


def _token_of(recipient: str, message: Message) -> tuple[ReplyToken | None, bool]:
    """What it answers, and whether it shows a secret that only the letter's reader knows."""
    references = [mail_body.header(message, name) for name in reply_address.REFERENCES]
    token = reply_address.find_secret(recipient, references)
    if token is not None or reply_address.written_in(recipient):
        return token, True
    return reply_address.find_by_letter(references), False


# Who may not


def _without_a_game(addresses: list[str], proof: Proof) -> Made:
    """To our common address, about nothing that we know."""
    player = sender.owner_of(addresses)
    if player is None or proof in UNPROVED:
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


def _held(token: ReplyToken, outcome: str, reason: str) -> Made:
    return Made(
        outcome=outcome, reason=reason, state=State.HELD, token=token,
        player=token.player, said=[answers.sentence(outcome)], is_answered=True,
    )  # fmt: skip


# What it says


def _heard(token: ReplyToken, message: Message, *, now: datetime, moment: datetime) -> Made:
    """`now` is when it arrived, which decides against the flag; whoever writes has been here."""
    note_seen(token.player, now=now)
    position = mail_acts.position_of(token)
    try:
        words = mail_reading.words_of(message, mail_acts.is_move_in(position))
    except Unreadable as unreadable:
        said = [answers.sentence("unreadable")]
        return Made(
            outcome="unreadable", reason=unreadable.why, state=State.REFUSED, token=token,
            player=token.player, said=said, is_answered=True,
        )  # fmt: skip
    made = Made(outcome="not-understood", token=token, player=token.player, is_answered=True)
    if not words.commands:
        made.reason = "its first line is no command" if words.source else "it has no text"
        made.said, made.wants = [answers.sentence("not-understood")], ["help"]
        return made
    done = mail_acts.act(token, words, position, now=moment, arrived_at=now)
    made.outcome, made.said, made.wants = done.outcome, done.said, done.wants
    made.acted_at = now
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


def _about_a_challenge(
    mail: InboundMail, offer: Challenge, message: Message, proof: Proof, now: datetime
) -> Made:
    """Accepts or declines it; the hash of the message is its sender's salt for the dice."""
    player, addresses = offer.opponent, mail_body.senders(message)
    assert player is not None
    made = Made(outcome="refused", state=State.REFUSED, player=player, is_answered=True)
    with translation.override(player.language):
        if not sender.is_own_address(player, addresses):
            made.outcome, made.reason = "other-address", f"from {', '.join(addresses)}"
            made.said = [answers.sentence("other-address", address=", ".join(addresses))]
        elif proof in UNPROVED:
            made.reason = "its sender is not proved"
            made.said = [answers.sentence("not-proved")]
        else:
            _answer_challenge(made, mail, offer, message, now)
    return made


def _answer_challenge(
    made: Made, mail: InboundMail, offer: Challenge, message: Message, now: datetime
) -> None:
    try:
        words = mail_reading.words_of(message, lambda line: False)
    except Unreadable as unreadable:
        made.outcome, made.reason = "unreadable", unreadable.why
        made.said = [answers.sentence("unreadable")]
        return
    made.outcome, said = challenge_mail.answer(
        offer, words.commands, salt=mail.sha256, sent_at=mail.received_at, now=now
    )
    made.said = [said]
    made.reason = "; ".join(command.text for command in words.commands)
    made.state = State.DONE if made.outcome == "done" else State.REFUSED


# What was held


@locks.outermost
def confirm(pk: int, *, now: datetime) -> Made | None:
    """Does what a held mail says, at its player's word; nothing if it waits no more."""
    try:
        made = _confirm(pk, now)
    except NotYetKnown as refusal:
        # It is still held, and can be confirmed again.
        return Made(outcome="time-ran-out", said=[refusal.sentence(gettext)])
    _end_on_time(made)
    return made


@locks.action
def _confirm(pk: int, now: datetime) -> Made | None:
    held = InboundMail.objects.select_for_update(no_key=True)
    mail = held.filter(pk=pk, state=State.HELD).first()
    if mail is None or mail.token is None:
        return None
    with translation.override(mail.token.player.language):
        message = mail_body.opened(bytes(mail.raw))
        made = _heard(mail.token, message, now=_counts_from(mail, now), moment=now)
    _note(mail, made, now)
    return made


def _counts_from(mail: InboundMail, now: datetime) -> datetime:
    """If the game waited for it beyond its player's time: the last moment of that time."""
    assert mail.token is not None
    is_waited_for = _waited_for(now).filter(pk=mail.pk).exists()
    table = next(iter(look([mail.token.game_id])), None) if is_waited_for else None
    if table is None or not table.is_running:
        return now
    last = table.flag_falls_at() - timedelta.resolution
    return min(now, max(last, mail.received_at))


# What games wait for


def unread_answers(*, due_by: datetime) -> Iterable[tuple[int, datetime]]:
    """The games due by then whose turn is answered by mail that waits here, and since when.

    Only mail with the secret of a letter: who has none could keep any flag from falling.
    """
    for waiting in (InboundMail.objects.filter(state=State.NEW), _waited_for(due_by)):
        yield from _answering(waiting, due_by)


def _waited_for(now: datetime) -> QuerySet[InboundMail]:
    """Held because nobody could be asked about its sender, and not for too long."""
    return InboundMail.objects.filter(
        state=State.HELD, outcome="unasked", handled_at__gt=now - CONFIRMED_WITHIN
    )


def _answering(mails: QuerySet[InboundMail], due_by: datetime) -> Iterable[tuple[int, datetime]]:
    waiting = mails.filter(
        token__seat=F("token__game__seat_to_move"),
        token__ply=F("token__game__ply"),
        token__game__status=Status.RUNNING,
        token__game__deadline_at__lte=due_by,
    )
    return waiting.values_list("token__game_id", "received_at").order_by("token__game_id")


# What is forgotten


def forget_old(*, now: datetime, seconds: float = math.inf) -> int:
    """People's mail is not kept for ever; the oldest are looked at, until one is young enough."""
    box = TimeBox(seconds)
    forgotten = 0
    while not box.is_over:
        oldest = InboundMail.objects.order_by("pk").values_list("pk", "received_at")[:BATCH]
        old = [pk for pk, received_at in oldest if received_at < now - KEPT_FOR]
        InboundMail.objects.filter(pk__in=old).delete()
        forgotten += len(old)
        if len(old) < BATCH:
            break
    return forgotten
