"""Reads what a person typed, in any case, spacing and typography, as plain lower-case ASCII."""

import re
import string

from games.rules.position import InvalidMove

LONGEST = 200
"""Characters; no move of any game needs a quarter of them."""

DASHES = "‐‑‒–—―−﹘﹣－"
ARROWS = "→⇒⇨⟶⟹➔➙➜➝➞➡＞›»"
INVISIBLE = "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufe0e\ufe0f\ufeff"

PLAIN = {
    **str.maketrans(string.ascii_uppercase, string.ascii_lowercase),
    **dict.fromkeys(map(ord, DASHES), "-"),
    **dict.fromkeys(map(ord, ARROWS), ">"),
    **dict.fromkeys(map(ord, INVISIBLE), None),
}

JOINT = re.compile(" ?(?:([-=]*>)|-) ?")


def normalised(text: str) -> str:
    """One line of single spaces, none of them around `-` and `>`; only ASCII letters are folded.

    Digits and letters of other scripts stay as they are, so they never match a move's.
    Raises InvalidMove for what is too long to be one, without looking at it.
    """
    if len(text) > LONGEST:
        raise InvalidMove("A move has at most {most} characters.", most=LONGEST)
    text = text.lower() if text.isascii() else text.translate(PLAIN)
    line = " ".join(text.split())
    return JOINT.sub(lambda joint: ">" if joint[1] else "-", line)
