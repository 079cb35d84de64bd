"""Where a game file comes from: the server signs its hash, which covers everything else."""

import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from games.ed25519 import is_signed
from games.record_shape import UNSIGNED

Record = Mapping[str, Any]


def signed(record: Record, *, key: str, sign: Callable[[bytes], bytes]) -> dict[str, Any]:
    """The sealed record with the signature of the server that vouches for it."""
    return {**record, "key": key, "signature": sign(_vouched(record)).hex()}


def _vouched(record: Record) -> bytes:
    """The hash covers everything else."""
    return f"{record['format']}\n{record['hash']}\n".encode()


class Keys(NamedTuple):
    """What a server publishes: its address, its public keys by their ids, and of its bots."""

    site: str
    keys: Mapping[str, bytes]
    dice_with_bots: str | None
    """The key to the dice of games with them."""
    bots: frozenset[str]
    """Their names."""


def keys_from(data: bytes) -> Keys:
    """What a server publishes at /.well-known/tripost-keys.json; raises ValueError."""
    try:
        told = json.loads(data)
        keys = {key["id"]: bytes.fromhex(key["public_key"]) for key in told["keys"]}
        return Keys(
            str(told["site"]), keys, told.get("dice_with_bots"), frozenset(told.get("bots", []))
        )
    except (LookupError, TypeError, RecursionError):
        raise ValueError("no published keys") from None


def problems_of_origin(record: Record, keys: Keys) -> Iterator[str]:
    """Whether the server vouches for this file, as it is."""
    if record["format"] == UNSIGNED:
        yield "The file is of the first format, which is not signed: its origin is unknown."
        return
    if record["site"] != keys.site:
        yield f"The file says that it is from {record['site']}, but the keys are of {keys.site}."
    public = keys.keys.get(record["key"])
    if public is None:
        yield f"The key {record['key']} is not one of the published keys."
    elif not is_signed(_vouched(record), _signature(record), public):
        yield "The signature is wrong: this is not what the server signed."


def _signature(record: Record) -> bytes:
    """Nothing if it is not written as it was signed: capitals would be a second spelling."""
    try:
        signature = bytes.fromhex(record["signature"])
    except ValueError:
        return b""
    return signature if signature.hex() == record["signature"] else b""
