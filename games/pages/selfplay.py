"""A recorded game of each kind that plays itself on the front page."""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from django.http import Http404, HttpRequest, HttpResponse
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language, gettext
from django.views.decorators.http import condition, require_safe

from games.boards.registry import BOARDS
from games.diagrams import CLASSIC, RELOADED, TRI_TRAC, TRIOTRIO, TRITOC
from games.pages.wording import COLOUR_NAMES, COLOURS, REASONS
from games.rules.position import Outcome, Position, Turn
from games.rules.registry import RULESETS
from games.trial import is_throw, played

ACTS = {
    "tri-trac": TRI_TRAC,
    "tritoc": TRITOC,
    "triotrio": TRIOTRIO,
    "tritt-reloaded": RELOADED,
    "tritt-classic": CLASSIC,
}
SVG = "http://www.w3.org/2000/svg"
NAMES = (f"{{{SVG}}}title", f"{{{SVG}}}desc")


@dataclass(frozen=True)
class Recording:
    """`parts` are pieces of drawings, each once; a frame says which of them make it up."""

    root: str
    parts: list[str]
    frames: list[list[int]]
    says: list[str]

    def picture(self, frame: int) -> SafeString:
        drawn = "".join(self.parts[part] for part in self.frames[frame])
        return mark_safe(f"{self.root}{drawn}</svg>")  # noqa: S308 (drawn by us, escaped there)

    @property
    def last(self) -> SafeString:
        return self.picture(-1)


def shown(asked: str) -> dict[str, object]:
    """For the page: the game asked for, or the first, as it ended, and what else there is."""
    key = asked if asked in ACTS else next(iter(ACTS))
    return {
        "key": key,
        "name": RULESETS[key].name,
        "recording": recorded(key, get_language()),
        "games": [{"key": other, "name": RULESETS[other].name} for other in ACTS],
    }


def _etag(request: HttpRequest, key: str) -> str | None:
    return _file(key, get_language())[1] if key in ACTS else None


@require_safe
@condition(etag_func=_etag)
def frames(request: HttpRequest, key: str) -> HttpResponse:
    """The whole recording, for the script that plays it."""
    if key not in ACTS:
        raise Http404
    return HttpResponse(_file(key, get_language())[0], content_type="application/json")


@cache
def _file(key: str, language: str | None) -> tuple[bytes, str]:
    recording = recorded(key, language)
    content = json.dumps(recording.__dict__, separators=(",", ":")).encode()
    return content, f'"{hashlib.sha256(content).hexdigest()[:20]}"'


@cache
def recorded(key: str, language: str | None) -> Recording:
    """In the active language, which is named so that each is kept."""
    drawings, says = zip(*_moments(key), strict=True)
    known: dict[str, int] = {}
    numbered = [
        [known.setdefault(part, len(known)) for part in _parts(drawing)] for drawing in drawings
    ]
    return Recording(_root(drawings[0]), list(known), numbered, list(says))


def _moments(key: str) -> Iterator[tuple[str, str]]:
    """The board and a few words, at the start and after every act."""
    position, last = played(key, ()), ""
    yield _drawn(key, position, ""), gettext("The game begins.")
    for act in ACTS[key]:
        mover = position.awaiting
        position = _after(position, act)
        last = last if is_throw(act) else act
        yield _drawn(key, position, last), _said(key, act, mover, position)


def _after(position: Position, act: str) -> Position:
    if is_throw(act):
        return position.rolled(tuple(map(int, act.split("+"))))
    return position.play(position.parse(act))


def _drawn(key: str, position: Position, last: str) -> str:
    return BOARDS[key].draw(position, last=last, ids="selfplay-", translate=gettext)


def _said(key: str, act: str, mover: object, after: Position) -> str:
    if not isinstance(mover, Turn):
        return gettext("Thrown: {dice}").format(dice=act.replace("+", " + "))
    name = COLOUR_NAMES[COLOURS[key][mover.seat]]
    if isinstance(end := after.awaiting, Outcome):
        said = gettext("{colour}: {move}, and wins: {reason}.")
        return said.format(colour=name, move=act, reason=REASONS[end.reason])
    return gettext("{colour}: {move}").format(colour=name, move=act)


def _root(drawing: str) -> str:
    """Without the name that each drawing has: the page names the whole recording."""
    return drawing.partition(" role=")[0] + ' aria-hidden="true">'


def _parts(drawing: str) -> Iterator[str]:
    ElementTree.register_namespace("", SVG)
    for part in ElementTree.fromstring(drawing):  # noqa: S314 (ours)
        if part.tag not in NAMES and "data-spot" not in part.attrib:
            yield _text(part)


def _text(part: Element) -> str:
    return ElementTree.tostring(part, "unicode").replace(f' xmlns="{SVG}"', "")
