"""Which addresses take no mail, how that is found out, and who is told."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from allauth.account.models import EmailAddress

from accounts import locks
from accounts.models import Player
from games.models import Seat, Status
from games.refusals import NothingToAnswer
from notifications import desk, preferences
from notifications.models import Kind, Suppression

MOST_HARD = 2
MOST_SOFT = 6
FORGIVEN_AFTER = timedelta(days=30)
"""Without another one, earlier bounces say nothing about the address of today."""
ONE_MORE = MOST_HARD - 1


def is_suppressed(address: str) -> bool:
    return Suppression.objects.filter(address__iexact=address, since__isnull=False).exists()


@locks.action
def note_bounce(address: str, hard: bool, error: str, now: datetime) -> None:
    """Twice refused for good, or six times for the moment: nothing more is sent there."""
    known = _locked(address)
    _forgive_what_is_old(known, now)
    if hard:
        known.hard_bounces += 1
    else:
        known.soft_bounces += 1
    known.last_bounce_at, known.last_error = now, error[:2000]
    if known.hard_bounces >= MOST_HARD or known.soft_bounces >= MOST_SOFT:
        _suppress(known, Suppression.Cause.BOUNCE, now)
    known.save()


@locks.action
def note_complaint(address: str, error: str, now: datetime) -> None:
    """Whoever calls our mail unwanted gets none, at once."""
    known = _locked(address)
    known.last_error = error[:2000]
    _suppress(known, Suppression.Cause.COMPLAINT, now)
    known.save()


def _locked(address: str) -> Suppression:
    Suppression.objects.bulk_create([Suppression(address=address.lower())], ignore_conflicts=True)
    return Suppression.objects.select_for_update(no_key=True).get(address__iexact=address)


def _forgive_what_is_old(known: Suppression, now: datetime) -> None:
    last = known.last_bounce_at
    if known.since is None and last is not None and now - last > FORGIVEN_AFTER:
        known.hard_bounces = known.soft_bounces = 0


def _suppress(known: Suppression, cause: str, now: datetime) -> None:
    if known.since is None:
        known.since, known.cause = now, cause
        for player in _owners(known.address):
            _tell_opponents(player, now)


def _owners(address: str) -> Iterable[Player]:
    own = EmailAddress.objects.filter(email__iexact=address, verified=True, primary=True)
    return Player.objects.filter(pk__in=own.values("user"), is_active=True)


def _tell_opponents(player: Player, now: datetime) -> None:
    """One letter each, however many games they play; the clocks run on."""
    games = Seat.objects.filter(player=player, game__status=Status.RUNNING).values("game")
    opponents = Seat.objects.filter(game__in=games).exclude(player=player)
    for opponent in sorted(set(opponents.values_list("player_id", flat=True))):
        desk.write(
            kind=Kind.UNREACHABLE,
            player_id=opponent,
            key=f"u{player.pk}-{now:%Y-%m-%d}.{opponent}.unreachable",
            about=player.pk,
            now=now,
        )


# Trying again


def trouble_of(player: Player) -> Suppression | None:
    """What stands against the address that the player's mail goes to."""
    address = preferences.address_of(player)
    return Suppression.objects.filter(address__iexact=address, since__isnull=False).first()


def try_again(*, player: Player) -> None:
    """At the player's wish; one more refusal, and it is over again."""
    address = preferences.address_of(player)
    cleared = Suppression.objects.filter(address__iexact=address, since__isnull=False).update(
        since=None, cause="", hard_bounces=ONE_MORE, soft_bounces=0
    )
    if not cleared:
        raise NothingToAnswer("There is nothing against your address; letters go there as usual.")


def clear(address: str) -> None:
    """Its owner has just read a letter of ours there."""
    Suppression.objects.filter(address__iexact=address).delete()
