"""Tritoc keeps each sentence of its rules."""

import json
import random
from collections import Counter

import pytest

from games.rules.position import (
    AmbiguousMove,
    Choice,
    IllegalMove,
    InvalidMove,
    InvalidOption,
    MoveError,
    Outcome,
    Roll,
    Turn,
)
from games.rules.tritoc import RULESET, Tritoc

EMPTY = "........."
DRAWN = "rryyyrrry"
"""A full field without a row."""
RED_WON = "rrr......"
YELLOW_WON = "...yyy..."
LINES = ("3 4 5", "6 7 8", "9 10 11", "3 6 9", "4 7 10", "5 8 11", "3 7 11", "5 7 9")
LINES_OF_FIELDS = ("123", "456", "789", "147", "258", "369", "159", "357")


def at(fields=None, *, others=EMPTY, seat=0, passes=0, dice="standard"):
    """The position with these contents of fields by number, before the dice are thrown."""
    contents = [(fields or {}).get(number, others) for number in range(1, 10)]
    stored = {"dice": dice, "board": " ".join(contents), "seat": seat}
    return RULESET.load(stored | {"throws": [], "passes": passes})


def throw(position, *totals):
    """Throws two dice for each total."""
    for total in totals:
        first = max(1, total - 6)
        position = position.rolled((first, total - first))
    return position


def texts(position):
    return [str(move) for move in position.legal_moves()]


def play(position, total, text):
    position = throw(position, total)
    return position.play(position.parse(text))


# Board


def test_each_label_from_3_to_11_stands_once_in_each_field():
    for label in range(3, 12):
        assert texts(throw(at(), label)) == [f"{field}.{label}" for field in range(1, 10)]


@pytest.mark.parametrize("total", [2, 12])
def test_2_and_12_stand_nowhere(total):
    assert throw(at(), total).awaiting == Roll(2, 6)


def test_seat_0_begins():
    assert throw(RULESET.start({}), 7).awaiting == Turn(0)


def test_seat_1_comes_next():
    assert throw(play(RULESET.start({}), 7, "5.7"), 7).awaiting == Turn(1)


# A turn


def test_a_turn_opens_with_two_six_sided_dice():
    assert RULESET.start({}).awaiting == Roll(2, 6)
    assert play(RULESET.start({}), 7, "5.7").awaiting == Roll(2, 6)


def test_the_dice_are_added():
    position = RULESET.start({}).rolled((4, 5))
    assert position.total == 9
    assert "1.9" in texts(position)


def test_standard_dice_are_the_default():
    assert RULESET.start({}) == RULESET.start({"dice": "standard"})


def test_equal_dice_are_one_die_of_29_sides():
    assert RULESET.start({"dice": "equal"}).awaiting == Roll(1, 29)


def test_an_equal_die_gives_each_label_three_faces():
    labels = Counter()
    for face in range(1, 28):
        position = RULESET.start({"dice": "equal"}).rolled((face,))
        assert position.total == 3 + (face - 1) // 3
        assert str(position.legal_moves()[0]) == f"1.{position.total}"
        labels[position.total] += 1
    assert labels == dict.fromkeys(range(3, 12), 3)


def test_28_and_29_of_an_equal_die_are_a_2_and_a_12():
    position = at({1: "r........", 2: "y........"}, dice="equal")
    assert texts(position.rolled((28,))) == ["x1.3"]
    assert texts(position.rolled((29,))) == ["x2.3", "keep"]


def test_equal_dice_last_for_the_whole_game():
    position = RULESET.start({"dice": "equal"}).rolled((1,))
    assert position.play(position.parse("1.3")).awaiting == Roll(1, 29)


def test_an_unknown_option_is_refused():
    with pytest.raises(InvalidOption):
        RULESET.start({"dice": "loaded"})
    with pytest.raises(InvalidOption):
        RULESET.start({"sides": 6})


def test_a_throw_is_usable_where_an_open_field_has_that_hole_free():
    position = at({1: "....r....", 2: "....y....", 3: DRAWN, 4: RED_WON, 5: YELLOW_WON})
    assert texts(throw(position, 7)) == ["6.7", "7.7", "8.7", "9.7"]


def test_a_piece_goes_into_the_hole():
    assert play(at(), 7, "5.7") == at({5: "....r...."}, seat=1)
    assert play(at(seat=1), 11, "9.11") == at({9: "........y"}, seat=0)


def test_a_throw_without_a_free_hole_is_fruitless():
    position = throw(at(others="....r...."), 7)
    assert position.awaiting == Roll(2, 6)
    assert position.legal_moves() == []


def test_a_usable_throw_must_be_used():
    position = throw(at(), 7)
    with pytest.raises(IllegalMove, match="You threw 7; only after a 12"):
        position.parse("keep")
    with pytest.raises(ValueError, match="No roll is awaited"):
        position.rolled((3, 3))


def test_a_12_removes_a_piece_of_the_opponent_from_an_open_field_or_leaves_it():
    position = at({1: "r.y......", 2: "..y......", 3: YELLOW_WON, 4: DRAWN})
    assert texts(throw(position, 12)) == ["x1.5", "x2.5", "keep"]
    assert play(position, 12, "x1.5") == at(
        {1: "r........", 2: "..y......", 3: YELLOW_WON, 4: DRAWN}, seat=1
    )


def test_keep_removes_nothing_and_ends_the_turn():
    position = at({1: "r.y......"})
    assert play(position, 12, "keep") == at({1: "r.y......"}, seat=1)


def test_keep_is_not_offered_where_nothing_could_be_removed():
    position = throw(at({1: "r........", 3: YELLOW_WON, 4: DRAWN}), 12)
    assert position.awaiting == Roll(2, 6)


def test_a_2_removes_a_piece_of_ones_own_from_an_open_field():
    position = at({1: "r.y......", 2: "..y......", 3: RED_WON, 4: DRAWN})
    assert texts(throw(position, 2)) == ["x1.3"]
    assert play(position, 2, "x1.3") == at(
        {1: "..y......", 2: "..y......", 3: RED_WON, 4: DRAWN}, seat=1
    )


def test_a_2_for_yellow_is_yellows_piece():
    assert texts(throw(at({1: "r.y......"}, seat=1), 2)) == ["x1.5"]
    assert texts(throw(at({1: "r.y......"}, seat=1), 12)) == ["x1.3", "keep"]


def test_after_a_2_nothing_may_be_kept():
    with pytest.raises(IllegalMove, match="You threw 2; only after a 12"):
        throw(at({1: "r........"}), 2).parse("keep")


def test_a_2_without_an_own_piece_in_an_open_field_is_fruitless():
    assert throw(at({1: "y........", 2: RED_WON}), 2).awaiting == Roll(2, 6)


def test_a_fruitless_throw_is_thrown_again_by_the_same_seat():
    position = throw(at(), 2, 12)
    assert position.awaiting == Roll(2, 6)
    assert position.throws == ((1, 1), (6, 6))
    assert throw(position, 7).awaiting == Turn(0)


def test_three_fruitless_throws_pass_the_turn():
    position = throw(at(others="....r...."), 7, 7, 7)
    assert position == at(others="....r....", seat=1, passes=1)
    assert throw(position, 3).awaiting == Turn(1)


def test_fruitless_2s_and_12s_count_like_the_rest():
    assert throw(at({1: "....r...."}, others="....y....", seat=0), 7).awaiting == Roll(2, 6)
    assert throw(at(), 2, 12, 2) == at(seat=1, passes=1)


def test_the_next_turn_has_three_throws_again():
    position = throw(at(), 2, 2, 2, 2, 2)
    assert len(position.throws) == 2
    assert position.seat == 1


@pytest.mark.parametrize(("total", "text"), [(7, "5.7"), (12, "x1.5"), (12, "keep"), (2, "x1.3")])
def test_one_move_of_any_kind_ends_the_turn(total, text):
    position = play(at({1: "r.y......"}), total, text)
    assert position.awaiting == Roll(2, 6)
    assert position.seat == 1
    assert position.throws == ()


@pytest.mark.parametrize("dice", [(), (3,), (1, 2, 3), (0, 3), (7, 3), (3, -1), (2.5, 3)])
def test_a_throw_of_other_dice_is_no_throw(dice):
    with pytest.raises(ValueError, match="is no throw of"):
        at().rolled(dice)


def test_an_equal_die_has_no_face_30():
    with pytest.raises(ValueError, match="is no throw of"):
        at(dice="equal").rolled((30,))


# Fields, winning, ending


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("seat", [0, 1])
def test_a_field_is_won_at_once_by_three_in_a_line(line, seat):
    *first, last = map(int, line.split())
    letters = ["ry"[seat] if label in first else "." for label in range(3, 12)]
    position = play(at({5: "".join(letters)}, seat=seat), last, f"5.{last}")
    assert position.won[seat] == 1 << 4
    assert position.won[1 - seat] == 0


def test_three_that_are_no_line_win_nothing():
    position = play(at({5: "rr......."}), 8, "5.8")
    assert position.won == (0, 0)
    assert position.closed == 0


def test_three_of_two_colours_win_nothing():
    assert play(at({5: "ry......."}), 5, "5.5").won == (0, 0)


def test_a_won_field_is_closed_to_pieces():
    assert "1.11" not in texts(throw(at({1: RED_WON}), 11))
    assert "1.11" not in texts(throw(at({1: YELLOW_WON}), 11))


def test_a_won_field_is_closed_to_removals_so_it_stays_won():
    position = at({1: "rrr.y....", 2: "r...y...."})
    assert texts(throw(position, 2)) == ["x2.3"]
    assert texts(throw(position, 12)) == ["x2.7", "keep"]


def test_a_full_field_without_a_row_is_closed_and_nobodys():
    position = play(at({1: DRAWN[:8] + ".", 2: "r...y...."}, seat=1), 11, "1.11")
    assert position.closed == 1
    assert position.won == (0, 0)
    assert texts(throw(position, 2)) == ["x2.3"]
    assert texts(throw(position, 12)) == ["x2.7", "keep"]


def test_a_field_that_the_last_hole_wins_is_won():
    position = play(at({1: "ryyyryry."}), 11, "1.11")
    assert position.won == (1, 0)


@pytest.mark.parametrize("line", LINES_OF_FIELDS)
def test_three_won_fields_in_a_line_win_the_game_at_once(line):
    first, second, last = map(int, line)
    fields = {first: RED_WON, second: RED_WON, last: "rr......."}
    position = play(at(fields), 5, f"{last}.5")
    assert position.awaiting == Outcome((1.0, 0.0), "fields", (8, 0))


def test_yellow_can_win_too():
    fields = {1: YELLOW_WON, 5: YELLOW_WON, 9: "...yy....", 2: RED_WON}
    position = play(at(fields, seat=1), 8, "9.8")
    assert position.awaiting == Outcome((0.0, 1.0), "fields", (1, 8))


def test_three_won_fields_elsewhere_do_not_win():
    position = play(at({1: RED_WON, 2: RED_WON, 6: "rr......."}), 5, "6.5")
    assert position.awaiting == Roll(2, 6)


def test_fields_of_both_players_make_no_line():
    position = play(at({1: RED_WON, 2: YELLOW_WON, 3: "rr......."}), 5, "3.5")
    assert position.awaiting == Roll(2, 6)


def test_it_is_a_draw_when_no_open_field_has_a_free_hole():
    position = play(at({1: RED_WON, 9: DRAWN[:8] + "."}, others=DRAWN, seat=1), 11, "9.11")
    assert position.awaiting == Outcome((0.5, 0.5), "full", (1, 0))


def test_it_is_full_too_when_the_last_open_field_is_won():
    position = play(at({9: "rr......."}, others=DRAWN), 5, "9.5")
    assert position.awaiting == Outcome((0.5, 0.5), "full", (1, 0))


def test_fields_are_decided_before_full():
    position = play(at({1: RED_WON, 5: RED_WON, 9: "rr......."}, others=DRAWN), 5, "9.5")
    assert position.awaiting == Outcome((1.0, 0.0), "fields", (8, 0))


def test_four_passed_turns_in_a_row_are_a_draw():
    fields = {1: RED_WON, 2: YELLOW_WON, 3: RED_WON}
    position = throw(at(fields, others="....r....", passes=2), 7, 7, 7)
    assert position.awaiting == Roll(2, 6)
    assert position.passes == 3
    position = throw(position, 7, 7, 7)
    assert position.awaiting == Outcome((0.5, 0.5), "blocked", (2, 1))


def test_four_passes_from_the_start_are_a_draw():
    assert throw(at(), *[2] * 11).awaiting == Roll(2, 6)
    assert throw(at(), *[2] * 12).awaiting == Outcome((0.5, 0.5), "blocked", (0, 0))


@pytest.mark.parametrize(("total", "text"), [(7, "5.7"), (12, "x1.5"), (12, "keep"), (2, "x1.3")])
def test_any_move_begins_the_count_of_passes_anew(total, text):
    assert play(at({1: "r.y......"}, passes=3), total, text).passes == 0


def test_a_fruitless_throw_alone_is_no_pass():
    assert throw(at(passes=3), 2, 2).awaiting == Roll(2, 6)


def test_play_goes_on_for_points_when_nobody_can_line_up_three_fields():
    position = play(at({9: EMPTY, 8: "rr......."}, others=DRAWN), 5, "8.5")
    assert position.awaiting == Roll(2, 6)
    assert position.won == (1 << 7, 0)


@pytest.mark.parametrize("seat", [0, 1])
def test_who_forfeits_loses(seat):
    scores = [1.0, 1.0]
    scores[seat] = 0.0
    fields = {1: RED_WON, 2: RED_WON, 9: YELLOW_WON}
    assert at(fields).forfeited_by(seat) == Outcome(tuple(scores), "time", (2, 1))


def test_a_forfeit_is_a_draw_if_each_line_has_a_closed_field_that_is_not_the_opponents():
    fields = {1: RED_WON, 5: RED_WON, 9: DRAWN, 3: DRAWN, 4: DRAWN, 8: DRAWN}
    assert at(fields).forfeited_by(0) == Outcome((0.5, 0.5), "time", (2, 0))
    assert at(fields).forfeited_by(1) == Outcome((0.5, 0.5), "time", (2, 0))


@pytest.mark.parametrize("line", LINES_OF_FIELDS)
def test_a_forfeit_is_lost_while_the_opponent_has_one_possible_line(line):
    first, second, third = map(int, line)
    position = at({first: YELLOW_WON, second: EMPTY, third: "r...y...."}, others=DRAWN)
    assert position.forfeited_by(0) == Outcome((0.0, 1.0), "time", (0, 1))
    assert position.forfeited_by(1) == Outcome((0.5, 0.5), "time", (0, 1))


# Text


@pytest.mark.parametrize(
    ("text", "total", "move"),
    [
        ("5.7", 7, "5.7"),
        (" 5.7\r\n", 7, "5.7"),
        ("5 . 7", 7, "5.7"),
        ("5,7", 7, "5.7"),
        ("9.11", 11, "9.11"),
        ("9.10", 10, "9.10"),
        ("4", 4, "9.4"),
        ("X1.3", 2, "x1.3"),
        ("x 1. 3", 2, "x1.3"),
        ("x3", 2, "x1.3"),
        ("KEEP", 12, "keep"),
        ("x1.5", 12, "x1.5"),
        ("\u200bx1.5", 12, "x1.5"),
        ("X 11", 12, "x1.11"),
    ],
)
def test_a_move_is_read_leniently(text, total, move):
    fields = {1: "rry.....y", 9: EMPTY}
    position = throw(at(fields, others=".r......."), total)
    assert str(position.parse(text)) == move


NO_MOVES = ("", "5.", ".7x", "0.7", "10.7", "5.2", "5.12", "5.07", "5..7", "5.7 5.7", "xx5.7", "x")
STRANGE = ("resign", "²", "5.²", "٥.٧", "５.７", "\0", "5.7\0", "♟", "{total}", "5" * 200)


@pytest.mark.parametrize("text", NO_MOVES + STRANGE)
def test_what_is_no_move_is_invalid_and_shown_one(text):
    with pytest.raises(InvalidMove, match=r"5\.7 puts a piece there.*You could play 1\.7\."):
        throw(at(), 7).parse(text)


def test_a_label_that_stands_for_several_holes_is_ambiguous():
    with pytest.raises(AmbiguousMove, match=r"^7 could be any of these: 1\.7, 2\.7, 9\.7\.$"):
        throw(at({1: EMPTY, 2: EMPTY, 9: EMPTY}, others=DRAWN), 7).parse("7")
    with pytest.raises(AmbiguousMove, match=r"^x3 could be any of these: x1\.3, x2\.3\.$"):
        throw(at({1: "r........", 2: "r........"}), 2).parse("x3")


@pytest.mark.parametrize(
    ("text", "total", "sentence"),
    [
        ("1.3", 4, "You threw 4, so no piece can go into 1.3."),
        ("1.3", 3, "There is a piece in 1.3 already."),
        ("2.3", 3, "2.3 is in field 2, which is won or full, and so closed."),
        ("3.3", 3, "3.3 is in field 3, which is won or full, and so closed."),
        ("4.4", 12, "You threw 12: a piece is removed, not put. You could play x1.5."),
        ("4.4", 2, "You threw 2: a piece is removed, not put. You could play x1.3."),
        ("x1.3", 4, "You threw 4: a piece is put, not removed. You could play 1.4."),
        ("x1.5", 2, "After a 2 you remove a piece of your own; the one in 1.5 is not."),
        ("x1.3", 12, "After a 12 you remove a piece of your opponent; the one in 1.3 is yours."),
        ("x1.4", 2, "There is no piece in 1.4."),
        ("x1.4", 12, "There is no piece in 1.4."),
        ("x2.3", 2, "2.3 is in field 2, which is won or full, and so closed."),
        ("x3.5", 12, "3.5 is in field 3, which is won or full, and so closed."),
        ("keep", 3, "You threw 3; only after a 12 may all be left as it is."),
        ("7", 4, "You threw 4; 7 is no hole for that. You could play 1.4."),
        ("x7", 12, "You threw 12; x7 is no hole for that. You could play x1.5."),
        ("5", 12, "You threw 12; 5 is no hole for that. You could play x1.5."),
    ],
)
def test_an_illegal_move_is_told_the_rule_and_the_place(text, total, sentence):
    position = throw(at({1: "r.y......", 2: RED_WON, 3: DRAWN}), total)
    with pytest.raises(IllegalMove) as refused:
        position.parse(text)
    assert str(refused.value) == sentence


def test_an_illegal_move_is_not_played():
    with pytest.raises(IllegalMove, match="You threw 4"):
        throw(at(), 4).play(throw(at(), 3).legal_moves()[0])


def test_nothing_is_played_before_the_dice_are_thrown():
    move = throw(at(), 7).legal_moves()[0]
    for act in (lambda: at().parse("5.7"), lambda: at().play(move)):
        with pytest.raises(IllegalMove, match="The dice have not been thrown yet"):
            act()
    assert at().choices() == ()
    assert at().total == 0


def test_nothing_is_played_or_thrown_after_the_end():
    over = at({1: RED_WON, 2: RED_WON, 3: RED_WON})
    move = throw(at(), 7).legal_moves()[0]
    for act in (lambda: over.parse("5.7"), lambda: over.play(move)):
        with pytest.raises(IllegalMove, match="The game is over"):
            act()
    with pytest.raises(ValueError, match="No roll is awaited"):
        over.rolled((3, 4))
    assert over.legal_moves() == []
    assert over.choices() == ()


def test_choices_are_whole_moves_with_their_holes():
    position = at({1: "r.y......"})
    assert throw(position, 11).choices()[4] == Choice("5.11", ("5.11",), True)
    assert throw(position, 12).choices() == (
        Choice("x1.5", ("1.5",), True),
        Choice("keep", (), True),
    )
    assert throw(position, 2).choices() == (Choice("x1.3", ("1.3",), True),)
    assert throw(position, 11).choices("5.11") == ()


def test_a_position_is_stored_with_its_throws():
    position = throw(at({1: "r.y......", 9: "..r.....y"}, others="..y......", passes=2), 5, 5)
    stored = position.to_json()
    assert stored["board"].split()[0] == "r.y......"
    assert stored["board"].split()[8] == "..r.....y"
    assert stored["throws"] == [[1, 4], [1, 4]]
    assert RULESET.load(json.loads(json.dumps(stored))) == position


def test_a_position_is_frozen_and_hashable():
    with pytest.raises(AttributeError):
        at().seat = 1
    assert len({at(), at(), at(seat=1)}) == 2


# The rules once more, slowly: played in lock-step with the engine


class Slow:
    """The page, sentence by sentence, on a dictionary of holes."""

    def __init__(self):
        self.holes = {}
        self.seat = 0
        self.throws = 0
        self.passes = 0
        self.total = None
        self.over = None

    def winner(self, field):
        for line in LINES:
            colours = {self.holes.get((field, int(label))) for label in line.split()}
            if len(colours) == 1 and None not in colours:
                return colours.pop()
        return None

    def is_closed(self, field):
        full = all((field, label) in self.holes for label in range(3, 12))
        return full or self.winner(field) is not None

    def moves(self, total):
        open_fields = [field for field in range(1, 10) if not self.is_closed(field)]
        if total in (2, 12):
            whose = self.seat if total == 2 else 1 - self.seat
            found = {
                f"x{f}.{label}"
                for (f, label), colour in self.holes.items()
                if colour == whose and f in open_fields
            }
            return found | {"keep"} if found and total == 12 else found
        return {f"{f}.{total}" for f in open_fields if (f, total) not in self.holes}

    def roll(self, total):
        self.throws += 1
        if self.moves(total):
            self.total = total
        elif self.throws == 3:
            self.end_turn(self.passes + 1)
            if self.passes == 4:
                self.over = ((0.5, 0.5), "blocked", self.points())

    def play(self, text):
        if text != "keep":
            field, label = map(int, text.removeprefix("x").split("."))
            if text.startswith("x"):
                del self.holes[field, label]
            else:
                self.holes[field, label] = self.seat
        for line in LINES_OF_FIELDS:
            if all(self.winner(int(field)) == self.seat for field in line):
                points = list(self.points())
                points[self.seat] += 5
                scores = (1.0, 0.0) if self.seat == 0 else (0.0, 1.0)
                self.over = (scores, "fields", tuple(points))
        if self.over is None and all(map(self.is_closed, range(1, 10))):
            self.over = ((0.5, 0.5), "full", self.points())
        self.end_turn(0)

    def end_turn(self, passes):
        self.seat, self.passes, self.throws, self.total = 1 - self.seat, passes, 0, None

    def points(self):
        owners = [self.winner(field) for field in range(1, 10)]
        return owners.count(0), owners.count(1)

    def forfeit(self, seat):
        for line in LINES_OF_FIELDS:
            if all(not self.is_closed(int(f)) or self.winner(int(f)) == 1 - seat for f in line):
                return ((0.0, 1.0) if seat == 0 else (1.0, 0.0), "time", self.points())
        return ((0.5, 0.5), "time", self.points())


def total_of(dice):
    if len(dice) == 2:
        return dice[0] + dice[1]
    return {28: 2, 29: 12}.get(dice[0], 3 + (dice[0] - 1) // 3)


def assert_alike(position: Tritoc, slow: Slow):
    if slow.over:
        assert position.awaiting == Outcome(*slow.over)
        assert position.legal_moves() == []
    elif slow.total is None:
        assert isinstance(position.awaiting, Roll)
    else:
        assert position.awaiting == Turn(slow.seat)
        moves = texts(position)
        assert len(moves) == len(set(moves))
        assert set(moves) == slow.moves(slow.total)


@pytest.mark.parametrize("dice", ["standard", "equal"])
def test_random_games_go_as_the_rules_say(dice):
    chance = random.Random(f"tritoc {dice}")
    reasons = Counter()
    for _ in range(12):
        position, slow = RULESET.start({"dice": dice}), Slow()
        while not slow.over:
            if slow.total is None:
                roll = position.awaiting
                faces = tuple(chance.randint(1, roll.sides) for _ in range(roll.dice))
                position = position.rolled(faces)
                slow.roll(total_of(faces))
            else:
                loser = chance.choice((0, 1))
                assert position.forfeited_by(loser) == Outcome(*slow.forfeit(loser))
                move = chance.choice(position.legal_moves())
                position = position.play(move)
                slow.play(str(move))
            assert_alike(position, slow)
            assert RULESET.load(json.loads(json.dumps(position.to_json()))) == position
        reasons[slow.over[1]] += 1
    assert reasons["fields"] > 5


def test_no_text_breaks_the_reader():
    chance = random.Random("any text")
    position = throw(at({1: "r.y......"}), 12)
    read = Counter()
    for _ in range(3000):
        text = "".join(chance.choices("xX15.., 3keep-–²٣\0{}", k=chance.randint(0, 6)))
        try:
            read[position.parse(text)] += 1
        except MoveError as refused:
            read[type(refused)] += len(str(refused))
    assert {InvalidMove, IllegalMove, position.parse("x1.5")} <= read.keys()
