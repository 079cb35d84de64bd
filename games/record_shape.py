"""What a game file consists of: the name and the kind of everything in it, and nothing else."""

from collections.abc import Callable
from dataclasses import dataclass

FORMAT = "tripost-game/2"
UNSIGNED = "tripost-game/1"
"""Files from before the server signed them."""
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
SEGMENT = fields(
    scheme=number, commitment=text, seed=maybe(text), last_throw=maybe(number), proof=maybe(text)
)
BOUND = fields(
    scheme=number,
    by=lambda value: value in ("challenge", "event", "bots"),
    key=maybe(text),
    players=maybe(pair(number)),
)
"""What the dice were bound by when the game began: the commitment, or a published key."""
DRAWN = fields(key=text, season=number, players=pair(number), game=number)


@dataclass(frozen=True, slots=True)
class Shape:
    """A format of game files."""

    head: dict[str, Check]
    """Known when the game begins, and never changed."""
    tail: dict[str, Check]
    """What a game that goes on may still change."""
    seal: dict[str, Check]

    @property
    def whole(self) -> dict[str, Check]:
        return {**self.head, "moves": each(LINE), **self.tail, **self.seal}


def _head(
    form: str,
    *,
    origin: dict[str, Check] | None = None,
    people: dict[str, Check] | None = None,
    bound: dict[str, Check] | None = None,
) -> dict[str, Check]:
    return {
        "format": lambda value: value == form,
        **(origin or {}),
        "game": text,
        "ruleset": text,
        "version": number,
        "options": settings,
        "players": pair(text),
        **(people or {}),
        "clock": settings,
        "weekends": switch,
        "event": maybe(number),
        "commitment": text,
        **(bound or {}),
        "started_at": text,
    }


VACATIONS = pair(each(pair(text)))
PAUSES = fields(
    vacations=VACATIONS,
    outages=fields(web=each(pair(text)), mail=each(pair(text))),
    began_by_mail=pair(switch),
)
"""Outages by way in; a seat's is the one of its last move, or, before that, of its beginning."""


def _tail(dice: Check, pauses: Check = PAUSES) -> dict[str, Check]:
    return {
        "pauses": pauses,
        "rulings": each(RULING),
        "result": RESULT,
        "dice": dice,
    }


SHAPES = {
    UNSIGNED: Shape(
        head=_head(UNSIGNED, people={"zones": pair(text)}),
        tail=_tail(
            fields(seed=maybe(text), salts=pair(text), throws=each(THROW)),
            pauses=fields(vacations=VACATIONS, outages=each(pair(text))),
        ),
        seal={"hash": text},
    ),
    FORMAT: Shape(
        head=_head(FORMAT, origin={"site": text}, bound={"dice_bound": BOUND}),
        tail=_tail(
            fields(
                salts=pair(text),
                segments=each(SEGMENT),
                drawn=maybe(DRAWN),
                challenger=maybe(number),
                throws=each(THROW),
            )
        ),
        seal={"hash": text, "key": text, "signature": text},
    ),
}
