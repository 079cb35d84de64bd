"""Decides which lines of a mail are commands: only its first ones, and never anything quoted."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

LONGEST_ATTRIBUTION = 4
SHORTEST_WRAPPED = 60
"""No mail program breaks a line before this column."""
INVISIBLE = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"))

IsCommand = Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Window:
    """`commands` are the lines that count; `rest` is the text after the blank line below them."""

    commands: tuple[str, ...]
    rest: str
    ended_by: str
    """`blank`, `quote`, `text` or `end`: what stands below the last line that was read."""


def find(text: str, is_command: IsCommand) -> Window:
    """Reads command lines from the top until the first blank, quoted or other line.

    Blank lines before them are skipped, and so is an attribution with the quote below it. Must
    be given the text as it came: what a trimmer joins was not written together.
    """
    # A carriage return alone ends no line: what follows it would escape its quote mark.
    written = text.replace("\r\n", "\n").replace("\r", " ").split("\n")
    lines = [line.translate(INVISIBLE).strip() for line in written]
    start = _next_written(lines, 0)
    after_quote = _after_quote(lines, start, is_command)
    start = start if after_quote is None else after_quote
    end = start
    while end < len(lines) and _counts(lines[end], is_command):
        end += 1
    ended_by = _kind(lines, end)
    if after_quote is not None and ended_by == "quote":
        # Between two quoted lines stands what a mail program has wrapped, or an inline remark.
        return Window((), "", "quote")
    rest = "\n".join(written[end:]).strip("\n") if ended_by == "blank" else ""
    return Window(tuple(lines[start:end]), rest, ended_by)


def is_quoted(line: str) -> bool:
    return line.lstrip().startswith(">")


def _counts(line: str, is_command: IsCommand) -> bool:
    return bool(line) and not is_quoted(line) and is_command(line)


def _next_written(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and not lines[at]:
        at += 1
    return at


def _kind(lines: Sequence[str], at: int) -> str:
    if at >= len(lines):
        return "end"
    if not lines[at]:
        return "blank"
    return "quote" if is_quoted(lines[at]) else "text"


def _after_quote(lines: Sequence[str], start: int, is_command: IsCommand) -> int | None:
    """Where the answer below a quote begins, if a quote with its attribution comes first."""
    quote = _quote_below_attribution(lines, start, is_command)
    if quote is None:
        return None
    end = quote
    while end < len(lines) and is_quoted(lines[end]):
        last = end
        end = _next_written(lines, end + 1)
    if end == last + 1 and end < len(lines) and _may_be_wrapped(lines[last], lines[end]):
        return len(lines)
    return end


def _quote_below_attribution(lines: Sequence[str], start: int, is_command: IsCommand) -> int | None:
    for at in range(start, min(start + LONGEST_ATTRIBUTION, len(lines))):
        if not lines[at] or is_quoted(lines[at]) or _counts(lines[at], is_command):
            return None
        if lines[at].endswith((":", "：")):
            quote = _next_written(lines, at + 1)
            if quote < len(lines) and is_quoted(lines[quote]):
                return quote
    return None


def _may_be_wrapped(quoted: str, line: str) -> bool:
    """Whether a line right below a quoted one may be its end that lost the quote mark."""
    return len(quoted) + 1 + len(line.split()[0]) > SHORTEST_WRAPPED
