"""The challenge form: what is to be played, with how much time, against whom."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.current import player_of
from accounts.models import Player
from games import lobby
from games.clock import MOST_DAYS, PRESETS, Clock, Fischer, InvalidClock, PerMove, to_json
from games.models import Challenge
from games.pages.wording import OPTION_NAMES, option_value
from games.rules.position import Option, Refusal
from games.rules.registry import RULESETS

TO = [
    ("everyone", _("everyone, in the lobby")),
    ("player", _("a player")),
    ("link", _("whoever has a link")),
    ("email", _("somebody by e-mail")),
]
SIDES = [("", _("by turns")), ("0", _("I begin")), ("1", _("I am second"))]
LASTS = [
    (1, _("a day")),
    (3, _("3 days")),
    (7, _("a week")),
    (14, _("2 weeks")),
    (30, _("30 days")),
]
CLOCKS = [
    ("1d", _("1 day a move")),
    ("2d", _("2 days a move")),
    ("3d", _("3 days a move")),
    ("5d", _("5 days a move")),
    ("7d", _("7 days a move")),
    ("14d", _("14 days a move")),
    ("10d+1d", _("10 days for the game, 1 more a move, 21 at most")),
    ("per-move", _("another number of days a move …")),
    ("fischer", _("a bank of your own making …")),
]
MOST_HOURS = MOST_DAYS * 24


class ChallengeForm(forms.Form):
    """Options of a game are named after it, so that all stand in one form without script."""

    ruleset = forms.ChoiceField(
        label=_("Game"),
        choices=[(key, rules.name) for key, rules in RULESETS.items()],
        initial=next(iter(RULESETS)),
        widget=forms.RadioSelect,
    )
    to = forms.ChoiceField(
        label=_("Against"), choices=TO, initial="everyone", widget=forms.RadioSelect
    )
    opponent = forms.CharField(label=_("Name of the player"), max_length=24, required=False)
    email = forms.EmailField(label=_("E-mail address"), required=False)
    clock = forms.ChoiceField(label=_("Clock"), choices=CLOCKS, initial="3d")
    days = forms.IntegerField(
        label=_("Days a move"), min_value=1, max_value=MOST_DAYS, initial=4, required=False
    )
    bank_hours = forms.IntegerField(
        label=_("Hours for the game"),
        min_value=1,
        max_value=MOST_HOURS,
        initial=120,
        required=False,
    )
    increment_hours = forms.IntegerField(
        label=_("More for each move"), min_value=0, max_value=MOST_HOURS, initial=12, required=False
    )
    cap_hours = forms.IntegerField(
        label=_("At most"), min_value=1, max_value=MOST_HOURS, initial=240, required=False
    )
    weekends = forms.BooleanField(label=_("Clocks rest on Saturdays and Sundays"), required=False)
    rated = forms.BooleanField(label=_("Rated"), required=False, initial=True)
    private = forms.BooleanField(
        label=_("Private: only those with the link can watch"), required=False
    )
    side = forms.ChoiceField(
        label=_("Who begins"), choices=SIDES, required=False, widget=forms.RadioSelect
    )
    rating_least = forms.IntegerField(
        label=_("Rating from"), min_value=0, max_value=10_000, required=False
    )
    rating_most = forms.IntegerField(
        label=_("Rating to"), min_value=0, max_value=10_000, required=False
    )
    message = forms.CharField(label=_("A few words"), max_length=300, required=False)
    lasts = forms.TypedChoiceField(
        label=_("The offer stands for"), choices=LASTS, coerce=int, initial=7
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for rules in RULESETS.values():
            for option in rules.options:
                self.fields[_option_field(rules.key, option)] = _field_for(option)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("to") == "player" and "opponent" in data:
            self.challenged = self._player_named(data["opponent"])
        if data.get("to") == "email" and not data.get("email") and "email" not in self.errors:
            self.add_error("email", _("Whom shall the letter go to?"))
        try:
            self.chosen_clock = self._clock(data)
        except InvalidClock as refusal:
            self.add_error("clock", refusal.sentence(gettext))
        return data

    def _player_named(self, name: str) -> Player | None:
        found = Player.objects.filter(name__iexact=name.strip(), is_active=True).first()
        if found is None:
            self.add_error("opponent", _("There is no player of that name."))
        return found

    def _clock(self, data: dict[str, Any]) -> Clock:
        chosen = data.get("clock", "3d")
        if chosen == "per-move":
            return PerMove(data.get("days") or 0)
        if chosen == "fischer":
            return Fischer(
                bank_hours=data.get("bank_hours") or 0,
                increment_hours=data.get("increment_hours") or 0,
                cap_hours=data.get("cap_hours") or 0,
            )
        return PRESETS[chosen]

    def terms(self) -> lobby.Terms:
        data = self.cleaned_data
        is_open = data["to"] == "everyone"
        return lobby.Terms(
            ruleset=data["ruleset"],
            clock=self.chosen_clock,
            options=self._options(),
            weekends=data["weekends"],
            rated=data["rated"],
            private=data["private"],
            side=int(data["side"]) if data["side"] else None,
            rating_least=data["rating_least"] if is_open else None,
            rating_most=data["rating_most"] if is_open else None,
            message=data["message"],
            salt=str(self.data.get("salt", "")),
            lasts=timedelta(days=data["lasts"]),
        )

    def _options(self) -> dict[str, object]:
        rules = RULESETS[self.cleaned_data["ruleset"]]
        given = {
            option.name: self.cleaned_data[_option_field(rules.key, option)]
            for option in rules.options
        }
        return {name: value for name, value in given.items() if value not in (None, "")}

    # For the template

    def option_groups(self) -> Iterator[tuple[str, str, list[forms.BoundField]]]:
        for rules in RULESETS.values():
            if rules.options:
                fields = [self[_option_field(rules.key, option)] for option in rules.options]
                yield rules.key, rules.name, fields


def _option_field(key: str, option: Option) -> str:
    return f"{key}.{option.name}"


def _field_for(option: Option) -> forms.Field:
    label = OPTION_NAMES.get(option.name, option.name)
    if isinstance(option.default, bool):
        return forms.BooleanField(label=label, initial=option.default, required=False)
    if isinstance(option.choices, range):
        return forms.IntegerField(
            label=label, initial=option.default, min_value=option.choices.start,
            max_value=10_000, required=False,
        )  # fmt: skip
    return forms.ChoiceField(
        label=label,
        choices=[(value, option_value(value)) for value in option.choices],
        initial=option.default,
        required=False,
    )


@login_required
def challenge(request: HttpRequest) -> HttpResponse:
    """`?to=name` and `?ruleset=key` fill in what is known already."""
    if request.method != "POST":
        form = ChallengeForm(initial=_as_last_time(player_of(request)) | _known_already(request))
        return render(request, "games/challenge.html", {"form": form})
    form = ChallengeForm(request.POST)
    if form.is_valid():
        try:
            return _made(request, _offer(player_of(request), form))
        except Refusal as refusal:
            form.add_error(None, refusal.sentence(gettext))
    return render(request, "games/challenge.html", {"form": form})


def _as_last_time(player: Player) -> dict[str, Any]:
    """People mostly want the clock that they had before."""
    last = Challenge.objects.filter(challenger=player).order_by("-made_at").first()
    if last is None:
        return {}
    preset = next((name for name, preset in PRESETS.items() if to_json(preset) == last.clock), None)
    hours = {name: value for name, value in last.clock.items() if name != "kind"}
    return {"clock": preset or last.clock["kind"], "weekends": last.weekends, **hours}


def _known_already(request: HttpRequest) -> dict[str, str]:
    known: dict[str, str] = {}
    if name := request.GET.get("to"):
        known |= {"to": "player", "opponent": name}
    if request.GET.get("ruleset") in RULESETS:
        known["ruleset"] = request.GET["ruleset"]
    return known


def _offer(player: Player, form: ChallengeForm) -> Challenge:
    offered: dict[str, Any] = {
        "challenger": player,
        "terms": form.terms(),
        "now": timezone.now(),
    }
    to = form.cleaned_data["to"]
    if to == "player":
        assert form.challenged is not None
        return lobby.challenge(opponent=form.challenged, **offered)
    if to == "email":
        return lobby.invite_by_email(email=form.cleaned_data["email"], **offered)
    if to == "link":
        return lobby.invite_by_link(**offered)
    return lobby.seek(**offered)


def _made(request: HttpRequest, offer: Challenge) -> HttpResponse:
    if offer.game:
        return redirect(offer.game)
    if offer.email:
        said = gettext("A letter with your invitation is on its way.")
    elif offer.link:
        said = gettext("Your invitation is made; give its link to whom you like.")
    elif offer.opponent:
        said = gettext("{name} will find your challenge.").format(name=offer.opponent.name)
    else:
        said = gettext("Your offer is in the lobby.")
    messages.success(request, said)
    return redirect("lobby")
