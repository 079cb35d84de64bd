"""The seeds of a game: committed to before it begins, and the next one if it is reopened."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import IntegrityError

from accounts import locks
from accounts.models import Player
from games import dice, vrf
from games.models import DiceKey, Game, GameDice, Seat
from games.refusals import NotAllowed


@dataclass(frozen=True, slots=True, kw_only=True)
class Commitment:
    """The seed behind a published commitment, and how the game came by it."""

    seed: bytes
    secret: bytes = b""
    """The beginning of the chain of seeds, unless a key has them."""
    key: DiceKey | None = None
    drawn: dict[str, Any] | None = None
    """Which game of which players it is, for that key."""
    proof: str = ""
    challenger: int | None = None
    """The challenger's seat, if the first move was drawn by lot."""


def new() -> Commitment:
    return of_secret(dice.new_secret())


def of_secret(secret: bytes) -> Commitment:
    return Commitment(seed=dice.seed_of(secret), secret=secret)


def keep(game: Game, commitment: Commitment) -> None:
    GameDice.objects.create(
        game=game,
        secret=commitment.secret,
        key=commitment.key,
        drawn=commitment.drawn,
        proof=commitment.proof,
        challenger=commitment.challenger,
    )


# Seeds of a published key


def new_key(*, now: datetime, is_for_bots: bool = False) -> DiceKey:
    secret = dice.new_secret()
    public = vrf.public_key(secret).hex()
    return DiceKey.objects.create(
        secret=secret, public_key=public, published_at=now, is_for_bots=is_for_bots
    )


def key_for_bots(*, now: datetime) -> DiceKey:
    """Made once, and published beside the keys of the game files."""
    return DiceKey.objects.filter(is_for_bots=True).first() or _first_key_for_bots(now)


@locks.action
def _first_key_for_bots(now: datetime) -> DiceKey:
    try:
        with locks.savepoint():
            return new_key(now=now, is_for_bots=True)
    except IntegrityError:
        # Another process was quicker.
        return DiceKey.objects.get(is_for_bots=True)


def with_a_bot(player: Player, bot: Player, *, now: datetime) -> Commitment:
    """What the key has for their next game; both are held still."""
    played = Seat.objects.filter(player=player, game__seats__player=bot).count()
    return of_key(key_for_bots(now=now), season=1, players=(player.pk, bot.pk), game=played + 1)


def of_key(key: DiceKey, *, season: int, players: Sequence[int], game: int) -> Commitment:
    """What the key has for a game of these players, which nobody chooses."""
    drawn = {"key": key.public_key, "season": season, "players": list(players), "game": game}
    seed, proof = _drawn(key, drawn, reopened=0)
    return Commitment(seed=seed, key=key, drawn=drawn, proof=proof)


def _drawn(key: DiceKey, drawn: dict[str, Any], *, reopened: int) -> tuple[bytes, str]:
    text = dice.drawn_text(
        season=drawn["season"], players=drawn["players"], game=drawn["game"], reopened=reopened
    )
    seed, proof = vrf.prove(bytes(key.secret), text)
    return seed, proof.hex()


# Reopening


def move_on(game: Game) -> None:
    """The seed was published when the game ended: it goes on with the next one.

    A game of scheme 1 has no chain and begins one. The game is still to be saved.
    """
    kept, _is_new = GameDice.objects.get_or_create(
        game=game, defaults={"secret": dice.new_secret()}
    )
    reopened = sum(segment["scheme"] == dice.SCHEME for segment in kept.past)
    if game.dice_scheme == dice.SCHEME:
        reopened += 1
    if reopened >= dice.CHAIN:
        raise NotAllowed(
            "This game has been reopened {most} times, which is the limit. Set its result instead.",
            most=dice.CHAIN - 1,
        )
    kept.past.append(
        {
            "scheme": game.dice_scheme,
            "commitment": game.commitment,
            "seed": bytes(game.seed).hex(),
            "last_throw": game.throws_made,
            "proof": kept.proof or None,
        }
    )
    if kept.key and kept.drawn:
        game.seed, kept.proof = _drawn(kept.key, kept.drawn, reopened=reopened)
    else:
        game.seed = dice.seed_of(bytes(kept.secret), reopened=reopened)
    kept.save(update_fields=["past", "proof"])
    game.dice_scheme = dice.SCHEME
    game.commitment = dice.commitment(game.seed)
