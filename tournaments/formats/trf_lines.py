"""The lines of a tournament report file, one reader for each code."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from tournaments.formats.history import Rest
from tournaments.formats.trf_report import Ban, Colour, Malformed, Player

FIRST_ROUND = 91
ROUND_WIDTH = 10

RESULTS = "10=+-WDLHFUZ"
RESTS: dict[str, Rest] = {
    "H": "H", "=": "H", "D": "H",
    "F": "F", "1": "F", "W": "F",
    "U": "U", "+": "U",
    "Z": "Z", "-": "Z", "0": "Z", "L": "Z", "": "Z",
}  # fmt: skip
"""What a result means where there is no opponent, in files of all ages."""


@dataclass(frozen=True, slots=True)
class Block:
    """What one player's line says of one round."""

    opponent: int
    colour: str
    result: str


@dataclass(slots=True)
class Draft:
    """What the lines have said so far."""

    players: dict[int, Player] = field(default_factory=dict)
    blocks: dict[int, dict[int, Block]] = field(default_factory=dict)
    """By start number and round."""
    byes: dict[tuple[int, int], Rest] = field(default_factory=dict)
    data: list[tuple[str, str]] = field(default_factory=list)
    points: dict[str, Fraction] = field(default_factory=dict)
    """By the symbols of line 162: Win, Draw, Loss, Absence, Pairing-allocated bye."""
    bans: list[Ban] = field(default_factory=list)
    accelerations: dict[int, list[Fraction]] = field(default_factory=lambda: defaultdict(list))
    absent: set[int] = field(default_factory=set)
    rounds: int = 0
    first_colour: Colour | None = None
    by_rank: bool = False


def read_line(draft: Draft, line: str) -> None:
    """Lines with codes that say nothing about players, rounds and points are passed over."""
    code = line[:3]
    if code in READERS:
        READERS[code](draft, line)
    elif re.fullmatch(r"[0-3][0-9]2", code):
        draft.data.append((code, line[4:]))


def _read_player(draft: Draft, line: str) -> None:
    number = _whole(line[4:8], "start number", least=1)
    if number in draft.players:
        raise Malformed(f"the start number {number} is there twice.")
    draft.players[number] = Player(
        number=number,
        sex=line[9:10].strip(),
        title=line[10:13].strip(),
        name=line[14:47].strip(),
        rating=_whole(line[48:52], "rating", blank=0),
        federation=line[53:56].strip(),
        identifier=line[57:68].strip(),
        born=line[69:79].strip(),
        points=_points(line[80:84]) if line[80:84].strip() else None,
        rank=_whole(line[85:89], "rank") if line[85:89].strip() else None,
    )
    draft.blocks[number] = dict(_read_rounds(line, number))


def _read_rounds(line: str, number: int) -> Iterator[tuple[int, Block]]:
    for index, start in enumerate(range(FIRST_ROUND, len(line), ROUND_WIDTH), start=1):
        text = line[start : start + ROUND_WIDTH].ljust(ROUND_WIDTH)
        if text.strip():
            yield index, _read_block(text, index, number)


def _read_block(text: str, index: int, number: int) -> Block:
    opponent = _whole(text[:4], f"opponent of round {index}", blank=0)
    colour = text[5].lower().strip(" -")
    result = text[7].upper().strip()
    if colour not in ("", "w", "b"):
        raise Malformed(f"the colour of round {index} is “{text[5]}”; it should be w, b or -.")
    if result and result not in RESULTS:
        raise Malformed(
            f"the result of round {index} is “{text[7]}”; it should be one of {RESULTS}."
        )
    if opponent == number:
        raise Malformed(f"player {number} meets himself in round {index}.")
    if opponent and result in ("H", "F", "U", "Z"):
        raise Malformed(f"there is both an opponent and a bye in round {index}.")
    return Block(opponent, colour, result)


def _read_round_count(draft: Draft, line: str) -> None:
    draft.rounds = _whole(line[3:], "number of rounds", least=1)


def _read_configuration(draft: Draft, line: str) -> None:
    for word in line[3:].lower().split():
        if word == "rank":
            draft.by_rank = True
        elif word in ("white1", "w"):
            draft.first_colour = "white"
        elif word in ("black1", "b"):
            draft.first_colour = "black"


def _read_absent(draft: Draft, line: str) -> None:
    draft.absent.update(_numbers(line[3:]))


def _read_ban(draft: Draft, line: str) -> None:
    draft.bans.append(Ban(numbers=tuple(_numbers(line[3:]))))


def _read_ban_of_rounds(draft: Draft, line: str) -> None:
    first, last = _whole(line[4:7], "first round"), _whole(line[8:11], "last round")
    draft.bans.append(Ban(numbers=tuple(_numbers(line[12:])), first=first, last=last))


def _read_byes(draft: Draft, line: str) -> None:
    kind = line[4:5].upper()
    if kind not in ("F", "H", "Z"):
        raise Malformed(f"the bye is “{kind}”; it should be F, H or Z.")
    round_number = _whole(line[6:9], "round", least=1)
    for number in _numbers(line[10:]):
        draft.byes[number, round_number] = RESTS[kind]


def _read_acceleration(draft: Draft, line: str) -> None:
    number = _whole(line[4:8], "start number", least=1)
    draft.accelerations[number] = [
        _points(line[start : start + 5], blank=Fraction(0)) for start in range(8, len(line), 5)
    ]


def _read_acceleration_of_many(draft: Draft, line: str) -> None:
    points = _points(line[9:13])
    first, last = _whole(line[14:17], "first round", least=1), _whole(line[18:21], "last round")
    start, end = _whole(line[22:26], "first player", least=1), _whole(line[27:31], "last player")
    for number in range(start, end + 1):
        granted = draft.accelerations[number]
        granted += [Fraction(0)] * (last - len(granted))
        granted[first - 1 : last] = [points] * (last - first + 1)


def _read_values(draft: Draft, line: str) -> None:
    for symbol, points in re.findall(r"([A-Z])\s*([\d.,]+)", line[4:].upper()):
        draft.points[symbol] = _points(points)


JAVAFO_SYMBOLS = {
    "WW": "W", "BW": "W", "FW": "W", "FPB": "W", "WD": "D", "BD": "D", "HPB": "D",
    "WL": "L", "BL": "L", "FL": "A", "ZPB": "A", "PAB": "P",
}  # fmt: skip


def _read_javafo_values(draft: Draft, line: str) -> None:
    """W=3 D=1 PAB=1 and so on; a bye that is not named stays worth 1."""
    draft.points.setdefault("P", Fraction(1))
    for code, points in re.findall(r"([A-Z]+)=([\d.,]+)", line[4:].upper()):
        draft.points[JAVAFO_SYMBOLS.get(code, code)] = _points(points)


BBP_SYMBOLS = {"BBW": "W", "BBD": "D", "BBL": "L", "BBU": "P", "BBF": "A", "BBZ": "A"}


def _read_bbp_value(draft: Draft, line: str) -> None:
    draft.points[BBP_SYMBOLS[line[:3]]] = _points(line[3:])


def _whole(text: str, what: str, *, least: int = 0, blank: int | None = None) -> int:
    text = text.strip()
    if not text and blank is not None:
        return blank
    if not (text.isascii() and text.isdigit()) or int(text) < least:
        raise Malformed(f"the {what} is “{text}”; it should be a whole number from {least} on.")
    return int(text)


def _numbers(text: str) -> list[int]:
    return [_whole(word, "start number", least=1) for word in text.split()]


def _points(text: str, *, blank: Fraction | None = None) -> Fraction:
    text = text.strip()
    if not text and blank is not None:
        return blank
    if not re.fullmatch(r"[0-9]+[.,]?[0-9]*|[.,][0-9]+", text):
        raise Malformed(f"“{text}” is no number of points; write them like 11.5.")
    return Fraction(text.replace(",", "."))


READERS: dict[str, Callable[[Draft, str], None]] = {
    "001": _read_player,
    "142": _read_round_count,
    "152": _read_configuration,
    "162": _read_values,
    "240": _read_byes,
    "250": _read_acceleration_of_many,
    "260": _read_ban_of_rounds,
    "XXA": _read_acceleration,
    "XXC": _read_configuration,
    "XXP": _read_ban,
    "XXR": _read_round_count,
    "XXS": _read_javafo_values,
    "XXZ": _read_absent,
    **dict.fromkeys(BBP_SYMBOLS, _read_bbp_value),
}
