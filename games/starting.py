"""How a game comes into being: seats, seed, clock and the dice that precede the first move."""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from django.db.models import F

from accounts import locks
from accounts.models import Player
from games import clock, commitments, dice, outbox
from games.clock import Interval, Pauses
from games.commitments import Commitment
from games.events import GameStarted
from games.models import Game, Move, Participant, Seat, Vacation, Via
from games.refusals import BadRequest, TooMany
from games.rules.position import Roll, Ruleset, Turn, checked_options
from games.rules.registry import RULESETS

MOST_RUNNING_GAMES = 200
MOST_GAMES_OF_A_GUEST = 3


def known_ruleset(key: object) -> Ruleset:
    if isinstance(key, str) and key in RULESETS:
        return RULESETS[key]
    raise BadRequest(
        "There is no game {key}; there are: {keys}.", key=key, keys=", ".join(RULESETS)
    )


@locks.action
def start_game(
    *,
    ruleset: str,
    options: Mapping[str, object],
    players: tuple[Player, Player],
    clock_settings: clock.Clock,
    now: datetime,
    rated: bool = True,
    weekends: bool = False,
    vacation_allowed: bool = True,
    private: bool = False,
    event_id: int | None = None,
    commitment: Commitment | None = None,
    salts: tuple[str, str] = ("", ""),
) -> Game:
    """Seat 0 is the first of `players`, and so is the first salt.

    Both must have room for one more running game; an event's pairing is never stopped by that,
    and a house bot has room for any number.
    """
    rules = known_ruleset(ruleset)
    chosen = checked_options(rules.options, options)
    participants = _take_places(players, at_most=MOST_RUNNING_GAMES if event_id is None else None)
    by_mail = {one.pk for one in participants if one.moves_by_mail}
    commitment = commitment or commitments.new()
    left = clock_settings.initial()
    game = Game.objects.create(
        ruleset=rules.key, version=rules.version, options=chosen, rated=rated,
        clock=clock.to_json(clock_settings), weekends=weekends, vacation_allowed=vacation_allowed,
        event_id=event_id, private_link=secrets.token_urlsafe(18) if private else None,
        position={}, dice_scheme=dice.SCHEME, seed=commitment.seed,
        commitment=dice.commitment(commitment.seed),
        started_at=now, clock_from=now, time_left=left, deadline_at=now,
    )  # fmt: skip
    commitments.keep(game, commitment)
    Seat.objects.bulk_create(
        Seat(
            game=game, number=number, player=player, bank=left, zone=player.zone,
            salt=salt, moves_by_mail=player.pk in by_mail, began_by_mail=player.pk in by_mail,
        )
        for number, (player, salt) in enumerate(zip(players, salts, strict=True))
    )  # fmt: skip
    _open(game, players, salts, left, now)
    outbox.record(GameStarted(game_id=game.pk), now=now)
    return game


def lock_participants(*players: Player) -> list[Participant]:
    """Orders the starts of a pair's games."""
    return lock_participants_by_id(player.pk for player in players)


def lock_participants_by_id(ids: Iterable[int]) -> list[Participant]:
    """All that a transaction needs at once and in one order."""
    ids = sorted(ids)
    Participant.objects.bulk_create((Participant(pk=pk) for pk in ids), ignore_conflicts=True)
    held = Participant.objects.select_for_update(no_key=True).filter(pk__in=ids)
    return list(held.order_by("pk"))


def _take_places(players: tuple[Player, Player], *, at_most: int | None) -> list[Participant]:
    participants = lock_participants(*players)
    for participant in participants:
        player = next(player for player in players if player.pk == participant.pk)
        most = MOST_GAMES_OF_A_GUEST if player.is_guest else at_most
        if most is None or player.bot_level is not None:
            continue
        if participant.running_games >= most:
            raise TooMany(
                "{name} plays {most} games already, the most one can; finish one first.",
                name=player.name,
                most=most,
            )
    Participant.objects.filter(player__in=players).update(running_games=F("running_games") + 1)
    return participants


def _open(
    game: Game,
    players: tuple[Player, Player],
    salts: Sequence[str],
    left: timedelta,
    now: datetime,
) -> None:
    """Throws what the start waits for, writes ply 0 and sets the first deadline."""
    position = RULESETS[game.ruleset].start(game.options)
    throws: list[list[int]] = []
    while isinstance(awaited := position.awaiting, Roll):
        faces = dice.throw(
            scheme=game.dice_scheme, seed=bytes(game.seed), game_id=str(game.pk),
            number=len(throws) + 1, salts=salts, dice=awaited.dice, sides=awaited.sides,
        )  # fmt: skip
        throws.append(list(faces))
        position = position.rolled(faces)
    assert isinstance(position.awaiting, Turn)
    mover = players[position.awaiting.seat]
    Move.objects.create(game=game, ply=0, throws=throws, via=Via.START, played_at=now)
    game.position = position.to_json()
    game.seat_to_move = position.awaiting.seat
    game.throws_made = len(throws)
    game.deadline_at = clock.deadline(now, left, _pauses(game, mover, now))
    game.save(update_fields=["position", "seat_to_move", "throws_made", "deadline_at"])


def _pauses(game: Game, player: Player, now: datetime) -> Pauses:
    vacations = Vacation.objects.filter(player=player, ends_at__gt=now)
    return Pauses(
        vacations=tuple(Interval(v.began_at, v.ends_at) for v in vacations)
        if game.vacation_allowed
        else (),
        weekends=ZoneInfo(player.zone) if game.weekends else None,
    )
