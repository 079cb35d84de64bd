"""Plain text of letters: narrow lines, and none that a careless reader could take for a move."""

import re
import textwrap
import unicodedata

from notifications import commands

WIDTH = 76
FEWEST_WORDS = 3
"""What we name a move by is in quotation marks; so is no name, which may look like one."""


def one_line(text: str) -> str:
    """Without line breaks and anything else that could end a header."""
    printable = (" " if unicodedata.category(sign)[0] == "C" else sign for sign in text)
    return " ".join("".join(printable).split())


def laid_out(text: str) -> str:
    """Broken to the width; boards, quotations and addresses stay as they are."""
    lines = [line.rstrip() if line != "-- " else line for line in text.strip().split("\n")]
    whole = "\n".join(line if _is_kept(line) else _filled(line) for line in lines)
    return re.sub(r"\n{3,}", "\n\n", whole) + "\n"


def quoted(text: str) -> str:
    """What somebody else wrote: each line marked, so that it is never read as one's own."""
    paragraphs = (_cleaned(line) for line in text.splitlines() or [""])
    return "\n".join(
        f"| {line}"
        for paragraph in paragraphs
        for line in textwrap.wrap(paragraph, WIDTH - 2) or [""]
    )


def marked(text: str) -> str:
    """The same where lines need not be broken."""
    return "\n".join(f"| {_cleaned(line)}" for line in text.splitlines())


def _cleaned(line: str) -> str:
    return "".join(" " if unicodedata.category(sign)[0] == "C" else sign for sign in line)


def without_commands(text: str, is_move: commands.IsMove) -> str:
    """The same, but a line that could be played by itself is joined to the one before."""
    kept: list[str] = []
    for line in text.split("\n"):
        if kept and commands.read(line, is_move):
            kept[-1] = f"{kept[-1]} {line.strip()}"
        else:
            kept.append(line)
    return "\n".join(kept)


def _is_kept(line: str) -> bool:
    return len(line) <= WIDTH or line.startswith((" ", "|", "-- ")) or "://" in line


def _filled(paragraph: str) -> str:
    for width in range(WIDTH, WIDTH // 2, -1):
        lines = textwrap.wrap(paragraph, width, break_long_words=False, break_on_hyphens=False)
        if all(map(_is_plainly_prose, lines)):
            return "\n".join(lines)
    return paragraph


def _is_plainly_prose(line: str) -> bool:
    many = len(line.split()) >= FEWEST_WORDS
    return many and commands.read(line, lambda text: False) is None
