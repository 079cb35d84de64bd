"""A game file is signed by the server that it is from; a renamed or edited one is found out."""

import json
import subprocess
import sys

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from django.core.management import call_command
from hypothesis import given
from hypothesis import strategies as st

from games import files, one_file_verifier, record, record_origin, signing_keys
from games.ed25519 import is_signed
from games.models import SigningKey
from tests.games.acts import play_to_the_end, resigned_by

# RFC 8032, 7.1: public key, message, signature.
VECTORS = [
    (
        "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
        "",
        "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b4"
        "6bd25bf5f0595bbe24655141438e7a100b",
    ),
    (
        "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
        "72",
        "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d"
        "8c387b2eaeb4302aeeb00d291612bb0c00",
    ),
    (
        "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
        "af82",
        "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6"
        "594a7c15e9716ed28dc027beceea1ec40a",
    ),
]


@pytest.mark.parametrize("vector", VECTORS)
def test_the_signatures_of_the_standard_are_good(vector):
    key, message, signature = map(bytes.fromhex, vector)
    assert is_signed(message, signature, key)
    assert not is_signed(message + b"x", signature, key)


@given(st.binary(max_size=50), st.integers(0, 511), st.integers(0, 255))
def test_a_signature_of_the_library_is_good_and_any_changed_bit_shows(message, bit, key_bit):
    private = Ed25519PrivateKey.generate()
    public, signature = private.public_key().public_bytes_raw(), private.sign(message)
    assert is_signed(message, signature, public)
    assert not is_signed(message, _flipped(signature, bit), public)
    assert not is_signed(message, signature, _flipped(public, key_bit))


def _flipped(data, bit):
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


def test_a_scalar_beyond_the_order_is_refused():
    """Otherwise there would be a second signature of the same message."""
    key, message, signature = map(bytes.fromhex, VECTORS[1])
    order = 2**252 + 27742317777372353535851937790883648493
    beyond = int.from_bytes(signature[32:], "little") + order
    assert not is_signed(message, signature[:32] + beyond.to_bytes(32, "little"), key)


# Files


@pytest.fixture
def file(start):
    return files.file_of(play_to_the_end(start("tritoc")).pk)


def test_a_file_is_from_here(file, client):
    published = client.get("/.well-known/tripost-keys.json")
    assert "public" in published["Cache-Control"]
    keys = record_origin.keys_from(published.content)
    assert record.verify(file.as_json(), keys) == []


def _swapped(told):
    told["players"].reverse()


def _renamed(told):
    told["players"][0] = "charlie"


def _moved(told):
    told["site"] = "https://elsewhere.example"


def _unrated(told):
    told["result"]["rated"] = False


@pytest.mark.parametrize("forge", [_swapped, _renamed, _moved, _unrated])
def test_a_file_that_is_consistent_but_not_from_here_shows(file, forge):
    forged = json.loads(file.as_json())
    forge(forged)
    data = record.spelled(record.sealed(forged))
    assert record.verify(data) == []
    problems = record.verify(data, signing_keys.own_keys())
    assert problems[-1] == "The signature is wrong: this is not what the server signed."


def test_a_key_that_nobody_published_shows(file):
    private = Ed25519PrivateKey.generate()
    forged = record_origin.signed(file.record, key="mine", sign=private.sign)
    assert record.verify(record.spelled(forged), signing_keys.own_keys()) == [
        "The key mine is not one of the published keys."
    ]


def test_what_claims_to_be_from_here_is_not_taken_in_without_our_signature(file, charlie, api_of):
    forged = json.loads(file.as_json())
    forged["players"][0] = "charlie"
    data = record.spelled(record.sealed(forged))
    send = api_of(charlie).post
    refused = send("/api/v1/me/imports", data, content_type="application/json")
    assert refused.status_code == 422
    assert "The signature is wrong" in refused.json()["detail"]
    taken = send("/api/v1/me/imports", file.as_json(), content_type="application/json")
    assert taken.status_code == 201


def test_no_zone_of_a_player_is_published(start, alice, bob, client):
    game = resigned_by(alice, start(weekends=True))
    told = files.file_of(game.pk)
    for text in (told.as_json(), told.as_text()):
        assert alice.zone.encode() not in text
        assert bob.zone.encode() not in text
    assert record.verify(told.as_json()) == []
    for part in ("", "/moves", "/dice", "/file"):
        assert alice.zone not in client.get(f"/api/v1/games/{game.pk}{part}").content.decode()


# Keys


def test_old_keys_stay_published_and_their_files_valid(file, client):
    old = file.as_json()
    call_command("rotate_signing_key")
    assert SigningKey.objects.count() == 2
    new = files.file_of(file.game.pk)
    assert new.record["key"] != file.record["key"]
    keys = record_origin.keys_from(client.get("/.well-known/tripost-keys.json").content)
    assert record.verify(old, keys) == record.verify(new.as_json(), keys) == []


def test_a_new_key_is_made_where_the_last_cannot_be_read(file, settings):
    settings.SECRET_KEY = "another-secret-that-the-operator-has-set-for-a-good-reason"
    again = files.file_of(file.game.pk)
    assert again.record["key"] != file.record["key"]
    assert record.verify(file.as_json(), signing_keys.own_keys()) == []


def test_the_private_key_is_not_stored_in_the_clear(db):
    signer = signing_keys.signer()
    stored = SigningKey.objects.get(pk=signer.key)
    assert len(bytes(stored.private_key)) > 100
    assert "private" not in json.dumps(signing_keys.published(), default=str)


# The verifier that is downloaded


def test_the_downloaded_verifier_checks_a_downloaded_file(start, client, tmp_path):
    game = play_to_the_end(start("triotrio", options={"turn_limit": 3}))
    for name, address in {
        "tripost-verify.pyz": "/help/dice/tripost-verify.pyz",
        "keys.json": "/.well-known/tripost-keys.json",
        "game.json": f"/games/{game.pk}/game.json",
    }.items():
        (tmp_path / name).write_bytes(client.get(address).content)

    def run(*arguments):
        program = [sys.executable, "-I", "-S", "tripost-verify.pyz", "verify", *arguments]
        return subprocess.run(program, cwd=tmp_path, capture_output=True, text=True)

    done = run("game.json", "--keys", "keys.json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[1].startswith("origin: signed by http://localhost:8000 ")
    assert run("game.json").stdout.splitlines()[1] == "origin: not checked, for no keys were given"
    forged = json.loads((tmp_path / "game.json").read_bytes())
    forged["players"].reverse()
    (tmp_path / "game.json").write_bytes(record.spelled(record.sealed(forged)))
    done = run("game.json", "--keys", "keys.json")
    assert (done.returncode, done.stdout) == (
        1,
        "The signature is wrong: this is not what the server signed.\n",
    )
    for wrong in (
        ["game.json", "--keys"],
        ["game.json", "--keys", "none"],
        ["game.json", "x", "y"],
    ):
        assert run(*wrong).returncode == 2
    (tmp_path / "keys.json").write_text("[]")
    assert run("game.json", "--keys", "keys.json").returncode == 2


@pytest.mark.parametrize("arguments", [[], ["--help"], ["verify"], ["dice"], ["verify", "a", "b"]])
def test_the_downloaded_verifier_shows_its_commands(tmp_path, arguments):
    (tmp_path / one_file_verifier.NAME).write_bytes(one_file_verifier.program())
    program = [sys.executable, "-I", "-S", one_file_verifier.NAME, *arguments]
    done = subprocess.run(program, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 2
    assert done.stderr == (
        "usage: python tripost-verify.pyz verify FILE.json [--keys KEYS.json or URL]\n"
        "       python tripost-verify.pyz dice FILE.json\n"
    )
