"""A game file that proves itself: `python -m games.record verify FILE`, standard library alone.

The file is JSON in one exact spelling. Its parts are chained: the hash of the head goes into
that of the first line, each line's into the next one's, the last into the hash of the whole. So
nothing can be changed unseen, and the file of a game that went on begins with the same hashes.
The moves are replayed, the dice derived anew from the published seed, and the times reckoned
again by the clock and its pauses. Where the file comes from is proved by its signature: with
`--keys FILE` or `--keys URL`, the published keys of the server, it is checked as well. What binds
the dice stands in the head; what only you can compare is printed (games.record_dice).
"""

import hashlib
import json
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn
from urllib.request import urlopen

from games.record_dice import Thrown, left_to_compare, problems_of_dice
from games.record_origin import Keys, keys_from, problems_of_origin
from games.record_shape import SHAPES, Shape
from games.record_times import problems_of_time
from games.rules.position import MoveError, Outcome, Position, Roll, Turn, checked_options
from games.rules.registry import VERSIONS

USAGE = "usage: verify FILE.json [--keys KEYS.json or URL]"

Record = Mapping[str, Any]


class MalformedRecord(ValueError):
    """What was to be verified is no game file; half a sentence says why."""


# Writing


def sealed(record: Record) -> dict[str, Any]:
    """The record with its chain of hashes, those that it has already replaced."""
    shape = SHAPES[record["format"]]
    chain = _hash("", {name: record[name] for name in shape.head})
    moves = []
    for line in record["moves"]:
        chain = _hash(chain, {name: value for name, value in line.items() if name != "hash"})
        moves.append({**line, "hash": chain})
    whole = _hash(chain, {name: record[name] for name in shape.tail})
    return {**record, "moves": moves, "hash": whole}


def _hash(before: str, part: object) -> str:
    text = json.dumps(part, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(f"{before}\n{text}".encode()).hexdigest()


def spelled(record: Record) -> bytes:
    """The one way in which a record is written down: a line for each field and for each move."""
    parts = [f' "{name}": {_spelled_field(name, record[name])}' for name in _shape(record).whole]
    return ("{\n" + ",\n".join(parts) + "\n}\n").encode()


def _spelled_field(name: str, value: Any) -> str:
    if name != "moves":
        return json.dumps(value, sort_keys=True)
    return "[\n" + ",\n".join(f"  {json.dumps(line, sort_keys=True)}" for line in value) + "\n ]"


# Reading


def read(data: bytes) -> dict[str, Any]:
    """The record as it is told, well formed but not verified; raises MalformedRecord."""
    try:
        record = json.loads(data.decode("ascii"), parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise MalformedRecord("it is not JSON") from None
    if not isinstance(record, dict):
        raise MalformedRecord("it is not a JSON object")
    whole = _shape(record).whole
    for name, check in whole.items():
        if name not in record or not check(record[name]):
            raise MalformedRecord(f"the field “{name}” is missing or is not what it should be")
    if record.keys() != whole.keys():
        raise MalformedRecord("it has fields that a game file has not")
    if not record["moves"]:
        raise MalformedRecord("it has no moves, not even the start")
    return record


def _shape(record: Record) -> Shape:
    form = record.get("format")
    if not isinstance(form, str) or form not in SHAPES:
        raise MalformedRecord("the field “format” is missing or is not what it should be")
    return SHAPES[form]


def _no_number(_name: str) -> NoReturn:
    raise ValueError("NaN and the infinities are no numbers of JSON")


# Verifying


def verify(data: bytes, keys: Keys | None = None) -> list[str]:
    """One sentence for each thing that is wrong; raises MalformedRecord.

    Without keys, the origin of the file is not looked at.
    """
    return problems_of(read(data), data, keys)


def problems_of(record: Record, data: bytes, keys: Keys | None = None) -> list[str]:
    """The same for a record that was read of the data already."""
    problems = list(problems_of_origin(record, keys)) if keys else []
    if spelled(record) != data:
        problems.append("The file is not spelled as it was written.")
    if sealed(record) != record:
        problems.append("The hashes do not fit: something was changed after the file was made.")
    try:
        played = list(steps(record))
    except MoveError as error:
        return [*problems, f"A move is not legal: {error}"]
    except ValueError as error:
        return [*problems, f"The moves cannot be replayed: {str(error).rstrip('.')}."]
    problems += _problems_of_result(record, played)
    problems += problems_of_dice(record, _thrown(played), keys)
    problems += problems_of_time(record, [step.position for step in played])
    return problems


class Step(NamedTuple):
    """A line, where it led, and what the throws in it were asked for."""

    line: Record
    position: Position
    rolls: list[Roll]


def steps(record: Record) -> Iterator[Step]:
    """Raises a MoveError for a move that is not legal, ValueError for all else."""
    position = _start(record)
    standing: dict[int, Position] = {}
    for ply, line in enumerate(record["moves"]):
        if line["ply"] != ply:
            raise ValueError(f"line {ply} says that it is ply {line['ply']}")
        if line["back_to"] is not None:
            position = _taken_back(standing, line)
        elif ply:
            position = _played(position, line)
        position, rolls = _rolled(position, line)
        if line["back_to"] is None:
            standing[ply] = position
        yield Step(line, position, rolls)


def _start(record: Record) -> Position:
    rules = VERSIONS.get((record["ruleset"], record["version"]))
    if rules is None:
        raise ValueError(f"no rules {record['ruleset']!r} of version {record['version']} are known")
    if checked_options(rules.options, record["options"]) != record["options"]:
        raise ValueError("the options are not all there")
    return rules.start(record["options"])


def _played(position: Position, line: Record) -> Position:
    if position.awaiting != Turn(line["seat"]):
        raise ValueError(f"at ply {line['ply']} it was not the turn of seat {line['seat']}")
    move = position.parse(line["move"])
    if str(move) != line["move"]:
        raise ValueError(f"the move of ply {line['ply']} is written {move}")
    return position.play(move)


def _taken_back(standing: dict[int, Position], line: Record) -> Position:
    while standing and next(reversed(standing)) > line["back_to"]:
        standing.popitem()
    if line["back_to"] not in standing:
        raise ValueError(f"ply {line['ply']} goes back to a ply that does not stand")
    return standing[line["back_to"]]


def _rolled(position: Position, line: Record) -> tuple[Position, list[Roll]]:
    rolls = []
    for faces in line["throws"]:
        if not isinstance(position.awaiting, Roll):
            raise ValueError(f"after ply {line['ply']} there were too many throws")
        rolls.append(position.awaiting)
        position = position.rolled(tuple(faces))
    if isinstance(position.awaiting, Roll):
        raise ValueError(f"after ply {line['ply']} a throw is missing")
    return position, rolls


# The result

Result = tuple[str, list[float] | None, list[int], str]


def _problems_of_result(record: Record, played: Sequence[Step]) -> list[str]:
    told = record["result"]
    decided = decided_by_ruling(record)
    if decided:
        as_ruled = (told["status"], told["scores"]) == decided
        return [] if as_ruled else ["The result is not the one that was ruled."]
    # A game that was ended, ruled on and goes on may still tell the points of its first end.
    points = [] if told["status"] == "running" else told["points"]
    result = told["status"], told["scores"], points, told["reason"]
    if result in possible_results(played, in_event=record["event"] is not None):
        return []
    return [f"The moves do not lead to the result “{told['reason'] or told['status']}”."]


def decided_by_ruling(record: Record) -> tuple[str, list[float] | None] | None:
    """Status and scores by the last ruling that stands, if it settled the game."""
    deciding = ("void", "result", "reopen")
    standing = [
        ruling
        for ruling in record["rulings"]
        if ruling["undone_at"] is None and ruling["kind"] in deciding
    ]
    if not standing or standing[-1]["kind"] == "reopen":
        return None
    if standing[-1]["kind"] == "void":
        return "void", None
    halves = standing[-1]["detail"].get("score")
    return ("finished", [halves / 2, 1 - halves / 2]) if halves in (0, 1, 2) else ("", None)


def possible_results(played: Sequence[Step], *, in_event: bool) -> Iterator[Result]:
    """All that rules, clock and players can have made of a game that came so far.

    Before both have moved a game is called off, but one of an event is given up or drawn.
    """
    position = played[-1].position
    awaited = position.awaiting
    if isinstance(awaited, Outcome):
        yield _finished(awaited)
        return
    assert isinstance(awaited, Turn)
    yield "running", None, [], ""
    moved = {step.line["seat"] for step in played if step.line["back_to"] is None} == {None, 0, 1}
    if moved:
        yield _finished(position.forfeited_by(awaited.seat))
    else:
        yield "void", None, [], "time"
        if not in_event:
            yield "void", None, [], "aborted"
            return
    points = position.forfeited_by(0).points
    yield _finished(Outcome((1.0, 0.0), "resignation", points))
    yield _finished(Outcome((0.0, 1.0), "resignation", points))
    yield _finished(Outcome((0.5, 0.5), "agreement", points))


def _finished(outcome: Outcome) -> Result:
    return "finished", list(outcome.scores), list(outcome.points), outcome.reason


# The dice


def _thrown(played: Sequence[Step]) -> list[Thrown]:
    return [
        (roll.dice, roll.sides, faces)
        for step in played
        for roll, faces in zip(step.rolls, step.line["throws"], strict=True)
    ]


# The command


def main(arguments: Sequence[str]) -> int:
    """0 if the file is right, 1 if not, 2 if it cannot be read."""
    if len(arguments) not in (2, 4) or arguments[0] != "verify" or arguments[2:3] not in _KEYS:
        print(USAGE, file=sys.stderr)
        return 2
    try:
        data = _fetched(arguments[1])
        keys = _keys_at(arguments[3]) if len(arguments) == 4 else None
        problems = verify(data, keys)
    except OSError as error:
        print(f"{error.filename} cannot be read: {error.strerror}.", file=sys.stderr)
        return 2
    except MalformedRecord as malformed:
        print(f"This is no game file: {malformed}.", file=sys.stderr)
        return 2
    print(*(problems or _praise(read(data), keys)), sep="\n")
    return 1 if problems else 0


_KEYS: tuple[list[str], ...] = ([], ["--keys"])
LARGEST_DOWNLOAD = 1_000_000
TIMEOUT = 30


def _keys_at(place: str) -> Keys:
    try:
        return keys_from(_fetched(place))
    except ValueError:
        raise MalformedRecord("the keys are not those that a server publishes") from None


def _fetched(place: str) -> bytes:
    """A file, or what is at an address; raises OSError."""
    if not place.startswith(("https://", "http://")):
        return Path(place).read_bytes()
    try:
        with urlopen(place, timeout=TIMEOUT) as response:  # noqa: S310
            return bytes(response.read(LARGEST_DOWNLOAD))
    except OSError as error:
        raise OSError(error.errno, str(error), place) from error


def _praise(record: Record, keys: Keys | None) -> list[str]:
    plies, throws = len(record["moves"]) - 1, len(record["dice"]["throws"])
    ok = f"ok: {plies} plies and {throws} throws of game {record['game']}, {record['hash']}"
    origin = (
        f"origin: signed by {keys.site} with key {record['key']}"
        if keys
        else "origin: not checked, for no keys were given"
    )
    return [ok, origin, *left_to_compare(record, keys)]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
