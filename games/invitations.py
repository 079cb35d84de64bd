"""A stranger's way in: a name is all it takes to be a player and to sit at the table."""

from datetime import datetime
from typing import Any
from zoneinfo import available_timezones

from allauth.account.models import EmailAddress
from django import forms
from django.db import transaction
from django.utils.translation import get_language

from accounts.models import Player
from games import lobby
from games.models import Challenge


class StrangerForm(forms.ModelForm):
    """The browser fills in its zone; without script it stays UTC and can be set later."""

    zone = forms.CharField(
        required=False, widget=forms.HiddenInput(attrs={"data-browser-zone": ""})
    )

    class Meta:
        model = Player
        fields = ["name"]
        widgets = {"name": forms.TextInput(attrs={"autocomplete": "username"})}

    def clean_zone(self) -> str:
        zone = str(self.cleaned_data["zone"])
        return zone if zone in available_timezones() else "UTC"


@transaction.atomic
def accept_as_stranger(*, offer: Challenge, chosen: dict[str, Any], now: datetime) -> Player:
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
    lobby.accept(challenge_id=offer.pk, player=player, link=offer.link or "", now=now)
    return player


def is_for_a_stranger(offer: Challenge) -> bool:
    """Whether the address that was invited belongs to nobody here."""
    return bool(offer.email) and not (
        Player.objects.filter(email__iexact=offer.email).exists()
        or EmailAddress.objects.filter(email__iexact=offer.email).exists()
    )
