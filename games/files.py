"""Games as files: written from what is stored, alone or bundled."""

import io
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from django.conf import settings
from django.db.models import Prefetch, QuerySet

from accounts.models import Player
from games import proof, record, record_origin, replay, signing_keys
from games.clock import Interval
from games.models import Game, Move, Outage, Ruling, Seat, Vacation, WayIn
from games.record_shape import FORMAT
from games.rules.registry import ruleset
from games.signing_keys import Signer
from games.transcript import transcript

BATCH = 50
MICROSECOND = timedelta(microseconds=1)


# From the database


@dataclass(frozen=True, slots=True)
class GameFile:
    """A game as a file, with what is needed to write it in both ways."""

    game: Game
    record: dict[str, Any]

    @property
    def name(self) -> str:
        return f"tripost-{self.game.pk}-{self.game.ruleset}"

    def as_json(self) -> bytes:
        return record.spelled(self.record)

    def as_text(self) -> bytes:
        rules = ruleset(self.game.ruleset, self.game.version)
        return transcript(self.record, rules.load(self.game.position)).encode()


def file_of(game_id: int) -> GameFile:
    return next(files_of(Game.objects.filter(pk=game_id)))


def files_of(games: QuerySet[Game]) -> Iterator[GameFile]:
    """In the order of their ids, so many at a time that the memory is that of a few."""
    complete = (
        games.select_related("dice__key")
        .prefetch_related(
            Prefetch("seats", Seat.objects.select_related("player").order_by("number")),
            Prefetch("moves", Move.objects.order_by("ply")),
            Prefetch("rulings", Ruling.objects.select_related("made_by").order_by("pk")),
        )
        .order_by("pk")
    )
    signer = signing_keys.signer()
    last = 0
    while batch := list(complete.filter(pk__gt=last)[:BATCH]):
        pauses = _Pauses(batch)
        for game in batch:
            yield GameFile(game, _record(game, pauses, signer))
        last = batch[-1].pk


class _Pauses:
    """The vacations and outages in the times of some games."""

    def __init__(self, games: Sequence[Game]) -> None:
        start = min(game.started_at for game in games)
        end = max(_last_known(game) for game in games)
        players = {seat.player_id for game in games for seat in game.seats.all()}
        self.vacations = list(
            Vacation.objects.filter(player__in=players, began_at__lt=end, ends_at__gt=start)
        )
        self.outages = list(Outage.objects.filter(began_at__lt=end, ended_at__gt=start))

    def told(self, game: Game) -> dict[str, Any]:
        during = Interval(game.started_at, _last_known(game))
        return {
            "vacations": [
                _clipped(self._taken_by(seat.player_id), during) if game.vacation_allowed else []
                for seat in game.seats.all()
            ],
            "outages": {way_in: _clipped(self._of(way_in), during) for way_in in WayIn.values},
            "began_by_mail": [seat.began_by_mail for seat in game.seats.all()],
        }

    def _of(self, way_in: str) -> Iterator[Interval]:
        for outage in self.outages:
            if outage.way_in == way_in:
                yield Interval(outage.began_at, outage.ended_at)

    def _taken_by(self, player_id: int) -> Iterator[Interval]:
        for vacation in self.vacations:
            if vacation.player_id == player_id:
                yield Interval(vacation.began_at, vacation.ends_at)


def _last_known(game: Game) -> datetime:
    """Until when pauses matter to the file: those of a turn under way are not settled yet."""
    last = max(line.played_at for line in replay.lines_of(game))
    return max(last, game.ended_at or last)


def _clipped(pauses: Iterable[Interval], during: Interval) -> list[list[str]]:
    """What lies within, in order and without overlap."""
    told: list[Interval] = []
    for pause in sorted(pauses):
        start = max(pause.start, told[-1].end if told else during.start)
        end = min(pause.end, during.end)
        if start < end:
            told.append(Interval(start, end))
    return [[_written(pause.start), _written(pause.end)] for pause in told]


def _record(game: Game, pauses: _Pauses, signer: Signer) -> dict[str, Any]:
    sealed = record.sealed(_told(game, pauses))
    return record_origin.signed(sealed, key=signer.key, sign=signer.sign)


def _told(game: Game, pauses: _Pauses) -> dict[str, Any]:
    seats = list(game.seats.all())
    dice = proof.of_game(game)
    return {
        "format": FORMAT,
        "site": settings.SITE_URL,
        "game": dice.pop("game"),
        "ruleset": game.ruleset,
        "version": game.version,
        "options": game.options,
        "players": [seat.player.name for seat in seats],
        "clock": game.clock,
        "weekends": game.weekends,
        "event": game.event_id,
        "commitment": dice.pop("commitment"),
        "dice_bound": proof.bound(game),
        "started_at": _written(game.started_at),
        "moves": [_line(line) for line in replay.lines_of(game)],
        "pauses": pauses.told(game),
        "rulings": [_ruling(ruling) for ruling in game.rulings.all()],
        "result": _result(game),
        "dice": dice,
    }


def _line(line: Move) -> dict[str, Any]:
    return {
        "ply": line.ply,
        "seat": line.seat,
        "move": line.text,
        "throws": line.throws,
        "back_to": line.back_to,
        "via": line.via,
        "at": _written(line.played_at),
        "used": None if line.used is None else line.used // MICROSECOND,
    }


def _ruling(ruling: Ruling) -> dict[str, Any]:
    """What was decided; what it did to ratings is told elsewhere."""
    return {
        "kind": ruling.kind,
        "detail": {name: value for name, value in ruling.detail.items() if "ratings" not in name},
        "reason": ruling.reason,
        "by": ruling.made_by.name if ruling.made_by else "",
        "made_at": _written(ruling.made_at),
        "undone_at": ruling.undone_at and _written(ruling.undone_at),
    }


def _result(game: Game) -> dict[str, Any]:
    return {
        "status": game.status,
        "scores": None if game.score is None else [game.score / 2, 1 - game.score / 2],
        "points": game.points,
        "reason": game.reason,
        "rated": game.rated,
        "ended_at": game.ended_at and _written(game.ended_at),
    }


def _written(instant: datetime) -> str:
    return instant.astimezone(UTC).isoformat()


# A bundle


class _Outlet(io.RawIOBase):
    """What was written and not yet sent; it cannot be rewound, so a zip file streams into it."""

    def __init__(self) -> None:
        self.waiting = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self.waiting += data
        return len(data)

    def drained(self) -> bytes:
        sent, self.waiting = bytes(self.waiting), bytearray()
        return sent


def bundle(player: Player) -> Iterator[bytes]:
    """A zip file of all games of a player, private ones included, as it is being made."""
    outlet = _Outlet()
    with zipfile.ZipFile(outlet, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in files_of(Game.objects.filter(seats__player=player)):
            made = (file.game.ended_at or file.game.started_at).astimezone(UTC).timetuple()[:6]
            for suffix, content in (("json", file.as_json()), ("txt", file.as_text())):
                entry = zipfile.ZipInfo(f"{file.name}.{suffix}", made)
                archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
            yield outlet.drained()
    yield outlet.drained()
