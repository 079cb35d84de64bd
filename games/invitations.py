"""A stranger's way in: a name is all it takes to be a player and to sit at the table."""

from datetime import datetime
from typing import Any
from zoneinfo import available_timezones

from allauth.account.models import EmailAddress
from django import forms
from django.utils.translation import get_language

from accounts import account_mail, locks
from accounts.models import Player, checked_name
from games import lobby
from games.models import Challenge


class StrangerForm(forms.ModelForm):
    """The browser fills in its zone; without script it stays UTC and can be set later."""

    zone = forms.CharField(
        max_length=64, required=False, widget=forms.HiddenInput(attrs={"data-browser-zone": ""})
    )

    class Meta:
        model = Player
        fields = ["name"]
        widgets = {"name": forms.TextInput(attrs={"autocomplete": "username"})}

    def clean_name(self) -> str:
        return checked_name(self.cleaned_data["name"])

    def clean_zone(self) -> str:
        zone = str(self.cleaned_data["zone"])
        return zone if zone in available_timezones() else "UTC"


@locks.action
def accept_as_stranger(
    *, offer: Challenge, chosen: dict[str, Any], now: datetime, salt: str = ""
) -> Player:
    """Whoever holds the link reads that address, so nothing is left to confirm.

    The account has no password; a new one can be asked for at any time.
    """
    player = Player.objects.create_user(
        chosen["name"],
        offer.email,
        zone=chosen["zone"],
        language=(get_language() or "en")[:2],
    )
    EmailAddress.objects.create(user=player, email=player.email, verified=True, primary=True)
    lobby.accept(
        challenge_id=offer.pk,
        player=player,
        link=offer.link or "",
        now=now,
        salt=salt,
    )
    return player


def is_for_a_stranger(offer: Challenge) -> bool:
    """Whether nobody here has confirmed the address that was invited; anybody can name it."""
    return bool(offer.email) and not account_mail.is_members(offer.email)
