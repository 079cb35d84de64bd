import json
import random

import pytest

from games.rules import tritt_classic
from games.rules.position import (
    Choice,
    IllegalMove,
    InvalidMove,
    InvalidOption,
    Outcome,
    Turn,
)
from games.rules.tritt_board import CANONICAL, Slide, dot_names
from games.rules.tritt_classic import SWAP, Entry, Move, TrittClassic
from tests.rules.tritt_reference import ClassicReference

FIRST_WINS, DRAW, SECOND_WINS = (1.0, 0.0), (0.5, 0.5), (0.0, 1.0)

# Blue's: orange dots on d4 and e5 point at f6, blue ones on d5 and e6 at f7.
POINTING = "d3-d5 e4-e6"
EIGHT = "a1-a3 a4-a6 c1-c3 c6-c8 f1-f3 f5-f7 f9-f11 k1-k3"
THERE_AND_BACK = "/ k1-k3>k2-k4 / a1-a3>a2-a4 / k2-k4>k1-k3 / a2-a4>a1-a3"


def position(
    orange: str = "",
    blue: str = "",
    colour: str = "orange",
    slides: str = "",
    *,
    swap: bool = True,
    slide: str = "one",
    swapped: bool = False,
) -> TrittClassic:
    stored = {"orange": orange.split(), "blue": blue.split(), "colour": colour, "slides": slides}
    return tritt_classic.load({**stored, "swap": swap, "slide": slide, "swapped": swapped})


def played(moves: str, **options: object) -> TrittClassic:
    now = tritt_classic.start(options)
    for text in moves.split("/"):
        now = after(now, text)
    return now


def after(now: TrittClassic, text: str) -> TrittClassic:
    return now.play(now.parse(text))


def texts(now: TrittClassic) -> list[str]:
    return [str(move) for move in now.legal_moves()]


def slides(now: TrittClassic) -> list[str]:
    return sorted(text for text in texts(now) if ">" in text)


def entries(now: TrittClassic) -> list[str]:
    return [text for text in texts(now) if text in CANONICAL]


# Seats and trittons


def test_seat_0_begins_as_orange() -> None:
    assert tritt_classic.start({}).awaiting == Turn(0)
    assert played("a1-a3").awaiting == Turn(1)


def test_orange_owns_the_trittons_with_orange_ends() -> None:
    orange, blue = played("c3-e5").dots
    assert (dot_names(orange), dot_names(blue)) == (["c3", "e5"], ["d4"])


def test_blue_owns_the_trittons_with_blue_ends() -> None:
    orange, blue = played("a1-a3 / c3-e5").dots
    assert (dot_names(orange), dot_names(blue)) == (["a1", "a3", "d4"], ["a2", "c3", "e5"])


def test_the_first_move_enters_a_tritton() -> None:
    first = texts(tritt_classic.start({}))
    assert len(first) == 207
    assert set(first) == set(CANONICAL)


@pytest.mark.parametrize(("slide", "count"), [("one", 39_318), ("any", 40_146)])
def test_sequences_of_two_moves_are_counted(slide: str, count: int) -> None:
    now = tritt_classic.start({"swap": False, "slide": slide})
    assert len(now.legal_moves()) == 207
    assert sum(len(now.play(move).legal_moves()) for move in now.legal_moves()) == count


# Swap


def test_swap_is_on_and_slides_go_one_step_by_default() -> None:
    assert tritt_classic.start({}) == tritt_classic.start({"swap": "on", "slide": "one"})


@pytest.mark.parametrize("options", [{"slide": "two"}, {"swap": 1}, {"hand": 9}])
def test_other_options_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(InvalidOption):
        tritt_classic.start(options)


def test_the_second_move_may_be_swap() -> None:
    assert texts(played("a1-a3")).count("swap") == 1


def test_no_other_move_may_be_swap() -> None:
    for now in (
        tritt_classic.start({}),
        played("a1-a3 / k1-k3"),
        played("a1-a3 / a1-a3>a2-a4"),
        played("a1-a3 / a1-a3>a2-a4 / k1-k3"),
    ):
        assert "swap" not in texts(now)


def test_swap_may_be_switched_off() -> None:
    assert "swap" not in texts(played("a1-a3", swap=False))


def test_after_swap_the_board_stays_and_the_new_blue_moves() -> None:
    before, now = played("a1-a3"), played("a1-a3 / swap")
    assert (now.trittons, now.dots) == (before.trittons, before.dots)
    assert before.awaiting == Turn(1)
    assert now.awaiting == Turn(0)
    assert slides(now) == ["a1-a3>a2-a4"]


def test_nobody_swaps_back() -> None:
    assert "swap" not in texts(played("a1-a3 / swap"))


def test_after_swap_colours_decide_whose_tritton_is_whose() -> None:
    now = played("a1-a3 / swap / k1-k3")
    assert now.awaiting == Turn(1)
    assert slides(now) == ["k1-k3>k2-k4"]
    assert now.trittons == ((CANONICAL["a1-a3"],), (CANONICAL["k1-k3"],))


def test_after_swap_seat_1_wins_by_an_orange_line() -> None:
    now = after(position(blue=POINTING, swapped=True), "f6-h4")
    assert now.awaiting == Outcome(SECOND_WINS, "line")


def test_after_swap_seat_0_wins_when_orange_makes_a_blue_line() -> None:
    now = after(position(blue=POINTING, swapped=True), "e7-g6")
    assert now.awaiting == Outcome(FIRST_WINS, "opponent-line")


def test_after_swap_seat_1_loses_as_orange_without_a_move() -> None:
    now = after(position(orange=EIGHT, colour="blue", swapped=True), "k1-k3>k2-k4")
    assert now.awaiting == Outcome(FIRST_WINS, "stuck")


# Entering and sliding


def test_an_entry_needs_three_free_dots() -> None:
    assert not {"c3-e5", "d4-d6", "e5-e7", "c1-c3"} & set(texts(played("c3-e5")))


def test_a_move_enters_or_slides_but_not_both() -> None:
    assert not any(" " in text for text in texts(played("a1-a3 / k1-k3")))


def test_each_colour_has_eight_trittons() -> None:
    assert entries(position(orange=EIGHT.removesuffix(" k1-k3"), blue="k4-k6"))
    assert entries(position(orange=EIGHT, blue="k4-k6 h1-h3")) == []
    assert entries(position(orange=EIGHT, blue="k4-k6", colour="blue"))


def test_a_slide_goes_exactly_one_step() -> None:
    assert slides(played("f4-f6")) == ["f4-f6>f3-f5", "f4-f6>f5-f7"]


def test_a_slide_may_go_any_number_of_steps_if_the_game_says_so() -> None:
    assert slides(played("f4-f6", slide="any")) == [
        f"f4-f6>f{number}-f{number + 2}" for number in (1, 2, 3, 5, 6, 7, 8, 9)
    ]


def test_a_slide_may_not_jump() -> None:
    now = position(orange="f4-f6 f8-f10", colour="blue", slide="any")
    assert [text for text in slides(now) if text.startswith("f4")] == [
        f"f4-f6>f{number}-f{number + 2}" for number in (1, 2, 3, 5)
    ]


def test_a_slide_is_stopped_by_the_dot_ahead() -> None:
    assert slides(position(orange="f4-f6 f7-f9", colour="blue")) == ["f4-f6>f3-f5", "f7-f9>f8-f10"]


def test_only_an_opponents_tritton_slides() -> None:
    assert slides(position(orange="a1-a3", blue="k1-k3")) == ["k1-k3>k2-k4"]
    assert slides(position(orange="a1-a3", blue="k1-k3", colour="blue")) == ["a1-a3>a2-a4"]


def test_a_slide_moves_the_tritton_with_its_colours() -> None:
    now = played("f4-f6 / f4-f6>f5-f7")
    orange, blue = now.dots
    assert (dot_names(orange), dot_names(blue)) == (["f5", "f7"], ["f6"])
    assert now.awaiting == Turn(0)


def test_a_slide_of_two_steps_keeps_the_end_that_stays_covered() -> None:
    orange, blue = played("f4-f6 / f4-f6>f6-f8", slide="any").dots
    assert (dot_names(orange), dot_names(blue)) == (["f6", "f8"], ["f7"])


# Lines


def test_an_entry_may_make_a_line_and_wins_by_its_own() -> None:
    now = after(position(blue=POINTING), "f6-h4")
    assert now.awaiting == Outcome(FIRST_WINS, "line")


def test_an_entry_that_makes_a_line_of_the_opponents_loses() -> None:
    now = after(position(blue=POINTING), "e7-g6")
    assert now.awaiting == Outcome(SECOND_WINS, "opponent-line")


def test_an_entry_that_makes_lines_of_both_loses() -> None:
    now = after(position(blue=POINTING), "f6-f8")
    assert now.awaiting == Outcome(SECOND_WINS, "opponent-line")


def test_blue_wins_by_a_slide_that_makes_a_blue_line() -> None:
    now = after(position(orange="f7-h5", blue=POINTING, colour="blue"), "f7-h5>e7-g6")
    assert now.awaiting == Outcome(SECOND_WINS, "line")


def test_blue_loses_by_a_slide_that_makes_an_orange_line() -> None:
    now = after(position(orange="g5-i3", blue=POINTING, colour="blue"), "g5-i3>f6-h4")
    assert now.awaiting == Outcome(FIRST_WINS, "opponent-line")


def test_a_slide_that_makes_lines_of_both_loses() -> None:
    now = after(position(orange="f7-f9", blue=POINTING, colour="blue"), "f7-f9>f6-f8")
    assert now.awaiting == Outcome(FIRST_WINS, "opponent-line")


def test_what_is_passed_on_the_way_does_not_count() -> None:
    now = position(orange="f7-f9", blue=POINTING, colour="blue", slide="any")
    assert after(now, "f7-f9>f5-f7").awaiting == Turn(0)


# Stuck


def test_orange_without_a_tritton_in_hand_or_to_slide_loses() -> None:
    now = after(position(orange=EIGHT, colour="blue"), "k1-k3>k2-k4")
    assert now.awaiting == Outcome(SECOND_WINS, "stuck")
    assert not any([now.legal_moves(), now.choices()])


def test_who_can_only_slide_is_not_stuck() -> None:
    now = after(position(orange=EIGHT, blue="h1-h3", colour="blue"), "k1-k3>k2-k4")
    assert now.awaiting == Turn(0)
    assert texts(now) == ["h1-h3>h2-h4"]


def test_trittons_that_are_hemmed_in_save_nobody() -> None:
    orange = EIGHT.replace("a1-a3", "h1-h3")
    now = after(position(orange=orange, blue="a1-a3", colour="blue"), "k1-k3>k2-k4")
    assert now.awaiting == Outcome(SECOND_WINS, "stuck")


def test_when_the_game_is_over_nothing_can_be_played() -> None:
    over, move = after(position(blue=POINTING), "f6-h4"), Entry(CANONICAL["a1-a3"])
    assert not any([over.legal_moves(), over.choices(), over.choices("d3-d5")])
    for refused in (lambda: over.play(move), lambda: over.parse("a1-a3"), lambda: over.parse("?")):
        with pytest.raises(IllegalMove, match=r"^The game is over\.$"):
            refused()


def test_no_dice_are_ever_awaited() -> None:
    with pytest.raises(ValueError, match="dice"):
        tritt_classic.start({}).rolled((1,))


@pytest.mark.parametrize("moves", ["a1-a3", "a1-a3 / swap"])
def test_who_runs_out_of_time_loses_whatever_the_colour(moves: str) -> None:
    assert played(moves).forfeited_by(0) == Outcome(SECOND_WINS, "time")
    assert played(moves).forfeited_by(1) == Outcome(FIRST_WINS, "time")


# Repetition


def test_a_placement_for_the_third_time_is_a_draw() -> None:
    begun = "a1-a3 / k1-k3" + THERE_AND_BACK
    assert played(begun).awaiting == Turn(0)
    assert played(begun + THERE_AND_BACK.rpartition("/")[0]).awaiting == Turn(1)
    assert played(begun + THERE_AND_BACK).awaiting == Outcome(DRAW, "repetition")


def test_a_placement_with_the_other_colour_to_move_is_not_the_same() -> None:
    """The upper tritton is home after 3 slides, the lower after 2: with Blue to move after 5."""
    upper = ["k1-k3>k2-k4", "k2-k4>k3-k5", "k3-k5>k1-k3"]
    lower = ["a1-a3>a2-a4", "a2-a4>a1-a3"]
    cycle = [move for n in range(6) for move in (upper[n % 3], lower[n % 2])]
    twice = " / ".join(["a1-a3", "k1-k3", *cycle])
    assert played(twice, slide="any").awaiting == Turn(0)
    thrice = " / ".join([twice, *cycle])
    assert played(thrice.rpartition("/")[0], slide="any").awaiting == Turn(1)
    assert played(thrice, slide="any").awaiting == Outcome(DRAW, "repetition")


def test_after_swap_placements_repeat_as_before() -> None:
    begun = "a1-a3 / swap / k1-k3" + THERE_AND_BACK
    assert played(begun).awaiting == Turn(1)
    assert played(begun + THERE_AND_BACK).awaiting == Outcome(DRAW, "repetition")


def test_swap_and_what_follows_is_no_third_time() -> None:
    assert played("a1-a3 / swap / a1-a3>a2-a4").awaiting == Turn(1)


def test_an_entry_makes_earlier_placements_forgotten() -> None:
    now = played("a1-a3 / k1-k3" + THERE_AND_BACK + "/ f1-f3")
    assert now.slides == ()


def test_slides_are_remembered_when_stored() -> None:
    now = played("a1-a3 / k1-k3" + THERE_AND_BACK + THERE_AND_BACK.rpartition("/")[0])
    again = tritt_classic.load(json.loads(json.dumps(now.to_json())))
    assert after(again, "a2-a4>a1-a3").awaiting == Outcome(DRAW, "repetition")


def test_a_line_comes_before_a_repetition() -> None:
    twice = (THERE_AND_BACK * 2).replace("/", "")
    repeated = position("a1-a3", "k1-k3", slides=twice)
    assert repeated.awaiting == Outcome(DRAW, "repetition")
    lined = position("a1-a3 f6-h4", f"k1-k3 {POINTING}", slides=twice, colour="blue")
    assert lined.awaiting == Outcome(FIRST_WINS, "line")


# Reading


@pytest.mark.parametrize(
    "text",
    [
        "c3-e5>d4-f6",
        "C3-E5>D4-F6",
        "  c3-e5 > d4-f6\r\n",
        "c3 - e5 -> d4 - f6",
        "c3–e5 → d4—f6",
        "c3−e5⟶d4‐f6",
        "c3‑e5➔d4-f6",
        "e5-c3>f6-d4",
    ],
)
def test_a_slide_is_read_in_any_form(text: str) -> None:
    move = played("c3-e5").parse(text)
    assert move == Slide(CANONICAL["c3-e5"], CANONICAL["d4-f6"])
    assert str(move) == "c3-e5>d4-f6"


@pytest.mark.parametrize("text", ["a1-a3", " A3 – A1 "])
def test_an_entry_is_read_in_any_form(text: str) -> None:
    assert played("c3-e5").parse(text) == Entry(CANONICAL["a1-a3"])


@pytest.mark.parametrize("text", ["swap", "SWAP", " Swap\n"])
def test_swap_is_read_in_any_case(text: str) -> None:
    assert played("c3-e5").parse(text) == SWAP
    assert str(SWAP) == "swap"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "c3",
        "c3-e5>",
        ">d4-f6",
        "c3-e5>d4",
        "c3-e5>d4-f6>e5-g6",
        "a1-a3 c3-e5>d4-f6",
        "swap a1-a3",
        "l1-l3",
        "c³-e5",
        "c٣-e5",
        "a1-a3\0",
        "🎲",
        "{text}",
        "swap" * 50,
    ],
)
def test_what_is_no_move_is_refused_with_examples(text: str) -> None:
    with pytest.raises(InvalidMove, match=r"as in c3-e5, or slide .*, as in c3-e5>d4-f6"):
        played("c3-e5").parse(text)


@pytest.mark.parametrize(
    ("now", "text", "sentence"),
    [
        (tritt_classic.start({}), "swap", "Only the second move of the game may be swap."),
        (played("a1-a3 / swap"), "swap", "Only the second move of the game may be swap."),
        (played("a1-a3", swap=False), "swap", "This game is played without swap."),
        (
            played("a1-a3"),
            "a3-c3",
            "a3-c3 cannot be entered: a tritton needs three free dots; taken already: a3.",
        ),
        (
            position(EIGHT, "k4-k6 h1-h3"),
            "i1-i3",
            "i1-i3 cannot be entered: all your trittons are on the board.",
        ),
        (
            played("f4-f6"),
            "f4-f6>f6-f8",
            "f4-f6 slides exactly one step here, and f6-f8 is farther.",
        ),
        (
            position("f4-f6 f7-f9", colour="blue"),
            "f4-f6>f5-f7",
            "f4-f6 cannot slide to f5-f7: it is blocked at f7.",
        ),
        (
            position("a1-a3", "k1-k3"),
            "a1-a3>a2-a4",
            "a1-a3 is your own tritton; only your opponent's may be slid.",
        ),
        (
            position("a1-a3", "k1-k3"),
            "h1-h3>h2-h4",
            "There is no tritton on h1-h3 that could slide.",
        ),
        (
            position("a1-a3", "k1-k3"),
            "k1-k3>k1-k3",
            "A slide must end elsewhere than it began, not on k1-k3.",
        ),
        (
            position("a1-a3", "k1-k3"),
            "k1-k4",
            "k1-k4 is no place for a tritton: it covers three adjacent dots "
            "in a straight line, and is named by its two ends.",
        ),
    ],
)
def test_an_illegal_move_is_refused_with_the_rule_and_where(
    now: TrittClassic, text: str, sentence: str
) -> None:
    with pytest.raises(IllegalMove) as refused:
        now.parse(text)
    assert str(refused.value) == sentence


@pytest.mark.parametrize(
    "move", [SWAP, Entry(CANONICAL["a1-a3"]), Slide(CANONICAL["k1-k3"], CANONICAL["k3-k5"])]
)
def test_an_illegal_move_cannot_be_played(move: Move) -> None:
    with pytest.raises(IllegalMove):
        position("a1-a3", "k1-k3").play(move)


# Choosing


def test_the_choices_are_swap_entries_and_trittons_to_slide() -> None:
    choices = played("c3-e5").choices()
    assert choices[0] == Choice("swap", (), whole=True)
    assert Choice("a1-a3", ("a1", "a2", "a3"), whole=True) in choices
    assert choices[-1] == Choice("c3-e5", ("c3", "d4", "e5"), whole=False)


def test_a_tritton_that_cannot_slide_is_no_choice() -> None:
    now = position(orange="a1-a3 a4-a6", blue="k1-k3", colour="blue")
    assert [choice.token for choice in now.choices() if not choice.whole] == []


def test_after_a_tritton_come_its_goals() -> None:
    assert played("c3-e5").choices("c3-e5") == [
        Choice(">d4-f6", ("d4", "e5", "f6"), whole=True),
        Choice(">b2-d4", ("b2", "c3", "d4"), whole=True),
    ]


@pytest.mark.parametrize("prefix", ["?", "swap", "e5-c3", "a1-a3", "c3-e5>", "c3-e5>d4-f6"])
def test_a_dead_prefix_has_no_choices(prefix: str) -> None:
    assert list(played("c3-e5").choices(prefix)) == []


# Storing


def test_a_position_is_stored_with_its_options_its_swap_and_its_slides() -> None:
    now = played("a1-a3 / swap / k1-k3 / k1-k3>k2-k4", slide="any")
    assert now.to_json() == {
        "orange": ["a1-a3"],
        "blue": ["k2-k4"],
        "colour": "blue",
        "slides": "k1-k3>k2-k4",
        "swap": True,
        "slide": "any",
        "swapped": True,
    }


@pytest.mark.parametrize("moves", ["a1-a3", "a1-a3 / swap", "a1-a3 / k1-k3" + THERE_AND_BACK])
def test_a_stored_position_comes_back_whole(moves: str) -> None:
    now = played(moves)
    stored = json.dumps(now.to_json())
    assert tritt_classic.load(json.loads(stored)) == now
    assert len(stored) < 400


# The whole game, against the slow reading of the rules


def assert_same(now: TrittClassic, reference: ClassicReference) -> None:
    legal = texts(now)
    assert len(legal) == len(set(legal))
    assert set(legal) == reference.legal_moves()
    if reference.result is None:
        assert now.awaiting == Turn(reference.seat(reference.colour))
    elif reference.result[0] == "nobody":
        assert now.awaiting == Outcome(DRAW, reference.result[1])
    else:
        scores = SECOND_WINS if reference.seat(reference.result[0]) else FIRST_WINS
        assert now.awaiting == Outcome(scores, reference.result[1])


def careful_moves(now: TrittClassic, chance: random.Random) -> list[str]:
    """Some that make no line, and more slides than entries."""
    legal = texts(now)
    some = chance.sample(slides(now), min(6, len(slides(now)))) + chance.choices(legal, k=3)
    return [text for text in some if isinstance(after(now, text).awaiting, Turn)] or legal


@pytest.mark.parametrize("careful", [False, True])
@pytest.mark.parametrize("slide", ["one", "any"])
@pytest.mark.parametrize("swap", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_a_game_goes_as_the_rules_read(seed: int, swap: bool, slide: str, careful: bool) -> None:
    chance = random.Random(seed)
    now = tritt_classic.start({"swap": swap, "slide": slide})
    reference = ClassicReference(swap_allowed=swap, furthest=1 if slide == "one" else 99)
    assert_same(now, reference)
    for _ in range(60):
        if isinstance(now.awaiting, Outcome):
            break
        text = chance.choice(careful_moves(now, chance) if careful else sorted(texts(now)))
        if seed == 1 and swap and reference.plies == 1:
            text = "swap"
        now = after(now, text)
        reference.play(text)
        assert_same(now, reference)


@pytest.mark.parametrize("seed", range(3))
def test_repetitions_are_counted_as_the_rules_read(seed: int) -> None:
    """Two trittons sway about at random until some placement has stood three times."""
    chance = random.Random(seed)
    now, reference = played("a1-a3 / k1-k3"), ClassicReference()
    reference.play("a1-a3")
    reference.play("k1-k3")
    while isinstance(now.awaiting, Turn):
        text = chance.choice(slides(now))
        now = after(now, text)
        reference.play(text)
        assert_same(now, reference)
    assert now.awaiting == Outcome(DRAW, "repetition")
