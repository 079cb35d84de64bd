"""The shapes of TrioTrio: a boulder, a sheet of paper, a pair of scissors and a golden cow."""

from collections.abc import Callable

from games.boards.svg import Markup, element

# Each fits into a square of sixty around the origin.


def rock() -> Markup:
    return element(
        "g",
        element("path", class_="stone", d="M-25 15L-21-7L-7-21L11-19L24-4L26 14L14 21L-14 21Z"),
        element("path", class_="stone-lit", d="M-21-7L-7-21L11-19L3-7L-9-2Z"),
        element("path", class_="stone-shaded", d="M3-7L11-19L24-4L26 14L14 21L8 6Z"),
        element("path", class_="line", d="M-25 15L-21-7L-7-21L11-19L24-4L26 14L14 21L-14 21Z"),
    )


def paper() -> Markup:
    return element(
        "g",
        element("path", class_="sheet", d="M-18-25H8L19-14V25H-18Z"),
        element("path", class_="fold", d="M8-25V-14H19Z"),
        element("path", class_="line", d="M-18-25H8L19-14V25H-18ZM8-25V-14H19"),
        element("path", class_="writing", d="M-10-7H11M-10 3H11M-10 13H5"),
    )


def scissors() -> Markup:
    blades = "M-3 5L13-27Q17-20 14-13L5 7ZM3 5L-13-27Q-17-20-14-13L-5 7Z"
    return element(
        "g",
        element("path", class_="steel", d=blades),
        element("circle", class_="handle", cx=-11, cy=16, r=8.5),
        element("circle", class_="handle", cx=11, cy=16, r=8.5),
        element("circle", class_="rivet", cx=0, cy=1.5, r=2.6),
    )


def cow() -> Markup:
    """Her head, from the front."""
    return element(
        "g",
        element("path", class_="horn", d="M-15-19C-26-20-29-30-25-36C-22-29-17-27-9-26Z"),
        element("path", class_="horn", d="M15-19C26-20 29-30 25-36C22-29 17-27 9-26Z"),
        element("path", class_="ear", d="M-17-13C-28-21-37-15-38-8C-31-2-22-4-17-8Z"),
        element("path", class_="ear", d="M17-13C28-21 37-15 38-8C31-2 22-4 17-8Z"),
        element(
            "path",
            class_="head",
            d="M0-27C14-27 20-20 19-9C18 1 16 6 18 14C20 27 10 33 0 33"
            "C-10 33-20 27-18 14C-16 6-18 1-19-9C-20-20-14-27 0-27Z",
        ),
        element("path", class_="blaze", d="M0-26C7-20 5-4 7 6H-7C-5-4-7-20 0-26Z"),
        element("ellipse", class_="muzzle", cx=0, cy=19, rx=19, ry=13),
        element("ellipse", class_="nostril", cx=-7, cy=18, rx=2.6, ry=3.6),
        element("ellipse", class_="nostril", cx=7, cy=18, rx=2.6, ry=3.6),
        element("path", class_="smile", d="M-8 26Q0 31 8 26"),
        element("circle", class_="eye", cx=-10, cy=-7, r=3.4),
        element("circle", class_="eye", cx=10, cy=-7, r=3.4),
    )


KIND_SHAPES: tuple[Callable[[], Markup], ...] = (rock, paper, scissors)
