"""Dice that nobody can choose and everybody can check afterwards.

When a game starts, a seed of 32 random bytes is drawn and its SHA-256 is published: the
commitment. Each player may add a salt. When the game ends the seed is published, and anyone can
derive every throw again, with this module (`python -m games.dice verify game.json`) or with
a few lines of their own:

1. A *netstring* of a text is the number of its UTF-8 bytes in decimal, a colon, those bytes,
   and a comma: `5:salt!,`.
2. Throw number n (the first of a game is 1) reads its dice from a stream of bytes, the blocks
   0, 1, 2… one after the other. Block c is HMAC-SHA256 with the seed as key and, as message,
   the netstrings of the game's id, n, c and each salt in the order of the seats, joined;
   n and c in decimal, an absent salt as the empty text.
3. Dice of s sides: a byte b of the stream that is not below 256 − (256 mod s) is skipped; any
   other is a die that shows (b mod s) + 1. As many bytes are read as it takes.

The bytes that are not skipped are a multiple of s in number, so every face is exactly as likely.
"""

import hashlib
import hmac
import json
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice, pairwise
from pathlib import Path
from typing import Any, Self

SEED_BYTES = 32
SIDES = range(1, 257)
USAGE = "usage: python -m games.dice verify FILE.json"


class MalformedRecord(ValueError):
    """What was to be verified is no record of a game's dice; the sentence says why."""


def new_seed() -> bytes:
    return secrets.token_bytes(SEED_BYTES)


def commitment(seed: bytes) -> str:
    return hashlib.sha256(seed).hexdigest()


def throw(
    *, seed: bytes, game_id: str, number: int, salts: Sequence[str], dice: int, sides: int
) -> tuple[int, ...]:
    """The faces of throw `number` of a game, as the module's text derives them."""
    if len(seed) != SEED_BYTES or number < 1 or dice < 1 or sides not in SIDES:
        raise ValueError("a throw needs a seed of 32 bytes, a number and dice from 1, 1–256 sides")
    faces = (face(byte, sides) for byte in _stream(seed, game_id, number, salts))
    return tuple(islice((shown for shown in faces if shown), dice))


def face(byte: int, sides: int) -> int | None:
    """What a die shows for a byte of the stream; None if the byte is to be skipped."""
    return byte % sides + 1 if byte < 256 - 256 % sides else None


def _stream(seed: bytes, game_id: str, number: int, salts: Sequence[str]) -> Iterator[int]:
    for block in count():
        fields = (game_id, str(number), str(block), *salts)
        yield from hmac.digest(seed, b"".join(map(_netstring, fields)), "sha256")


def _netstring(text: str) -> bytes:
    encoded = text.encode()
    return b"%d:%b," % (len(encoded), encoded)


@dataclass(frozen=True, slots=True)
class Throw:
    """A throw as a record tells it; `salts` are those that the players had set by then."""

    number: int
    dice: int
    sides: int
    faces: tuple[int, ...]
    salts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """All that a finished game publishes about its dice.

    As JSON: {"game": id, "commitment": hex, "seed": hex, "salts": [text, text],
    "throws": [{"number": 1, "dice": 2, "sides": 6, "faces": [3, 5]}, …]}. A throw that was made
    before a player set his salt says so with "salts" of its own, where that one is "".
    Other fields may stand beside these and are not looked at.
    """

    game_id: str
    commitment: str
    seed: bytes
    salts: tuple[str, ...]
    throws: tuple[Throw, ...]

    @classmethod
    def from_json(cls, data: object) -> Self:
        """Raises MalformedRecord."""
        salts = _texts(data, "salts")
        return cls(
            game_id=_text(data, "game"),
            commitment=_hexadecimal(data, "commitment").hex(),
            seed=_hexadecimal(data, "seed"),
            salts=salts,
            throws=tuple(_throw(item, salts) for item in _list(data, "throws")),
        )


def verify(record: Mapping[str, object]) -> list[str]:
    """One sentence for each thing that is wrong with a record; raises MalformedRecord."""
    told = Record.from_json(record)
    problems = [problem for throw in told.throws if (problem := _problem(told, throw))]
    if commitment(told.seed) != told.commitment:
        problems.insert(0, "The seed is not the one that was committed to.")
    if [throw.number for throw in told.throws] != list(range(1, len(told.throws) + 1)):
        problems.append("The throws are not numbered from 1 without a gap.")
    if not _salts_were_set_once(told):
        problems.append("A salt was changed after it had been set.")
    return problems


def _problem(record: Record, told: Throw) -> str | None:
    if len(told.faces) != told.dice:
        return f"Throw {told.number} shows {len(told.faces)} faces on {told.dice} dice."
    faces = throw(
        seed=record.seed,
        game_id=record.game_id,
        number=told.number,
        salts=told.salts,
        dice=told.dice,
        sides=told.sides,
    )
    if faces == told.faces:
        return None
    return f"Throw {told.number} should be {_listed(faces)} and not {_listed(told.faces)}."


def _salts_were_set_once(record: Record) -> bool:
    steps = pairwise([*(throw.salts for throw in record.throws), record.salts])
    return all(
        len(before) == len(after) and all(b in ("", a) for b, a in zip(before, after, strict=True))
        for before, after in steps
    )


def _listed(faces: Sequence[int]) -> str:
    return ", ".join(map(str, faces))


def _throw(data: object, salts: tuple[str, ...]) -> Throw:
    own = isinstance(data, dict) and "salts" in data
    return Throw(
        number=_whole_number(_field(data, "number"), "number"),
        dice=_whole_number(_field(data, "dice"), "dice"),
        sides=_whole_number(_field(data, "sides"), "sides", most=SIDES[-1]),
        faces=tuple(_whole_number(item, "faces") for item in _list(data, "faces")),
        salts=_texts(data, "salts") if own else salts,
    )


def _field(data: object, name: str) -> Any:
    if not isinstance(data, Mapping):
        raise MalformedRecord(f"There should be an object with a field {name!r}.")
    if name not in data:
        raise MalformedRecord(f"The field {name!r} is missing.")
    return data[name]


def _list(data: object, name: str) -> list[Any]:
    value = _field(data, name)
    if not isinstance(value, list):
        raise MalformedRecord(f"The field {name!r} should be a list.")
    return value


def _text(data: object, name: str) -> str:
    return _checked_text(_field(data, name), name)


def _texts(data: object, name: str) -> tuple[str, ...]:
    return tuple(_checked_text(item, name) for item in _list(data, name))


def _checked_text(value: object, name: str) -> str:
    # JSON can spell half of a surrogate pair, which is no text and has no UTF-8.
    if not isinstance(value, str) or any("\ud800" <= letter <= "\udfff" for letter in value):
        raise MalformedRecord(f"The field {name!r} should hold text.")
    return value


def _hexadecimal(data: object, name: str) -> bytes:
    text = _text(data, name)
    try:
        value = bytes.fromhex(text)
    except ValueError:
        value = b""
    if len(value) != SEED_BYTES or len(text) != 2 * SEED_BYTES:
        raise MalformedRecord(f"The field {name!r} should be 64 hexadecimal digits.")
    return value


def _whole_number(value: object, name: str, most: int | None = None) -> int:
    if type(value) is not int or value < 1 or (most and value > most):
        limits = f"from 1 to {most}" if most else "from 1"
        raise MalformedRecord(f"The field {name!r} should be a whole number {limits}.")
    return value


def main(arguments: Sequence[str]) -> int:
    """0 if the record is right, 1 if not, 2 if it cannot be read."""
    if len(arguments) != 2 or arguments[0] != "verify":
        print(USAGE, file=sys.stderr)
        return 2
    try:
        data = json.loads(Path(arguments[1]).read_text(encoding="utf-8"))
        problems = verify(data)
    except MalformedRecord as malformed:
        print(f"This is no record of dice: {malformed}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{arguments[1]} cannot be read: {error.strerror}.", file=sys.stderr)
        return 2
    except (ValueError, RecursionError):
        print(f"{arguments[1]} is not JSON.", file=sys.stderr)
        return 2
    print(*(problems or [_praise(data)]), sep="\n")
    return 1 if problems else 0


def _praise(data: Mapping[str, Any]) -> str:
    throws = len(data["throws"])
    return (
        f"ok: {throws} {'throw' if throws == 1 else 'throws'} of game {data['game']}"
        f" from the seed committed to as {data['commitment']}"
    )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
