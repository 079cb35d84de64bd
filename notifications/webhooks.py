"""Webhooks: a signed request to an address of the player's own, for programs that play."""

import hashlib
import hmac
import json
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from threading import Lock
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext

from accounts import locks
from accounts.models import ApiToken, Player
from games.api import present
from games.boards.registry import BOARDS
from games.models import Game, Move
from games.refusals import NotAllowed, NotFound, TooMany
from games.rules.position import Refusal
from games.rules.registry import ruleset
from notifications import call_budget, calls
from notifications.call_budget import BudgetIsSpent
from notifications.calls import DeliveryFailed, NamesAreBusy
from notifications.in_short import in_short
from notifications.models import Letter, Webhook, made_by_a_living_token

MOST_A_PLAYER = 5
FAILURES_UNTIL_OFF = 20
SECONDS_BETWEEN_TRIALS = 5
SLOW_AFTER = 3.0
"""Seconds; a reply that takes longer counts as a failure of the address, though it was told."""


# Keeping them


@locks.action
def register(*, player: Player, url: str, now: datetime, token: ApiToken | None = None) -> Webhook:
    """The secret in it is for showing this once."""
    calls.target_of(url)
    Player.objects.select_for_update(no_key=True).get(pk=player.pk)
    if player.webhooks.count() >= MOST_A_PLAYER:
        raise NotAllowed("You have 5 webhooks, the most one can have; remove one first.")
    secret = f"whsec_{secrets.token_urlsafe(32)}"
    return Webhook.objects.create(
        player=player, url=url.strip(), secret=secret, created_at=now, token=token
    )


def of(player: Player, webhook_id: int) -> Webhook:
    found = player.webhooks.filter(pk=webhook_id).first()
    if found is None:
        raise NotFound("There is no such webhook.")
    return found


def remove(*, player: Player, webhook_id: int) -> None:
    of(player, webhook_id).delete()


def switch_on(*, player: Player, webhook_id: int) -> Webhook:
    """After it was switched off, or to have its failures forgotten."""
    webhook = of(player, webhook_id)
    webhook.failures, webhook.last_error, webhook.switched_off_at = 0, "", None
    webhook.save(update_fields=["failures", "last_error", "switched_off_at"])
    return webhook


def try_out(*, player: Player, webhook_id: int, now: datetime) -> None:
    """Sends a message that means nothing; that it failed is said, and not counted."""
    webhook = of(player, webhook_id)
    body = {"kind": "test", "delivery": f"w{webhook.pk}.test", "url": settings.SITE_URL}
    with _only_trial():
        if not cache.add(f"webhook-trial:{player.pk}", 1, SECONDS_BETWEEN_TRIALS):
            raise TooMany(
                "You have just tried one; wait a few seconds.", retry_after=SECONDS_BETWEEN_TRIALS
            )
        if slow := _send(webhook, body, now):
            raise slow


# A web process has two threads: while one waits for a stranger, the other goes on serving pages.
trying = Lock()


@contextmanager
def _only_trial() -> Iterator[None]:
    if not trying.acquire(blocking=False):
        raise TooMany("The server is busy. Try again in a moment.", retry_after=calls.PATIENCE)
    try:
        yield
    finally:
        trying.release()


def living(player_id: int) -> Sequence[Webhook]:
    """Those that reply first, so that the others can take only what time is left."""
    webhooks = Webhook.objects.filter(made_by_a_living_token(timezone.now()))
    return list(webhooks.filter(player=player_id, switched_off_at=None).order_by("failures", "pk"))


# Telling


def tell(webhook: Webhook, letter: Letter, *, now: datetime, seconds: float) -> None:
    try:
        slow = _send(webhook, payload(letter, now), now, seconds)
    except (BudgetIsSpent, NamesAreBusy):
        raise
    except Refusal as failed:
        _note_failure(webhook, failed.sentence(gettext), now)
        raise DeliveryFailed(failed.template, **failed.parameters) from failed
    if slow:
        _note_failure(webhook, slow.sentence(gettext), now)
    elif webhook.failures:
        Webhook.objects.filter(pk=webhook.pk).update(failures=0, last_error="")


def _send(
    webhook: Webhook, content: dict[str, Any], now: datetime, seconds: float = calls.PATIENCE
) -> DeliveryFailed | None:
    """What is wrong with an address that was told, if it is too slow."""
    body = json.dumps(content, cls=DjangoJSONEncoder, ensure_ascii=False).encode()
    began = time.monotonic()
    with call_budget.spending(webhook.player_id, now=now):
        status = calls.post(
            webhook.url,
            body=body,
            headers={
                "Content-Type": "application/json",
                "User-Agent": "Tripost",
                "Tripost-Delivery": content["delivery"],
                "Tripost-Signature": signature(webhook.secret, body, now),
            },
            seconds=seconds,
        )
    if not 200 <= status < 300:
        raise DeliveryFailed("The address answered with {status}.", status=status)
    if time.monotonic() - began > SLOW_AFTER:
        return DeliveryFailed(
            "The address took longer than {seconds} seconds to reply, which counts as a failure.",
            seconds=round(SLOW_AFTER),
        )
    return None


def signature(secret: str, body: bytes, at: datetime) -> str:
    """Over the moment and the body, so that an old request cannot be passed off as a new one."""
    moment = int(at.timestamp())
    signed = hmac.new(secret.encode(), b"%d.%b" % (moment, body), hashlib.sha256)
    return f"t={moment},v1={signed.hexdigest()}"


def _note_failure(webhook: Webhook, why: str, now: datetime) -> None:
    """Counted in the database, where several workers may fail at the same time."""
    same = Webhook.objects.filter(pk=webhook.pk)
    same.update(failures=F("failures") + 1, last_error=why)
    same.filter(failures__gte=FAILURES_UNTIL_OFF, switched_off_at=None).update(switched_off_at=now)


# What is told


def payload(letter: Letter, now: datetime) -> dict[str, Any]:
    """All that a program needs to answer by the API, without asking first."""
    words = in_short(letter)
    content: dict[str, Any] = {
        "kind": letter.kind,
        "delivery": letter.key,
        "written_at": letter.written_at,
        "title": words.title,
        "text": words.body,
        "url": words.url,
        "about": letter.about,
    }
    return content | (_of_game(letter, letter.game, now) if letter.game else {})


def _of_game(letter: Letter, game: Game, now: datetime) -> dict[str, Any]:
    position = ruleset(game.ruleset, game.version).load(game.position)
    last = Move.objects.filter(game=game).order_by("-ply").first()
    return {
        "game": game.pk,
        "ply": letter.ply,
        "seat": letter.seat,
        "deadline": game.deadline_at,
        "move_url": f"{settings.SITE_URL}/api/v1/games/{game.pk}/moves",
        "board": BOARDS[game.ruleset].text(position, translate=gettext),
        "last_move": present.move(last) if last else None,
        "state": present.detail(game, seat=letter.seat, now=now),
    }
