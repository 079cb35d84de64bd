"""One run: play, let things fail, wait until all is calm, and judge."""

import random
import time
from collections.abc import Callable, Iterator, Sequence

from django.db import DatabaseError, connection
from django.utils import timezone

from config import duties
from games.models import OutboxMessage
from notifications.models import InboundMail, Letter, State
from tests.chaos import faults, short, verdict
from tests.chaos.faults import Stage
from tests.chaos.ledger import Ledger
from tests.chaos.peers import MailPeer, WebhookPeer
from tests.chaos.players import Pair, Seated, ask, make_pairs
from tests.chaos.site import Site
from tests.chaos.verdict import Row
from tests.chaos.watch import Watch
from tests.chaos.writers import Writer

PAIRS = 12
BY_MAIL = 2
"""More pairs, of whom one moves by mail."""
CALM_WITHIN = 90.0
"""Seconds after the last fault, until every duty is on time again."""
PLAYED_ON = 10.0
SETTLED_WITHIN = 120.0


def chaos(site: Site, mail: MailPeer, webhooks: WebhookPeer, *, seconds: float, seed: int) -> bool:
    """Print one table; whether every bound was kept."""
    ledger = Ledger()
    *seats, idle = make_pairs(PAIRS + BY_MAIL + 1, webhooks.url)
    pairs = [
        Pair(at, two, site.port, ledger, seed, _writer(at, two, site, mail, ledger))
        for at, two in enumerate(seats)
    ]
    time_outs = short.begin(idle, seconds)
    _seconds_until(lambda: not OutboxMessage.objects.exists(), PLAYED_ON)
    watch = Watch()
    for thread in (watch, *pairs):
        thread.start()
    stage = Stage(site, mail, webhooks, random.Random(seed))
    happened = faults.rage(stage, seed, time.monotonic() + seconds)
    seconds_to_calm = _seconds_until(lambda: _is_ready(site) and verdict.is_on_time(), CALM_WITHIN)
    time.sleep(PLAYED_ON)
    lags = duties.lags()
    samples = watch.end()
    for pair in pairs:
        pair.is_over.set()
    for pair in pairs:
        pair.join()
    _bring_forward()
    seconds_to_settle = _seconds_until(lambda: verdict.left_over() == 0, SETTLED_WITHIN)
    rows = [
        *verdict.of_faults(happened, ledger),
        *verdict.of_replies(ledger, seconds),
        *verdict.of_moves(ledger, but=time_outs.keys()),
        *verdict.of_mail(ledger, seconds),
        *verdict.of_outages(happened, ledger),
        *verdict.of_time_outs(time_outs, happened),
        *verdict.of_letters(mail, happened),
        *verdict.of_webhooks(webhooks, happened, seconds),
        *verdict.of_samples(samples, happened),
        Row("seconds until every duty was on time again", seconds_to_calm, most=CALM_WITHIN),
        *verdict.of_lags(lags),
        Row("seconds until every e-mail and fact was settled", seconds_to_settle, SETTLED_WITHIN),
        verdict.none("deadlocks", _deadlocks(site)),
        Row("the site's exit code", site.stop(), least=0, most=0),
    ]
    connection.close()
    return _report(rows)


def _writer(
    at: int, seats: Sequence[Seated], site: Site, mail: MailPeer, ledger: Ledger
) -> Writer | None:
    return Writer(seats[0][0], mail, site.mail_port_in, ledger) if at >= PAIRS else None


def _report(rows: list[Row]) -> bool:
    print()
    for row in rows:
        print(row)
    broken = sum(row.is_broken for row in rows)
    print(f"\n{broken} of {len(rows)} broken" if broken else "\nclean", flush=True)
    return not broken


def _seconds_until(condition: Callable[[], bool], within: float) -> float:
    """More than `within` if it never came true."""
    began = time.monotonic()
    while (passed := time.monotonic() - began) <= within:
        if _holds(condition):
            break
        time.sleep(0.5)
    return passed


def _holds(condition: Callable[[], bool]) -> bool:
    try:
        return condition()
    except DatabaseError:
        connection.close()
        return False


def _is_ready(site: Site) -> bool:
    try:
        return ask(site.port, "GET", "/readyz")[0] == 200
    except OSError:
        return False


def _bring_forward() -> None:
    """What was put off for minutes or hours is tried now."""
    now = timezone.now()
    Letter.objects.filter(state=State.WAITING, digest=False).update(due_at=now)
    OutboxMessage.objects.update(due_at=now)
    InboundMail.objects.filter(state=InboundMail.State.NEW).update(due_at=now)


def _deadlocks(site: Site) -> Iterator[str]:
    with site.database.log.open(errors="replace") as log:
        yield from (line.strip() for line in log if "deadlock detected" in line)
