"""The dice of a game file: derived anew, and bound by what the signed head of the file names."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from games import dice
from games.record_origin import Keys
from games.record_shape import UNSIGNED

Record = Mapping[str, Any]
Thrown = tuple[int, int, list[int]]
"""Number of dice, sides, faces."""


def problems_of_dice(record: Record, thrown: Sequence[Thrown], keys: Keys | None) -> list[str]:
    told = record["dice"]
    if [(throw["dice"], throw["sides"], throw["faces"]) for throw in told["throws"]] != thrown:
        return ["The throws of the proof are not those of the moves."]
    is_old = record["format"] == UNSIGNED
    problems = [] if is_old else [*_problems_of_binding(record), *_problems_with_keys(record, keys)]
    if record["result"]["status"] == "running":
        last = told if is_old else (told["segments"] or [told])[-1]
        is_secret = last.get("seed") is None and last.get("proof") is None
        return problems if is_secret else [*problems, "A game that runs does not tell its seed."]
    try:
        return problems + dice.verify(_proof(record))
    except dice.MalformedRecord as malformed:
        return [*problems, f"The proof of the dice is malformed: {malformed}"]


def _proof(record: Record) -> dict[str, Any]:
    return {**record["dice"], "game": record["game"], "commitment": record["commitment"]}


def _problems_of_binding(record: Record) -> Iterator[str]:
    bound, drawn, segments = (
        record["dice_bound"],
        record["dice"]["drawn"],
        record["dice"]["segments"],
    )
    if not segments or segments[0]["scheme"] != bound["scheme"]:
        yield "The dice do not begin under the scheme that the file names."
    if len(segments) - 1 > _reopenings(record):
        yield "There are more seeds than rulings that reopened the game."
    if (bound["by"] == "event") != (record["event"] is not None):
        yield "The dice of an event’s game are bound by the event, and no others."
    if drawn is None:
        if bound["by"] != "challenge" and _is_of_the_second_scheme(record):
            yield "The dice of events and of the built-in bots need a seed of a published key."
        return
    if drawn["key"] != bound["key"]:
        yield "The seed was drawn with another key than the file names."
    if sorted(drawn["players"]) != sorted(bound["players"] or []):
        yield "The seed was drawn for other players than the file names."


def _reopenings(record: Record) -> int:
    """At most so many: a ruling that was undone may have let the game go on as well."""
    return sum(
        (ruling["kind"] == "reopen") + (ruling["undone_at"] is not None)
        for ruling in record["rulings"]
    )


def _is_of_the_second_scheme(record: Record) -> bool:
    """With throws; without any, it does not matter what binds them."""
    return record["dice_bound"]["scheme"] == 2 and bool(record["dice"]["throws"])


def _problems_with_keys(record: Record, keys: Keys | None) -> Iterator[str]:
    if keys is None or not _is_of_the_second_scheme(record):
        return
    bound, drawn = record["dice_bound"], record["dice"]["drawn"]
    if bound["by"] == "challenge" and not keys.bots.isdisjoint(record["players"]):
        yield "The dice of events and of the built-in bots need a seed of a published key."
    if bound["by"] == "bots" and bound["key"] != keys.dice_with_bots:
        yield "The key to the dice is not the one that the server publishes for its bots."
    if bound["by"] == "bots" and drawn and drawn["season"] != 1:
        yield "Games with the built-in bots have no seasons."


def left_to_compare(record: Record, keys: Keys | None) -> list[str]:
    """What the file alone cannot prove about its dice."""
    if not record["dice"]["throws"]:
        return []
    if record["result"]["status"] == "running":
        return ["dice: not checked, for the seed is secret until the game is over"]
    lines = dice.left_to_compare(_proof(record))
    if record["format"] == UNSIGNED or record["dice_bound"]["by"] == "challenge":
        return lines
    if record["dice_bound"]["by"] == "event":
        return [*lines, f"dice: the file says that this is the key of event {record['event']}"]
    checked = "and that is the one in the keys" if keys else "not checked, for no keys were given"
    return [*lines, f"dice: the file says that this is the key for the built-in bots, {checked}"]
