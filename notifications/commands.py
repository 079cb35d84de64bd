"""What a player can say by mail: each line is one command, or none."""

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from games.rules.notation import DASHES, INVISIBLE
from notifications import conditions

LONGEST_LINE = 500
LONGEST_MOVE = 120

IsMove = Callable[[str], bool]

WORDS = {
    "draw": ("draw", "offer draw", "offer a draw", "draw offer", "remis", "remis anbieten"),
    "accept": ("accept", "accept draw", "accept the draw", "annehmen", "remis annehmen"),
    "decline": ("decline", "ablehnen"),
    "decline draw": ("decline draw", "decline the draw", "remis ablehnen"),
    "board": ("board", "show board", "brett", "stellung"),
    "history": ("history", "moves", "verlauf", "zugliste", "züge"),
    "help": ("help", "hilfe", "commands", "befehle"),
    "stop": ("stop", "stopp", "unsubscribe", "abbestellen"),
}
NAMES = {phrase: name for name, phrases in WORDS.items() for phrase in phrases}
RESIGN = re.compile(
    r"(?:i )?(?:resign|aufgeben|gebe auf|ich gebe auf)"
    r"(?: ?(?:game |partie |spiel )?(?:# ?|no\.? |nr\.? )?(\d{1,18}))?"
)
SAYS_MOVE = re.compile(r"(?:move|zug|ziehe)\b[: ] *(\S.*)")
SMOOTHED = {**dict.fromkeys(map(ord, DASHES), "-"), **dict.fromkeys(map(ord, INVISIBLE))}

CHANGING = ("move", "resign", "draw", "accept", "decline", "decline draw", "if", "stop")
"""Commands that do something; the others only ask."""
ENDING_OR_MOVING = ("move", "resign", "accept")
ABOUT_A_DRAW = ("draw", "accept", "decline", "decline draw")


@dataclass(frozen=True, slots=True)
class Command:
    """`argument` is the move, the condition or the number that belongs to it."""

    name: str
    text: str
    argument: str = ""


def smooth(line: str) -> str:
    """A line in small letters, single spaces and plain signs; nothing if it is too long."""
    if len(line) > LONGEST_LINE:
        return ""
    # Dashes first: compatibility forms know some of them as something else.
    plain = unicodedata.normalize("NFKC", line.translate(SMOOTHED)).translate(SMOOTHED)
    return " ".join(plain.lower().split()).strip("*")


def read(line: str, is_move: IsMove) -> Command | None:
    """The command of one line, if it is one and nothing else."""
    text = smooth(line)
    words = text.rstrip(".!?")
    if words in NAMES:
        return Command(NAMES[words], text)
    if resigning := RESIGN.fullmatch(words):
        return Command("resign", text, resigning[1] or "")
    if conditions.is_conditional(words, is_move):
        return Command("if", text, words)
    return _move(text, is_move)


def _move(text: str, is_move: IsMove) -> Command | None:
    for written in (text, text.rstrip(".!,;")):
        if written and len(text) <= LONGEST_MOVE and is_move(written):
            return Command("move", text, written)
    said = SAYS_MOVE.fullmatch(text)
    return Command("move", text, said[1].rstrip(".!,;") or said[1]) if said else None


def conflict(commands: Sequence[Command], canonical: Callable[[str], str]) -> bool:
    """Whether they cannot all be meant: then none of them is done.

    `canonical` writes a move as the rules do, so that the same one twice is one.
    """
    meant = {
        (command.name, canonical(command.argument) if command.name == "move" else command.argument)
        for command in commands
        if command.name in CHANGING
    }
    names = [name for name, _argument in meant if name not in ("if", "stop")]
    if sum(name in ENDING_OR_MOVING for name in names) > 1:
        return True
    if "resign" in names:
        return len(meant) > 1
    return sum(name in ABOUT_A_DRAW for name in names) > 1
