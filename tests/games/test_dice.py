import hashlib
import hmac
import json
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import dice

ROOT = Path(__file__).parents[2]
SEED = bytes(range(32))
SALTS = ("Alice's salt", "böb")


def record_of(throws: int = 20, *, seed: bytes = SEED, salts: tuple[str, str] = SALTS) -> Any:
    """Twenty throws of two dice: that another seed or salt gives the same has odds of 6^-40."""
    return {
        "game": "17",
        "commitment": dice.commitment(seed),
        "seed": seed.hex(),
        "salts": list(salts),
        "throws": [throw_of(number, seed=seed, salts=salts) for number in range(1, throws + 1)],
    }


def throw_of(number: int, *, salts: tuple[str, ...], seed: bytes = SEED) -> dict[str, Any]:
    faces = dice.throw(
        scheme=1, seed=seed, game_id="17", number=number, salts=salts, dice=2, sides=6
    )
    return {"number": number, "faces": list(faces), "dice": 2, "sides": 6}


# Golden vectors: they may never change, for every finished game is verified with them.

GOLDEN_COMMITMENT = "630dcd2966c4336691125448bbb25b4ff412a49c732db2c8abc1b8581bd710dd"
GOLDEN_THROWS: list[Any] = [
    ("17", 1, ("", ""), (2, 6), (2, 2)),
    ("17", 2, ("", ""), (2, 6), (6, 4)),
    ("17", 1, ("Alice's salt", "böb"), (2, 6), (1, 4)),
    ("17", 1, ("böb", "Alice's salt"), (2, 6), (3, 3)),
    ("01890a5d-ac96-774b-bcce-b302099a8057", 123, ("", "x"), (1, 29), (23,)),
    ("g", 1, ("a", "b"), (5, 6), (4, 6, 6, 5, 1)),
    (
        "g",
        1,
        ("a", "b"),
        (40, 100),
        (
            24,
            24,
            95,
            99,
            45,
            79,
            15,
            30,
            58,
            75,
            58,
            59,
            13,
            80,
            73,
            5,
            35,
            74,
            3,
            94,
            46,
            5,
            14,
            30,
            8,
            85,
            28,
            85,
            69,
            70,
            75,
            68,
            42,
            47,
            11,
            8,
            60,
            71,
            59,
            14,
        ),
    ),
    ("", 1, (), (3, 256), (245, 247, 218)),
]


def test_the_commitment_is_the_golden_one() -> None:
    assert dice.commitment(SEED) == GOLDEN_COMMITMENT


@pytest.mark.parametrize(("game_id", "number", "salts", "shape", "faces"), GOLDEN_THROWS)
def test_a_throw_is_the_golden_one(
    game_id: str, number: int, salts: tuple[str, ...], shape: tuple[int, int], faces: Any
) -> None:
    count, sides = shape
    thrown = dice.throw(
        scheme=1, seed=SEED, game_id=game_id, number=number, salts=salts, dice=count, sides=sides
    )
    assert thrown == faces


def test_a_throw_follows_the_written_recipe() -> None:
    message = b"2:17,1:3,1:0,12:Alice's salt,4:b\xc3\xb6b,"
    block = hmac.new(SEED, message, hashlib.sha256).digest()
    expected = [byte % 6 + 1 for byte in block if byte < 252]
    thrown = dice.throw(scheme=1, seed=SEED, game_id="17", number=3, salts=SALTS, dice=10, sides=6)
    assert thrown == tuple(expected[:10])


def test_a_throw_of_many_dice_goes_on_in_the_next_block() -> None:
    blocks = b"".join(
        hmac.new(SEED, b"1:g,1:1,1:%d,0:,0:," % block, hashlib.sha256).digest()
        for block in range(4)
    )
    expected = [byte % 200 + 1 for byte in blocks if byte < 200]
    thrown = dice.throw(
        scheme=1, seed=SEED, game_id="g", number=1, salts=("", ""), dice=70, sides=200
    )
    assert thrown == tuple(expected[:70])


def test_every_face_is_exactly_as_likely() -> None:
    for sides in dice.SIDES:
        shown = Counter(dice.face(byte, sides) for byte in range(256))
        skipped = shown.pop(None, 0)
        assert shown == dict.fromkeys(range(1, sides + 1), 256 // sides)
        assert skipped < sides


@given(st.text(), st.text(), st.text(), st.text())
def test_salts_that_read_alike_when_joined_throw_differently(
    a: str, b: str, c: str, d: str
) -> None:
    many = {
        salts: dice.throw(
            scheme=1, seed=SEED, game_id="17", number=1, salts=salts, dice=60, sides=6
        )
        for salts in {(a + b, c + d), (a, b + c + d), (a + b + c, d), (a, b, c, d)}
    }
    assert len(set(many.values())) == len(many)


def test_a_seed_is_new_each_time() -> None:
    seeds = {dice.new_secret() for _ in range(100)}
    assert len(seeds) == 100
    assert {len(seed) for seed in seeds} == {32}


@pytest.mark.parametrize(
    "wrong", [{"seed": b"short"}, {"number": 0}, {"dice": 0}, {"sides": 0}, {"sides": 257}]
)
def test_an_impossible_throw_is_refused(wrong: dict[str, Any]) -> None:
    right: dict[str, Any] = {
        "scheme": 1,
        "seed": SEED,
        "game_id": "17",
        "number": 1,
        "salts": SALTS,
        "dice": 1,
        "sides": 6,
    }
    with pytest.raises(ValueError, match="a throw needs"):
        dice.throw(**(right | wrong))


# Verification


@given(st.binary(min_size=32, max_size=32), st.text(), st.text(), st.integers(0, 5))
def test_an_honest_record_has_no_problems(seed: bytes, a: str, b: str, throws: int) -> None:
    assert dice.verify(record_of(throws, seed=seed, salts=(a, b))) == []


def test_a_throw_made_before_the_salts_were_set_is_verified_with_those_of_its_time() -> None:
    record = record_of(3)
    record["throws"][0] = throw_of(1, salts=("", "")) | {"salts": ["", ""]}
    record["throws"][1] = throw_of(2, salts=("", SALTS[1])) | {"salts": ["", SALTS[1]]}
    assert dice.verify(record) == []


@pytest.mark.parametrize("early", [["pepper", ""], ["", "", ""], []])
def test_a_salt_may_not_be_changed_once_it_is_set(early: list[str]) -> None:
    record = record_of(3)
    record["throws"][0] = throw_of(1, salts=tuple(early)) | {"salts": early}
    assert dice.verify(record) == ["A salt was changed after it had been set."]


def test_a_salt_may_not_be_taken_away_for_a_throw() -> None:
    record = record_of(3)
    record["throws"][1] = throw_of(2, salts=("", SALTS[1])) | {"salts": ["", SALTS[1]]}
    assert dice.verify(record) == ["A salt was changed after it had been set."]


@given(st.integers(0, 19), st.integers(0, 1), st.integers(1, 5))
def test_a_changed_face_is_found(throw: int, die: int, turn: int) -> None:
    record = record_of()
    faces = record["throws"][throw]["faces"]
    right = list(faces)
    faces[die] = (faces[die] - 1 + turn) % 6 + 1
    assert dice.verify(record) == [
        f"Throw {throw + 1} should be {right[0]}, {right[1]} and not {faces[0]}, {faces[1]}."
    ]


@given(st.integers(0, 1), st.text())
def test_a_changed_salt_is_found(seat: int, salt: str) -> None:
    record = record_of()
    changed = record["salts"][seat] != salt
    record["salts"][seat] = salt
    assert bool(dice.verify(record)) == changed


@given(st.integers(0, 255))
def test_a_changed_seed_is_found(bit: int) -> None:
    record = record_of()
    record["seed"] = (int.from_bytes(SEED) ^ (1 << bit)).to_bytes(32).hex()
    assert "The seed is not the one that was committed to." in dice.verify(record)


@given(st.integers(0, 255))
def test_a_seed_changed_along_with_its_commitment_is_found(bit: int) -> None:
    record = record_of()
    seed = (int.from_bytes(SEED) ^ (1 << bit)).to_bytes(32)
    record |= {"seed": seed.hex(), "commitment": dice.commitment(seed)}
    assert any(problem.startswith("Throw") for problem in dice.verify(record))


@given(st.integers(0, 19), st.integers(1, 30))
def test_a_changed_number_is_found(throw: int, number: int) -> None:
    record = record_of()
    changed = record["throws"][throw]["number"] != number
    record["throws"][throw]["number"] = number
    gap = "The throws are not numbered from 1 without a gap."
    assert (gap in dice.verify(record)) == changed


@given(st.integers(0, 18), st.integers(1, 18))
def test_a_throw_left_out_or_moved_is_found(first: int, distance: int) -> None:
    left_out, moved = record_of(), record_of()
    del left_out["throws"][first]
    second = (first + distance) % 19
    throws = moved["throws"]
    throws[first], throws[second] = throws[second], throws[first]
    assert dice.verify(left_out)
    assert dice.verify(moved)


@given(st.text().filter(lambda text: text != "17"))
def test_another_game_cannot_lend_its_throws(game_id: str) -> None:
    assert dice.verify(record_of() | {"game": game_id})


def test_a_throw_with_a_die_too_many_is_found() -> None:
    record = record_of(1)
    record["throws"][0]["faces"].append(6)
    assert dice.verify(record) == ["Throw 1 shows 3 faces on 2 dice."]


MALFORMED: list[tuple[Any, str]] = [
    ([], "There should be an object with a field 'salts'."),
    ({"game": 17}, "The field 'game' should hold text."),
    ({"game": "\ud800"}, "The field 'game' should hold text."),
    ({"salts": "ab"}, "The field 'salts' should be a list."),
    ({"salts": ["a", None]}, "The field 'salts' should hold text."),
    ({"seed": "00" * 31}, "The field 'seed' should be 64 hexadecimal digits."),
    ({"seed": "00 " * 32}, "The field 'seed' should be 64 hexadecimal digits."),
    ({"commitment": "x" * 64}, "The field 'commitment' should be 64 hexadecimal digits."),
    ({"throws": [3]}, "There should be an object with a field 'number'."),
    ({"throws": [{}]}, "The field 'number' is missing."),
    ({"throws": [{"number": True}]}, "The field 'number' should be a whole number from 1."),
    ({"throws": [{"number": 0}]}, "The field 'number' should be a whole number from 1."),
    (
        {"throws": [{"number": 1, "dice": 1, "sides": 257}]},
        "The field 'sides' should be a whole number from 1 to 256.",
    ),
]


@pytest.mark.parametrize(("wrong", "sentence"), MALFORMED)
def test_a_malformed_record_is_one_sentence(wrong: Any, sentence: str) -> None:
    record = record_of(1) | wrong if isinstance(wrong, dict) else wrong
    with pytest.raises(dice.MalformedRecord) as refused:
        dice.verify(record)
    assert str(refused.value) == sentence


# The script


def run_script(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Without site-packages: the standard library and this tree alone."""
    return subprocess.run(
        [sys.executable, "-S", "-E", "-m", "games.dice", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_script_says_ok_with_the_standard_library_alone(tmp_path: Path) -> None:
    file = tmp_path / "game.json"
    file.write_text(json.dumps(record_of(3)))
    done = run_script("verify", str(file))
    assert done.stdout == (
        f"ok: 3 throws of game 17 from the seed committed to as {GOLDEN_COMMITMENT}\n"
        f"dice: scheme 1, commitment {GOLDEN_COMMITMENT}: only a game that began before"
        " scheme 2 has it; the server could have tried seeds before the first salt\n"
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_the_script_needs_nothing_that_was_installed() -> None:
    code = (
        "import sys; before = set(sys.modules); import games.dice;"
        "print(*{name.partition('.')[0] for name in set(sys.modules) - before}"
        " - sys.stdlib_module_names)"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-E", "-c", code],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == ["games"]


def test_the_script_says_a_sentence_for_each_problem(tmp_path: Path) -> None:
    record = record_of(3)
    record["throws"][1]["faces"] = [7, 7]
    record["throws"][2]["number"] = 4
    file = tmp_path / "game.json"
    file.write_text(json.dumps(record))
    done = run_script("verify", str(file))
    assert done.returncode == 1
    assert len(done.stdout.splitlines()) == len(dice.verify(record)) == 3


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"{", "{file} is not JSON."),
        (b"\xff", "{file} is not JSON."),
        (b"[" * 100_000, "{file} is not JSON."),
        (
            b"{}",
            "This is no record of dice: The field 'salts' is missing.",
        ),
    ],
    ids=["cut", "not text", "too deep", "empty"],
)
def test_a_file_that_is_no_record_is_one_sentence(
    tmp_path: Path, content: bytes, sentence: str
) -> None:
    file = tmp_path / "game.json"
    file.write_bytes(content)
    done = run_script("verify", str(file))
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == sentence.format(file=file) + "\n"


def test_a_file_that_is_not_there_is_one_sentence() -> None:
    done = run_script("verify", "nowhere.json")
    assert done.returncode == 2
    assert done.stderr == "nowhere.json cannot be read: No such file or directory.\n"


def test_the_script_says_how_it_is_called() -> None:
    done = run_script()
    assert (done.returncode, done.stderr) == (2, dice.USAGE + "\n")
