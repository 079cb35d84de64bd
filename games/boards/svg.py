"""Drawings as elements: escaped, their attributes in the order given, the same bytes every time."""

from collections.abc import Iterable, Sequence
from html import escape

from games.rules.position import Choice

SIDE = 800
"""The side of the square that a board is drawn in."""


class Markup(str):
    """Text that is an element already; any other text is escaped where it becomes a child."""

    __slots__ = ()


def element(tag: str, /, *children: str, **attributes: object) -> Markup:
    """An element; `class_` means class, `stroke_width` stroke-width, and None leaves one out."""
    written = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{attribute(value)}"'
        for name, value in attributes.items()
        if value is not None
    )
    if not children:
        return Markup(f"<{tag}{written}/>")
    return Markup(f"<{tag}{written}>{joined(children)}</{tag}>")


def joined(children: Iterable[str]) -> Markup:
    return Markup(
        "".join(child if isinstance(child, Markup) else escape(child) for child in children)
    )


def attribute(value: object) -> str:
    return number(value) if isinstance(value, float) else escape(str(value))


def number(value: float) -> str:
    """Two digits after the point are finer than any screen."""
    return f"{round(value, 2) + 0.0:g}"


def points(corners: Iterable[tuple[float, float]]) -> str:
    return " ".join(f"{number(x)},{number(y)}" for x, y in corners)


def label(words: str, x: float, y: float, class_: str, anchor: str = "middle") -> Markup:
    return element("text", words, x=x, y=y, class_=class_, text_anchor=anchor)


def gradient(kind: str, name: str, *stops: tuple[float, str], **attributes: object) -> Markup:
    """A gradient whose colours are the stylesheet's: each stop is an offset and a class."""
    return element(
        f"{kind}Gradient",
        *(element("stop", offset=offset, class_=class_) for offset, class_ in stops),
        id=name,
        **attributes,
    )


def spots_of(choices: Sequence[Choice]) -> frozenset[str]:
    return frozenset(spot for choice in choices for spot in choice.spots)


def spot(
    tag: str, name: str, *, ids: str, live: bool, label: str, class_: str = "", **shape: object
) -> Markup:
    """The place that a move calls `name`; a live one can be pointed at and tabbed to."""
    classes = " ".join(filter(None, ("spot", class_, "choice" if live else "")))
    button = {"tabindex": 0, "role": "button", "aria_label": label} if live else {}
    return element(
        tag,
        element("title", label),
        id=f"{ids}spot-{name}",
        class_=classes,
        data_spot=name,
        **button,
        **shape,
    )


def picture(
    game: str,
    *layers: str,
    title: str,
    description: str,
    ids: str,
    live: bool,
    width: float = SIDE,
    height: float = SIDE,
) -> str:
    """A whole drawing; `game` is the class that its rules in the stylesheet begin with."""
    return element(
        "svg",
        element("title", title, id=f"{ids}board-title"),
        element("desc", description, id=f"{ids}board-desc"),
        element("rect", class_="ground", width=width, height=height),
        *layers,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {number(width)} {number(height)}",
        class_=f"drawing {game}",
        role="group" if live else "img",
        aria_labelledby=f"{ids}board-title {ids}board-desc",
    )
