"""Entrants out of a table of names: looked through first, entered only when all is well."""

import csv
import io
from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext

from accounts import locks
from accounts.models import Player
from games.rules.position import Refusal
from tournaments import entering
from tournaments.finding import lock, require_director, require_state
from tournaments.models import Entry, Event, State
from tournaments.refusals import BadEvent

MOST_LINES = 5000
LONGEST = 500_000
HEADINGS = ("name", "player")


@dataclass(frozen=True, kw_only=True)
class CheckedLine:
    """One line of the file; `problem` is empty if the player can be entered."""

    number: int
    name: str
    problem: str = ""


def look_through(*, event: Event, text: str) -> list[CheckedLine]:
    """A dry run: what every line would come to."""
    names = _names(text)
    players = {
        player.name.casefold(): player
        for player in Player.objects.filter(name__in=[name for _, name in names])
    }
    known = {entry.player_id: entry for entry in event.entries.all()}
    seen = set[str]()
    checked = []
    for number, name in names:
        player = players.get(name.casefold())
        problem = _problem(event, player, name, known, seen)
        seen.add(name.casefold())
        checked.append(CheckedLine(number=number, name=name, problem=problem))
    return checked


@locks.action
def enter_all(*, event_id: int, text: str, by: Player, now: datetime) -> int:
    """All or nobody, as invitations until each accepts; how many there were."""
    event = lock(event_id)
    require_director(event, by)
    require_state(event, State.OPEN)
    lines = look_through(event=event, text=text)
    wrong = [line for line in lines if line.problem]
    if wrong:
        raise BadEvent(
            "Line {line}: {problem} Nobody was invited.",
            line=wrong[0].number,
            problem=wrong[0].problem,
        )
    for line in lines:
        entering.enter_by_director(
            event=event, player=Player.objects.get(name=line.name), by=by, now=now
        )
    return len(lines)


def _names(text: str) -> list[tuple[int, str]]:
    """The column called name, or the first one; with commas, semicolons or tabs between."""
    if len(text) > LONGEST or "\0" in text:
        raise BadEvent("This is no table of names, or it is too long.")
    text = text.removeprefix("\N{ZERO WIDTH NO-BREAK SPACE}")
    first = text.partition("\n")[0]
    separator = max(",;\t", key=first.count)
    rows = list(csv.reader(io.StringIO(text), delimiter=separator))
    headings = [cell.strip().casefold() for cell in rows[0]] if rows else []
    column = next((at for at, word in enumerate(headings) if word in HEADINGS), None)
    start = 0 if column is None else 1
    numbered = list(enumerate(rows, 1))[start:]
    names = [(at, row[column or 0].strip()) for at, row in numbered if len(row) > (column or 0)]
    names = [(at, name) for at, name in names if name]
    if not names or len(names) > MOST_LINES:
        raise BadEvent("The file needs 1 to {most} lines with a name each.", most=MOST_LINES)
    return names


def _problem(
    event: Event, player: Player | None, name: str, known: dict[int, Entry], seen: set[str]
) -> str:
    """What keeps a line from being entered, in the language of whoever reads; empty if nothing."""
    try:
        if player is None:
            raise BadEvent('There is no player called "{name}".', name=name)
        if name.casefold() in seen:
            raise BadEvent("{name} is in the file twice.", name=name)
        entering.require_invitable(event, player, known.get(player.pk))
    except Refusal as refusal:
        return refusal.sentence(gettext)
    return ""
