"""What the games know of a player, for him to take away."""

from typing import Any

from accounts.models import Player
from games.files import files_of
from games.models import ChatLine, Game, ImportedGame, Seat, Vacation


def games(player: Player) -> list[dict[str, Any]]:
    """Each game as its file, with what only the player sees in it and what he said there."""
    seats = {seat.game_id: seat for seat in Seat.objects.filter(player=player)}
    said: dict[int, list[dict[str, Any]]] = {}
    for line in ChatLine.objects.filter(author=player).order_by("pk"):
        said.setdefault(line.game_id, []).append({"at": line.written_at, "text": line.text})
    return [
        {
            "file": file.record,
            "note": seats[file.game.pk].note,
            "conditional_moves": seats[file.game.pk].plan,
            "said": said.get(file.game.pk, []),
        }
        for file in files_of(Game.objects.filter(pk__in=seats))
    ]


def imported_games(player: Player) -> list[dict[str, Any]]:
    kept = ImportedGame.objects.filter(owner=player)
    return [{"imported_at": one.imported_at, "record": one.record} for one in kept]


def vacations(player: Player) -> list[dict[str, Any]]:
    taken = Vacation.objects.filter(player=player)
    return [
        {"began_at": one.began_at, "ends_at": one.ends_at, "automatic": one.automatic}
        for one in taken
    ]
