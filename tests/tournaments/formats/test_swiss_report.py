"""The next round of a tournament report file, by the program."""

import json
import subprocess
import sys

import pytest

from tournaments.formats import trf
from tournaments.formats.history import Unpairable
from tournaments.formats.swiss_report import next_round


def line(number, *rounds, rank=0):
    """One player: opponent, colour and result of each round."""
    head = f"001 {number:>4}      {f'Player {number}':<33} {2400 - number:>4}"
    blocks = "".join(f"  {opponent:>4} {colour} {result}" for opponent, colour, result in rounds)
    return f"{head:<80}{0.0:>4} {rank:>4}{blocks}"


FOUR = [
    line(1, (3, "w", "1"), rank=2),
    line(2, (4, "b", "1"), rank=1),
    line(3, (1, "b", "0"), rank=4),
    line(4, (2, "w", "0"), rank=3),
]


def paired(*lines):
    return next_round(trf.read("\n".join(lines)), seed="")


def test_the_next_round_is_paired_by_score():
    assert paired("012 A small event", "XXR 3", *FOUR) == {
        "round": 2,
        "pairings": [[2, 1], [3, 4]],
        "bye": None,
    }


def test_the_first_round_needs_no_results():
    assert paired("XXR 5", *(line(number) for number in range(1, 6))) == {
        "round": 1,
        "pairings": [[1, 3], [4, 2]],
        "bye": 5,
    }


def test_the_first_colour_is_as_declared():
    field = [line(number) for number in range(1, 5)]
    assert paired("XXC black1", *field)["pairings"] == [[3, 1], [2, 4]]
    assert paired("XXC white1", *field)["pairings"] == [[1, 3], [4, 2]]


def test_the_first_colour_is_else_as_the_first_round_shows():
    """5 and 6 come in the second round and have had no colour; 1 began with the second move."""
    swapped = [
        text.replace(" w ", " x ").replace(" b ", " w ").replace(" x ", " b ") for text in FOUR
    ]
    late = [line(5, ("0000", "-", "Z")), line(6, ("0000", "-", "Z"))]
    assert [5, 6] in paired("XXP 3 5", "XXP 4 5", *FOUR, *late)["pairings"]
    assert [6, 5] in paired("XXP 3 5", "XXP 4 5", *swapped, *late)["pairings"]


def test_those_kept_apart_do_not_meet():
    assert {frozenset(pair) for pair in paired("XXP 1 2", *FOUR)["pairings"]} == {
        frozenset({1, 4}),
        frozenset({2, 3}),
    }


def test_points_for_pairing_are_honoured():
    field = [line(number) for number in range(1, 5)]
    accelerated = paired("XXA    1  1.0", "XXA    4  1.0", *field)["pairings"]
    assert {frozenset(pair) for pair in accelerated} == {frozenset({1, 4}), frozenset({2, 3})}


def test_who_asked_for_a_rest_is_not_paired():
    field = [*(line(number) for number in range(1, 5)), line(5, ("0000", "-", "H"))]
    report = paired(*field)
    assert report["round"] == 1
    assert {number for pair in report["pairings"] for number in pair} == {1, 2, 3, 4}
    assert report["bye"] is None


def test_an_event_whose_games_still_run_is_refused():
    running = [line(1, (2, "w", " ")), line(2, (1, "b", " "))]
    with pytest.raises(Unpairable, match="Round 1 is still running: the game between 1 and 2"):
        paired(*running)


def test_an_event_that_everybody_left_is_refused():
    with pytest.raises(Unpairable, match="fewer than two players"):
        paired(line(1), line(2, ("0000", "-", "Z")))


def test_ranks_order_those_of_equal_points_where_the_file_says_so():
    """The ranks turn the field round: 4 is the first, and meets the third."""
    field = [line(number, rank=5 - number) for number in range(1, 5)]
    assert paired("XXC rank", "XXC white1", *field)["pairings"] == [[4, 2], [1, 3]]


def program(*arguments):
    return subprocess.run(
        [sys.executable, "-m", "tournaments.formats.swiss", *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        env={"PATH": ""},
    )


def test_the_program_prints_json_and_needs_neither_settings_nor_database(tmp_path):
    file = tmp_path / "event.trf"
    file.write_bytes("\r".join(["XXR 3", *FOUR]).encode())
    done = program(file)
    assert done.stderr == ""
    assert json.loads(done.stdout) == {"round": 2, "pairings": [[2, 1], [3, 4]], "bye": None}


def test_the_program_says_in_one_sentence_what_is_wrong(tmp_path):
    missing = program(tmp_path / "nothing.trf")
    assert missing.returncode == 2
    assert missing.stderr == f"{tmp_path}/nothing.trf cannot be read: No such file or directory.\n"
    empty = tmp_path / "empty.trf"
    empty.write_text("012 An event without players")
    assert program(empty).returncode == 2
    assert "no player" in program(empty).stderr
    met = tmp_path / "met.trf"
    met.write_text("\n".join([line(1, (2, "w", "1")), line(2, (1, "b", "0"))]))
    refused = program(met)
    assert refused.returncode == 2
    assert refused.stderr.startswith("Round 2 cannot be paired")
    assert refused.stdout == ""
