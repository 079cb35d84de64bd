"""What happened in an event, in sentences for everyone."""

from datetime import datetime
from typing import Any

from django.db.models import BigIntegerField, QuerySet
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from accounts.models import Player
from games.rules.position import Refusal
from tournaments.models import Event, LogLine

SENTENCES = {
    "created": _("The event was prepared."),
    "changed": _("The organiser changed the event."),
    "opened": _("Entries are open."),
    "entered": _("{player} entered."),
    "waits": _("{player} is on the waiting list."),
    "moved-up": _("{player} moved up from the waiting list."),
    "late-entry": _("{player} entered late, from round {round} on."),
    "invited": _("{player} was invited."),
    "director": _("{player} became a director."),
    "no-director": _("{player} is no director any more."),
    "stepped-down": _("{player} stepped down as a director."),
    "postponed": _("The organiser gave the event more time to fill."),
    "left": _("{player} withdrew."),
    "expelled": _("{player} was expelled: {reason}"),
    "vanished": _("{player} was withdrawn after {timeouts} time-outs."),
    "struck": _("{player} had played less than half: the results are struck from the table."),
    "forfeited": _("The games left of {player} are forfeited."),
    "started": _("The event started with {entrants} entrants."),
    "too-few": _("Only {entrants} had entered, and {least} are needed: the event was called off."),
    "handed-over": _("The organiser closed their account. {player} now organises the event."),
    "organiser-left": _("The organiser closed their account: the event was called off."),
    "staff-runs": _(
        "The organiser closed their account. The event goes on by its rules, and staff decide."
    ),
    "passed-on": _("The organiser stepped down. {player} now organises the event."),
    "organiser-stepped-down": _("The organiser stepped down: the event was called off."),
    "staff-took-over": _(
        "The organiser stepped down. The event goes on by its rules, and staff decide."
    ),
    "called-off": _("The event was called off: {reason}"),
    "paired": _("Round {round} was paired. Games: {games}."),
    "unpairable": "{reason}",
    "not-begun": _(
        "{first} against {second} in round {round} could not begin, because of an error of ours."
        " A director rules on it."
    ),
    "round-ended": _("Round {round} reached its deadline. Games decided by the rule: {games}."),
    "ended": _("The event reached its last day. Games decided by the rule: {games}."),
    "ruled": _("{first} against {second} in round {round} was ruled {result}: {reason}"),
    "bye": _("{player} was given a bye in round {round}."),
    "places": _("{winner} took place {place} from {loser}."),
    "challenged": _("{challenger} challenged {challenged}."),
    "final": _("The final was drawn: {players}."),
    "finished": _("The event is over."),
    "renewed": _("The next season was opened."),
}


def write(
    event: Event, what: str, *, now: datetime, by: Player | None = None, **words: object
) -> None:
    stored = {name: _stored(word) for name, word in words.items()}
    LogLine.objects.create(event=event, at=now, what=what, words=stored, by=by)


def write_once(event: Event, what: str, *, now: datetime, by: Player) -> None:
    """What somebody does again and again is one line, with the last time; the event is held."""
    last = event.log.order_by("id").last()
    if last is not None and (last.what, last.by_id) == (what, by.pk):
        LogLine.objects.filter(pk=last.pk).update(at=now)
    else:
        write(event, what, now=now, by=by)


def meetings_not_begun(event: Event) -> QuerySet[LogLine, Any]:
    """Their games failed to begin; the ids, to be asked for within another query."""
    meeting = Cast(KT("words__meeting"), BigIntegerField())
    return event.log.filter(what="not-begun").values_list(meeting, flat=True)


def sentence(line: LogLine) -> str:
    """In the language of whoever reads."""
    words = {name: _read(word) for name, word in line.words.items()}
    return gettext(SENTENCES[line.what]).format(**words)


def _stored(word: object) -> object:
    if isinstance(word, Refusal):
        return [word.template, word.parameters]
    return word


def _read(word: Any) -> object:
    if isinstance(word, list):
        template, parameters = word
        return Refusal(template, **parameters).sentence(gettext)
    return word
