"""A whole game as one picture that moves: a drawing whose frames show one after the other.

It is a drawing and no film of pixels: it costs next to nothing to make, is sharp at every size,
and whoever wants things to keep still sees the last position.
"""

from collections.abc import Sequence
from itertools import takewhile
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from games.boards.svg import element
from games.boards.theme import stylesheet

MOST_FRAMES = 240
SECONDS_A_FRAME = 1.2
LAST_STAYS_FRAMES = 3
SVG = "http://www.w3.org/2000/svg"
DEFS = f"{{{SVG}}}defs"
NAMES = (f"{{{SVG}}}title", f"{{{SVG}}}desc")


def thinned(frames: Sequence[str]) -> list[str]:
    """Every frame, or of a very long game every second, third …; always the last."""
    every = -(-len(frames) // MOST_FRAMES) or 1
    kept = list(frames[::every])
    return kept if (len(frames) - 1) % every == 0 else [*kept, frames[-1]]


def animated(drawings: Sequence[str], theme: str = "light") -> str:
    """One drawing that shows these in turn, again and again; what all have in common once."""
    ElementTree.register_namespace("", SVG)
    frames = [ElementTree.fromstring(drawing) for drawing in thinned(drawings)]  # noqa: S314 (ours)
    parts = [[_text(part) for part in frame if _is_seen(part)] for frame in frames]
    ground = _common_beginning(parts)
    moving = "".join(
        f'<g class="ply ply-{number}">{"".join(own[len(ground) :])}</g>'
        for number, own in enumerate(parts)
    )
    style = element("style", stylesheet(theme) + _timetable(len(frames)))
    title = "".join(_text(part) for part in frames[-1] if part.tag in NAMES)
    root = drawings[0].partition(">")[0]
    return f"{root}>{title}{style}{_definitions(frames)}{''.join(ground)}{moving}</svg>"


def _common_beginning(lists: Sequence[Sequence[str]]) -> list[str]:
    alike = takewhile(lambda column: len(set(column)) == 1, zip(*lists, strict=False))
    return [column[0] for column in alike]


def _is_seen(part: Element) -> bool:
    """Spots are there to be pointed at, which nobody does in a picture."""
    return part.tag not in (*NAMES, DEFS) and "data-spot" not in part.attrib


def _definitions(frames: Sequence[Element]) -> str:
    """All that any frame refers to, once."""
    found: dict[str, str] = {}
    for frame in frames:
        for part in frame.iterfind(f"{DEFS}/*"):
            found.setdefault(part.attrib.get("id", ""), _text(part))
    return f"<defs>{''.join(found.values())}</defs>" if found else ""


def _text(part: Element) -> str:
    return ElementTree.tostring(part, "unicode").replace(f' xmlns="{SVG}"', "")


def _timetable(count: int) -> str:
    """Each frame is seen for a while, at its time; the last one longer."""
    beats = count - 1 + LAST_STAYS_FRAMES
    seconds = beats * SECONDS_A_FRAME
    begins = "".join(
        f".ply-{number}{{animation-delay:{number * SECONDS_A_FRAME:.1f}s}}"
        for number in range(1, count)
    )
    return (
        f"@keyframes seen{{0%{{visibility:visible}}{100 / beats:.4f}%{{visibility:hidden}}"
        "100%{visibility:hidden}}"
        f"@keyframes stays{{0%{{visibility:visible}}{100 * LAST_STAYS_FRAMES / beats:.4f}%"
        "{visibility:hidden}100%{visibility:hidden}}"
        f".ply{{visibility:hidden;animation:seen {seconds:.1f}s step-end infinite}}"
        f".ply-{count - 1}{{animation-name:stays}}{begins}"
        "@media(prefers-reduced-motion:reduce){.ply{animation:none}"
        f".ply-{count - 1}{{visibility:visible}}}}"
    )
