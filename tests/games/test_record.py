"""A game file proves itself: whatever is changed in it shows, and nothing makes it stumble."""

import json
import subprocess
import sys
from contextlib import suppress
from copy import deepcopy
from datetime import timedelta

import pytest
from django.conf import settings
from hypothesis import given
from hypothesis import settings as effort
from hypothesis import strategies as st

from games import files, play, record, signing_keys
from games.clock import Fischer
from games.models import Via, WayIn
from tests.conftest import NOW
from tests.games.acts import as_stored, both_move, move, play_to_the_end

DAY = timedelta(days=1)
GAMES = [
    ("tritt-reloaded", {}),
    ("tritt-classic", {}),
    ("tritoc", {"dice": "equal"}),
    ("tri-trac", {"move_limit": 8}),
    ("triotrio", {"turn_limit": 4}),
]


@pytest.fixture
def short(start):
    """A file of a game with dice, salts and a few plies."""
    game = start("triotrio", options={"turn_limit": 2})
    return play_to_the_end(game, now=NOW + timedelta(hours=5))


def told(game):
    return files.file_of(game.pk).record


def changed(whole, change):
    """The file of a forger who knows how to seal: what is wrong is found by replaying it."""
    forged = deepcopy(whole)
    change(forged)
    return record.spelled(record.sealed(forged))


@pytest.mark.parametrize(("ruleset", "options"), GAMES)
def test_a_whole_game_verifies_with_the_standard_library_alone(start, tmp_path, ruleset, options):
    game = play_to_the_end(start(ruleset, options=options, weekends=True), now=NOW + DAY)
    file = tmp_path / "game.json"
    file.write_bytes(files.file_of(game.pk).as_json())
    done = run(file)
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout.startswith(f"ok: {game.ply} plies and {game.throws_made} throws of game")


def run(file):
    return subprocess.run(
        [sys.executable, "-S", "-E", "-m", "games.record", "verify", str(file)],
        cwd=settings.BASE_DIR,
        capture_output=True,
        text=True,
    )


def test_the_verifier_says_what_is_wrong(short, tmp_path):
    file = tmp_path / "game.json"
    data = files.file_of(short.pk).as_json()
    file.write_bytes(data.replace(b'"alice"', b'"alicf"'))
    done = run(file)
    assert (done.returncode, done.stderr) == (1, "")
    assert done.stdout == (
        "The hashes do not fit: something was changed after the file was made.\n"
    )
    file.write_bytes(data[:-3])
    assert (run(file).returncode, run(file).stderr) == (
        2,
        "This is no game file: it is not JSON.\n",
    )
    assert run(tmp_path / "none").returncode == 2


def test_any_byte_that_is_changed_shows(short):
    data = files.file_of(short.pk).as_json()
    keys = signing_keys.own_keys()
    assert record.verify(data, keys) == []

    @effort(max_examples=400)
    @given(st.integers(0, len(data) - 1), st.integers(1, 255))
    def verify(place, difference):
        forged = bytearray(data)
        forged[place] ^= difference
        assert is_refused(bytes(forged), keys)

    verify()


def is_refused(data, keys):
    try:
        return record.verify(data, keys) != []
    except record.MalformedRecord:
        return True


def test_bytes_that_are_added_or_left_out_show(short):
    data = files.file_of(short.pk).as_json()
    keys = signing_keys.own_keys()
    for place in (0, 1, len(data) // 2, len(data)):
        assert is_refused(data[:place] + b" " + data[place:], keys)
        assert is_refused(data[:place] + data[place + 1 :], keys) or place == len(data)


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["2026-03-02T12:00:00+00:00", "9999-12-31T23:59:59+00:00", "Europe", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=4,
)


def places(value, path=()):
    """Every place in a record, as the keys that lead there."""
    if path:
        yield path
    items = value.items() if isinstance(value, dict) else enumerate(value)
    for key, item in items:
        if isinstance(item, dict | list):
            yield from places(item, (*path, key))
        else:
            yield (*path, key)


def put(whole, path, value):
    for key in path[:-1]:
        whole = whole[key]
    whole[path[-1]] = value


def test_no_forgery_makes_the_verifier_stumble(start):
    game = start("tritoc", weekends=True, clock=Fischer(48, 12, 72))
    both_move(game)
    play.resign(game_id=game.pk, player_id=game.seats.first().player_id, now=NOW)
    whole = told(game)
    everywhere = list(places(whole))

    @effort(max_examples=300)
    @given(st.sampled_from(everywhere), JSON_VALUES)
    def forge(path, value):
        forged = deepcopy(whole)
        put(forged, path, value)
        try:
            data = record.spelled(record.sealed(forged))
        except (AttributeError, KeyError, TypeError):
            return  # So far from a game file that it cannot even be sealed.
        with suppress(record.MalformedRecord):
            record.verify(data)

    forge()


# What a forger who seals anew cannot do


def problems(whole, change):
    return record.verify(changed(whole, change))


def test_a_move_that_is_not_legal_shows(start):
    whole = told(play_to_the_end(start()))

    def forge(forged):
        forged["moves"][2]["move"] = forged["moves"][1]["move"]

    assert problems(whole, forge)[0].startswith("A move is not legal: ")


def test_a_move_out_of_turn_shows(start):
    whole = told(play_to_the_end(start()))
    assert problems(whole, lambda forged: put(forged, ("moves", 2, "seat"), 0)) == [
        "The moves cannot be replayed: at ply 2 it was not the turn of seat 0."
    ]


def test_a_line_in_another_place_shows(start):
    whole = told(play_to_the_end(start()))
    assert problems(whole, lambda forged: put(forged, ("moves", 2, "ply"), 3)) == [
        "The moves cannot be replayed: line 2 says that it is ply 3."
    ]


def test_a_move_in_other_words_shows(start):
    whole = told(play_to_the_end(start()))
    written = whole["moves"][1]["move"]
    typed = f" {written.upper()}"
    assert problems(whole, lambda forged: put(forged, ("moves", 1, "move"), typed)) == [
        f"The moves cannot be replayed: the move of ply 1 is written {written}."
    ]


def test_another_result_than_the_moves_lead_to_shows(short):
    whole = told(short)
    scores = [1.0, 0.0] if whole["result"]["scores"] == [0.5, 0.5] else [0.5, 0.5]
    found = problems(whole, lambda forged: put(forged, ("result", "scores"), scores))
    assert found == ["The moves do not lead to the result “turn-limit”."]
    found = problems(whole, lambda forged: put(forged, ("result", "reason"), "resignation"))
    assert found == ["The moves do not lead to the result “resignation”."]


def test_a_die_that_was_not_thrown_shows(short):
    whole = told(short)

    def forge(forged):
        for faces in (forged["moves"][0]["throws"][0], forged["dice"]["throws"][0]["faces"]):
            faces[0] = faces[0] % 6 + 1

    assert problems(whole, forge)


def test_dice_of_other_sides_show(short):
    whole = told(short)
    found = problems(whole, lambda forged: put(forged, ("dice", "throws", 1, "sides"), 255))
    assert found == ["The throws of the proof are not those of the moves."]


def test_a_seed_that_was_not_committed_to_shows(short):
    whole = told(short)
    found = problems(whole, lambda forged: put(forged, ("dice", "segments", 0, "seed"), "00" * 32))
    assert "The seed is not the one that was committed to." in found


def test_a_time_that_was_not_used_shows(start):
    whole = told(play_to_the_end(start(), now=NOW + DAY))
    used = whole["moves"][1]["used"]
    assert used == DAY // timedelta(microseconds=1)
    assert problems(whole, lambda forged: put(forged, ("moves", 1, "used"), used - 1)) == [
        "Ply 1 took 23:59:59.999999 by the file, but 1 day, 0:00:00 by the clock."
    ]


def test_a_move_after_the_flag_fell_shows(start):
    whole = told(play_to_the_end(start(), now=NOW + DAY))
    late = (NOW - 4 * DAY).isoformat()

    def forge(forged):
        forged["started_at"] = forged["moves"][0]["at"] = late
        forged["moves"][1]["used"] = 5 * DAY // timedelta(microseconds=1)

    assert problems(whole, forge) == ["At ply 1 the time of seat 0 had run out."]


def test_a_loss_on_time_with_time_left_shows(start):
    game = start()
    both_move(game)
    play.forfeit_on_time(
        due_by=dict.fromkeys(WayIn.values, NOW + 4 * DAY), now=NOW + 4 * DAY, most=10
    )
    whole = told(as_stored(game))
    assert whole["result"]["reason"] == "time"
    assert record.verify(record.spelled(whole)) == []
    early = (NOW + 2 * DAY).isoformat()
    assert problems(whole, lambda forged: put(forged, ("result", "ended_at"), early)) == [
        "The game was ended on time before its flag fell."
    ]


def test_a_take_back_to_where_nothing_stands_shows(start, alice, bob):
    game = start()
    move(game)
    play.ask_takeback(game_id=game.pk, player_id=alice.pk, now=NOW)
    play.accept_takeback(game_id=game.pk, player_id=bob.pk, now=NOW, via=Via.WEB)
    move(game)
    whole = told(as_stored(game))
    assert record.verify(record.spelled(whole)) == []
    assert problems(whole, lambda forged: put(forged, ("moves", 2, "back_to"), 2)) == [
        "The moves cannot be replayed: ply 2 goes back to a ply that does not stand."
    ]


def test_rules_that_nobody_knows_show(short):
    whole = told(short)
    assert problems(whole, lambda forged: put(forged, ("version",), 9)) == [
        "The moves cannot be replayed: no rules 'triotrio' of version 9 are known."
    ]
    assert problems(whole, lambda forged: put(forged, ("options",), {})) == [
        "The moves cannot be replayed: the options are not all there."
    ]


@pytest.mark.parametrize(
    ("value", "why"),
    [
        (b"", "it is not JSON"),
        (b"\xff", "it is not JSON"),
        (b"[" * 100_000, "it is not JSON"),
        (b"[]", "it is not a JSON object"),
        (b"{}", "the field “format” is missing or is not what it should be"),
        (b'{"format": NaN}', "it is not JSON"),
    ],
)
def test_what_is_no_game_file_is_called_so(value, why):
    with pytest.raises(record.MalformedRecord, match=why):
        record.verify(value)


def test_a_field_that_has_no_place_shows(short):
    data = json.loads(files.file_of(short.pk).as_json()) | {"extra": 1}
    with pytest.raises(record.MalformedRecord, match="it has fields that a game file has not"):
        record.verify(json.dumps(data).encode())


def test_text_that_no_database_holds_is_refused(short):
    whole = told(short)
    for name in ("a\0b", "\ud800"):
        with pytest.raises(record.MalformedRecord, match="players"):
            problems(whole, lambda forged, name=name: put(forged, ("players", 0), name))


def test_a_file_of_a_game_that_went_on_begins_with_the_same_hashes(start):
    game = start("tritoc")
    for _ in range(5):
        move(game)
    before = told(as_stored(game))
    assert record.verify(record.spelled(before)) == []
    assert before["dice"]["segments"][0]["seed"] is None
    after = told(play_to_the_end(game))
    assert [line["hash"] for line in after["moves"]][:6] == [
        line["hash"] for line in before["moves"]
    ]
    assert after["hash"] != before["hash"]
    assert problems(
        before, lambda forged: put(forged, ("dice", "segments", 0, "seed"), "00" * 32)
    ) == ["A game that runs does not tell its seed."]
