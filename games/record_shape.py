"""What a game file consists of: the name and the kind of everything in it, and nothing else."""

from collections.abc import Callable

FORMAT = "tripost-game/1"
LONGEST_TEXT = 2000
MOST = 2**53
"""Below it every reader of JSON keeps whole numbers exactly."""

Check = Callable[[object], bool]


# Kinds


def text(value: object) -> bool:
    return type(value) is str and len(value) <= LONGEST_TEXT and all(map(_is_a_sign, value))


def _is_a_sign(letter: str) -> bool:
    """JSON can spell NUL and half of a surrogate pair, which databases and UTF-8 do not hold."""
    return letter != "\0" and not "\ud800" <= letter <= "\udfff"


def number(value: object) -> bool:
    return type(value) is int and abs(value) < MOST


def fraction(value: object) -> bool:
    return type(value) is float and abs(value) < MOST


def switch(value: object) -> bool:
    return type(value) is bool


def score(value: object) -> bool:
    return type(value) is float and value in (0.0, 0.5, 1.0)


def settings(value: object) -> bool:
    """An object of names and simple values, whichever they are."""
    return type(value) is dict and all(
        text(name)
        and (item is None or text(item) or number(item) or fraction(item) or switch(item))
        for name, item in value.items()
    )


def maybe(check: Check) -> Check:
    return lambda value: value is None or check(value)


def each(check: Check) -> Check:
    return lambda value: type(value) is list and all(map(check, value))


def pair(check: Check) -> Check:
    return lambda value: type(value) is list and len(value) == 2 and all(map(check, value))


def fields(**checks: Check) -> Check:
    return lambda value: (
        type(value) is dict
        and value.keys() == checks.keys()
        and all(check(value[name]) for name, check in checks.items())
    )


# The file

LINE = fields(
    ply=number, seat=maybe(number), move=text, throws=each(each(number)), back_to=maybe(number),
    via=text, at=text, used=maybe(number), hash=text,
)  # fmt: skip
RULING = fields(
    kind=text, detail=settings, reason=text, by=text, made_at=text, undone_at=maybe(text)
)
RESULT = fields(
    status=text, scores=maybe(pair(score)), points=each(number), reason=text, rated=switch,
    ended_at=maybe(text),
)  # fmt: skip
THROW = fields(number=number, dice=number, sides=number, faces=each(number), salts=pair(text))

HEAD: dict[str, Check] = {
    "format": lambda value: value == FORMAT,
    "game": text,
    "ruleset": text,
    "version": number,
    "options": settings,
    "players": pair(text),
    "zones": pair(text),
    "clock": settings,
    "weekends": switch,
    "event": maybe(number),
    "commitment": text,
    "started_at": text,
}
"""Known when the game begins, and never changed."""

LINES: dict[str, Check] = {"moves": each(LINE)}

TAIL: dict[str, Check] = {
    "pauses": fields(vacations=pair(each(pair(text))), outages=each(pair(text))),
    "rulings": each(RULING),
    "result": RESULT,
    "dice": fields(seed=maybe(text), salts=pair(text), throws=each(THROW)),
}
"""What a game that goes on may still change."""

WHOLE: dict[str, Check] = {**HEAD, **LINES, **TAIL, "hash": text}
