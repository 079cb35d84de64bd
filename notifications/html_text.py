"""The text of a mail that came as HTML: lines as they are seen, quotes marked with >."""

import html
import re

LONGEST_HTML = 256_000
LONGEST_LINE = 5_000

LINES = {
    "address", "article", "center", "dd", "div", "dl", "dt", "footer", "form", "header", "hr",
    "li", "main", "nav", "section", "table", "tbody", "tr",
}  # fmt: skip
PARAGRAPHS = {"h1", "h2", "h3", "h4", "h5", "h6", "ol", "p", "pre", "ul"}
UNSEEN = {"head", "script", "select", "style", "svg", "template", "textarea", "title"}
NAME = re.compile(r"/?[a-z][a-z0-9]*")
SPACES = re.compile(r"[ \t\r\n\f]+")


def text_of(source: str) -> str:
    """Goes over the source once, tag by tag, so no input makes it slow."""
    page = _Page()
    first, *pieces = _without_comments(source[:LONGEST_HTML]).split("<")
    page.write(first)
    for piece in pieces:
        tag, closed, text = piece.partition(">")
        name = NAME.match(tag[:20].lower()) if closed else None
        if name:
            page.open_or_close(name[0], tag)
            page.write(text)
        elif closed and tag.startswith(("!", "?", "/")):
            page.write(text)
        else:
            page.write(f"<{piece}")
    return "\n".join(page.lines)


def _without_comments(source: str) -> str:
    before, *comments = source.split("<!--")
    return before + "".join(comment.partition("-->")[2] for comment in comments)


class _Page:
    """The lines written so far; the last one is open."""

    def __init__(self) -> None:
        self.lines = [""]
        self.quotes = 0
        self.unseen = ""
        self.margins: list[bool] = []

    def open_or_close(self, name: str, tag: str) -> None:
        if self.unseen:
            if name == f"/{self.unseen}":
                self.unseen = ""
            return
        if name in UNSEEN:
            self.unseen = "" if tag.rstrip().endswith("/") else name
        elif name == "br":
            self.lines.append(self._mark())
        elif name.lstrip("/") == "blockquote":
            self._quote(1 if name == "blockquote" else -1)
        elif name.lstrip("/") in PARAGRAPHS:
            self._paragraph(name, tag)
        elif name.lstrip("/") in LINES:
            self._new_line()
        elif name in ("td", "th"):
            self.write(" ")

    def write(self, text: str) -> None:
        if self.unseen or not text or len(self.lines[-1]) > LONGEST_LINE:
            return
        folded = SPACES.sub(" ", text)
        words = html.unescape(folded).replace("\n", " ").replace("\r", " ")
        self.lines[-1] += words if self.lines[-1].strip(" >") else words.lstrip(" ")

    def _paragraph(self, name: str, tag: str) -> None:
        """Outlook writes every line as a paragraph without margins."""
        if name.startswith("/"):
            has_margin = self.margins.pop() if self.margins else True
        else:
            has_margin = "mso" not in tag.lower()
            self.margins.append(has_margin)
        self._new_line()
        if has_margin and len(self.lines) > 1 and self.lines[-2].strip(" >"):
            self.lines.append(self._mark())

    def _quote(self, change: int) -> None:
        self._new_line()
        self.quotes = max(self.quotes + change, 0)
        self.lines[-1] = self._mark()

    def _new_line(self) -> None:
        if self.lines[-1] != self._mark():
            self.lines.append(self._mark())

    def _mark(self) -> str:
        return "> " if self.quotes else ""
