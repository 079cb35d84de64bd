"""Time off: what is saved, begin, end, and whether it is taken before a flag falls."""

from datetime import datetime, time, timedelta

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
from accounts.moments import DayField
from games import vacations
from games.models import Participant, Vacation
from games.rules.position import Refusal


class BeginForm(forms.Form):
    until = DayField(
        label=_("Last day"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
        help_text=_(
            "Until the end of this day in your time zone."
            " Leave it empty to be away as long as your saved days last."
        ),
    )

    def ends_at(self) -> datetime | None:
        day = self.cleaned_data["until"]
        if day is None:
            return None
        return datetime.combine(day + timedelta(days=1), time(), timezone.get_current_timezone())


@login_required
def vacation(request: HttpRequest) -> HttpResponse:
    player = player_of(request)
    form = BeginForm(request.POST if "begin" in request.POST else None)
    if request.method == "POST" and (not form.is_bound or form.is_valid()):
        try:
            messages.success(request, _done(request, player, form))
        except Refusal as refusal:
            messages.error(request, refusal.sentence(gettext))
        return redirect("settings" if request.POST.get("next") == "settings" else "vacation")
    now = timezone.now()
    participant, _new = Participant.objects.get_or_create(player=player)
    own = Vacation.objects.filter(player=player)
    context = {
        "form": form,
        "saved": vacations.balance(player.pk, now=now),
        "current": own.filter(began_at__lte=now, ends_at__gt=now).first(),
        "earlier": own.filter(ends_at__lte=now).order_by("-began_at")[:10],
        "is_automatic": participant.takes_vacation_automatically,
    }
    return render(request, "games/vacation.html", context)


def _done(request: HttpRequest, player: Player, form: BeginForm) -> str:
    """Does what the pressed button says; returns the sentence for it."""
    now = timezone.now()
    if "begin" in request.POST:
        vacations.begin(player_id=player.pk, until=form.ends_at(), now=now)
        return gettext("Your clocks stand still. Have a good time!")
    if "end" in request.POST:
        vacations.end(player_id=player.pk, now=now)
        return gettext("Welcome back; your clocks run again.")
    automatic = request.POST.get("automatic") == "yes"
    vacations.choose(player_id=player.pk, automatic=automatic)
    return gettext("Saved.")
