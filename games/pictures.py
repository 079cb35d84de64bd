"""Boards that leave the page: drawings that bring their colours along, and pictures for letters."""

import os
import subprocess
import sys
from pathlib import Path

import resvg_py

from games.boards import theme as themes
from games.boards.svg import element

PROJECT = Path(__file__).parents[1]
LONGEST_SECONDS = 20
FONTS = [str(font) for font in sorted((Path(themes.__file__).parent / "fonts").glob("*.ttf"))]


def standalone(svg: str, theme: str = "light") -> str:
    """The drawing with the stylesheet inside, for a file or a renderer that has only this."""
    root, end_of_root, rest = svg.partition(">")
    return root + end_of_root + element("style", themes.stylesheet(theme)) + rest


def png(svg: str, *, width: int = 800, theme: str = "light") -> bytes:
    """The drawing on its own ground, so that it looks right wherever a letter is read."""
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=standalone(svg, theme),
            width=width,
            font_files=FONTS,
            skip_system_fonts=True,
            sans_serif_family="Figtree",
        )
    )


def png_apart(svg: str, *, theme: str = "light") -> bytes:
    """The same from a process of its own, which gives way to all others.

    Painting takes a third of a second and holds the interpreter: in a web process, every other
    request would wait for it.
    """
    painted = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "games.pictures", theme],
        input=svg.encode(),
        stdout=subprocess.PIPE,
        cwd=PROJECT,
        check=True,
        timeout=LONGEST_SECONDS,
    )
    return painted.stdout


if __name__ == "__main__":
    os.nice(10)
    sys.stdout.buffer.write(png(sys.stdin.buffer.read().decode(), theme=sys.argv[1]))
