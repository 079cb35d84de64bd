"""The boards' stylesheet with its colours worked out, for what cannot look up variables.

`static/css/boards.css` is where every colour is named, once, as `light-dark(…, …)`. A page uses
it as it is; a picture that leaves the page takes the rules of one theme along.
"""

import re
from functools import cache
from pathlib import Path

STYLESHEET = Path(__file__).parents[2] / "static" / "css" / "boards.css"
THEMES = ("light", "dark")
PAGE_ONLY = "/* --- On the page only"

COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
NAMES = re.compile(r":root\s*{(.*?)}", re.DOTALL)
COLOUR = re.compile(r"(--[\w-]+):\s*light-dark\((#\w+),\s*(#\w+)\);")
USE = re.compile(r"var\((--[\w-]+)\)")
SPACE = re.compile(r"\s+")


@cache
def colours(theme: str) -> dict[str, str]:
    """Each name and its colour in this theme."""
    column = THEMES.index(theme)
    return {name: values[column] for name, *values in COLOUR.findall(STYLESHEET.read_text("utf-8"))}


@cache
def stylesheet(theme: str) -> str:
    """The rules that a drawing needs anywhere, in the colours of one theme."""
    rules = STYLESHEET.read_text("utf-8").partition(PAGE_ONLY)[0]
    rules = SPACE.sub(" ", NAMES.sub("", COMMENT.sub("", rules))).strip()
    return USE.sub(lambda use: colours(theme)[use[1]], rules)
