"""Hold what is stored, and what arrived outside, against what players were told."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from statistics import median

from django.db.models import Q
from django.utils import timezone

from config import duties
from games import invariants
from games.models import Game, Move, Outage, OutboxMessage, Status, Via
from notifications.message import message_id
from notifications.models import Channel, Kind, Letter, State
from tests.chaos.faults import Occurrence
from tests.chaos.ledger import Ledger
from tests.chaos.peers import MailPeer

MOST_SECONDS_UNTIL_GOOD = 60.0
MOST_LAG = {"clocks": 60.0, "facts": 10.0, "inbound_mail": 10.0}
USUAL_MOST_LAG = 60.0
MOST_SHOWN = 5
KILLING = "killed"


@dataclass(frozen=True)
class Row:
    what: str
    found: float
    most: float | None = None
    least: float | None = None
    examples: tuple[str, ...] = ()

    @property
    def is_broken(self) -> bool:
        too_much = self.most is not None and self.found > self.most
        return too_much or (self.least is not None and self.found < self.least)

    def __str__(self) -> str:
        bound = "" if self.most is None else f"≤ {self.most:g}"
        bound = bound if self.least is None else f"≥ {self.least:g}"
        mark = "  BROKEN" if self.is_broken else ""
        lines = [f"{self.what:58}{self.found:>10.6g}{bound:>8}{mark}"]
        shown = self.examples if self.is_broken else ()
        return "\n".join([*lines, *(f"    {example}" for example in shown)])


def none(what: str, found: Iterable[object]) -> Row:
    texts = [str(one) for one in found]
    return Row(what, len(texts), most=0, examples=tuple(texts[:MOST_SHOWN]))


def of_faults(happened: list[Occurrence], ledger: Ledger) -> Iterator[Row]:
    """A fault is over for players when a move that they send then is acknowledged."""
    yield Row("faults", len(happened))
    seconds = {}
    for one in happened:
        until_good = ledger.seconds_until_good(one.ended)
        seconds[one.fault] = max(until_good, seconds.get(one.fault, 0.0))
    if seconds:
        yield Row("seconds from a fault's end to a move, median", median(seconds.values()))
    for fault, worst in sorted(seconds.items()):
        yield Row(f"  {fault}", worst, most=MOST_SECONDS_UNTIL_GOOD)


def of_replies(ledger: Ledger, seconds: float) -> Iterator[Row]:
    yield Row("moves acknowledged", len(ledger.acknowledged), least=seconds / 2)
    for kind, number in sorted(ledger.replies.items()):
        is_wrong = kind in ("500", "503 without Retry-After")
        example = (ledger.examples[kind],)
        yield Row(f"  replies: {kind}", number, most=0 if is_wrong else None, examples=example)
    yield none("moves that got two different replies", ledger.contradictions)


def of_moves(ledger: Ledger) -> Iterator[Row]:
    lines = Move.objects.filter(via=Via.API).values_list("game_id", "ply", "text")
    stored = {(game, ply - 1): text for game, ply, text in lines}
    yield none(
        "acknowledged moves that are lost or are another",
        (
            f"{move}: told {text}, stored {stored.get((move.game, move.ply))}"
            for move, text in ledger.acknowledged.items()
            if stored.get((move.game, move.ply)) != text
        ),
    )
    sent = {(move.game, move.ply) for move in ledger.sent}
    yield none("moves that nobody sent", sorted(stored.keys() - sent))
    yield none("invariants broken", invariants.breaches(now=timezone.now()))
    on_time = Game.objects.exclude(status=Status.RUNNING).filter(reason="time")
    yield none("games lost on time, with days left", on_time.values_list("pk", flat=True))
    yield none("outages credited while moves were taken", _false_outages())


def _false_outages() -> Iterator[str]:
    for outage in Outage.objects.all():
        moves = Move.objects.filter(
            via=Via.API, played_at__gt=outage.began_at, played_at__lt=outage.ended_at
        )
        if number := moves.count():
            yield f"{outage.began_at:%T}–{outage.ended_at:%T}: {number} moves"


def of_letters(peer: MailPeer, happened: list[Occurrence]) -> Iterator[Row]:
    mails = Letter.objects.filter(channel=Channel.MAIL)
    sent = {message_id(key) for key in _keys(mails.filter(state=State.SENT, carried_by=None))}
    yield Row("e-mails that arrived", len(peer.received), least=1)
    yield none("e-mails noted as sent that never arrived", sorted(sent - peer.received.keys()))
    given_up = mails.filter(state=State.REFUSED)
    yield none(
        "e-mails given up that never arrived",
        (key for key in _keys(given_up) if message_id(key) not in peer.received),
    )
    known = {message_id(key) for key in _keys(mails)}
    yield none("e-mails that nobody wrote", sorted(peer.received.keys() - known))
    yield none("games over without a notification to a player", _untold())
    doubled = [f"{one} ×{count}" for one, count in peer.received.items() if count > 1]
    kills = sum(KILLING in one.fault for one in happened)
    yield Row(
        "e-mails that arrived twice",
        sum(peer.received.values()) - len(peer.received),
        most=len(peer.dropped_after_data) + kills,
        examples=tuple(doubled[:MOST_SHOWN]),
    )
    yield none(
        "e-mails that arrived more than twice",
        (one for one, count in peer.received.items() if count > 2),
    )


def _keys(letters: Iterable[Letter]) -> Iterator[str]:
    return (letter.key for letter in letters)


def _untold() -> Iterator[str]:
    over = Game.objects.exclude(status=Status.RUNNING)
    for pk in over.values_list("pk", flat=True):
        told = Letter.objects.filter(game=pk, kind__in=[Kind.GAME_OVER, Kind.TIMEOUT])
        if told.values("player").distinct().count() != 2:
            yield f"game {pk}"


def of_lags(lags: dict[str, float]) -> Iterator[Row]:
    for duty, lag in lags.items():
        yield Row(f"  lag of {duty}", lag, most=MOST_LAG.get(duty, USUAL_MOST_LAG))


def is_on_time() -> bool:
    lags = duties.lags()
    return not any(row.is_broken for row in of_lags(lags))


def left_over() -> int:
    """Letters that are not settled and facts that were not relayed."""
    pending = Letter.objects.filter(state__in=[State.WAITING, State.SENDING])
    due = pending.filter(Q(due_at__lte=timezone.now()) | Q(state=State.SENDING))
    return due.filter(digest=False, carried_by=None).count() + OutboxMessage.objects.count()
