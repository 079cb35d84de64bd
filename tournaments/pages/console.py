"""The organiser's console: what needs attention first, then everything that can be done."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.core.paginator import Page, Paginator
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_POST, require_safe

from accounts.current import player_of
from tournaments import (
    advancing,
    attention,
    directing,
    entering,
    event_log,
    opening,
)
from tournaments.formats.swiss import Swiss
from tournaments.forms import (
    BotForm,
    ByeForm,
    EntrantsForm,
    PlayerForm,
    PostponeForm,
    ReasonForm,
    SureForm,
)
from tournaments.models import Entry, EntryState, Event, State
from tournaments.pages.frame import Seen, seen, show
from tournaments.pages.refused import back, of_events, tried
from tournaments.refusals import NotYourEvent

PLAYERS_ON_A_PAGE = 100


@dataclass(frozen=True, kw_only=True)
class Act:
    """A button of the console; its form, if it has one, has what the door takes."""

    door: Callable[..., Any]
    label: str | Promise
    done: str | Promise | Callable[[Any], str]
    states: tuple[State, ...]
    form: type[forms.Form] = forms.Form
    about: str | Promise = ""
    is_grave: bool = False
    fits: Callable[[Event], bool] = lambda event: True


def _invite_done(entry: Entry | None) -> str:
    """Organisers enter themselves by it, and built-in bots are entered at once."""
    if entry is None:
        return gettext("The invitation is sent when the event opens.")
    if entry.state == EntryState.INVITED:
        return gettext("The invitation is sent.")
    if entry.state == EntryState.WAITING:
        words = gettext("The event is full: {player} is on the waiting list.")
        return words.format(player=entry.player.name)
    if entry.player.bot_level is not None:
        return gettext("The bot is entered.")
    return gettext("You have entered.")


ACTS = {
    "open": Act(
        door=opening.open_entries,
        label=_("Open for entries"),
        done=_("The event is open for entries."),
        states=(State.DRAFT,),
        about=_("From then on everybody sees it, and its rules stay as they are."),
    ),
    "start": Act(
        door=advancing.start,
        label=_("Start now"),
        done=_("The event has started."),
        states=(State.OPEN,),
        about=_("With those who have entered; the first games begin within minutes."),
    ),
    "postpone": Act(
        door=directing.postpone,
        label=_("Give it more time"),
        done=_("The event has more time to fill."),
        states=(State.OPEN,),
        form=PostponeForm,
    ),
    "invite": Act(
        door=entering.invite,
        label=_("Invite"),
        done=_invite_done,
        states=(State.DRAFT, State.OPEN, State.RUNNING),
        form=PlayerForm,
        about=_("Whoever is invited plays only after accepting."),
        fits=entering.takes_invitations,
    ),
    "uninvite": Act(
        door=entering.uninvite,
        label=_("Withdraw the invitation"),
        done=_("The invitation is withdrawn."),
        states=(State.OPEN, State.RUNNING),
        form=PlayerForm,
    ),
    "enter-bot": Act(
        door=entering.enter_bot,
        label=_("Enter a bot"),
        done=_("The bot is entered."),
        states=(State.OPEN, State.RUNNING),
        form=BotForm,
        about=_("A bot of the house, which answers within a minute, day and night."),
        fits=lambda event: event.bots_allowed and entering.takes_invitations(event),
    ),
    "bye": Act(
        door=directing.give_bye,
        label=_("Give a bye"),
        done=_("The player sits out the next round."),
        states=(State.RUNNING,),
        form=ByeForm,
        about=_("For the next round, as long as it is not paired."),
        fits=lambda event: event.format == Swiss.key,
    ),
    "appoint": Act(
        door=directing.appoint,
        label=_("Appoint a director"),
        done=_("The director is appointed."),
        states=(State.DRAFT, State.OPEN, State.RUNNING),
        form=PlayerForm,
        about=_("A director can do everything here except appointing others."),
    ),
    "dismiss": Act(
        door=directing.dismiss,
        label=_("Dismiss"),
        done=_("This player is no director any more."),
        states=(State.DRAFT, State.OPEN, State.RUNNING),
        form=PlayerForm,
    ),
    "step-down": Act(
        door=directing.step_down,
        label=_("Step down"),
        done=_("You have stepped down."),
        states=tuple(State),
    ),
    "call-off": Act(
        door=opening.call_off,
        label=_("Call it off"),
        done=_("The event is called off."),
        states=(State.DRAFT, State.OPEN),
        form=ReasonForm,
        is_grave=True,
    ),
    "finish": Act(
        door=directing.finish_now,
        label=_("Finish it now"),
        done=_("The event is finished."),
        states=(State.RUNNING,),
        form=SureForm,
        about=_("Games that still run are decided by the rule for the last day."),
        is_grave=True,
    ),
}
IN_PLACE = ("dismiss", "step-down", "uninvite")
"""Acts whose button stands beside what it is about."""


def directed(request: HttpRequest, pk: int) -> Seen:
    of = seen(request, pk)
    if not of.directs:
        raise NotYourEvent
    return of


@login_required
@require_safe
@of_events
def console(request: HttpRequest, pk: int) -> HttpResponse:
    return _console(request, directed(request, pk))


def _console(
    request: HttpRequest, of: Seen, *, filled: str = "", form: forms.Form | None = None
) -> HttpResponse:
    needed = attention.needed(event=of.event, now=of.now)
    players = _players(request, of)
    asked = _invited(of, EntryState.INVITED).union(_invited(of, EntryState.DECLINED), all=True)
    context = {
        "attention": needed,
        "unpairable": [event_log.sentence(line) for line in needed.unpairable],
        "acts": [
            {"name": name, "act": act, "form": form if name == filled else _form(of, name, act)}
            for name, act in ACTS.items()
            if _is_now(of, act) and name not in IN_PLACE
        ],
        "directors": [one.player for one in of.event.directors.select_related("player")],
        "is_organiser": of.viewer is not None
        and (of.event.organiser_id == of.viewer.pk or of.viewer.is_staff),
        "may_pass_on": of.viewer is not None and directing.may_pass_on(of.event, of.viewer),
        "entered": players.paginator.count,
        "guests": of.event.guests.count() if of.event.invitation_only else 0,
        "players": players,
        "invited": [entry for entry in asked if entry.state == EntryState.INVITED],
        "declined": [entry for entry in asked if entry.state == EntryState.DECLINED],
        "most_listed": attention.MOST,
        "entrants_form": EntrantsForm(),
    }
    return show(request, "console", of, context, status=422 if form else 200)


def _invited(of: Seen, state: EntryState) -> QuerySet[Entry]:
    invited = of.event.entries.filter(state=state).select_related("player")
    return invited.order_by("player__name")[: attention.MOST]


def _players(request: HttpRequest, of: Seen) -> Page[Entry]:
    entered = of.event.entries.filter(state=EntryState.ENTERED).select_related("player")
    return Paginator(entered.order_by("player__name"), PLAYERS_ON_A_PAGE).get_page(
        request.GET.get("page")
    )


def _is_now(of: Seen, act: Act) -> bool:
    return of.event.state in act.states and act.fits(of.event)


def _form(of: Seen, name: str, act: Act) -> forms.Form:
    """Ids are the act's own, since several forms on the page have the same fields."""
    initial = {"starts_at": of.event.starts_at, "closes_at": of.event.closes_at}
    return act.form(auto_id=f"{name}-%s", initial=initial)


@login_required
@require_POST
@of_events
def act(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    of = directed(request, pk)
    if name not in ACTS:
        raise Http404
    wanted = ACTS[name]
    form = wanted.form(request.POST, auto_id=f"{name}-%s")
    if not form.is_valid():
        return _console(request, of, filled=name, form=form)
    filled = {key: value for key, value in form.cleaned_data.items() if key != "sure"}
    given = {
        **filled,
        "event_id": of.event.pk,
        "by": player_of(request),
        "now": timezone.now(),
    }
    is_done = tried(request, wanted.door, done=wanted.done, **given)
    if name == "step-down" and is_done:
        # Whoever no longer directs a draft does not see it.
        return redirect("events")
    return back("event_console" if name != "open" else "event", pk)
