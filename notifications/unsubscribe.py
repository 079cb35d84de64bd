"""One click in a mail program stops one kind of mail; nothing else can be done with it."""

from dataclasses import dataclass
from datetime import datetime
from hmac import compare_digest

from django.conf import settings
from django.core import signing
from django.urls import reverse
from django.utils.crypto import salted_hmac

from accounts.models import Player
from games.refusals import NotFound
from notifications import preferences, wishes
from notifications.models import Channel, Kind, Letter, Preference, Timing

SALT = "notifications.unsubscribe"


@dataclass(frozen=True, kw_only=True)
class Stopped:
    """Whose mail of which kinds was stopped, and what undoes it."""

    player: Player
    kinds: list[Kind]
    undo: str


# Links


def kind_of(letter: Letter) -> str:
    """What is stopped by the link in a letter: several turns in one are still turns."""
    return Kind.TURN if letter.details.get("joint") else letter.kind


def link_for(player_id: int, kind: str) -> str:
    return settings.SITE_URL + reverse("unsubscribe", args=[signed(player_id, kind)])


def mailto_for(player_id: int, kind: str) -> str:
    return f"stop+{signed(player_id, kind)}@{settings.MAIL_DOMAIN}"


def signed(player_id: int, kind: str) -> str:
    """Short and in lower case, because it must survive as part of a mail address."""
    return f"{player_id}-{kind}-{_signature(player_id, kind)}"


def _signature(player_id: int, kind: str) -> str:
    return salted_hmac(SALT, f"{player_id}.{kind}").hexdigest()[:24]


def read(text: str) -> tuple[Player, Kind]:
    """Whose mail of which kind a link is about; refuses what was not made here."""
    number, _dash, rest = text.lower().partition("-")
    kind, _dash, signature = rest.rpartition("-")
    if kind in Kind.values and number.isascii() and number.isdecimal() and len(number) < 19:
        right = _signature(int(number), kind)
        player = Player.objects.filter(pk=int(number), is_active=True).first()
        if player and compare_digest(signature.encode(), right.encode()):
            return player, Kind(kind)
    raise NotFound("This link is not complete; please copy the whole of it out of the letter.")


# Stopping


def stop(text: str, *, now: datetime) -> Stopped:
    """As often as one likes; the first time changes something."""
    player, kind = read(text)
    before = {one.kind: one for one in preferences.preferences(player)}
    kinds = [one for one in _meant(player, kind) if _comes_by_mail(before[one])]
    was = {one: [before[one].timing, before[one].channels] for one in kinds}
    wishes.stop_mail(player=player, kinds=kinds, now=now)
    undo = signing.dumps({"player": player.pk, "before": was}, salt=SALT) if was else ""
    return Stopped(player=player, kinds=kinds or [kind], undo=undo)


def resume(undo: str, *, now: datetime) -> Stopped:
    """Everything as it was before the click."""
    try:
        state = signing.loads(undo, salt=SALT)
    except signing.BadSignature as error:
        raise NotFound("This can only be undone right after it was done.") from error
    player = Player.objects.get(pk=state["player"])
    before = [
        {"kind": kind, "timing": timing, "channels": channels}
        for kind, (timing, channels) in state["before"].items()
    ]
    wishes.change(player=player, kinds=before, habits={}, now=now)
    return Stopped(player=player, kinds=[Kind(kind) for kind in state["before"]], undo="")


def is_stopped(text: str) -> bool:
    player, kind = read(text)
    chosen = {one.kind: one for one in preferences.preferences(player)}
    return not any(_comes_by_mail(chosen[one]) for one in _meant(player, kind))


def _meant(player: Player, kind: Kind) -> list[Kind]:
    """Who stops the digest stops what comes in it."""
    if kind in preferences.CHOOSABLE:
        return [kind]
    if kind != Kind.DIGEST:
        return []
    chosen = preferences.preferences(player)
    return [Kind(one.kind) for one in chosen if one.timing == Timing.DIGEST]


def _comes_by_mail(choice: Preference) -> bool:
    return choice.timing != Timing.OFF and Channel.MAIL in choice.channels
