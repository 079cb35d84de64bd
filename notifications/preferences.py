"""What a player has chosen to be told, how, and when; without a choice, the defaults."""

from zoneinfo import ZoneInfo

from allauth.account.models import EmailAddress

from accounts.models import Player
from notifications.models import Habits, Kind, Preference, Timing
from notifications.timing import Rhythm

UNASKED = (Kind.REPLY, Kind.DIGEST, Kind.INVITATION)
"""They answer a mail, carry what was chosen, or go to a stranger: there is nothing to choose."""
CHOOSABLE = [kind for kind in Kind if kind not in UNASKED]
REMINDERS = ["half", "72h", "48h", "24h", "12h", "6h", "3h", "1h"]


def preference(player: Player, kind: str) -> Preference:
    default = Preference(player=player, kind=kind)
    if kind in UNASKED:
        return default
    return Preference.objects.filter(player=player, kind=kind).first() or default


def preferences(player: Player) -> list[Preference]:
    """One for every kind that can be chosen, in one query."""
    chosen = {one.kind: one for one in Preference.objects.filter(player=player)}
    return [chosen.get(kind) or Preference(player=player, kind=kind) for kind in CHOOSABLE]


def is_off(player: Player, kind: str) -> bool:
    return preference(player, kind).timing == Timing.OFF


def habits(player: Player) -> Habits:
    return Habits.objects.filter(player=player).first() or Habits(player=player)


def rhythm(wishes: Habits) -> Rhythm:
    return Rhythm(
        zone=ZoneInfo(wishes.player.zone),
        digest_hour=wishes.digest_hour,
        quiet_from=wishes.quiet_from,
        quiet_until=wishes.quiet_until,
    )


def address_of(player: Player) -> str:
    """Where his mail goes: the address that he has shown to be his; empty without one."""
    if not player.is_active or player.is_guest or player.is_bot:
        return ""
    own = EmailAddress.objects.filter(user=player, verified=True, primary=True)
    return own.values_list("email", flat=True).first() or ""
