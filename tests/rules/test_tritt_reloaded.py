import json
import random

import pytest

from games.rules import tritt_reloaded
from games.rules.position import (
    AmbiguousMove,
    Choice,
    IllegalMove,
    InvalidMove,
    InvalidOption,
    Outcome,
    Turn,
)
from games.rules.tritt_board import CANONICAL, Slide, dot_names
from games.rules.tritt_reloaded import RULESET, Move, TrittReloaded
from tests.rules.tritt_reference import ReloadedReference

FIRST_WINS, SECOND_WINS = (1.0, 0.0), (0.0, 1.0)

# Orange dots on d4 and e5 point at f6, blue ones on d5 and e6 at f7.
POINTING = "d3-d5 e4-e6"

TWENTY_ENTRIES = """
g4-i4 / h5-j5 / e1-g2 h5-j5>b1-d3 / d4-f4 / k1-k3 / c7-e7 / b7-d9 c7-e7>e7-g6 /
c6-e6 g4-i4>h4-j4 / f8-f10 / g3-g5 f8-f10>f9-f11 / i6-k6 c6-e6>d6-f6 / h9-j7 / j1-j3 / c1-e3 /
b4-b6 / f1-h1 b7-d9>a6-c8 / a1-a3 / e8-e10 / d1-f3 e7-g6>c7-e7 / g6-g8
"""
NO_ROOM_FOR_BLUE = """
d1-f3 / c3-e5 / a5-c7 / a4-c6 / i5-i7 / i4-k4 / f7-h7 / d9-f9 / b2-d2 / g2-g4 / i3-k1 / f10-h8 /
f5-h5 / h1-h3 / i8-k6 / c5-e7 / a1-a3
"""
NO_ROOM_FOR_ORANGE = """
e2-g1 / g5-i3 e2-g1>d2-f2 / d7-d9 / h7-j5 / g8-g10 / f6-f8 / a5-c7 h7-j5>i6-k4 / a1-c1 /
f3-h3 a1-c1>c1-e1 / b2-b4 / c6-e6 / i1-k1 / h7-j7 / i4-k2 / a1-a3 c1-e1>b1-d1 /
d3-f5 a1-a3>a2-a4
"""


def position(orange: str = "", blue: str = "") -> TrittReloaded:
    return tritt_reloaded.load({"orange": orange.split(), "blue": blue.split()})


def played(moves: str) -> TrittReloaded:
    now = tritt_reloaded.start({})
    for text in moves.split("/"):
        now = now.play(now.parse(text))
    return now


def after(now: TrittReloaded, text: str) -> TrittReloaded:
    return now.play(now.parse(text))


def texts(now: TrittReloaded) -> list[str]:
    return [str(move) for move in now.legal_moves()]


def slides(now: TrittReloaded, entry: str) -> list[str]:
    return sorted(text.split()[1] for text in texts(now) if text.startswith(f"{entry} "))


# Seats, trittons and hands


def test_seat_0_begins_as_orange() -> None:
    assert tritt_reloaded.start({}).awaiting == Turn(0)


def test_orange_owns_the_trittons_with_orange_in_the_middle() -> None:
    orange, blue = after(tritt_reloaded.start({}), "c3-e5").dots
    assert (dot_names(orange), dot_names(blue)) == (["d4"], ["c3", "e5"])


def test_blue_owns_the_trittons_with_blue_in_the_middle() -> None:
    orange, blue = played("a1-a3 / c3-e5").dots
    assert (dot_names(orange), dot_names(blue)) == (["a2", "c3", "e5"], ["a1", "a3", "d4"])


def test_seats_take_turns() -> None:
    assert played("a1-a3").awaiting == Turn(1)
    assert played("a1-a3 / k1-k3").awaiting == Turn(0)


def test_there_is_no_swap() -> None:
    with pytest.raises(InvalidMove):
        played("a1-a3").parse("swap")


def test_there_are_no_options() -> None:
    assert RULESET.options == ()
    with pytest.raises(InvalidOption):
        tritt_reloaded.start({"swap": True})


# Entering


def test_the_first_move_enters_one_tritton() -> None:
    first = texts(tritt_reloaded.start({}))
    assert len(first) == len(set(first)) == 207
    assert set(first) == set(CANONICAL)


def test_there_are_240258_sequences_of_two_moves() -> None:
    now = tritt_reloaded.start({})
    assert sum(len(now.play(move).legal_moves()) for move in now.legal_moves()) == 240_258


def test_an_entry_needs_three_free_dots() -> None:
    now = played("c3-e5")
    assert not {"c3-e5", "d4-d6", "e5-e7", "c1-c3"} & set(texts(now))


@pytest.mark.parametrize("entry", ["f6-h4", "f6-h6"])
def test_blue_may_not_complete_an_orange_line_by_an_end(entry: str) -> None:
    now = position(orange=POINTING, blue="a1-a3")
    assert now.awaiting == Turn(1)
    assert entry not in texts(now)


def test_blue_may_not_complete_a_blue_line_by_the_middle() -> None:
    assert "e7-g6" not in texts(position(orange=POINTING, blue="a1-a3"))


def test_orange_may_not_complete_a_blue_line_by_an_end() -> None:
    now = position(orange=POINTING, blue="a1-a3 k1-k3")
    assert now.awaiting == Turn(0)
    assert "f7-h5" not in texts(now)


def test_orange_may_not_complete_an_orange_line_by_the_middle() -> None:
    now = position(orange="a1-a3 k1-k3", blue="c5-e5 d2-d4")
    assert now.awaiting == Turn(0)
    assert "f5-f7" not in texts(now)
    assert "f5-f7" in texts(position(orange="a1-a3 k1-k3", blue="c5-e5 g1-g3"))


def test_an_entry_may_lie_where_its_colours_make_no_line() -> None:
    assert "e7-g6" in texts(position(orange=POINTING, blue="a1-a3 k1-k3"))


# Sliding


def test_orange_enters_only_at_first() -> None:
    assert not any(">" in text for text in texts(tritt_reloaded.start({})))


def test_blue_may_slide_in_its_first_move() -> None:
    assert "a1-a3 k1-k3>k2-k4" in texts(played("k1-k3"))


def test_a_slide_may_be_left_out() -> None:
    assert "a1-a3" in texts(played("k1-k3"))


def test_a_slide_goes_any_number_of_steps_either_way() -> None:
    assert slides(played("f4-f6"), "a1-a3") == [
        f"f4-f6>f{number}-f{number + 2}" for number in (1, 2, 3, 5, 6, 7, 8, 9)
    ]


@pytest.mark.parametrize(
    ("tritton", "neighbours"), [("c3-e5", ["b2-d4", "d4-f6"]), ("c5-e5", ["b5-d5", "d5-f5"])]
)
def test_a_slide_keeps_to_the_axis(tritton: str, neighbours: list[str]) -> None:
    found = slides(played(tritton), "k1-k3")
    assert {f"{tritton}>{goal}" for goal in neighbours} <= set(found)
    assert len(found) == {"c3-e5": 8, "c5-e5": 7}[tritton]


def test_a_slide_may_not_jump() -> None:
    now = position(orange="f4-f6", blue="")
    assert slides(now, "f8-f10") == [f"f4-f6>f{n}-f{n + 2}" for n in (1, 2, 3, 5)]


def test_the_tritton_just_entered_is_in_the_way() -> None:
    now = played("k1-k3")
    assert "k4-k6 k1-k3>k2-k4" not in texts(now)
    assert "j1-j3 k1-k3>k2-k4" in texts(now)


def test_only_an_opponents_tritton_slides() -> None:
    now = position(orange="a1-a3", blue="k1-k3")
    starts = {text.split()[1].split(">")[0] for text in texts(now) if " " in text}
    assert starts == {"k1-k3"}


def test_a_slide_moves_the_tritton_with_its_colours() -> None:
    now = after(played("f4-f6"), "a1-a3 f4-f6>f5-f7")
    orange, blue = now.dots
    assert (dot_names(orange), dot_names(blue)) == (["a1", "a3", "f6"], ["a2", "f5", "f7"])
    assert now == position(orange="f5-f7", blue="a1-a3")


def test_a_slide_of_two_steps_keeps_the_end_that_stays_covered() -> None:
    now = after(played("f4-f6"), "a1-a3 f4-f6>f6-f8")
    assert now == position(orange="f6-f8", blue="a1-a3")
    assert dot_names(now.dots[1]) == ["a2", "f6", "f8"]


def test_the_order_in_which_trittons_came_leaves_no_trace() -> None:
    assert played("a1-a3 / k1-k3 / f1-f3") == played("f1-f3 / k1-k3 / a1-a3")


# Lines


def test_a_line_of_your_own_colour_wins() -> None:
    now = after(position(orange=POINTING, blue="a1-a3 g5-i3"), "k1-k3 g5-i3>f6-h4")
    assert now.awaiting == Outcome(FIRST_WINS, "line")


def test_a_line_of_the_opponents_colour_loses() -> None:
    now = after(position(orange=POINTING, blue="a1-a3 f7-h5"), "k1-k3 f7-h5>e7-g6")
    assert now.awaiting == Outcome(SECOND_WINS, "opponent-line")


def test_lines_of_both_colours_lose() -> None:
    now = after(position(orange=POINTING, blue="a1-a3 f7-f9"), "k1-k3 f7-f9>f6-f8")
    assert now.awaiting == Outcome(SECOND_WINS, "opponent-line")


def test_what_is_passed_on_the_way_does_not_count() -> None:
    now = after(position(orange=POINTING, blue="a1-a3 f7-f9"), "k1-k3 f7-f9>f5-f7")
    assert now.awaiting == Turn(1)


def test_blue_wins_by_a_blue_line() -> None:
    now = after(position(orange="g5-i3 k1-k3 a1-a3", blue="d3-d5 e4-e6"), "k4-k6 g5-i3>f6-h4")
    assert now.awaiting == Outcome(SECOND_WINS, "line")


def test_blue_loses_by_an_orange_line() -> None:
    now = after(position(orange="f7-h5 k1-k3 a1-a3", blue="d3-d5 e4-e6"), "k4-k6 f7-h5>e7-g6")
    assert now.awaiting == Outcome(FIRST_WINS, "opponent-line")


def test_a_slide_that_loses_is_legal() -> None:
    assert "k1-k3 f7-h5>e7-g6" in texts(position(orange=POINTING, blue="a1-a3 f7-h5"))


# Stuck


def test_orange_loses_after_twenty_entries() -> None:
    now = played(TWENTY_ENTRIES)
    assert [len(trittons) for trittons in now.trittons] == [10, 10]
    assert now.awaiting == Outcome(SECOND_WINS, "stuck")


def test_a_slide_alone_does_not_save_who_has_no_tritton_left() -> None:
    assert played(TWENTY_ENTRIES).legal_moves() == []


def test_blue_loses_without_a_legal_entry() -> None:
    now = played(NO_ROOM_FOR_BLUE)
    assert [len(trittons) for trittons in now.trittons] == [9, 8]
    assert now.awaiting == Outcome(FIRST_WINS, "stuck")


def test_orange_loses_without_a_legal_entry() -> None:
    now = played(NO_ROOM_FOR_ORANGE)
    assert [len(trittons) for trittons in now.trittons] == [8, 8]
    assert now.awaiting == Outcome(SECOND_WINS, "stuck")


def test_when_the_game_is_over_nothing_can_be_played() -> None:
    over, move = played(NO_ROOM_FOR_BLUE), Move(CANONICAL["k1-k3"])
    assert not any([over.legal_moves(), over.choices(), over.choices("k1-k3")])
    for refused in (lambda: over.play(move), lambda: over.parse("k1-k3"), lambda: over.parse("?")):
        with pytest.raises(IllegalMove, match=r"^The game is over\.$"):
            refused()


def test_no_dice_are_ever_awaited() -> None:
    with pytest.raises(ValueError, match="dice"):
        tritt_reloaded.start({}).rolled((1,))


def test_who_runs_out_of_time_loses() -> None:
    now = played("a1-a3")
    assert now.forfeited_by(0) == Outcome(SECOND_WINS, "time")
    assert now.forfeited_by(1) == Outcome(FIRST_WINS, "time")


# Reading


@pytest.mark.parametrize(
    "text",
    [
        "c3-e5 d6-f8>e7-g8",
        "C3-E5 D6-F8>E7-G8",
        "  c3-e5   d6-f8>e7-g8\r\n",
        "c3 - e5 d6 - f8 > e7 - g8",
        "c3–e5 d6—f8→e7−g8",
        "c3‐e5 d6‑f8 ⟶ e7-g8",
        "c3-e5 d6-f8 ➔ e7-g8",
        "c3-e5 d6-f8 -> e7-g8",
        "e5-c3 f8-d6>g8-e7",
    ],
)
def test_a_move_is_read_in_any_form(text: str) -> None:
    move = played("d6-f8").parse(text)
    assert move == Move(CANONICAL["c3-e5"], Slide(CANONICAL["d6-f8"], CANONICAL["e7-g8"]))
    assert str(move) == "c3-e5 d6-f8>e7-g8"


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "c3",
        "c3-",
        "c3-e5-g5",
        "c3-e5 d6",
        "c3-e5 d6-f8>",
        "c3-e5 d6-f8>e7",
        "c3-e5 d6-f8>e7-g8>f8-h8",
        "c3-e5 d6-f8>e7-g8 a1-a3",
        "l1-l3",
        "a6-a8",
        "c³-e5",
        "c٣-e5",
        "c3\0-e5",
        "🎲",
        "{text}",
        "c3-e5" * 40,
        ">",
        "swap",
    ],
)
def test_what_is_no_move_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(InvalidMove, match=r"as in c3-e5, .*as in c3-e5 d6-f8>e7-g8"):
        played("d6-f8").parse(text)


def test_the_example_is_legal_somewhere() -> None:
    assert str(played("d6-f8").parse(tritt_reloaded.EXAMPLE)) == tritt_reloaded.EXAMPLE


def test_a_slide_without_its_end_is_ambiguous() -> None:
    with pytest.raises(AmbiguousMove) as refused:
        position(orange="f4-f6 f8-f10 a1-a3", blue="k1-k3 k4-k6").parse("a4-a6 f4-f6")
    assert str(refused.value) == (
        "a4-a6 f4-f6 could be any of: a4-a6 f4-f6>f5-f7, a4-a6 f4-f6>f3-f5, "
        "a4-a6 f4-f6>f2-f4, a4-a6 f4-f6>f1-f3."
    )


def test_a_slide_without_its_end_is_asked_for_where_there_is_but_one() -> None:
    with pytest.raises(InvalidMove):
        position(orange="a1-a3", blue="").parse("a5-c5 a1-a3")


@pytest.mark.parametrize(
    ("orange", "blue", "text", "sentence"),
    [
        (
            POINTING,
            "a1-a3",
            "a3-c5",
            "a3-c5 cannot be entered: a tritton needs three free dots; taken already: a3.",
        ),
        (
            POINTING,
            "a1-a3",
            "f6-h4",
            "f6-h4 would make a line of three orange dots: d4 e5 f6.",
        ),
        (
            POINTING,
            "g6-g8",
            "f6-h4",
            "f6-h4 would make a line of four orange dots: d4 e5 f6 g6.",
        ),
        (
            POINTING,
            "a1-a3",
            "e7-g6 d3-d5>d2-d4",
            "e7-g6 would make a line of three blue dots: d5 e6 f7.",
        ),
        (
            POINTING,
            "a1-a3 k1-k3",
            "f7-h5",
            "f7-h5 would make a line of three blue dots: d5 e6 f7.",
        ),
        (
            "a1-a3 k1-k3",
            "c5-e5 d2-d4",
            "f5-f7",
            "f5-f7 would make a line of three orange dots: d4 e5 f6.",
        ),
        ("a1-a3", "", "a1-a4", None),
        ("a1-a3", "", "k1-k3 a1-a3>a1-a4", None),
        (
            "a1-a3",
            "",
            "a1-a3>a2-a4",
            "A slide alone is no move: first enter a tritton of yours, as in c3-e5 d6-f8>e7-g8.",
        ),
        (
            "a1-a3",
            "",
            "k1-k3 b1-b3>b2-b4",
            "There is no tritton on b1-b3 that could slide.",
        ),
        (
            "a1-a3 f1-f3",
            "k1-k3",
            "k4-k6 k1-k3>k2-k4",
            "k1-k3 is your own tritton; only your opponent's may be slid.",
        ),
        (
            "a1-a3",
            "",
            "k1-k3 k1-k3>k2-k4",
            "k1-k3 is your own tritton; only your opponent's may be slid.",
        ),
        (
            "a1-a3",
            "",
            "k1-k3 a1-a3>a1-a3",
            "A slide must end elsewhere than it began, not on a1-a3.",
        ),
        (
            "a1-a3",
            "",
            "a4-a6 a1-a3>a2-a4",
            "a1-a3 cannot slide to a2-a4: it is blocked at a4.",
        ),
        (
            "a1-a3",
            "",
            "k1-k3 a1-a3>b1-b3",
            "a1-a3 slides only along the line of dots it lies on, and b1-b3 is not on that line.",
        ),
    ],
)
def test_an_illegal_move_is_refused_with_the_rule_and_where(
    orange: str, blue: str, text: str, sentence: str | None
) -> None:
    with pytest.raises(IllegalMove) as refused:
        position(orange, blue).parse(text)
    expected = sentence or (
        "a1-a4 is no place for a tritton: it covers three adjacent dots "
        "in a straight line, and is named by its two ends."
    )
    assert str(refused.value) == expected


def test_an_illegal_move_cannot_be_played() -> None:
    now = played("a1-a3")
    for move in (
        Move(CANONICAL["a1-a3"]),
        Move(CANONICAL["k1-k3"], Slide(CANONICAL["a1-a3"], CANONICAL["b1-b3"])),
    ):
        with pytest.raises(IllegalMove):
            now.play(move)


# Choosing


def test_the_choices_begin_with_the_entries() -> None:
    choices = played("d6-f8").choices()
    assert Choice("c3-e5", ("c3", "d4", "e5"), whole=True) in choices
    assert len(choices) == sum(" " not in text for text in texts(played("d6-f8")))


def test_after_an_entry_come_the_trittons_that_can_slide() -> None:
    now = position(orange="d6-f8 a1-a3 a4-a6", blue="k1-k3 k4-k6")
    assert now.choices("c3-e5") == [Choice(" d6-f8", ("d6", "e7", "f8"), whole=False)]


def test_after_a_tritton_come_its_goals() -> None:
    goals = played("d6-f8").choices("c3-e5 d6-f8")
    assert goals[0] == Choice(">e7-g8", ("e7", "f8", "g8"), whole=True)


@pytest.mark.parametrize(
    "prefix",
    ["?", "e5-c3", "d6-f8", "c3-e5 ", "c3-e5 a1-a3", "c3-e5 d6-f8>", "c3-e5 d6-f8>e7-g8"],
)
def test_a_dead_prefix_has_no_choices(prefix: str) -> None:
    assert list(played("d6-f8").choices(prefix)) == []


# Storing


def test_a_position_is_stored_as_the_names_of_its_trittons() -> None:
    now = played("a1-a3 / c3-e5 / k1-k3")
    assert now.to_json() == {"orange": ["a1-a3", "k1-k3"], "blue": ["c3-e5"]}


@pytest.mark.parametrize("moves", [TWENTY_ENTRIES, NO_ROOM_FOR_BLUE, "a1-a3"])
def test_a_stored_position_comes_back_whole(moves: str) -> None:
    now = played(moves)
    stored = json.dumps(now.to_json())
    assert tritt_reloaded.load(json.loads(stored)) == now
    assert len(stored) < 400


# The whole game, against the slow reading of the rules


def assert_same(now: TrittReloaded, reference: ReloadedReference) -> None:
    legal = texts(now)
    assert len(legal) == len(set(legal))
    assert set(legal) == reference.legal_moves()
    if reference.result is None:
        assert now.awaiting == Turn(0 if reference.colour == "orange" else 1)
    else:
        winner, reason = reference.result
        scores = FIRST_WINS if winner == "orange" else SECOND_WINS
        assert now.awaiting == Outcome(scores, reason)


@pytest.mark.parametrize("seed", range(6))
def test_a_game_goes_as_the_rules_read(seed: int) -> None:
    chance = random.Random(seed)
    now, reference = tritt_reloaded.start({}), ReloadedReference()
    assert_same(now, reference)
    while isinstance(now.awaiting, Turn):
        moves = sorted(texts(now))
        careful = [text for text in moves if " " not in text]
        text = chance.choice(careful if chance.random() < seed / 6 else moves)
        now = after(now, text)
        reference.play(text)
        assert_same(now, reference)
