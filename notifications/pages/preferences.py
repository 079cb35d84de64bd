"""How I am told: each kind of letter, my hours, my reminders."""

from collections.abc import Iterator
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.text import capfirst
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts import locks
from accounts.current import player_of
from accounts.models import Player
from games.rules.position import Refusal
from notifications import bounces, preferences, wishes
from notifications.models import Channel, Kind, Preference, Timing
from notifications.preferences import REMINDERS

HOURS = [(hour, f"{hour}:00") for hour in range(24)]
MOMENTS = {
    "half": _("when half of the time is gone"),
    "72h": _("3 days before"),
    "48h": _("2 days before"),
    "24h": _("1 day before"),
    "12h": _("12 hours before"),
    "6h": _("6 hours before"),
    "3h": _("3 hours before"),
    "1h": _("1 hour before"),
}


def _hour_or_none(text: str) -> int | None:
    return int(text) if text else None


class HabitsForm(forms.Form):
    digest_hour = forms.TypedChoiceField(
        label=_("The daily digest comes at"), choices=HOURS, coerce=int,
        help_text=_("One letter with all that you want once a day; none if there is nothing."),
    )  # fmt: skip
    quiet_from = forms.TypedChoiceField(
        label=_("Quiet from"), choices=[("", "–"), *HOURS], coerce=_hour_or_none,
        required=False, empty_value=None,
    )  # fmt: skip
    quiet_until = forms.TypedChoiceField(
        label=_("Quiet until"), choices=[("", "–"), *HOURS], coerce=_hour_or_none,
        required=False, empty_value=None,
        help_text=_("A letter about a deadline is never held back past it."),
    )  # fmt: skip
    reminders = forms.MultipleChoiceField(
        label=_("Remind me of a turn"), choices=[(name, MOMENTS[name]) for name in REMINDERS],
        required=False, widget=forms.CheckboxSelectMultiple,
    )  # fmt: skip
    one_until_back = forms.BooleanField(
        label=_("After one letter about a turn, no other until I have been here"), required=False,
        help_text=_("Reminders come all the same."),
    )  # fmt: skip


class KindForm(forms.Form):
    """One row of the table."""

    timing = forms.ChoiceField(choices=Timing.choices)
    channels = forms.MultipleChoiceField(
        choices=Channel.choices, required=False, widget=forms.CheckboxSelectMultiple
    )

    def __init__(self, choice: Preference, data: Any = None) -> None:
        self.kind = Kind(choice.kind)
        self.label = capfirst(str(self.kind.label))
        given = {"timing": choice.timing, "channels": choice.channels}
        super().__init__(data, prefix=self.kind.value, initial=given)
        self.fields["timing"].widget.attrs["aria-label"] = self.label

    def wish(self) -> dict[str, Any]:
        return {"kind": self.kind.value, **self.cleaned_data}


@login_required
def letter_preferences(request: HttpRequest) -> HttpResponse:
    """Two forms; each has a button of its own."""
    player = player_of(request)
    about_kinds = request.method == "POST" and "kinds" in request.POST
    wished = preferences.habits(player)
    habits = HabitsForm(
        request.POST if request.method == "POST" and not about_kinds else None,
        initial={name: getattr(wished, name) for name in wishes.FIELDS},
    )
    rows = list(_rows(player, request.POST if about_kinds else None))
    if request.method == "POST" and _saved(player, habits, rows):
        messages.success(request, gettext("Saved."))
        return redirect("letter_preferences")
    context = {
        "form": habits,
        "rows": rows,
        "channels": Channel.choices,
        "zone": player.zone,
        "trouble": bounces.trouble_of(player),
    }
    return render(request, "notifications/preferences.html", context)


def _rows(player: Player, data: Any) -> Iterator[KindForm]:
    for choice in preferences.preferences(player):
        yield KindForm(choice, data)


def _saved(player: Player, habits: HabitsForm, rows: list[KindForm]) -> bool:
    """Whether everything was right; what was wrong stands at the form it is about."""
    if habits.is_bound:
        return habits.is_valid() and _done(habits, wishes.live_by, player, **habits.cleaned_data)
    valid = [row.is_valid() for row in rows]
    return all(valid) and _all_done(player, [row for row in rows if row.has_changed()])


@locks.action
def _all_done(player: Player, rows: list[KindForm]) -> bool:
    """All of them or none, with every objection."""
    done = [_done(row, wishes.choose, player, **row.wish()) for row in rows]
    transaction.set_rollback(not all(done))
    return all(done)


def _done(form: forms.Form, act: Any, player: Player, **wish: Any) -> bool:
    try:
        act(player=player, now=timezone.now(), **wish)
    except Refusal as refusal:
        form.add_error(None, refusal.sentence(gettext))
        return False
    return True
