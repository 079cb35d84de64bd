"""Games from elsewhere, kept for study: what is too much is refused before it costs anything."""

import hashlib
from datetime import datetime
from http import HTTPStatus
from typing import Any

from django.conf import settings
from django.db.models import Sum

from accounts import daily, locks
from accounts.models import Player
from games import record, signing_keys
from games.budgets import OverBudget
from games.models import ImportedGame
from games.record_origin import Keys
from games.refusals import PlayRefusal, TooMany
from games.transcript import transcript

LARGEST_FILE = 1_000_000
MOST_LINES = 2_000
MOST_RULINGS = 100
MOST_PAUSES = 500
"""A turn may lie in every one of them, so their number counts once for each line."""
MOST_KEPT = 1_000
MOST_BYTES_KEPT = 50_000_000
MOST_A_DAY = 200


class InvalidFile(PlayRefusal):
    code = "malformed_record"
    status = HTTPStatus.UNPROCESSABLE_ENTITY


class FileTooLarge(PlayRefusal):
    code = "too_large"
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE


def take_in(*, owner: Player, data: bytes, now: datetime) -> tuple[ImportedGame, bool]:
    """The game of a file that verifies, and whether it is new; the same file is kept once."""
    if len(data) > LARGEST_FILE:
        raise FileTooLarge("A game file has at most a million bytes.")
    digest = hashlib.sha256(data).hexdigest()
    kept = ImportedGame.objects.filter(owner=owner, digest=digest).first()
    if kept is not None:
        return kept, False
    # Outside of any transaction: what is refused has cost its time and counts as well.
    if not daily.count_once(kind="import", key=f"p{owner.pk}", most=MOST_A_DAY, now=now):
        raise OverBudget(
            "You can import {most} game files a day. Try again in {hours} h.",
            most=MOST_A_DAY,
            now=now,
        )
    imported = ImportedGame(
        owner=owner, digest=digest, size=len(data), record=_verified(data), imported_at=now
    )
    imported.summary = summary_of(imported.record)
    return _keep(imported)


def _verified(data: bytes) -> dict[str, Any]:
    try:
        told = record.read(data)
        _require_moderate(told)
        problems = record.problems_of(told, data, _keys_for(told))
    except record.MalformedRecord as malformed:
        raise InvalidFile("This is no game file: {why}.", why=malformed) from malformed
    if problems:
        raise InvalidFile("This file does not verify. {problems}", problems=" ".join(problems))
    return told


def _require_moderate(told: record.Record) -> None:
    outages = told["pauses"]["outages"]
    by_way_in = [outages] if isinstance(outages, list) else outages.values()
    pauses = sum(map(len, [*told["pauses"]["vacations"], *by_way_in]))
    if (
        len(told["moves"]) > MOST_LINES
        or len(told["rulings"]) > MOST_RULINGS
        or pauses > MOST_PAUSES
    ):
        raise FileTooLarge(
            "A game from elsewhere has at most {lines} moves, {rulings} rulings and {pauses}"
            " pauses.",
            lines=MOST_LINES,
            rulings=MOST_RULINGS,
            pauses=MOST_PAUSES,
        )


def _keys_for(told: record.Record) -> Keys | None:
    """What claims to be from here must be signed here; no keys of other servers are known."""
    return signing_keys.own_keys() if told.get("site") == settings.SITE_URL else None


@locks.action
def _keep(imported: ImportedGame) -> tuple[ImportedGame, bool]:
    # The lock makes the count true for two files at once, also for the same file twice.
    Player.objects.select_for_update(no_key=True).get(pk=imported.owner_id)
    mine = ImportedGame.objects.filter(owner=imported.owner_id)
    kept = mine.filter(digest=imported.digest).first()
    if kept is not None:
        return kept, False
    _require_room(mine.count(), mine.aggregate(sum=Sum("size", default=0))["sum"] + imported.size)
    imported.save()
    return imported, True


def _require_room(games: int, size: int) -> None:
    if games >= MOST_KEPT:
        raise TooMany("You keep 1000 games from elsewhere, the most one can; delete one first.")
    if size > MOST_BYTES_KEPT:
        raise TooMany(
            "Your games from elsewhere can take {megabytes} MB in all; delete one first.",
            megabytes=MOST_BYTES_KEPT // 1_000_000,
        )


def summary_of(told: record.Record) -> dict[str, Any]:
    """What a list shows of it, kept apart so that no list reads whole games."""
    return {
        "ruleset": told["ruleset"],
        "version": told["version"],
        "players": told["players"],
        "plies": len(told["moves"]) - 1,
        "status": told["result"]["status"],
        "reason": told["result"]["reason"],
        "started_at": told["started_at"],
    }


def text_of(imported: ImportedGame) -> bytes:
    *_, last = record.steps(imported.record)
    return transcript(imported.record, last.position).encode()
