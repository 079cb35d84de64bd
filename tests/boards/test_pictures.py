import re
import struct
import zlib
from pathlib import Path
from xml.etree import ElementTree

import pytest

from games import pictures
from games.boards import theme
from games.boards.registry import BOARDS
from games.rules.registry import RULESETS

SVG = "{http://www.w3.org/2000/svg}"
DRAWING = BOARDS["tritt-reloaded"].draw(RULESETS["tritt-reloaded"].start({}))


def chunks(picture: bytes) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    at = 8
    while at < len(picture):
        (length,) = struct.unpack(">I", picture[at : at + 4])
        kind = picture[at + 4 : at + 8]
        found[kind] = found.get(kind, b"") + picture[at + 8 : at + 8 + length]
        at += 12 + length
    return found


@pytest.mark.parametrize("width", [320, 800])
def test_a_picture_is_as_wide_as_asked(width: int) -> None:
    picture = pictures.png(DRAWING, width=width)
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    assert struct.unpack(">II", chunks(picture)[b"IHDR"][:8]) == (width, width)


@pytest.mark.parametrize("shade", theme.THEMES)
def test_the_corners_of_a_picture_are_opaque(shade: str) -> None:
    picture = chunks(pictures.png(DRAWING, width=100, theme=shade))
    colour_type = picture[b"IHDR"][9]
    row = zlib.decompress(picture[b"IDAT"])[1:]
    assert colour_type == 2 or row[3] == 255


def test_the_themes_differ() -> None:
    assert pictures.png(DRAWING, width=100) != pictures.png(DRAWING, width=100, theme="dark")


def test_words_are_drawn_with_the_fonts_that_come_along() -> None:
    unworded = re.sub(r"<text.*?</text>", "", DRAWING)
    assert pictures.png(DRAWING) != pictures.png(unworded)
    assert {Path(font).suffix for font in pictures.FONTS} == {".ttf"}


@pytest.mark.parametrize("shade", theme.THEMES)
def test_a_drawing_that_stands_alone_has_no_names_to_look_up(shade: str) -> None:
    root = ElementTree.fromstring(pictures.standalone(DRAWING, shade))
    style = root.findtext(f"{SVG}style") or ""
    assert ".tritt-bone" in style
    assert not re.search(r"var\(|light-dark|:root|:hover|/\*", style)


def test_every_name_in_the_stylesheet_is_used_and_every_use_has_a_name() -> None:
    rules = theme.STYLESHEET.read_text("utf-8")
    used = set(re.findall(r"var\((--[\w-]+)\)", rules))
    assert used == set(theme.colours("light")) == set(theme.colours("dark"))
