"""What every page of an event knows: the event, who looks at it, and where he can go from here."""

from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from accounts.models import Player
from games.pages.wording import game_name, options_in_words
from tournaments.models import Entry, Event, State
from tournaments.pages import wording
from tournaments.showing import directs, visible_event

STARTED = (State.RUNNING, State.FINISHED)
BADGES = {
    State.DRAFT: "badge--care",
    State.OPEN: "badge--good",
    State.RUNNING: "badge--cool",
    State.FINISHED: "",
    State.CALLED_OFF: "badge--bad",
}


@dataclass(frozen=True, kw_only=True)
class Seen:
    """An event as somebody sees it."""

    event: Event
    viewer: Player | None
    directs: bool
    now: datetime

    @cached_property
    def entry(self) -> Entry | None:
        return self.event.entries.filter(player=self.viewer).first() if self.viewer else None

    @property
    def has_started(self) -> bool:
        return self.event.state in STARTED

    @property
    def badge(self) -> str:
        return BADGES[State(self.event.state)]

    @property
    def format_name(self) -> str:
        return wording.format_name(self.event)

    @property
    def game_name(self) -> str:
        return game_name(self.event.ruleset)

    @property
    def options(self) -> list[tuple[str, str]]:
        return options_in_words(self.event.ruleset, self.event.options)

    @property
    def tabs(self) -> list[tuple[str, str]]:
        """Addresses and labels."""
        names = [("event", _("Event"))]
        if self.has_started:
            names += [("event_table", self._table_label), ("event_rounds", _("Games"))]
        names.append(("event_log", _("Log")))
        if self.directs:
            names.append(("event_console", _("Console")))
        return [(reverse(name, args=[self.event.pk]), label) for name, label in names]

    @property
    def _table_label(self) -> str:
        labels = {
            "league": _("Divisions"),
            "knockout": _("Bracket"),
            "ladder": _("Places"),
        }
        return labels.get(self.event.format, _("Table"))


def seen(request: HttpRequest, pk: int) -> Seen:
    """Raises NoSuchEvent."""
    viewer = request.user if isinstance(request.user, Player) else None
    event = visible_event(pk, request.user)
    return Seen(
        event=event,
        viewer=viewer,
        directs=directs(event, request.user),
        now=timezone.now(),
    )


def show(
    request: HttpRequest, template: str, of: Seen, context: dict[str, Any], status: int = 200
) -> HttpResponse:
    shown = {"seen": of, "event": of.event, "now": of.now, **context}
    return render(request, f"tournaments/{template}.html", shown, status=status)
