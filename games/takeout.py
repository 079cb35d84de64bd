"""The export of a player's games, offers, ratings, rulings and vacations."""

from collections.abc import Iterator
from itertools import islice
from typing import Any

from django.db.models import F, Q

from accounts.export import rows
from accounts.models import Player
from games.files import GameFile, files_of
from games.models import (
    Challenge,
    ChatLine,
    ConditionalMoves,
    Game,
    ImportedGame,
    Participant,
    Rating,
    RatingEntry,
    Review,
    Ruling,
    RulingRequest,
    Seat,
    Vacation,
    Visit,
)

FILES_AT_ONCE = 10
"""Each can have a million bytes."""


def games(player: Player) -> Iterator[dict[str, Any]]:
    """Each game as its file, with what only the player sees in it and what they said there."""
    files = files_of(Game.objects.filter(seats__player=player))
    while batch := list(islice(files, FILES_AT_ONCE)):
        yield from _of_some(player, batch)


def _of_some(player: Player, files: list[GameFile]) -> Iterator[dict[str, Any]]:
    games = [file.game.pk for file in files]
    seats = Seat.objects.filter(player=player, game__in=games).defer(None)
    by_game = {seat.game_id: seat for seat in seats.select_related("conditional_moves")}
    said: dict[int, list[dict[str, Any]]] = {}
    for line in ChatLine.objects.filter(author=player, game__in=games).order_by("pk"):
        said.setdefault(line.game_id, []).append({"at": line.written_at, "text": line.text})
    for file in files:
        seat = by_game[file.game.pk]
        yield {
            "file": file.record,
            "note": seat.note,
            "zone": seat.zone,
            "salt": seat.salt,
            "hides_chat": seat.hides_chat,
            **_conditional_moves(getattr(seat, "conditional_moves", None)),
            "said": said.get(file.game.pk, []),
        }


def _conditional_moves(moves: ConditionalMoves | None) -> dict[str, Any]:
    tree, log = (moves.tree, moves.log) if moves else ([], [])
    return {"conditional_moves": tree, "conditional_moves_log": log}


def imported_games(player: Player) -> Iterator[dict[str, Any]]:
    kept = ImportedGame.objects.filter(owner=player)
    return (
        {"imported_at": one.imported_at, "record": one.record} for one in rows(kept, FILES_AT_ONCE)
    )


def vacations(player: Player) -> list[dict[str, Any]]:
    taken = Vacation.objects.filter(player=player)
    return [
        {"began_at": one.began_at, "ends_at": one.ends_at, "automatic": one.automatic}
        for one in taken
    ]


def challenges(player: Player) -> dict[str, Any]:
    """Made and received, whatever became of them."""
    fields = (
        "id", "ruleset", "options", "clock", "rated", "private", "message", "state", "made_at",
        "expires_at", "answered_at", "game_id", "rematch_of_id",
    )  # fmt: skip
    made = Challenge.objects.filter(challenger=player).order_by("pk")
    received = Challenge.objects.filter(opponent=player).order_by("pk")
    return {
        "made": rows(made.values(*fields, "email", "salt", to=F("opponent__name"))),
        "received": rows(received.values(*fields, by=F("challenger__name"))),
    }


def ratings(player: Player) -> dict[str, Any]:
    """In hundredths of a point, as they are stored."""
    now = Rating.objects.filter(player=player).order_by("pool__key")
    fields = ("number", "game_id", "rated_at", "is_void", "score")
    entries = RatingEntry.objects.filter(Q(first=player) | Q(second=player)).order_by("pk")
    history = entries.annotate(key=F("pool__key")).values(
        "key", *fields, "first_id", "first_before", "first_after", "second_before", "second_after"
    )
    return {
        "now": list(now.values("rating", "games", "peak", pool_key=F("pool__key"))),
        "history": (_seen_by(player, entry) for entry in rows(history)),
    }


def _seen_by(player: Player, entry: dict[str, Any]) -> dict[str, Any]:
    """An entry of the ledger from one player's side."""
    side = "first" if entry["first_id"] == player.pk else "second"
    halves = entry["score"] if side == "first" else 2 - entry["score"]
    return {
        "pool": entry["key"],
        "number": entry["number"],
        "game": entry["game_id"],
        "at": entry["rated_at"],
        "half_points": halves,
        "before": entry[f"{side}_before"],
        "after": entry[f"{side}_after"],
        "void": entry["is_void"],
    }


def rulings(player: Player) -> dict[str, Any]:
    """Asked for, answered and made."""
    asked = RulingRequest.objects.filter(player=player).order_by("pk")
    settled = RulingRequest.objects.filter(settled_by=player).order_by("pk")
    made = Ruling.objects.filter(Q(made_by=player) | Q(undone_by=player)).order_by("pk")
    return {
        "asked": rows(asked.values("game_id", "text", "asked_at", "settled_at", "answer")),
        "answered": rows(settled.values("game_id", "settled_at", "answer")),
        "made": rows(made.values("game_id", "kind", "detail", "reason", "made_at", "undone_at")),
    }


def reviews(player: Player) -> Iterator[dict[str, Any]]:
    asked = Review.objects.filter(asked_by=player).order_by("pk")
    fields = ("game_id", "asked_at", "done_at")
    return rows(asked.values(*fields))


def presence(player: Player) -> dict[str, Any]:
    """What the games keep about the player as such."""
    fields = ("running_games", "absent_since", "takes_vacation_automatically")
    return {
        "games": Participant.objects.filter(player=player).values(*fields).first(),
        "came_as_guest": Visit.objects.filter(player=player).values("came_at").first(),
    }
