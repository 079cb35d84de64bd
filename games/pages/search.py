"""Games of the past, found by who played, what, how it ended, how it began and when."""

from datetime import date, datetime, time, timedelta
from typing import Any

from django import forms
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from accounts.moments import DayField
from games.models import Game, Status
from games.pages.seated import SEATS
from games.pages.wording import game_name, result_of
from games.rules.registry import RULESETS
from games.search import GameSearch, older_than

ON_A_PAGE = 25
A_DAY = timedelta(days=1)
LONGEST_OPENING = 200


class DayInput(forms.DateInput):
    input_type = "date"


class SearchForm(forms.Form):
    player = forms.CharField(label=_("Player"), max_length=24, required=False)
    opponent = forms.CharField(label=_("Against"), max_length=24, required=False)
    ruleset = forms.ChoiceField(
        label=_("Game"),
        required=False,
        choices=[("", _("any")), *((key, rules.name) for key, rules in RULESETS.items())],
    )
    result = forms.ChoiceField(
        label=_("Result"),
        required=False,
        choices=[("", _("any")), ("won", _("won")), ("drawn", _("drawn")), ("lost", _("lost"))],
    )
    status = forms.ChoiceField(
        label=_("State"), required=False, choices=[("", _("any")), *Status.choices]
    )
    opening = forms.CharField(
        label=_("First moves"),
        max_length=LONGEST_OPENING,
        required=False,
        help_text=_("As they are written in the game, with a semicolon between them."),
    )
    since = DayField(label=_("Begun from"), widget=DayInput, required=False)
    until = DayField(label=_("Begun up to"), widget=DayInput, required=False)

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        since, until = data.get("since"), data.get("until")
        if since and until and until < since:
            self.add_error("until", _("The last day is before the first one."))
        return data

    def wanted(self) -> dict[str, str]:
        """In the words of the search that programs use."""
        words = ("player", "opponent", "ruleset", "result", "status", "opening")
        found = {name: str(self.cleaned_data[name]).strip() for name in words}
        since, until = self.cleaned_data["since"], self.cleaned_data["until"]
        found["started_after"] = _midnight(since).isoformat() if since else ""
        found["started_before"] = _midnight(until + A_DAY).isoformat() if until else ""
        return found


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(), timezone.get_current_timezone())


@require_safe
def search(request: HttpRequest) -> HttpResponse:
    """The newest first; `?before=` goes on where a page ended, at the same cost for any."""
    form = SearchForm(request.GET or None)
    context: dict[str, Any] = {"form": form, "has_searched": form.is_bound}
    if form.is_valid():
        wanted = GameSearch(form.wanted(), queryset=Game.objects.filter(private_link=None))
        if wanted.is_valid():
            context |= _found(request, wanted)
        else:
            _tell(form, wanted)
    return render(request, "games/search.html", context)


def _tell(form: SearchForm, wanted: GameSearch) -> None:
    """What the search itself refuses, beside the field that it is about."""
    for name, errors in wanted.form.errors.items():
        form.add_error(name if name in form.fields else None, list(errors))


def _found(request: HttpRequest, wanted: GameSearch) -> dict[str, Any]:
    games = wanted.qs.prefetch_related(SEATS).order_by("-pk")
    before = request.GET.get("before", "")
    if before.isascii() and before.isdecimal() and len(before) < 19:
        games = older_than(games, int(before))
    page = list(games[: ON_A_PAGE + 1])
    return {
        "rows": [_row(game) for game in page[:ON_A_PAGE]],
        "older": page[ON_A_PAGE - 1].pk if len(page) > ON_A_PAGE else None,
    }


def _row(game: Game) -> dict[str, Any]:
    seats = list(game.seats.all())
    return {
        "game": game,
        "address": game.get_absolute_url(),
        "name": game_name(game.ruleset),
        "first": seats[0].player,
        "second": seats[1].player,
        "result": result_of(game, seats),
    }
