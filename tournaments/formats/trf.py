"""Tournament report files: those of any program are read, ours are written to the column.

The columns are those of FIDE's TRF16 and TRF26; the codes that begin with X and B are those
of the pairing programs JaVaFo and bbpPairings.
"""

import re
from collections.abc import Iterator
from fractions import Fraction

from tournaments.formats.history import HALF, Entrant, History, Idle, Meeting, Rest, Values
from tournaments.formats.trf_lines import RESTS, Block, Draft, read_line
from tournaments.formats.trf_report import Ban, Malformed, Player, Report
from tournaments.formats.trf_writer import write

__all__ = ["Ban", "Malformed", "Player", "Report", "decode", "read", "write"]


def decode(content: bytes) -> str:
    """The text of a file in UTF-8 or, failing that, in Latin-1."""
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def read(text: str) -> Report:
    """The event that a file tells of; raises Malformed with the number of the line."""
    draft = Draft()
    for number, line in enumerate(re.split(r"\r\n|\r|\n", text.removeprefix("\ufeff")), start=1):
        try:
            read_line(draft, line.rstrip())
        except Malformed as wrong:
            raise Malformed(f"Line {number}: {wrong}") from None
    if not draft.players:
        raise Malformed("There is no player in the file: no line begins with 001.")
    return Report(
        history=_history(draft),
        players=tuple(draft.players[number] for number in sorted(draft.players)),
        data=tuple(draft.data),
        bans=tuple(draft.bans),
        first_colour=draft.first_colour,
        by_rank=draft.by_rank,
    )


def _history(draft: Draft) -> History:
    values = _values(draft)
    meetings = sorted(_meetings(draft, values), key=lambda one: (one.round, one.first))
    last = max((meeting.round for meeting in meetings), default=0)
    idles = sorted(_idles(draft, meetings, last), key=lambda one: (one.round, one.number))
    return History(
        entrants=tuple(_entrants(draft)),
        meetings=tuple(meetings),
        idles=tuple(idles),
        rounds=max(draft.rounds, last),
        values=values,
        forbidden=tuple(sorted({pair for ban in draft.bans for pair in ban.pairs_in(last + 1)})),
        accelerations={number: tuple(each) for number, each in draft.accelerations.items()},
    )


def _values(draft: Draft) -> Values:
    win = draft.points.get("W", Fraction(1))
    return Values(
        win=win,
        draw=draft.points.get("D", HALF),
        loss=draft.points.get("L", Fraction(0)),
        bye=draft.points.get("P", win),
        absent=draft.points.get("A", Fraction(0)),
    )


def _entrants(draft: Draft) -> Iterator[Entrant]:
    for number in sorted(draft.players):
        rating = draft.players[number].rating
        yield Entrant(number=number, rating=rating, left=number in draft.absent)


def _meetings(draft: Draft, values: Values) -> Iterator[Meeting]:
    for number, rounds in draft.blocks.items():
        for round_number, block in rounds.items():
            if block.opponent:
                theirs = _answer(draft, number, round_number)
                if theirs is None:
                    yield _meeting(number, round_number, block, _mirrored(number, block), values)
                elif number < block.opponent:
                    yield _meeting(number, round_number, block, theirs, values)


def _answer(draft: Draft, number: int, round_number: int) -> Block | None:
    """The same game as the opponent's line has it; None where that is silent."""
    block = draft.blocks[number][round_number]
    if block.opponent not in draft.players:
        raise Malformed(
            f"Player {number} met {block.opponent} in round {round_number}, "
            f"but no line has the start number {block.opponent}."
        )
    theirs = draft.blocks[block.opponent].get(round_number)
    if theirs is None:
        return None
    same_colour = block.colour == theirs.colour != "" and not _is_forfeit(block, theirs)
    if theirs.opponent != number or same_colour:
        raise Malformed(
            f"The lines of the players {number} and {block.opponent} contradict each other "
            f"in round {round_number}."
        )
    return theirs


TURNED = {"1": "0", "0": "1", "=": "=", "W": "L", "L": "W", "D": "D", "+": "-", "-": "+", "": ""}


def _mirrored(number: int, block: Block) -> Block:
    colour = {"w": "b", "b": "w", "": ""}[block.colour]
    return Block(number, colour, TURNED[block.result])


def _is_forfeit(one: Block, other: Block) -> bool:
    return one.result in ("+", "-") or other.result in ("+", "-")


def _meeting(number: int, round_number: int, own: Block, theirs: Block, values: Values) -> Meeting:
    """Without colours, as forfeits may be, the smaller number is named first."""
    results = own.result or TURNED[theirs.result], theirs.result or TURNED[own.result]
    first, second = number, own.opponent
    if (own.colour, theirs.colour) in (("b", "w"), ("b", ""), ("", "w")):
        first, second, results = second, first, (results[1], results[0])
    if not all(results):
        return Meeting(round=round_number, first=first, second=second)
    return Meeting(
        round=round_number,
        first=first,
        second=second,
        scores=(_worth(results[0], values), _worth(results[1], values)),
        forfeit=_is_forfeit(own, theirs),
    )


def _worth(result: str, values: Values) -> Fraction:
    if result in "1W+":
        return values.win
    if result in "=D":
        return values.draw
    return values.absent if result == "-" else values.loss


def _idles(draft: Draft, meetings: list[Meeting], last: int) -> Iterator[Idle]:
    """The rounds without an opponent; where a line is silent, its player was absent."""
    rests: dict[tuple[int, int], Rest] = {
        (number, round_number): "Z"
        for number in draft.players
        for round_number in range(1, last + 1)
    }
    rests |= draft.byes
    for number, rounds in draft.blocks.items():
        for round_number, block in rounds.items():
            if not block.opponent:
                rests[number, round_number] = RESTS[block.result]
    for meeting in meetings:
        rests.pop((meeting.first, meeting.round), None)
        rests.pop((meeting.second, meeting.round), None)
    for (number, round_number), kind in rests.items():
        yield Idle(round=round_number, number=number, kind=kind)
