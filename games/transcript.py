"""A game file as people read it: plain English text of at most 78 columns."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import chain
from textwrap import wrap
from typing import Any

from games.boards.registry import BOARDS
from games.rules.position import Position
from games.rules.registry import ruleset

WIDTH = 78
LABEL = 12
PLY, NAME, MOVE, USED = 4, 12, 20, 13

Record = Mapping[str, Any]


def transcript(record: Record, position: Position) -> str:
    """`position` is the one in which the game ended, or stands."""
    parts = (
        [_title(record), ""],
        _fields(_head(record)),
        [""],
        _moves(record),
        [""],
        _fields(_proof(record)),
        ["", BOARDS[record["ruleset"]].text(position).rstrip("\n"), ""],
    )
    return "\n".join(line.rstrip() for line in chain.from_iterable(parts))


def _title(record: Record) -> str:
    first, second = record["players"]
    return f"{ruleset(record['ruleset'], record['version']).name}: {first} – {second}"


def _fields(named: Iterator[tuple[str, str]]) -> Iterator[str]:
    for label, value in named:
        lines = wrap(_printable(value), WIDTH - LABEL) or ["-"]
        yield f"{label:<{LABEL}}{lines[0]}"
        yield from (" " * LABEL + line for line in lines[1:])


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else " " for sign in text)


# What it was


def _head(record: Record) -> Iterator[tuple[str, str]]:
    yield "Game", record["game"]
    yield "Rules", f"{record['ruleset']}, version {record['version']}"
    if record["options"]:
        yield "Options", ", ".join(_option(*item) for item in sorted(record["options"].items()))
    yield "Clock", _clock(record["clock"]) + (", weekends off" if record["weekends"] else "")
    if record["event"] is not None:
        yield "Event", str(record["event"])
    yield "Started", _instant(record["started_at"])
    if record["result"]["ended_at"]:
        yield "Ended", _instant(record["result"]["ended_at"])
    yield "Result", _result(record["result"])
    yield from _interruptions(record)
    for ruling in record["rulings"]:
        yield "Ruling", _ruling(ruling)


def _option(name: str, value: object) -> str:
    told = {True: "on", False: "off"}[value] if isinstance(value, bool) else value
    return f"{name} {told}"


def _clock(clock: Mapping[str, Any]) -> str:
    if clock["kind"] == "per-move":
        return f"{clock['days']} {'day' if clock['days'] == 1 else 'days'} a move"
    return (
        f"{clock['bank_hours']} hours, {clock['increment_hours']} more a move,"
        f" at most {clock['cap_hours']}"
    )


def _result(result: Mapping[str, Any]) -> str:
    if result["status"] == "running":
        return "still being played"
    told = result["status"]
    if result["scores"]:
        told = " : ".join(f"{score:g}" for score in result["scores"])
    if result["points"]:
        told += f" (points {' : '.join(map(str, result['points']))})"
    return f"{told} by {result['reason']}, {'rated' if result['rated'] else 'not rated'}"


def _interruptions(record: Record) -> Iterator[tuple[str, str]]:
    for name, taken in zip(record["players"], record["pauses"]["vacations"], strict=True):
        for start, end in taken:
            yield "Vacation", f"{name}, {_instant(start)} to {_instant(end)}"
    outages = record["pauses"]["outages"]
    for way_in, spans in outages.items() if isinstance(outages, dict) else [("", outages)]:
        for start, end in spans:
            yield "Outage", f"{way_in} {_instant(start)} to {_instant(end)}".strip()


def _ruling(ruling: Mapping[str, Any]) -> str:
    detail = ", ".join(f"{name} {value}" for name, value in sorted(ruling["detail"].items()))
    undone = f"; undone {_instant(ruling['undone_at'])}" if ruling["undone_at"] else ""
    return (
        f"{ruling['kind']}{f' ({detail})' if detail else ''} by {ruling['by']},"
        f" {_instant(ruling['made_at'])}: {ruling['reason']}{undone}"
    )


# What was played


def _moves(record: Record) -> Iterator[str]:
    names = [_shortened(name) for name in record["players"]]
    yield _row("Ply", "Player", "Move", "Time used", "Played at (UTC)")
    for line in record["moves"]:
        if line["ply"]:
            yield from _line(line, names)
        if line["throws"]:
            thrown = ", ".join(" ".join(map(str, faces)) for faces in line["throws"])
            yield from (" " * (PLY + 2) + part for part in wrap(f"dice {thrown}", 70))


def _line(line: Mapping[str, Any], names: Sequence[str]) -> Iterator[str]:
    took_back = line["back_to"] is not None
    move = f"back to ply {line['back_to']}" if took_back else line["move"]
    first, *rest = wrap(move, MOVE) or [""]
    used = "" if line["used"] is None else _duration(line["used"])
    at = _instant(line["at"]).removesuffix(" UTC")
    yield _row(str(line["ply"]), names[line["seat"]], first, used, at)
    yield from (_row("", "", part, "", "") for part in rest)


def _row(ply: str, name: str, move: str, used: str, at: str) -> str:
    return f"{ply:>{PLY}}  {name:<{NAME}}  {move:<{MOVE}}  {used:>{USED}}  {at}"


def _shortened(name: str) -> str:
    return name if len(name) <= NAME else name[: NAME - 1] + "…"


def _duration(microseconds: int) -> str:
    """Whole seconds: 1d 02:03:04."""
    whole = timedelta(microseconds=microseconds)
    minutes, seconds = divmod(whole.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days = f"{whole.days}d " if whole.days else ""
    return f"{days}{hours:02}:{minutes:02}:{seconds:02}"


def _instant(text: str) -> str:
    """To the second: 2026-03-02 12:00:00 UTC."""
    return f"{text[:10]} {text[11:19]} UTC"


# What proves it


def _proof(record: Record) -> Iterator[tuple[str, str]]:
    dice = record["dice"]
    if dice["throws"]:
        yield "Commitment", record["commitment"]
        for segment in dice.get("segments", [dice]):
            yield "Seed", segment["seed"] or "published when the game is over"
        for name, salt in zip(record["players"], dice["salts"], strict=True):
            if salt:
                yield "Salt", f"{name}: {salt}"
    yield "Hash", record["hash"]
    if "signature" in record:
        yield "Signed", f"by {record['site']}, key {record['key']}"
