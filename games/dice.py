"""Dice that nobody can choose and everybody can check afterwards.

Scheme 2, for games that begin now:

1. The server draws a secret. Hashed 15 times with SHA-256 it is the game's seed, and hashed once
   more it is the commitment, which is published before the second player adds a salt: with
   a challenge, or, for an event, when it opens. Each player may add a salt, once, and before
   the first throw.
2. A *netstring* of a text is the number of its UTF-8 bytes in decimal, a colon, those bytes,
   and a comma: `5:salt!,`.
3. Throw number n (the first of a game is 1) reads its dice from a stream of bytes, the blocks
   0, 1, 2… one after the other. Block c is HMAC-SHA256 with the seed as key and, as message,
   the netstrings of `tripost-dice/2`, the commitment in hexadecimal, both salts in the order of
   their UTF-8 bytes, n and c, joined; n and c in decimal, a salt that nobody sent as the empty
   text.
4. Dice of s sides: a byte b of the stream that is not below 256 − (256 mod s) is skipped; any
   other is a die that shows (b mod s) + 1. As many bytes are read as it takes.
5. Throw 0, one die of two sides, draws who moves first where that is left to chance: on a 1 it
   is the challenger.
6. When a game ends, its seed is published. If a ruling lets the game go on, it goes on with
   the seed before it in the chain: the published seed is that one's SHA-256, and so is its
   commitment, made before anybody added a salt.
7. An event binds the seeds of all its games at once: when it opens it publishes the key of a
   verifiable random function (games.vrf), which has exactly one number for each text. Games with
   the built-in bots have a published key as well. The seed of such a game is the number for the
   netstrings of `tripost-draw/1`, the season, the ids of both players, the lower one first, which
   of their games in this season it is, from 1, and how often it was reopened, from 0; a reopened
   game goes on with the next of these.

Scheme 1, for games that began before: the message is the netstrings of the game's id, n, c and
each salt in the order of the seats, an absent salt as the empty text. The seed is random, its
SHA-256 was published when the game began, and a salt counts from the throw after it was added.

The bytes that are not skipped are a multiple of s in number, so every face is exactly as likely.
`python -m games.dice verify game.json` derives every throw again, with the standard library alone.
"""

import hashlib
import hmac
import json
import secrets
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, islice, pairwise
from pathlib import Path
from typing import Any, Self

from games import vrf

SEED_BYTES = 32
SIDES = range(1, 257)
SCHEME = 2
CHAIN = 16
"""A game has so many seeds, so it can be reopened one time less."""
MOST_SEGMENTS = CHAIN + 1
"""A game that began under scheme 1 has its first seed besides."""
USAGE = "usage: verify FILE.json"


class MalformedRecord(ValueError):
    """What was to be verified is no record of a game's dice; the sentence says why."""


def new_secret() -> bytes:
    return secrets.token_bytes(SEED_BYTES)


def seed_of(secret: bytes, *, reopened: int = 0) -> bytes:
    """The seed of a game of scheme 2 that was reopened so many times, fewer than CHAIN."""
    if not 0 <= reopened < CHAIN:
        raise ValueError("there is no such seed in the chain")
    seed = secret
    for _ in range(CHAIN - 1 - reopened):
        seed = hashlib.sha256(seed).digest()
    return seed


def commitment(seed: bytes) -> str:
    return hashlib.sha256(seed).hexdigest()


# Throwing


def throw(
    *,
    scheme: int,
    seed: bytes,
    game_id: str,
    number: int,
    salts: Sequence[str],
    dice: int,
    sides: int,
) -> tuple[int, ...]:
    """The faces of throw `number` of a game, as the module's text derives them."""
    if len(seed) != SEED_BYTES or number < 1 or dice < 1 or sides not in SIDES:
        raise ValueError("a throw needs a seed of 32 bytes, a number and dice from 1, 1–256 sides")
    fields = _fields(scheme, seed, game_id, number, salts)
    return _faces(seed, fields, dice, sides)


def challenger_begins(*, seed: bytes, salts: Sequence[str]) -> bool:
    """The lot for the first move, in scheme 2."""
    return _faces(seed, _fields(2, seed, "", 0, salts), 1, 2) == (1,)


def face(byte: int, sides: int) -> int | None:
    """What a die shows for a byte of the stream; None if the byte is to be skipped."""
    return byte % sides + 1 if byte < 256 - 256 % sides else None


Fields = Callable[[int], Sequence[str]]
"""What goes into a block of the stream, by the number of the block."""


def _fields(scheme: int, seed: bytes, game_id: str, number: int, salts: Sequence[str]) -> Fields:
    if scheme == 1:
        return lambda block: (game_id, str(number), str(block), *salts)
    if scheme == 2:
        ordered = sorted(salts, key=str.encode)
        head = ("tripost-dice/2", commitment(seed), *ordered, str(number))
        return lambda block: (*head, str(block))
    raise ValueError(f"there is no scheme {scheme}")


def _faces(seed: bytes, fields: Fields, dice: int, sides: int) -> tuple[int, ...]:
    faces = (face(byte, sides) for byte in _stream(seed, fields))
    return tuple(islice((shown for shown in faces if shown), dice))


def _stream(seed: bytes, fields: Fields) -> Iterator[int]:
    for block in count():
        yield from hmac.digest(seed, b"".join(map(_netstring, fields(block))), "sha256")


def _netstring(text: str) -> bytes:
    encoded = text.encode()
    return b"%d:%b," % (len(encoded), encoded)


# Seeds of a published key


def drawn_text(*, season: int, players: Sequence[int], game: int, reopened: int) -> bytes:
    """What the seed of a game is the number for."""
    parts = (season, *sorted(players), game, reopened)
    return b"".join(map(_netstring, ("tripost-draw/1", *map(str, parts))))


# Records


@dataclass(frozen=True, slots=True)
class Throw:
    """A throw as a record tells it; `salts` are those that the players had set by then."""

    number: int
    dice: int
    sides: int
    faces: tuple[int, ...]
    salts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Segment:
    """The throws up to and with `last_throw` that follow from one seed; the last has no end."""

    scheme: int
    commitment: str
    seed: bytes
    last_throw: int | None
    proof: bytes | None = None
    """That the seed is what a published key has for this game."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """Which game of which players it is, for a published key."""

    key: bytes
    season: int
    players: tuple[int, ...]
    game: int


@dataclass(frozen=True, slots=True)
class Record:
    """All that a finished game publishes about its dice.

    As JSON: {"game": id, "commitment": hex, "salts": [text, text],
    "segments": [{"scheme": 2, "commitment": hex, "seed": hex, "last_throw": null, "proof": null}],
    "drawn": null or {"key": hex, "season": 1, "players": [id, id], "game": 1}, and then each
    segment has its "proof" in hexadecimal,
    "challenger": the challenger's seat, 0 or 1, if the first move was drawn by lot, else null,
    "throws": [{"number": 1, "dice": 2, "sides": 6, "faces": [3, 5]}, …]}.
    Older records have no segments, but a "seed" of scheme 1. A throw of that scheme that was made
    before a player set a salt says so with "salts" of its own, where that one is "".
    Other fields may stand beside these and are not looked at.
    """

    game_id: str
    commitment: str
    segments: tuple[Segment, ...]
    salts: tuple[str, ...]
    throws: tuple[Throw, ...]
    drawn: Drawn | None = None
    challenger: int | None = None

    @classmethod
    def from_json(cls, data: object) -> Self:
        """Raises MalformedRecord."""
        salts = _texts(data, "salts")
        committed = _hexadecimal(data, "commitment").hex()
        is_old = isinstance(data, Mapping) and "segments" not in data
        return cls(
            game_id=_text(data, "game"),
            commitment=committed,
            segments=(Segment(1, committed, _hexadecimal(data, "seed"), None),)
            if is_old
            else _segments(data),
            salts=salts,
            throws=tuple(_throw(item, salts) for item in _list(data, "throws")),
            drawn=None if is_old else _drawn(_field(data, "drawn")),
            challenger=None if is_old else _challenger(data),
        )

    def segment_of(self, number: int) -> Segment:
        ends = (segment.last_throw for segment in self.segments)
        at = next(at for at, end in enumerate(ends) if end is None or number <= end)
        return self.segments[at]


def verify(record: Mapping[str, object]) -> list[str]:
    """One sentence for each thing that is wrong with a record; raises MalformedRecord."""
    told = Record.from_json(record)
    problems = list(_problems_of_segments(told))
    if not _segments_follow(told):
        return [*problems, "The segments do not follow each other."]
    problems += [problem for throw in told.throws if (problem := _problem(told, throw))]
    if [throw.number for throw in told.throws] != list(range(1, len(told.throws) + 1)):
        problems.append("The throws are not numbered from 1 without a gap.")
    if not _salts_were_set_once(told):
        problems.append("A salt was changed after it had been set.")
    if not _is_drawn_by_its_key(told):
        problems.append("The seed is not the one that the key has for this game.")
    if not _lot_is_right(told):
        problems.append("The lot for the first move fell to the other player.")
    return problems


def _problems_of_segments(record: Record) -> Iterator[str]:
    if any(commitment(segment.seed) != segment.commitment for segment in record.segments):
        yield "The seed is not the one that was committed to."
    chained = all(
        later.scheme == 2
        and (
            record.drawn is not None
            or earlier.scheme == 1
            or later.commitment == earlier.seed.hex()
        )
        for earlier, later in pairwise(record.segments)
    )
    if not chained or record.segments[0].commitment != record.commitment:
        yield "A seed is not the one that the commitment of the whole game binds."


def _segments_follow(record: Record) -> bool:
    """A game is reopened after a throw, never before: a seed that threw nothing was chosen."""
    ends = [segment.last_throw for segment in record.segments]
    known = [end for end in ends[:-1] if end is not None]
    return (
        ends[-1] is None
        and len(known) == len(ends) - 1
        and known == sorted(known)
        and all(1 <= end <= len(record.throws) for end in known)
    )


def _problem(record: Record, told: Throw) -> str | None:
    if len(told.faces) != told.dice:
        return f"Throw {told.number} shows {len(told.faces)} faces on {told.dice} dice."
    segment = record.segment_of(told.number)
    faces = throw(
        scheme=segment.scheme,
        seed=segment.seed,
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
    """In scheme 2 they are there from the first throw on."""
    if record.segments[0].scheme == 2:
        return all(throw.salts == record.salts for throw in record.throws)
    steps = pairwise([*(throw.salts for throw in record.throws), record.salts])
    return all(
        len(before) == len(after) and all(b in ("", a) for b, a in zip(before, after, strict=True))
        for before, after in steps
    )


def _is_drawn_by_its_key(record: Record) -> bool:
    """Whether each seed is the one number that the key has for this game."""
    drawn = record.drawn
    if drawn is None:
        return True
    return all(
        segment.scheme == 2
        and segment.seed
        == vrf.number(
            drawn.key,
            drawn_text(
                season=drawn.season, players=drawn.players, game=drawn.game, reopened=reopened
            ),
            segment.proof or b"",
        )
        for reopened, segment in enumerate(record.segments)
    )


def _lot_is_right(record: Record) -> bool:
    if record.challenger is None:
        return True
    begins = challenger_begins(seed=record.segments[0].seed, salts=record.salts)
    return begins == (record.challenger == 0)


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


def _segments(data: object) -> tuple[Segment, ...]:
    listed = _list(data, "segments")
    # The proof of a seed takes milliseconds, so the seeds are counted before any is looked at.
    if not 1 <= len(listed) <= MOST_SEGMENTS:
        raise MalformedRecord(f"The field 'segments' should hold 1 to {MOST_SEGMENTS} seeds.")
    return tuple(map(_segment, listed))


def _segment(data: object) -> Segment:
    last_throw = _field(data, "last_throw")
    return Segment(
        scheme=_whole_number(_field(data, "scheme"), "scheme", most=SCHEME),
        commitment=_hexadecimal(data, "commitment").hex(),
        seed=_hexadecimal(data, "seed"),
        last_throw=None if last_throw is None else _whole_number(last_throw, "last_throw", least=0),
        proof=_proof(_field(data, "proof")),
    )


def _proof(value: object) -> bytes | None:
    return None if value is None else _checked_hexadecimal(value, "proof", vrf.PROOF_BYTES)


def _drawn(data: object) -> Drawn | None:
    if data is None:
        return None
    players = tuple(_whole_number(item, "players") for item in _list(data, "players"))
    if len(players) != 2:
        raise MalformedRecord("The field 'players' should hold two numbers.")
    return Drawn(
        key=_hexadecimal(data, "key"),
        season=_whole_number(_field(data, "season"), "season"),
        players=players,
        game=_whole_number(_field(data, "game"), "game"),
    )


def _challenger(data: object) -> int | None:
    seat = _field(data, "challenger")
    return None if seat is None else _whole_number(seat, "challenger", least=0, most=1)


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
    return _checked_hexadecimal(_field(data, name), name)


def _checked_hexadecimal(value: object, name: str, length: int = SEED_BYTES) -> bytes:
    text = _checked_text(value, name)
    try:
        value = bytes.fromhex(text)
    except ValueError:
        value = b""
    if len(value) != length or len(text) != 2 * length:
        raise MalformedRecord(f"The field {name!r} should be {2 * length} hexadecimal digits.")
    return value


def _whole_number(value: object, name: str, *, least: int = 1, most: int | None = None) -> int:
    if type(value) is not int or value < least or (most is not None and value > most):
        limits = f"from {least}" if most is None else f"from {least} to {most}"
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
    print(*(problems or [_praise(data), *left_to_compare(data)]), sep="\n")
    return 1 if problems else 0


def _praise(data: Mapping[str, Any]) -> str:
    throws = len(data["throws"])
    return (
        f"ok: {throws} {'throw' if throws == 1 else 'throws'} of game {data['game']}"
        f" from the seed committed to as {data['commitment']}"
    )


def left_to_compare(data: Mapping[str, object]) -> list[str]:
    """What a record that verifies cannot prove by itself, and with what to compare it."""
    record = Record.from_json(data)
    if record.segments[0].scheme == 1:
        reopened = ["dice: reopened with a seed that the server drew when it knew the salts"]
        return [
            f"dice: scheme 1, commitment {record.commitment}: only a game that began before"
            " scheme 2 has it; the server could have tried seeds before the first salt",
            *(reopened if len(record.segments) > 1 else []),
        ]
    drawn = record.drawn
    if drawn is None:
        return [
            f"dice: scheme 2, commitment {record.commitment}: compare it with the one that was"
            " published with the challenge; a game of an event or with a built-in bot has a key"
        ]
    one, other = drawn.players
    return [
        f"dice: scheme 2, key {drawn.key.hex()}: compare this key with the one that the event"
        " published, or the server for its built-in bots",
        f"dice: drawn for season {drawn.season}, players {one} and {other}, their game no."
        f" {drawn.game}: compare this with the games that they played",
    ]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
