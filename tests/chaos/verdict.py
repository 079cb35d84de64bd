"""Hold what is stored, and what arrived outside, against what players were told."""

import time
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from statistics import median

from django.db.models import Q
from django.utils import timezone

from config import duties
from games import invariants
from games.models import Game, Move, Outage, OutboxMessage, Status, Via, WayIn
from notifications.message import message_id
from notifications.models import Channel, InboundMail, Kind, Letter, State
from tests.chaos.faults import Occurrence
from tests.chaos.ledger import Ledger
from tests.chaos.peers import MailPeer, WebhookPeer
from tests.chaos.site import OUTAGE_AFTER
from tests.chaos.watch import Sample

MOST_SECONDS_UNTIL_GOOD = 60.0
MOST_LAG = {"clocks": 60.0, "facts": 10.0, "inbound_mail": 10.0}
USUAL_MOST_LAG = 60.0
MOST_LAG_BETWEEN_FAULTS = 90.0
"""Seconds; it includes the time until what failed works again, on a machine that is busy."""
MOST_LAG_DURING_FAULTS = 150.0
MOST_USUAL = {"heartbeat": 20.0, "facts": 10.0, "inbound_mail": 10.0}
USUAL_MOST_USUAL = 60.0
"""What is usual while things fail all the time; `tests.config.load` has the bounds without that."""
LEAST_SAMPLES = 30
NEARLY = 2.0
"""Seconds between two beats, and a little: an outage begins with the last of them."""
SLOTS = 4
"""Webhooks that are called at the same time."""
ABSENCE = "PostgreSQL away"
HARMLESS = ("Redis emptied", "mail peer refuses", "mail peer tarpits", "mail peer drops")
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
        bound = f"= {self.most:g}" if self.most is not None and self.most == self.least else bound
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


def _stored(*via: str) -> dict[tuple[int, int], str]:
    """By the game and the ply that the move answers."""
    lines = Move.objects.filter(via__in=via).values_list("game_id", "ply", "text")
    return {(game, ply - 1): text for game, ply, text in lines}


def of_moves(ledger: Ledger, but: Collection[int] = ()) -> Iterator[Row]:
    """All games have days left, but for some in which nobody moves."""
    stored = _stored(Via.API)
    yield none(
        "acknowledged moves that are lost or are another",
        (
            f"{move}: told {text}, stored {stored.get((move.game, move.ply))}"
            for move, text in ledger.acknowledged.items()
            if stored.get((move.game, move.ply)) != text
        ),
    )
    sent = {(move.game, move.ply) for move in ledger.sent}
    yield none("moves that nobody sent", sorted({*stored, *_stored(Via.MAIL)} - sent))
    yield none("invariants broken", invariants.breaches(now=timezone.now()))
    on_time = Game.objects.exclude(status=Status.RUNNING).filter(reason="time")
    on_time = on_time.exclude(pk__in=but)
    yield none("games lost on time, with days left", on_time.values_list("pk", flat=True))


def of_mail(ledger: Ledger, seconds: float) -> Iterator[Row]:
    """A mail that was taken is as good as a move that was acknowledged."""
    stored = _stored(Via.MAIL)
    yield Row("moves by mail", len(ledger.mailed), least=max(2, seconds / 60))
    yield none(
        "moves by mail that were taken and are lost or are another",
        (
            f"{move}, stored {stored.get((move.game, move.ply))}"
            for move in ledger.mailed
            if stored.get((move.game, move.ply)) != move.text
        ),
    )
    mails = InboundMail.objects.exclude(outcome__in=("played", "duplicate"))
    yield none("mails that came to nothing", (f"{one.outcome}: {one.reason}" for one in mails))


# Outages and time-outs


def of_outages(happened: list[Occurrence], ledger: Ledger) -> Iterator[Row]:
    """Each long absence of the database is an outage, and no move was taken during one."""
    outages = [
        (_monotonic(one.began_at), _monotonic(one.ended_at))
        for one in Outage.objects.filter(way_in=WayIn.WEB).order_by("began_at")
    ]
    absences = [
        one for one in happened if one.fault == ABSENCE and one.seconds > OUTAGE_AFTER + 2 * NEARLY
    ]
    yield Row("outages of the web", len(outages), least=1 if absences else None)
    yield none(
        "absences of PostgreSQL that are no outage",
        (
            f"{one.seconds:.0f} s"
            for one in absences
            if not any(
                began < one.began + NEARLY and ended > one.began + OUTAGE_AFTER
                for began, ended in outages
            )
        ),
    )
    yield none(
        "outages during which a move was taken",
        (
            f"{ended - began:.1f} s"
            for began, ended in outages
            if any(
                began + NEARLY < sent and known < ended - NEARLY
                for sent, known in ledger.taken_within
            )
        ),
    )
    yield none("outages that are not credited", Outage.objects.filter(is_credited=False))


def _monotonic(moment: datetime) -> float:
    return time.monotonic() - (timezone.now() - moment).total_seconds()


def of_time_outs(time_outs: dict[int, datetime], happened: list[Occurrence]) -> Iterator[Row]:
    """Games end when their time is over and the outages before that are made up for."""
    outages = Outage.objects.filter(way_in=WayIn.WEB).order_by("began_at")
    spans = [(one.began_at, one.ended_at) for one in outages]
    due = {game: _with(spans, ends_at) for game, ends_at in time_outs.items()}
    games = Game.objects.filter(pk__in=time_outs, reason="time").exclude(ended_at=None)
    late = {one.pk: (one.ended_at - due[one.pk]).total_seconds() for one in games}
    yield Row("games that ran out of time", len(late), least=len(time_outs))
    yield none(
        "games that ended too early", (f"game {game}: {-late[game]:.1f} s" for game in late
        if late[game] < 0),
    )  # fmt: skip
    credited = [game for game, ends_at in time_outs.items() if due[game] > ends_at]
    yield Row("  of these with an outage credited", len(credited))
    disturbed = {game for game in late if _is_disturbed(due[game], late[game], happened)}
    for which, some, most in (
        ("", late.keys() - disturbed, MOST_LAG["clocks"]),
        (", during faults", disturbed, MOST_LAG_DURING_FAULTS),
    ):
        worst = max((late[game] for game in some), default=0.0)
        yield Row(f"seconds from a time-out to the game's end{which}", worst, most=most)


def _with(outages: list[tuple[datetime, datetime]], ends_at: datetime) -> datetime:
    for began, ended in outages:
        if began <= ends_at:
            ends_at += ended - began
    return ends_at


def _is_disturbed(due: datetime, late: float, happened: list[Occurrence]) -> bool:
    began = _monotonic(due)
    return any(one.began < began + late and one.ended > began for one in happened)


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


def of_webhooks(peer: WebhookPeer, happened: list[Occurrence], seconds: float) -> Iterator[Row]:
    """A delivery comes again if it was not known to have arrived."""
    letters = Letter.objects.filter(channel=Channel.WEBHOOK)
    sent = {*_keys(letters.filter(state=State.SENT))}
    yield Row("deliveries to webhooks", len(peer.received), least=seconds / 10)
    yield none("deliveries noted as made that never came", sorted(sent - peer.received.keys()))
    yield none("deliveries of what nobody wrote", sorted({*peer.received} - {*_keys(letters)}))
    unnoted = SLOTS * sum(one.fault not in HARMLESS for one in happened)
    yield Row(
        "deliveries that came again",
        sum(peer.received.values()) - len(peer.received),
        most=unnoted + peer.replied_late,
    )


def of_samples(samples: list[Sample], happened: list[Occurrence]) -> Iterator[Row]:
    """Medians of the whole run, and the worst with and without a fault that goes on."""
    yield Row("times that the lags were read", len(samples), least=LEAST_SAMPLES)
    if not samples:
        return
    during = [any(one.began <= at <= one.ended for one in happened) for at, _lags in samples]
    for duty in samples[0][1]:
        values = [lags[duty] for _at, lags in samples]
        calm = [value for value, is_on in zip(values, during, strict=True) if not is_on]
        usual = MOST_USUAL.get(duty, USUAL_MOST_USUAL)
        yield Row(f"  {duty}: seconds late, median", median(values), most=usual)
        yield Row("    most between faults", max(calm, default=0.0), most=MOST_LAG_BETWEEN_FAULTS)
        yield Row("    most of all", max(values), most=MOST_LAG_DURING_FAULTS)


def of_lags(lags: dict[str, float]) -> Iterator[Row]:
    for duty, lag in lags.items():
        yield Row(f"  lag of {duty}", lag, most=MOST_LAG.get(duty, USUAL_MOST_LAG))


def is_on_time() -> bool:
    lags = duties.lags()
    return not any(row.is_broken for row in of_lags(lags))


def left_over() -> int:
    """Letters and mails that are not settled, facts not relayed, outages not credited."""
    pending = Letter.objects.filter(state__in=[State.WAITING, State.SENDING])
    due = pending.filter(Q(due_at__lte=timezone.now()) | Q(state=State.SENDING))
    return (
        due.filter(digest=False, carried_by=None).count()
        + OutboxMessage.objects.count()
        + InboundMail.objects.filter(state=InboundMail.State.NEW).count()
        + Outage.objects.filter(is_credited=False).count()
    )
