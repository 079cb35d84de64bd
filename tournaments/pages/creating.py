"""An event is prepared by one form, and changed as long as it is a draft."""

from collections.abc import Callable, Container

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.current import player_of
from games.rules.position import Refusal
from games.rules.registry import RULESETS
from tournaments import opening
from tournaments.forms import EventForm, initial_of
from tournaments.models import Event, State
from tournaments.pages.frame import seen, show
from tournaments.pages.refused import back, of_events
from tournaments.pages.wording import FORMATS
from tournaments.refusals import NoSuchEvent, NotYourEvent


@login_required
def new(request: HttpRequest) -> HttpResponse:
    """`?format=key` and `?ruleset=key` fill in what is known already."""
    if request.method != "POST":
        form = EventForm(initial=_known_already(request))
        return render(request, "tournaments/new.html", {"form": form})
    form = EventForm(request.POST)
    made = _made(form, lambda: opening.prepare(
        plan=form.plan(), organiser=player_of(request), now=timezone.now()
    ))  # fmt: skip
    if made is None:
        return render(request, "tournaments/new.html", {"form": form})
    messages.success(
        request, _("The event is prepared. Look at its rules, then open it for entries.")
    )
    return redirect(made)


def _known_already(request: HttpRequest) -> dict[str, str]:
    known: dict[str, Container[object]] = {"format": FORMATS, "ruleset": RULESETS}
    return {
        name: request.GET[name] for name, keys in known.items() if request.GET.get(name) in keys
    }


def _made(form: EventForm, door: Callable[[], Event]) -> Event | None:
    """None where something is wrong, which the form then says."""
    if not form.is_valid():
        return None
    try:
        return door()
    except (NoSuchEvent, NotYourEvent):
        raise
    except Refusal as refusal:
        form.add_error(None, refusal.sentence(_))
        return None


@login_required
@of_events
def edit(request: HttpRequest, pk: int) -> HttpResponse:
    of = seen(request, pk)
    if not of.directs:
        raise NotYourEvent
    if of.event.state != State.DRAFT:
        messages.error(request, _("Only a draft can be changed: people enter what was declared."))
        return back("event", pk)
    if request.method != "POST":
        return show(request, "edit", of, {"form": EventForm(initial=initial_of(of.event))})
    form = EventForm(request.POST)
    made = _made(form, lambda: opening.change(
        event_id=pk, plan=form.plan(), by=player_of(request), now=timezone.now()
    ))  # fmt: skip
    if made is None:
        return show(request, "edit", of, {"form": form})
    messages.success(request, _("The event is changed."))
    return redirect(made)
