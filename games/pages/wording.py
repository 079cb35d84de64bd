"""What a game came to and what it is played with, in words."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from games.models import Game, Seat, Status
from games.rules.position import Position
from games.rules.registry import RULESETS

COLOURS = {
    "tritt-reloaded": ("orange", "blue"),
    "tritt-classic": ("orange", "blue"),
    "tritoc": ("red", "yellow"),
    "tri-trac": ("orange", "yellow"),
    "triotrio": ("yellow", "blue"),
}
COLOUR_NAMES = {
    "orange": gettext_lazy("Orange"),
    "blue": gettext_lazy("Blue"),
    "red": gettext_lazy("Red"),
    "yellow": gettext_lazy("Yellow"),
}
REASONS = {
    "line": gettext_lazy("a line of three in the winner’s colour"),
    "opponent-line": gettext_lazy("the loser made a line of three for the opponent"),
    "stuck": gettext_lazy("the loser had no legal move"),
    "repetition": gettext_lazy("the same position for the third time"),
    "fields": gettext_lazy("three fields in a row"),
    "full": gettext_lazy("no hole is free"),
    "blocked": gettext_lazy("four turns in a row without a move"),
    "track": gettext_lazy("a track from arrow to arrow"),
    "move-limit": gettext_lazy("the limit of moves was reached"),
    "last-standing": gettext_lazy("the loser has no piece left"),
    "turn-limit": gettext_lazy("the limit of turns was reached"),
    "agreement": gettext_lazy("agreed"),
    "resignation": gettext_lazy("resignation"),
    "time": gettext_lazy("time ran out"),
    "aborted": gettext_lazy("called off before both had moved"),
    "ruling": gettext_lazy("decided by a ruling"),
    "void": gettext_lazy("declared void by a ruling"),
}
OPTION_NAMES = {
    "swap": gettext_lazy("The second player may swap"),
    "slide": gettext_lazy("How far a slide may go"),
    "dice": gettext_lazy("Dice"),
    "move_limit": gettext_lazy("Moves until a draw"),
    "turn_limit": gettext_lazy("Turns until a draw"),
}
OPTION_VALUES: dict[object, Promise] = {
    True: gettext_lazy("yes"),
    False: gettext_lazy("no"),
    "one": gettext_lazy("one step"),
    "any": gettext_lazy("any number of steps"),
    "standard": gettext_lazy("two dice of six sides"),
    "equal": gettext_lazy("every sum equally likely"),
}


def game_name(key: str) -> str:
    return RULESETS[key].name if key in RULESETS else key


def colour_of(key: str, position: Position | Mapping[str, Any], seat: int) -> str:
    """The colour that a seat plays; in Tritt (2009) the two may have swapped."""
    terms = getattr(position, "terms", None)
    return COLOURS[key][seat ^ bool(terms and terms.swapped)]


def reason_of(game: Game) -> str:
    return str(REASONS.get(game.reason, game.reason))


def result_of(game: Game, seats: Sequence[Seat]) -> str:
    """One sentence; none while the game is being played."""
    if game.status == Status.VOID:
        return _("No result: {reason}.").format(reason=reason_of(game))
    if game.score is None:
        return ""
    if game.score == 1:
        return _("A draw: {reason}.").format(reason=reason_of(game))
    winner = seats[0 if game.score == 2 else 1].player.name
    return _("{name} won: {reason}.").format(name=winner, reason=reason_of(game))


def result_for(game: Game, seat: int) -> str:
    """`won`, `drawn`, `lost` or `void`, as this seat sees it."""
    if game.score is None:
        return "void"
    own_halves = game.score if seat == 0 else 2 - game.score
    return ("lost", "drawn", "won")[own_halves]


def options_in_words(key: str, options: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Those that are not as usual, each with its name and value."""
    if key not in RULESETS:
        return []
    return [
        (str(OPTION_NAMES.get(option.name, option.name)), option_value(options[option.name]))
        for option in RULESETS[key].options
        if options.get(option.name, option.default) != option.default
    ]


def option_value(value: object) -> str:
    # 1 is equal to True, but a limit of one move is no yes.
    return str(OPTION_VALUES.get(value, value)) if type(value) is not int else str(value)


def pool_name(pool: str) -> str:
    """A rating pool: its game, and what is unusual about it."""
    key, *differing = pool.split(":")
    words = [_spoken(part) for part in differing]
    return f"{game_name(key)} ({', '.join(words)})" if words else game_name(key)


def _spoken(part: str) -> str:
    name, _equals, value = part.partition("=")
    typed: object = {"True": True, "False": False}.get(value, value)
    return f"{OPTION_NAMES.get(name, name)}: {option_value(typed)}"
