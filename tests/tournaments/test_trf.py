import re
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.crosstable import event, events
from tournaments.formats import trf
from tournaments.formats.history import HALF, Entrant, History, Idle, Meeting, Values
from tournaments.formats.trf import Ban, Malformed, Player, Report

ONE = Fraction(1)
NIL = Fraction(0)

HEAD = """\
012 Spring cup
092 Individual: Swiss-System
XXR 3
"""
PLAYERS = (
    "001    1 mIM  Alice                             2100 GER    12345678 1990/01/31  2.0    1"
    "     2 w 1  0000 - H     3 b =\n"
    "001    2 w    Bøb                               1900 AUT        2222 1985        1.0    2"
    "     1 b 0     3 w 1\n"
    "001    3      Charlie                                                            1.5    3"
    "  0000 - U     2 b 0     1 w =\n"
)
TEXT = HEAD + PLAYERS


def player_line(number: int, rounds: str) -> str:
    return f"001 {number:4} {'':82}{rounds}\n"


def history_of(*rounds: str, extra: str = "") -> History:
    lines = "".join(player_line(place, each) for place, each in enumerate(rounds, start=1))
    return trf.read(extra + lines).history


# Reading


def test_a_player_is_read_by_columns() -> None:
    alice, bob, charlie = trf.read(TEXT).players
    assert alice == Player(
        number=1,
        name="Alice",
        sex="m",
        title="IM",
        rating=2100,
        federation="GER",
        identifier="12345678",
        born="1990/01/31",
        points=Fraction(2),
        rank=1,
    )
    assert (bob.name, bob.rating, bob.born) == ("Bøb", 1900, "1985")
    assert charlie == Player(number=3, name="Charlie", points=Fraction("1.5"), rank=3)


def test_rounds_are_read_as_games_and_rests() -> None:
    report = trf.read(TEXT)
    assert report.history.meetings == (
        Meeting(round=1, first=1, second=2, scores=(ONE, NIL)),
        Meeting(round=2, first=2, second=3, scores=(ONE, NIL)),
        Meeting(round=3, first=3, second=1, scores=(HALF, HALF)),
    )
    assert set(report.history.idles) == {
        Idle(round=1, number=3, kind="U"),
        Idle(round=2, number=1, kind="H"),
        Idle(round=3, number=2, kind="Z"),
    }
    assert report.history.entrants[0] == Entrant(number=1, rating=2100)


def test_the_tournament_section_is_kept() -> None:
    report = trf.read(TEXT)
    assert report.data == (("012", "Spring cup"), ("092", "Individual: Swiss-System"))
    assert report.kind == "Individual: Swiss-System"
    assert report.names == {1: "Alice", 2: "Bøb", 3: "Charlie"}


@pytest.mark.parametrize("end", ["\r", "\r\n", "\n"])
def test_lines_may_end_in_any_way(end: str) -> None:
    assert trf.read(TEXT.replace("\n", end)) == trf.read(TEXT)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "latin-1"])
def test_a_file_may_be_in_either_encoding(encoding: str) -> None:
    assert trf.read(trf.decode(TEXT.encode(encoding))) == trf.read(TEXT)


def test_a_byte_order_mark_in_a_text_is_passed_over() -> None:
    assert trf.read("\ufeff" + PLAYERS).names[1] == "Alice"


def test_a_name_with_a_control_character_of_latin_1_does_not_end_the_line() -> None:
    assert trf.read(TEXT.replace("Bøb", "B\x85b")).names[2] == "B\x85b"


def test_blanks_at_the_end_of_a_line_mean_nothing() -> None:
    padded = re.sub(r"$", "    ", TEXT, flags=re.MULTILINE)
    assert trf.read(padded) == trf.read(TEXT)


def test_a_line_may_end_after_the_start_number() -> None:
    history = trf.read("001    1\n001    2\n").history
    assert [entrant.number for entrant in history.entrants] == [1, 2]
    assert history.meetings == ()


def test_comments_rulers_and_unknown_codes_are_passed_over() -> None:
    noise = "### a comment\nDDD SSSS sTTT\n013 Team\n\n802 x\nGER    1\n"
    assert trf.read(noise + TEXT) == trf.read(TEXT)


def test_who_falls_silent_has_left() -> None:
    history = history_of("   2 w 1     3 w 1", "   1 b 0", "0000 - Z     1 b 0")
    assert Idle(round=2, number=2, kind="Z") in history.idles


def test_a_blank_round_before_a_game_was_an_absence() -> None:
    history = history_of("             2 w 1", "             1 b 0", "   4 w =", "   3 b =")
    assert {(idle.round, idle.number) for idle in history.idles} == {(1, 1), (1, 2), (2, 3), (2, 4)}


def test_byes_for_a_round_to_come_are_read_and_silence_there_is_none() -> None:
    history = history_of("   2 w 1  0000 - H", "   1 b 0")
    assert history.idles == (Idle(round=2, number=1, kind="H"),)


@pytest.mark.parametrize("nobody", ["0000", "   0", "    "])
@pytest.mark.parametrize(
    ("letter", "kind"),
    [
        ("h", "H"),
        ("F", "F"),
        ("u", "U"),
        ("Z", "Z"),
        ("+", "U"),
        ("=", "H"),
        ("-", "Z"),
        ("1", "F"),
    ],
)
def test_a_round_without_opponent_is_a_bye(nobody: str, letter: str, kind: str) -> None:
    history = history_of(f"{nobody} - {letter}     2 w 1", "   3 w 1     1 b 0", "   2 b 0")
    assert Idle(round=1, number=1, kind=kind) in history.idles


@pytest.mark.parametrize(
    ("own", "theirs", "scores", "forfeit"),
    [
        ("1", "0", (ONE, NIL), False),
        ("=", "=", (HALF, HALF), False),
        ("w", "l", (ONE, NIL), False),
        ("D", "D", (HALF, HALF), False),
        ("L", "W", (NIL, ONE), False),
        ("0", "0", (NIL, NIL), False),
        ("+", "-", (ONE, NIL), True),
        ("-", "+", (NIL, ONE), True),
        ("-", "-", (NIL, NIL), True),
        (" ", "0", (ONE, NIL), False),
        (" ", " ", (), False),
    ],
)
def test_results_are_read_from_both_lines(
    own: str, theirs: str, scores: tuple[Fraction, ...], forfeit: bool
) -> None:
    history = history_of(f"   2 w {own}", f"   1 b {theirs}")
    assert history.meetings == (
        Meeting(round=1, first=1, second=2, scores=scores, forfeit=forfeit),
    )


def test_a_forfeit_may_be_without_colours() -> None:
    history = history_of("   2 - +", "   1 - -")
    assert history.meetings == (
        Meeting(round=1, first=1, second=2, scores=(ONE, NIL), forfeit=True),
    )


@pytest.mark.parametrize(
    ("own", "theirs"),
    [("   2 b 0", "   1 w 1"), ("   2 b 0", "   1   1"), ("   2   0", "   1 w 1")],
)
def test_one_colour_is_enough(own: str, theirs: str) -> None:
    assert history_of(own, theirs).meetings == (
        Meeting(round=1, first=2, second=1, scores=(ONE, NIL)),
    )


def test_one_line_of_two_is_enough() -> None:
    history = history_of("", "   1 b =")
    assert history.meetings == (Meeting(round=1, first=1, second=2, scores=(HALF, HALF)),)
    assert history.idles == ()


def test_start_numbers_may_have_gaps_and_come_in_any_order() -> None:
    report = trf.read(player_line(9, "   4 w 1") + player_line(4, "   9 b 0"))
    assert [player.number for player in report.players] == [4, 9]
    assert report.history.meetings[0].first == 9


@pytest.mark.parametrize("line", ["XXR 7", "142 7", "XXR    7  "])
def test_the_number_of_rounds_may_be_declared(line: str) -> None:
    assert trf.read(f"{line}\n{PLAYERS}").history.rounds == 7


def test_undeclared_rounds_are_those_played() -> None:
    assert trf.read(PLAYERS).history.rounds == 3


@pytest.mark.parametrize(
    ("line", "colour", "by_rank"),
    [
        ("XXC white1", "white", False),
        ("XXC rank black1", "black", True),
        ("152 B", "black", False),
        ("XXC rank", None, True),
    ],
)
def test_the_first_colour_and_the_order_may_be_declared(
    line: str, colour: str | None, by_rank: bool
) -> None:
    report = trf.read(f"{line}\n{PLAYERS}")
    assert (report.first_colour, report.by_rank) == (colour, by_rank)


def test_forbidden_pairs_are_read() -> None:
    report = trf.read(f"XXP 1 3 2\n260 001 002  1    3\n{PLAYERS}")
    assert report.bans == (Ban(numbers=(1, 3, 2)), Ban(numbers=(1, 3), first=1, last=2))
    assert report.history.forbidden == ((1, 2), (1, 3), (2, 3))


def test_a_ban_of_some_rounds_holds_in_those() -> None:
    assert trf.read(f"260 001 003    1    3\n{PLAYERS}").history.forbidden == ()
    assert trf.read(f"260 003 004    1    3\n{PLAYERS}").history.forbidden == ((1, 3),)


def test_accelerations_are_read_by_player_or_for_many() -> None:
    by_player = trf.read(f"XXA    1  1.0  1.0  0.5\nXXA    2  1.0       0.5\n{PLAYERS}")
    assert by_player.history.accelerations == {1: (ONE, ONE, HALF), 2: (ONE, NIL, HALF)}
    many = trf.read(f"250      01.0 001 002 0001 0002\n250      00.5 003 003 0001 0001\n{PLAYERS}")
    assert many.history.accelerations == {1: (ONE, ONE, HALF), 2: (ONE, ONE)}


def test_the_absent_are_not_to_be_paired() -> None:
    entrants = trf.read(f"XXZ 2 3\n{PLAYERS}").history.entrants
    assert [entrant.left for entrant in entrants] == [False, True, True]


def test_byes_may_have_a_line_of_their_own() -> None:
    history = trf.read(f"240 H 004    1    3\n{PLAYERS}").history
    assert [idle.number for idle in history.idles if idle.round == 4] == [1, 3]


THREE = Fraction(3)


@pytest.mark.parametrize(
    ("lines", "values"),
    [
        ("162  W 3.0    D 1.0", Values(win=THREE, draw=ONE, bye=THREE)),
        ("162  W 3.0    D 1.0    P 1.0", Values(win=THREE, draw=ONE, bye=ONE)),
        ("162  A 0.5", Values(absent=HALF)),
        ("BBW  3.0\nBBD  1.0", Values(win=THREE, draw=ONE, bye=THREE)),
        ("BBU  0.5\nBBL  0.5\nBBF  0.0", Values(bye=HALF, loss=HALF)),
        ("XXS W=3 D=1", Values(win=THREE, draw=ONE, bye=ONE)),
        ("XXS PAB=3 D=1 W=3", Values(win=THREE, draw=ONE, bye=THREE)),
        ("XXS PAB=.5", Values(bye=HALF)),
    ],
)
def test_points_may_be_declared(lines: str, values: Values) -> None:
    assert trf.read(f"{lines}\n{PLAYERS}").history.values == values


def test_declared_points_make_the_scores() -> None:
    history = history_of(
        "   2 w 1     2 b +", "   1 b 0     1 w -", extra="162  W 3.0    D 1.0    L 1.0\n"
    )
    assert [meeting.scores for meeting in history.meetings] == [(THREE, ONE), (NIL, THREE)]


# What is wrong


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "There is no player in the file"),
        ("012 Spring cup\n001    x\n", "Line 2: the start number is “x”; it should be a whole"),
        ("001\n", "Line 1: the start number is “”"),
        ("001    0\n", "Line 1: the start number is “0”; it should be a whole number from 1 on."),
        ("001    1\n001    1\n", "Line 2: the start number 1 is there twice"),
        (PLAYERS.replace("2100", "21x0"), "Line 1: the rating is “21x0”"),
        (PLAYERS.replace(" 1.5 ", " 1h5 "), "Line 3: “1h5” is no number of points; write them"),
        (player_line(1, "   2 x 1"), "Line 1: the colour of round 1 is “x”; it should be w, b or"),
        (player_line(1, "   2 w 5"), "Line 1: the result of round 1 is “5”; it should be one of"),
        (player_line(1, "  2? w 1"), "Line 1: the opponent of round 1 is “2?”"),
        (player_line(1, "   1 w 1"), "Line 1: player 1 meets himself in round 1"),
        (player_line(1, "   2 w H"), "Line 1: there is both an opponent and a bye in round 1"),
        (player_line(1, "   7 w 1"), "Player 1 met 7 in round 1, but no line has the start number"),
        (
            player_line(1, "   2 w 1") + player_line(2, "   3 b 0") + player_line(3, "   2 w 1"),
            "The lines of the players 1 and 2 contradict each other in round 1",
        ),
        (
            player_line(1, "   2 w 1") + player_line(2, "   1 w 0"),
            "The lines of the players 1 and 2 contradict each other in round 1",
        ),
        (f"XXR many\n{PLAYERS}", "Line 1: the number of rounds is “many”"),
        (f"BBW  x\n{PLAYERS}", "Line 1: “x” is no number of points"),
        (f"240 Q 001    1\n{PLAYERS}", "Line 1: the bye is “Q”; it should be F, H or Z"),
        (f"XXP 1 y\n{PLAYERS}", "Line 1: the start number is “y”"),
    ],
)
def test_what_is_wrong_is_said_with_its_line(text: str, sentence: str) -> None:
    with pytest.raises(Malformed) as refused:
        trf.read(text)
    assert str(refused.value).startswith(sentence)


# Writing


def test_each_field_is_written_in_its_columns() -> None:
    line = next(line for line in trf.write(trf.read(TEXT)).split("\r\n") if "Alice" in line)
    fields = {
        (1, 3): "001", (5, 8): "   1", (10, 10): "m", (11, 13): " IM", (15, 19): "Alice",
        (49, 52): "2100", (54, 56): "GER", (58, 68): "   12345678", (70, 79): "1990/01/31",
        (81, 84): " 2.0", (86, 89): "   1", (92, 95): "   2", (97, 97): "w", (99, 99): "1",
        (102, 105): "0000", (107, 107): "-", (109, 109): "H",
        (112, 115): "   3", (117, 117): "b", (119, 119): "=",
    }  # fmt: skip
    for (first, last), text in fields.items():
        assert line[first - 1 : last] == text, (first, last)
    assert len(line) == 119


def test_what_is_too_long_does_not_push_the_columns() -> None:
    report = trf.read(TEXT)
    long = tuple(replace(player, name="A" * 50, title="WGMx") for player in report.players)
    written = trf.read(trf.write(replace(report, players=long)))
    assert written.players[0].name == "A" * 33
    assert written.history == report.history


def test_a_match_of_two_games_takes_two_rounds_of_the_file() -> None:
    history = event({1: "2w1,2b= U", 2: "1b0,1w= Z"}, rounds=2)
    players = tuple(Player(number=each.number) for each in history.entrants)
    written = trf.read(trf.write(Report(history=history, players=players))).history
    assert [(one.round, one.first, one.scores) for one in written.meetings] == [
        (1, 1, (ONE, NIL)),
        (2, 2, (HALF, HALF)),
    ]
    assert written.rounds == 4
    assert {(idle.round, idle.kind) for idle in written.idles if idle.number == 1} == {
        (3, "U"),
        (4, "U"),
    }


def test_a_running_game_is_written_without_result() -> None:
    history = event({1: "2w1 2b?", 2: "1b0 1w?"})
    players = tuple(Player(number=each.number) for each in history.entrants)
    assert trf.read(trf.write(Report(history=history, players=players))).history.meetings[1] == (
        Meeting(round=2, first=2, second=1)
    )


words = st.text(st.characters(codec="latin-1", categories=["L", "N"]), max_size=8)


@st.composite
def reports(draw: st.DrawFn) -> Report:
    history = draw(events())
    last = max((meeting.round for meeting in history.meetings), default=0)
    numbers = [entrant.number for entrant in history.entrants]
    pairs = st.lists(st.sampled_from(numbers), min_size=2, max_size=2, unique=True).map(tuple)
    bans = tuple(
        Ban(numbers=pair, last=last)
        for pair, last in draw(st.lists(st.tuples(pairs, st.one_of(st.none(), st.just(1)))))
    )
    idles = [idle for idle in history.idles if idle.round <= last or idle.kind != "Z"]
    points = st.integers(0, 99).map(lambda halves: Fraction(halves, 2))
    worth = st.integers(0, 39).map(lambda quarters: Fraction(quarters, 4))
    return Report(
        history=replace(
            history,
            entrants=tuple(
                replace(entrant, left=draw(st.booleans())) for entrant in history.entrants
            ),
            meetings=tuple(sorted(history.meetings, key=lambda one: (one.round, one.first))),
            idles=tuple(sorted(idles, key=lambda one: (one.round, one.number))),
            forbidden=tuple(sorted({pair for ban in bans for pair in ban.pairs_in(last + 1)})),
            values=Values(bye=draw(worth), absent=NIL),
            accelerations=draw(
                st.dictionaries(st.sampled_from(numbers), st.lists(worth, min_size=1).map(tuple))
            ),
        ),
        players=tuple(
            Player(
                number=entrant.number,
                name=draw(words),
                sex=draw(st.sampled_from(["", "m", "w"])),
                title=draw(st.sampled_from(["", "GM", "WFM"])),
                rating=entrant.rating,
                federation=draw(st.sampled_from(["", "GER"])),
                identifier=draw(st.sampled_from(["", "12345678"])),
                born=draw(st.sampled_from(["", "1990", "1990/01/31"])),
                points=draw(st.one_of(st.none(), points)),
                rank=draw(st.one_of(st.none(), st.integers(1, 9999))),
            )
            for entrant in history.entrants
        ),
        data=(("012", draw(words)), ("112", draw(words)), ("112", draw(words))),
        bans=bans,
        first_colour=draw(st.sampled_from([None, "white", "black"])),
        by_rank=draw(st.booleans()),
    )


@given(reports())
def test_what_is_written_is_read_again(report: Report) -> None:
    assert trf.read(trf.write(report)) == report
