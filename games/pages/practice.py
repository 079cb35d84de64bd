"""Play a bot at once: a member as he likes, a visitor as a guest."""

from typing import Any
from zoneinfo import available_timezones

from django import forms
from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods

from accounts.current import player_of
from accounts.models import Player
from accounts.visitors import network_of
from games import guests, house_bots, practice
from games.bots.levels import LEVELS
from games.pages.bots import LEVELS_IN_WORDS
from games.rules.position import Refusal
from games.rules.registry import RULESETS

SIDES = [("", _("by lot")), ("0", _("I begin")), ("1", _("the bot begins"))]
BACKEND = "allauth.account.auth_backends.AuthenticationBackend"


class PracticeForm(forms.Form):
    """The browser fills in its zone; without script it stays UTC."""

    ruleset = forms.ChoiceField(
        label=_("Game"),
        choices=[(key, rules.name) for key, rules in RULESETS.items()],
        initial=next(iter(RULESETS)),
        widget=forms.RadioSelect,
    )
    level = forms.ChoiceField(
        label=_("Bot"),
        choices=[(key, about) for key, about in LEVELS_IN_WORDS.items()],
        initial=next(iter(LEVELS)),
        widget=forms.RadioSelect,
    )
    side = forms.ChoiceField(
        label=_("Who begins"), choices=SIDES, required=False, widget=forms.RadioSelect
    )
    rated = forms.BooleanField(label=_("Rated: the bot has a rating as well"), required=False)
    zone = forms.CharField(
        max_length=64, required=False, widget=forms.HiddenInput(attrs={"data-browser-zone": ""})
    )

    def clean_zone(self) -> str:
        zone = str(self.cleaned_data["zone"])
        return zone if zone in available_timezones() else "UTC"

    def wanted(self) -> dict[str, Any]:
        data = self.cleaned_data
        return {
            "ruleset": data["ruleset"],
            "level": data["level"],
            "rated": data["rated"],
            "side": int(data["side"]) if data["side"] else None,
        }


@require_http_methods(["GET", "HEAD", "POST"])
def play_a_bot(request: HttpRequest) -> HttpResponse:
    """`?ruleset=key` and `?level=key` choose what is known already."""
    if request.method != "POST":
        return _page(request, PracticeForm(initial=_known_already(request)))
    form = PracticeForm(request.POST)
    if form.is_valid():
        now = timezone.now()
        try:
            player = _player(request, form.cleaned_data["zone"])
            return redirect(
                practice.begin(
                    player=player, now=now, salt=request.POST.get("salt", ""), **form.wanted()
                )
            )
        except Refusal as refusal:
            form.add_error(None, refusal.sentence(gettext))
    return _page(request, form)


def _page(request: HttpRequest, form: PracticeForm) -> HttpResponse:
    return render(request, "games/practice.html", {"form": form})


def _known_already(request: HttpRequest) -> dict[str, str]:
    asked = {"ruleset": list(RULESETS), "level": list(LEVELS)}
    return {
        name: request.GET[name] for name, known in asked.items() if request.GET.get(name) in known
    }


def _player(request: HttpRequest, zone: str) -> Player:
    """Whoever is here, or else a guest from now on."""
    if request.user.is_authenticated:
        return player_of(request)
    house_bots.everyone()
    guest = guests.welcome(
        address=network_of(request.META),
        zone=zone,
        language=(get_language() or "en")[:2],
        now=timezone.now(),
    )
    login(request, guest, backend=BACKEND)
    return guest
