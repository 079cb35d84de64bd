import json
import subprocess
import sys
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.crosstable import event, events
from tournaments.formats import trf
from tournaments.formats.history import HALF, History, Meeting
from tournaments.formats.standing import standings
from tournaments.formats.tie_breaks import codes
from tournaments.formats.tie_breaks_scores import Edition
from tournaments.formats.trf import Player, Report
from tournaments.standings import decimal, guessed_format, main

HERE = Path(__file__).resolve().parents[2]
EDITIONS: tuple[Edition, ...] = ("2023", "2026")
editions = st.sampled_from(EDITIONS)


# A second reckoning, round by round and in fractions, to compare with


def points_of(history: History, number: int, round_number: int) -> Fraction:
    for meeting in history.meetings:
        if meeting.round == round_number and number in (meeting.first, meeting.second):
            return meeting.scores[number == meeting.second]
    for idle in history.idles:
        if (idle.round, idle.number) == (round_number, number):
            return {"H": HALF, "F": Fraction(1), "U": Fraction(1), "Z": Fraction(0)}[idle.kind]
    return Fraction(0)


def game_of(history: History, number: int, round_number: int) -> Meeting | None:
    for meeting in history.meetings:
        if meeting.round == round_number and number in (meeting.first, meeting.second):
            return meeting
    return None


def rest_of(history: History, number: int, round_number: int) -> str:
    """The letter of his round, with G for a game, + and - for forfeits."""
    game = game_of(history, number, round_number)
    if game:
        own = points_of(history, number, round_number)
        return ("+" if own else "-") if game.forfeit else "G"
    found = {(idle.round, idle.number): idle.kind for idle in history.idles}
    return found.get((round_number, number), "Z")


def rounds_of(history: History) -> range:
    return range(1, max((game.round for game in history.meetings), default=0) + 1)


def total(history: History, number: int) -> Fraction:
    return sum((points_of(history, number, each) for each in rounds_of(history)), Fraction(0))


def seen_by_others(history: History, number: int) -> Fraction:
    result = Fraction(0)
    for each in rounds_of(history):
        after = [rest_of(history, number, later) for later in rounds_of(history) if later > each]
        draws = rest_of(history, number, each) in "HZ" and all(kind in "HZ-" for kind in after)
        result += HALF if draws else points_of(history, number, each)
    return result


def opposing(history: History, number: int, round_number: int, edition: Edition) -> Fraction:
    kind = rest_of(history, number, round_number)
    game = game_of(history, number, round_number)
    opponent = game and (game.second if game.first == number else game.first)
    if kind == "G":
        return seen_by_others(history, opponent)
    own = total(history, number)
    if edition == "2023":
        return own
    cap = seen_by_others(history, opponent) if game else HALF * len(rounds_of(history))
    return min(own, cap)


@given(events(), editions)
def test_buchholz_and_sonneborn_berger_agree_with_a_second_reckoning(
    history: History, edition: Edition
) -> None:
    if not history.meetings:
        return
    for row in standings(history, ["BH", "SB"], edition=edition):
        against = [
            (opposing(history, row.number, each, edition), points_of(history, row.number, each))
            for each in rounds_of(history)
        ]
        assert row.points == total(history, row.number)
        assert row.values[0] == sum(score for score, _ in against)
        assert row.values[1] == sum(score * points for score, points in against)


# What always holds


@given(events(), editions, st.randoms())
def test_the_order_in_which_things_come_does_not_matter(
    history: History, edition: Edition, dice: st.DataObject
) -> None:
    shuffled = replace(
        history,
        entrants=dice.sample(history.entrants, len(history.entrants)),
        meetings=dice.sample(history.meetings, len(history.meetings)),
        idles=dice.sample(history.idles, len(history.idles)),
    )
    for wanted in ([], ["WON", "DE"], codes()):
        assert standings(shuffled, wanted, edition=edition) == standings(
            history, wanted, edition=edition
        )


@given(events(), editions)
def test_ranks_go_down_with_points_and_are_shared_only_by_equals(
    history: History, edition: Edition
) -> None:
    rows = standings(history, ["BH-C1", "SB", "WON"], edition=edition)
    for place, (row, after) in enumerate(pairwise(rows), start=2):
        mine, theirs = (row.points, row.values), (after.points, after.values)
        assert mine >= theirs
        assert after.rank == (row.rank if mine == theirs else place)


@given(events(all_played=True))
def test_played_games_share_out_one_point_each(history: History) -> None:
    rows = standings(history, ["STD"])
    assert sum(row.points for row in rows) == len(history.meetings)
    assert all(row.values[0] == row.points for row in rows)


@given(events(), editions)
def test_a_cut_takes_nothing_below_zero_and_adds_nothing(
    history: History, edition: Edition
) -> None:
    for base in ("BH", "FB", "SB"):
        wanted = [base, f"{base}-C1", f"{base}-C2", f"{base}-M1", f"{base}-M2"]
        for row in standings(history, wanted, edition=edition):
            full, one, two, median, wide = row.values
            assert full >= one >= two >= wide >= 0
            assert one >= median >= wide


@given(events(all_played=True))
def test_the_editions_agree_where_every_round_was_played(history: History) -> None:
    assert standings(history, codes(), edition="2023") == standings(
        history, codes(), edition="2026"
    )


@given(events(all_played=True))
def test_formats_agree_where_every_game_was_played(history: History) -> None:
    wanted = [code for code in codes() if not code.startswith(("KS", "DE"))]
    assert standings(history, wanted, format="swiss") == standings(
        history, wanted, format="round-robin"
    )


@given(events())
def test_the_caps_of_2026_only_take_away(history: History) -> None:
    before = {row.number: row.values for row in standings(history, ["BH", "SB"], edition="2023")}
    for row in standings(history, ["BH", "SB"], edition="2026"):
        assert all(now <= then for now, then in zip(row.values, before[row.number], strict=True))


# In the middle of an event

HALFWAY = event(
    {1: "2w1 3w?", 2: "1b0 4w1", 3: "4w= 1b?", 4: "3b= 2b0"},
    rounds=5,
)


def test_a_running_game_counts_for_nobody_yet() -> None:
    rows = {row.number: row for row in standings(HALFWAY, ["BH", "SB", "REP", "WIN"])}
    assert {number: row.points for number, row in rows.items()} == {1: 1, 2: 1, 3: HALF, 4: HALF}
    assert rows[1].values == (1, 1, 2, 1)
    assert rows[3].values == (HALF, Fraction("0.25"), 2, 0)


def test_games_played_and_left_are_told() -> None:
    rows = {row.number: (row.played, row.left) for row in standings(HALFWAY, [])}
    assert rows == {1: (1, 4), 2: (2, 3), 3: (1, 4), 4: (2, 3)}


def test_who_has_left_has_nothing_left_but_what_runs() -> None:
    gone = [replace(entrant, left=entrant.number in (1, 2)) for entrant in HALFWAY.entrants]
    rows = {row.number: row.left for row in standings(replace(HALFWAY, entrants=gone), [])}
    assert rows == {1: 1, 2: 0, 3: 4, 4: 3}


def test_a_forfeit_was_not_played() -> None:
    assert standings(event({1: "2w+", 2: "1b-"}), [])[0].played == 0


def test_of_a_round_robin_the_games_not_started_are_left() -> None:
    odd = event({1: "2w1 .", 2: "1b0 3w?", 3: ". 2b?"}, rounds=3)
    rows = {row.number: row.left for row in standings(odd, [], format="round-robin")}
    assert rows == {1: 1, 2: 1, 3: 2}


def test_nobody_has_played_yet() -> None:
    wanted = [code for code in codes() if code != "LOT"]
    rows = standings(event({2: "", 1: ""}, rounds=3), wanted)
    assert [(row.rank, row.number, row.points, row.left) for row in rows] == [
        (1, 1, 0, 3),
        (2, 2, 0, 3),
    ]
    assert standings(History(entrants=[]), codes()) == ()


def test_byes_for_a_round_to_come_do_not_count_yet() -> None:
    history = event({1: "2w1 H", 2: "1b0 ."}, rounds=3)
    rows = {row.number: row for row in standings(history, ["BH"])}
    assert rows[1].points == 1
    assert rows[2].values == (1,)


# Ties

SIX = {
    1: "2w1 3b= H   4w1",
    2: "1b0 5b- 4b= 3w0",
    3: "4w= 1w= 5b1 2b1",
    4: "3b= 6w1 2w= 1b0",
    5: "6w1 2w+ 3w0 U  ",
    6: "5b0 4b0 Z   Z  ",
}


def test_each_tie_break_is_for_those_whom_the_last_left_tied() -> None:
    # 1, 3 and 5 have 3 points; 5 has the best Buchholz and Sonneborn-Berger but won fewer games.
    history = event(SIX, rounds=4)
    rows = standings(history, ["WON", "BH"], edition="2023")[:3]
    assert [(row.rank, row.number) for row in rows] == [(1, 1), (1, 3), (3, 5)]
    rows = standings(history, ["WON", "BH", "SB"], edition="2023")[:3]
    assert [(row.rank, row.number, row.values[2]) for row in rows] == [
        (1, 3, 6),
        (2, 1, Fraction("5.5")),
        (3, 5, 7),
    ]


def test_who_has_no_value_comes_last_among_the_tied() -> None:
    history = event({1: "U", 2: "3w1", 3: "2b0"}, ratings={1: 2000, 2: 1500, 3: 1400})
    rows = standings(history, ["ARO"])
    assert [(row.rank, row.number, row.values[0]) for row in rows] == [
        (1, 2, 1400),
        (2, 1, None),
        (3, 3, 1500),
    ]


# The command


@pytest.fixture
def file(tmp_path: Path) -> Path:
    history = event(SIX, rounds=4)
    names = dict(zip(SIX, ["Alice", "Bob", "Charlie", "Dora", "Émile", "Faye"], strict=True))
    players = tuple(Player(number=number, name=name) for number, name in names.items())
    path = tmp_path / "event.trf"
    path.write_bytes(trf.write(Report(history=history, players=players)).encode("latin-1"))
    return path


def printed(capsys: pytest.CaptureFixture[str], *arguments: object) -> list[dict[str, object]]:
    main([str(argument) for argument in arguments])
    return json.loads(capsys.readouterr().out)


def refusal(capsys: pytest.CaptureFixture[str], *arguments: object) -> str:
    with pytest.raises(SystemExit) as left:
        main([str(argument) for argument in arguments])
    assert left.value.code == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err


def test_the_command_prints_the_rows_in_order(
    capsys: pytest.CaptureFixture[str], file: Path
) -> None:
    rows = printed(capsys, file, "--tie-breaks", "BH-C1,SB,DE", "--edition", "2023")
    assert rows[0] == {
        "rank": 1,
        "number": 5,
        "name": "Émile",
        "points": "3",
        "tie_breaks": {"BH-C1": "9", "SB": "7", "DE": "0"},
    }
    assert [(row["rank"], row["number"]) for row in rows] == [
        (1, 5), (2, 3), (3, 1), (4, 4), (5, 2), (6, 6),
    ]  # fmt: skip
    assert rows[3]["tie_breaks"] == {"BH-C1": "7", "SB": "2.75", "DE": "0"}


def test_the_edition_makes_a_difference(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    rows = printed(capsys, file, "--tie-breaks", "BH", "--edition", "2026")
    assert [(row["number"], row["tie_breaks"]["BH"]) for row in rows[:3]] == [
        (3, "8.5"), (1, "7.5"), (5, "6.5"),
    ]  # fmt: skip


def test_codes_come_back_as_they_were_asked_for(
    capsys: pytest.CaptureFixture[str], file: Path
) -> None:
    rows = printed(capsys, file, "--tie-breaks", " BH/C1, de,DE,DE")
    assert list(rows[0]["tie_breaks"]) == ["BH/C1", "de", "DE", "DE (2)"]


def test_averages_are_printed_with_two_places_and_nothing_where_there_is_none(
    capsys: pytest.CaptureFixture[str], file: Path
) -> None:
    rows = printed(capsys, file, "--tie-breaks", "AOB,ARO", "--edition", "2023")
    found = {row["number"]: row["tie_breaks"] for row in rows}
    assert found[1] == {"AOB": "8.17", "ARO": None}  # 24½ by 3
    assert found[5]["AOB"] == "6.75"


def test_without_tie_breaks_those_of_the_format_are_taken(
    capsys: pytest.CaptureFixture[str], file: Path
) -> None:
    rows = printed(capsys, file)
    assert list(rows[0]["tie_breaks"]) == ["BH-C1", "BH", "SB", "DE", "WON", "LOT"]
    rows = printed(capsys, file, "--format", "round-robin")
    assert list(rows[0]["tie_breaks"]) == ["DE", "SB", "WON", "KS"]


ALL_MET = {1: "2w1 3b= 4w0", 2: "1b0 4w+ 3w1", 3: "4b1 1w= 2b0", 4: "3w0 2b- 1b1"}


@pytest.mark.parametrize(
    ("lines", "kind", "format"),
    [
        (ALL_MET, "", "round-robin"),
        (ALL_MET, "Individual: Swiss-System", "swiss"),
        ({**ALL_MET, 5: "Z Z Z"}, "", "swiss"),
        (SIX, "", "swiss"),
        (SIX, "Individual: Round-Robin", "round-robin"),
        ({1: "2w1 U .", 2: "1b0 . 3w1", 3: "U . 2b0"}, "", "swiss"),
        ({1: "2w1 3b1 .", 2: "1b0 . 3w1", 3: ". 1w0 2b0"}, "", "round-robin"),
        ({1: "2w1 3b1 U", 2: "1b0 U 3w1", 3: "U 1w0 2b0"}, "", "swiss"),
    ],
)
def test_the_format_is_guessed(lines: dict[int, str], kind: str, format: str) -> None:
    history = event(lines)
    players = tuple(Player(number=number) for number in lines)
    report = Report(history=history, players=players, data=(("092", kind),))
    assert guessed_format(report) == format


def test_an_unknown_tie_break_is_refused(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    sentence = refusal(capsys, file, "--tie-breaks", "BH,XY")
    assert "There is no tie-break “XY”. There are: AOB, " in sentence


def test_a_malformed_file_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "wrong.trf"
    path.write_text("001    1\n001    1\n")
    assert "Line 2: the start number 1 is there twice." in refusal(capsys, path)


def test_a_missing_file_is_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "cannot be read: No such file or directory." in refusal(capsys, tmp_path / "no.trf")


def test_an_unknown_edition_is_refused(capsys: pytest.CaptureFixture[str], file: Path) -> None:
    assert "choose from '2023', '2026'" in refusal(capsys, file, "--edition", "1999")


def test_the_command_needs_neither_settings_nor_a_database(file: Path) -> None:
    program = (
        "import sys; from tournaments.standings import main; main(sys.argv[1:]);"
        "sys.exit(any(name.split('.')[0] in ('django', 'psycopg') for name in sys.modules))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(file)], cwd=HERE, env={}, capture_output=True
    )
    assert (done.returncode, done.stderr) == (0, b"")
    asked = [sys.executable, "-m", "tournaments.standings", str(file)]
    assert subprocess.run(asked, cwd=HERE, env={}, capture_output=True).stdout == done.stdout


@pytest.mark.parametrize(
    ("value", "text"),
    [("12", "12"), ("12.5", "12.5"), ("0.25", "0.25"), ("-0.5", "-0.5"), ("1/3", "1/3"), ("0", "0"),
     ("2100", "2100")],
)  # fmt: skip
def test_values_are_printed_exactly(value: str, text: str) -> None:
    assert decimal(Fraction(value)) == text
