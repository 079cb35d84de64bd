"""Several letters to one player become one: the digest of a day, and turns close together."""

import logging
from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from typing import Any

from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db.models import Count, Min, QuerySet

from accounts import locks
from accounts.models import Player
from notifications import preferences, timing, topical
from notifications.models import Channel, Kind, Letter, State

logger = logging.getLogger(__name__)

BATCH = 200


def gather(*, now: datetime) -> int:
    """Puts together what is due; the number of letters that now carry others."""
    digests = _each(_with_a_digest_due(now), make_digest, now)
    return digests + _each(_with_turns_close_together(now), join_turns, now)


def _each(
    player_ids: Iterable[int], make: Callable[[Player, datetime], Letter | None], now: datetime
) -> int:
    """What goes wrong for one player is rolled back, and keeps nobody else waiting."""
    made = 0
    for player in Player.objects.filter(pk__in=list(player_ids)):
        try:
            made += make(player, now) is not None
        except SoftTimeLimitExceeded:
            raise
        except Exception:
            logger.exception("letters of player %s could not be put together", player.pk)
    return made


def _loose() -> QuerySet[Letter]:
    """Mail that waits and is not part of another letter."""
    return Letter.objects.filter(
        state=State.WAITING, carried_by=None, channel=Channel.MAIL, player__isnull=False
    )


# The digest


def _with_a_digest_due(now: datetime) -> list[int]:
    due = _loose().filter(digest=True, due_at__lte=now).order_by("due_at", "id")
    return list(dict.fromkeys(due.values_list("player_id", flat=True)[:BATCH]))


@locks.action
def make_digest(player: Player, now: datetime) -> Letter | None:
    """One a day, by its key; what comes too late for today's goes into tomorrow's."""
    letters = _locked(_loose().filter(player=player, digest=True, due_at__lte=now))
    rhythm = preferences.rhythm(preferences.habits(player))
    key = f"d{player.pk}-{timing.digest_day(now, rhythm)}.digest"
    if letters and Letter.objects.filter(key=key).exists():
        tomorrow = timing.next_digest(now, rhythm)
        _ids(letters).update(due_at=tomorrow)
        return None
    return _carry(player, key, _still_topical(letters, now), {}, now)


# Turns close together


def _with_turns_close_together(now: datetime) -> list[int]:
    close = _turns(now).order_by().values("player_id").annotate(n=Count("pk"), first=Min("due_at"))
    return list(close.filter(n__gt=1, first__lte=now).values_list("player_id", flat=True)[:BATCH])


def _turns(now: datetime) -> QuerySet[Letter]:
    """Due, or due so soon that waiting for a letter of its own would only disturb twice."""
    soon = now + timedelta(seconds=settings.LETTER_PAUSE)
    return _loose().filter(kind=Kind.TURN, digest=False, attempts=0, due_at__lte=soon)


@locks.action
def join_turns(player: Player, now: datetime) -> Letter | None:
    letters = _still_topical(_locked(_turns(now).filter(player=player)), now)
    if len(letters) < 2:
        return None
    return _carry(player, f"t{letters[0].pk}.turns", letters, {"joint": True}, now)


# What both have in common


def _locked(letters: QuerySet[Letter]) -> list[Letter]:
    """Whoever comes second waits here and finds nothing left to carry."""
    rows = letters.select_for_update(no_key=True, of=("self",)).select_related("player", "game")
    return list(rows.order_by("pk"))


def _ids(letters: Iterable[Letter]) -> QuerySet[Letter]:
    return Letter.objects.filter(pk__in=[letter.pk for letter in letters])


def _still_topical(letters: Iterable[Letter], now: datetime) -> list[Letter]:
    """The others are cancelled, each for its reason."""
    kept = []
    for letter in letters:
        why = topical.why_not(letter, now=now)
        if why:
            _ids([letter]).update(state=State.CANCELLED, why=why, settled_at=now)
        else:
            kept.append(letter)
    return kept


def _carry(
    player: Player, key: str, letters: list[Letter], details: dict[str, Any], now: datetime
) -> Letter | None:
    if not letters:
        return None
    carrier = Letter.objects.create(
        key=key,
        kind=Kind.DIGEST,
        player=player,
        details={**details, "letters": [letter.pk for letter in letters]},
        written_at=now,
        due_at=now,
    )
    _ids(letters).update(carried_by=carrier)
    return carrier


# When it is sent


def repack(carrier: Letter, *, now: datetime) -> bool:
    """Leaves out what is no longer topical; whether anything is left."""
    carried = Letter.objects.filter(carried_by=carrier, state=State.WAITING)
    kept = _still_topical(carried.select_related("player", "game").order_by("pk"), now)
    carrier.details = {**carrier.details, "letters": [letter.pk for letter in kept]}
    carrier.save(update_fields=["details"])
    return bool(kept)


def settle_carried(carrier: Letter, *, state: str, why: str, now: datetime) -> None:
    """What became of the carrier became of all that it carried."""
    Letter.objects.filter(carried_by=carrier, state=State.WAITING).update(
        state=state, why=why, settled_at=now, address=carrier.address
    )
