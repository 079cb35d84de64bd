"""TrioTrio, sentence by sentence."""

import random
import string
from contextlib import suppress

import pytest

from games.rules.position import (
    AmbiguousMove,
    IllegalMove,
    InvalidMove,
    InvalidOption,
    MoveError,
    Outcome,
    Roll,
    Turn,
)
from games.rules.triotrio import RULESET
from games.rules.triotrio_moves import DECLINE, MOVES, PASS, ROLL

YELLOW_WINS = Outcome((1.0, 0.0), "last-standing")
BLUE_WINS = Outcome((0.0, 1.0), "last-standing")
DRAW = Outcome((0.5, 0.5), "turn-limit")


def board(yellow, blue, *, seat=0, phase="turn", **more):
    """A position in the middle of a game; a piece is its kind's letter and its square."""
    stored = {
        "turn_limit": 200,
        "turns": 10,
        "seat": seat,
        "phase": phase,
        "yellow": yellow,
        "blue": blue,
        "cow": 0,
        "owes": False,
        "thrown_for": "",
        "dice": [],
    }
    return RULESET.load(stored | more)


def thrown(position, die):
    return position.play(ROLL).rolled((die,))


def play(position, *texts):
    """Texts are played, numbers are thrown."""
    for text in texts:
        if isinstance(text, int):
            position = position.rolled((text,))
        else:
            position = position.play(position.parse(text))
    return position


def texts(position):
    return {str(move) for move in position.legal_moves()}


def targets(position, start):
    return {text[3:] for text in texts(position) if text.startswith(f"{start}-")}


def pieces(position):
    stored = position.to_json()
    return stored["yellow"], stored["blue"]


def refused(position, text, kind=IllegalMove):
    with pytest.raises(kind) as caught:
        position.parse(text)
    return str(caught.value)


# The board, and who begins


def test_each_player_is_laid_out_rock_paper_scissors_from_his_own_left():
    assert pieces(RULESET.start({})) == ("rb1 pd1 sf1", "rf7 pd7 sb7")


def test_a_game_first_awaits_two_dice():
    position = RULESET.start({})
    assert position.awaiting == Roll(2, 6)
    assert position.legal_moves() == []
    assert position.choices() == ()


@pytest.mark.parametrize(("dice", "seat"), [((6, 5), 0), ((1, 2), 1)])
def test_the_higher_die_begins(dice, seat):
    position = RULESET.start({}).rolled(dice)
    assert position.awaiting == Turn(seat)
    assert position.dice == dice


def test_equal_dice_are_rolled_again():
    position = RULESET.start({}).rolled((4, 4))
    assert position.awaiting == Roll(2, 6)
    assert position.dice == (4, 4)
    assert position.rolled((1, 3)).awaiting == Turn(1)


def test_the_rolls_for_who_begins_are_no_turn():
    assert RULESET.start({}).rolled((2, 2)).rolled((1, 3)).turns == 0


# Change


def test_a_turn_begins_with_a_change_a_roll_or_a_pass():
    position = RULESET.start({}).rolled((6, 1))
    assert texts(position) == {"roll", "pass", "change b1", "change d1", "change f1"}


def test_a_change_awaits_a_die_and_then_the_same_seat():
    position = play(RULESET.start({}).rolled((1, 6)), "change f7")
    assert position.awaiting == Roll(1, 6)
    assert (position.thrown_for, position.dice) == ("change f7", ())
    assert position.rolled((3,)).awaiting == Turn(1)
    assert position.rolled((3,)).dice == (3,)


@pytest.mark.parametrize(
    ("die", "kind"), [(1, "r"), (2, "r"), (3, "p"), (4, "p"), (5, "s"), (6, "s")]
)
def test_the_chart_gives_each_kind_two_faces(die, kind):
    old = "s" if kind == "r" else "r"
    assert pieces(play(board(f"{old}d2", "pd7"), "change d2", die)) == (f"{kind}d2", "pd7")


def test_the_same_type_changes_nothing_and_uses_the_change_up():
    position = play(board("rd2 re2", "pd7"), "change d2", 1)
    assert pieces(position)[0] == "rd2 re2"
    assert texts(position) == {"roll", "pass"}


@pytest.mark.parametrize(
    ("yellow", "blue"),
    [("rd2 pe3", "sg7"), ("rd2 sa7", "pc1"), ("rd2 sa7", "pd3")],
    ids=["own", "enemy diagonal", "enemy straight"],
)
def test_a_piece_changed_next_to_its_like_is_removed(yellow, blue):
    position = play(board(yellow, blue), "change d2", 3)
    assert "d2" not in pieces(position)[0]


def test_a_piece_changed_two_squares_from_its_like_stays():
    assert pieces(play(board("rd2 sa7", "pf2"), "change d2", 3))[0] == "pd2 sa7"


@pytest.mark.parametrize(("square", "die"), [("c3", 3), ("a5", 4), ("e4", 5), ("f4", 6)])
def test_a_piece_changed_next_to_the_permanent_of_its_type_is_removed(square, die):
    position = play(board(f"r{square} rg1", "pd7"), f"change {square}", die)
    assert pieces(position)[0] == "rg1"


@pytest.mark.parametrize(("piece", "die"), [("sb4", 1), ("rf4", 3)])
def test_a_piece_changed_on_a_permanent_that_beats_it_is_removed(piece, die):
    position = play(board(f"{piece} rg1", "pd7"), f"change {piece[1:]}", die)
    assert pieces(position)[0] == "rg1"


@pytest.mark.parametrize(("piece", "die", "after"), [("sb3", 1, "rb3"), ("rf3", 3, "pf3")])
def test_a_piece_changed_beside_a_permanent_that_beats_it_stays(piece, die, after):
    assert pieces(play(board(piece, "pd7"), f"change {piece[1:]}", die))[0] == after


def test_changing_the_last_piece_away_gives_the_opponent_the_win():
    position = play(board("rd2", "pd3"), "change d2", 3)
    assert position.awaiting == BLUE_WINS
    assert position.legal_moves() == []


def test_after_a_removal_by_change_the_turn_goes_on():
    position = play(board("rd2 sg2", "pd3"), "change d2", 3)
    assert position.awaiting == Turn(0)
    assert texts(position) == {"roll", "pass"}
    assert targets(thrown(position, 1), "g2") == {"f1"}


def test_a_changed_piece_may_move_as_what_it_has_become():
    position = play(board("rd2", "pd7"), "change d2", 5, "roll", 1)
    assert targets(position, "d2") == {"c1", "e1", "c3"}


def test_a_turn_has_at_most_one_change():
    position = play(board("rd2 pg1", "pd7"), "change d2", 5)
    assert "one change" in refused(position, "change g1")


def test_a_change_comes_before_the_roll():
    assert "The die shows 2" in refused(thrown(board("rd2", "pd7"), 2), "change d2")


# Pass and roll


def test_a_pass_forfeits_the_move_and_ends_the_turn():
    position = play(board("rd2", "pd7"), "pass")
    assert (position.awaiting, position.turns) == (Turn(1), 11)


def test_a_roll_awaits_a_die_and_then_a_move_of_the_same_seat():
    position = play(board("rd2", "pd7", seat=1), "roll")
    assert position.awaiting == Roll(1, 6)
    assert position.rolled((2,)).awaiting == Turn(1)
    assert position.rolled((2,)).dice == (2,)


def test_after_the_roll_nobody_passes():
    assert "must move" in refused(thrown(board("rd2", "pd7"), 2), "pass")


def test_any_of_the_owners_pieces_may_use_the_roll_but_no_enemy_piece():
    position = thrown(RULESET.start({}).rolled((6, 1)), 1)
    assert {text[:2] for text in texts(position)} == {"b1", "d1", "f1"}


def test_a_roll_that_no_piece_can_use_ends_the_turn():
    position = thrown(board("pa1", "pc2"), 2)
    assert (position.awaiting, position.turns) == (Turn(1), 11)
    assert (position.thrown_for, position.dice) == ("roll", (2,))


# Moving


def test_paper_steps_left_right_up_or_down():
    assert targets(thrown(board("pe2", "sa7"), 1), "e2") == {"d2", "f2", "e1", "e3"}


def test_scissors_step_diagonally():
    assert targets(thrown(board("sd5", "sa7"), 1), "d5") == {"c4", "c6", "e6"}


def test_rock_does_all_its_steps_the_one_way_or_the_other_way():
    straight = {"b1", "f1", "d3", "c2", "e2"}
    diagonal = {"b1", "f1", "d3", "b3", "f3"}
    assert targets(thrown(board("rd1", "sa7"), 2), "d1") == straight | diagonal


def test_a_piece_moves_exactly_as_many_steps_as_were_rolled():
    assert targets(thrown(board("pd1", "sa7"), 2), "d1") == {"b1", "f1", "d3", "c2", "e2"}


def test_a_piece_may_turn_at_every_step():
    """With e1, g2 and f3 taken only g1-f1-f2-e2-e3 is left."""
    assert "e3" in targets(thrown(board("pg1 re1 rg2", "sf3"), 4), "g1")


def test_a_piece_never_steps_straight_back():
    assert "d1" not in targets(thrown(board("pd1", "sa7"), 2), "d1")
    assert "d2" not in targets(thrown(board("pd1 rc2 re2", "sd3"), 3), "d1")


def test_a_piece_may_end_where_it_began():
    position = thrown(board("pd1", "sa7"), 4)
    assert "d1-d1" in texts(position)
    assert pieces(play(position, "d1-d1")) == ("pd1", "sa7")


def test_a_piece_may_cross_its_own_path():
    """Six steps within a1, a2, b1, b2 and out to c1 need a second visit to a1 and b1."""
    assert "c1" in targets(thrown(board("pa1 rc2", "sg7"), 6), "a1")


def test_a_piece_steps_neither_on_nor_over_its_own_side():
    assert targets(thrown(board("pa1 rb1", "sg7"), 1), "a1") == {"a2"}
    assert "c1" not in targets(thrown(board("pa1 rb1", "sg7"), 2), "a1")


def test_a_piece_steps_not_over_an_enemy_even_if_it_beats_him():
    assert "d3" not in targets(thrown(board("pd1", "rd2"), 2), "d1")
    assert "d3" not in targets(thrown(board("pd1", "rd2 rd3"), 2), "d1")


@pytest.mark.parametrize(
    ("mover", "enemy", "captures"),
    [(a, b, a + b in ("rs", "sp", "pr")) for a in "rps" for b in "rps"],
)
def test_rock_beats_scissors_beat_paper_beats_rock(mover, enemy, captures):
    steps = 2 if mover == "s" else 1
    target = {"s": "d3", "p": "d2", "r": "d2"}[mover]
    position = thrown(board(f"{mover}d1", f"{enemy}{target} {enemy}g7"), steps)
    assert (target in targets(position, "d1")) is captures


def test_a_capture_is_made_by_the_last_step():
    assert "d2" in targets(thrown(board("pd1", "rd2"), 1), "d1")
    assert "d2" not in targets(thrown(board("pd1", "rd2"), 2), "d1")


@pytest.mark.parametrize(("yellow", "blue"), [("pd1 pd4", "sa7"), ("pd1 sa7", "pd4")])
def test_no_last_step_comes_within_one_square_of_a_like_piece_of_either_side(yellow, blue):
    position = thrown(board(yellow, blue), 2)
    assert targets(position, "d1") == {"b1", "f1", "c2", "e2"}


def test_no_passing_step_comes_within_one_square_of_a_like_piece():
    assert "e7" in targets(thrown(board("pa7", "pg1"), 4), "a7")
    assert "e7" not in targets(thrown(board("pa7", "pc6"), 4), "a7")


@pytest.mark.parametrize(
    ("piece", "steps", "barred"),
    [("pb2", 1, "b3"), ("pd4", 1, "c4"), ("sd4", 1, "e3"), ("sd4", 1, "e5"), ("pa2", 1, "a3")],
)
def test_the_permanent_of_its_type_repels_a_piece(piece, steps, barred):
    assert barred not in targets(thrown(board(piece, "rg7"), steps), piece[1:])


def test_a_piece_does_not_repel_itself():
    assert targets(thrown(board("pd1", "sa7"), 1), "d1") == {"c1", "e1", "d2"}


def test_other_types_do_not_repel():
    assert "d3" in targets(thrown(board("pd1 sd4", "rc4"), 2), "d1")


def test_a_move_that_ends_in_a_capture_is_exempt_from_repulsion_in_all_its_steps():
    position = thrown(board("pa7", "re7 pc6"), 4)
    assert targets(position, "a7") == {"e7"}
    assert pieces(play(position, "a7-e7")) == ("pe7", "pc6")


def test_a_capture_may_cross_its_own_types_permanent():
    assert "b6" in targets(thrown(board("pb2", "rb6"), 4), "b2")
    assert "b6" not in targets(thrown(board("pb2", "rg7"), 4), "b2")


@pytest.mark.parametrize(("start", "steps", "target"), [("a3", 1, "b4"), ("a3", 2, "c5")])
def test_a_permanent_that_it_beats_can_be_stood_on_and_crossed(start, steps, target):
    assert target in targets(thrown(board(f"s{start}", "rg7"), steps), start)


def test_rock_stands_on_the_permanent_scissors():
    assert "f4" in targets(thrown(board("rf3", "rg7"), 1), "f3")


@pytest.mark.parametrize(
    ("piece", "steps", "target"),
    [("rb3", 1, "b4"), ("ra3", 2, "c5"), ("pf3", 1, "f4"), ("pf3", 2, "f5")],
)
def test_a_permanent_that_beats_it_can_be_neither_stood_on_nor_crossed(piece, steps, target):
    assert target not in targets(thrown(board(piece, "pa1"), steps), piece[1:])


def test_not_even_a_capture_crosses_a_permanent_that_beats_it():
    assert "c5" not in targets(thrown(board("ra3", "sc5"), 2), "a3")


def test_a_capture_may_end_on_a_permanent_that_beats_it():
    assert "b4" in targets(thrown(board("ra3", "sb4"), 1), "a3")
    assert "f4" in targets(thrown(board("pf3", "rf4"), 1), "f3")


def test_how_a_piece_got_there_does_not_matter():
    """Rock reaches b1 from d1 the one way and the other, and that is one move."""
    moves = thrown(board("rd1", "sa7"), 2).legal_moves()
    assert [str(move) for move in moves].count("d1-b1") == 1


# Capture


def test_a_captured_piece_goes():
    position = play(thrown(board("pd1", "rd2 sa7"), 1), "d1-d2")
    assert pieces(position) == ("pd2", "sa7")
    assert (position.awaiting, position.turns) == (Turn(1), 11)


@pytest.mark.parametrize(
    ("yellow", "blue", "die", "text"),
    [("pd1", "rd2", 1, "d1-d2"), ("pd1 pe3", "rd2", 1, "d1-d2"), ("ra3", "sb4", 1, "a3-b4")],
    ids=["plain", "next to its like", "on a permanent that beats it"],
)
def test_capturing_the_last_enemy_wins_at_once_and_the_capturing_piece_stays(
    yellow, blue, die, text
):
    position = play(thrown(board(yellow, blue), die), text)
    assert position.awaiting == YELLOW_WINS
    assert text[3:] in pieces(position)[0]


def test_blue_wins_by_capturing_too():
    position = play(thrown(board("rd2", "pd1", seat=1), 1), "d1-d2")
    assert position.awaiting == BLUE_WINS


@pytest.mark.parametrize(
    ("yellow", "blue", "die", "text"),
    [
        ("pd1 pe3", "rd2 sa7", 1, "d1-d2"),
        ("pd1 sg1", "rd2 pc3", 1, "d1-d2"),
        ("pd4 sg1", "rc4 sa7", 1, "d4-c4"),
        ("sd6 rg1", "pe5 ra7", 1, "d6-e5"),
        ("sd4 rg1", "pf4 ra7", 2, "d4-f4"),
        ("ra3 rg1", "sb4 ra7", 1, "a3-b4"),
        ("pf3 sa1", "rf4 sa7", 1, "f3-f4"),
    ],
    ids=[
        "own like",
        "enemy like",
        "like permanent",
        "other permanent",
        "on its like permanent",
        "on the permanent paper",
        "on the permanent scissors",
    ],
)
def test_a_capture_next_to_its_like_or_on_what_beats_it_is_a_sacrifice(yellow, blue, die, text):
    position = play(thrown(board(yellow, blue), die), text)
    assert text[:2] not in pieces(position)[0]
    assert text[3:] not in " ".join(pieces(position))
    assert position.awaiting == Turn(1)


def test_a_sacrifice_of_the_last_piece_gives_the_opponent_the_win():
    assert play(thrown(board("pd1", "rd2 pc3"), 1), "d1-d2").awaiting == BLUE_WINS


# The Golden Cow: its count


def on_cow(yellow="rd4 pg1", blue="sa7", **more):
    return board(yellow, blue, **more)


def test_the_cow_can_be_crossed():
    position = thrown(board("pd3", "sa7"), 2)
    assert "d5" in targets(position, "d3")
    assert play(position, "d3-d5").cow == 0


def test_a_piece_on_the_cow_can_be_captured_and_its_count_is_gone():
    position = play(thrown(on_cow("pd5", "rd4 sa7", cow=2), 1), "d5-d4")
    assert pieces(position) == ("pd4", "sa7")
    assert position.cow == 0


def test_a_count_starts_at_0_and_grows_at_the_end_of_each_later_turn_of_the_owner_up_to_3():
    position = play(board("rd3 pg1 sa1", "sa7"), "roll", 1, "d3-d4")
    counts = [position.cow]
    for _ in range(9):
        position = play(position, "pass")
        counts.append(position.cow)
    assert counts == [0, 0, 1, 1, 2, 2, 3, 3, 3, 3]


def test_a_count_grows_while_another_piece_moves():
    assert play(thrown(on_cow(), 1), "g1-f1").cow == 1


def test_a_count_grows_when_the_roll_cannot_be_used():
    position = thrown(on_cow("sd4", "rc5 rc3 rg7", cow=1), 1)
    assert (position.cow, position.awaiting) == (2, Turn(1))


def test_a_count_grows_in_the_turn_of_a_change():
    assert play(on_cow(cow=1), "change d4", 3, "pass").cow == 2
    assert pieces(play(on_cow(cow=1), "change d4", 3))[0] == "pg1 pd4"


def test_a_piece_that_sets_out_from_the_cow_and_ends_on_it_starts_again():
    position = play(thrown(on_cow(cow=2), 4), "d4-d4")
    assert position.cow == 0
    assert play(position, "pass", "pass").cow == 1


def test_a_count_is_gone_when_its_piece_moves():
    position = play(thrown(on_cow(cow=2), 1), "d4-d3")
    assert position.cow == 0
    assert play(position, "pass", "roll", 1, "d3-d4").cow == 0


def test_a_count_is_gone_when_its_piece_is_removed_by_a_change():
    position = play(on_cow("rd4 pg1", "pd3 sa7", cow=2), "change d4", 3)
    assert (pieces(position)[0], position.cow) == ("pg1", 0)


def test_a_piece_that_sacrifices_itself_on_the_cow_leaves_no_count():
    position = play(thrown(on_cow("pd5 sg1", "rd4 pe3", cow=2), 1), "d5-d4")
    assert (pieces(position), position.cow) == (("sg1", "pe3"), 0)


def test_a_capture_of_the_last_enemy_on_the_cow_ends_his_count():
    position = play(thrown(on_cow("pd5", "rd4", cow=2), 1), "d5-d4")
    assert (position.awaiting, position.cow) == (YELLOW_WINS, 0)


def test_the_removal_of_another_piece_leaves_the_count_alone():
    assert play(on_cow("rd4 rd1", "pd2 sa7", cow=2), "change d1", 3).cow == 2


# The Golden Cow: reclaim


def test_with_a_count_of_3_and_a_piece_lost_the_owner_is_asked_at_the_end_of_his_turn():
    position = play(on_cow(cow=2), "pass")
    assert (position.awaiting, position.turns) == (Turn(0), 10)
    assert texts(position) == {"reclaim rock", "reclaim paper", "reclaim scissors", "decline"}


def test_he_is_asked_after_a_roll_that_cannot_be_used():
    position = thrown(on_cow("sd4", "rc5 rc3 rg7", cow=2), 1)
    assert "decline" in texts(position)
    assert "reclaim rock" in texts(position)


def test_he_is_asked_after_a_move_of_another_piece():
    assert "decline" in texts(play(thrown(on_cow(cow=3), 1), "g1-f1"))


def test_the_enemys_count_asks_nobody_at_the_end_of_the_others_turn():
    position = play(on_cow("sa7", "rd4", cow=3), "pass")
    assert (position.awaiting, position.cow) == (Turn(1), 3)
    assert texts(position) == {"roll", "pass", "change d4"}


def test_with_three_pieces_nothing_is_asked_and_the_count_stays():
    position = play(on_cow("rd4 pg1 sa1", cow=2), "pass")
    assert (position.awaiting, position.cow) == (Turn(1), 3)


def test_a_piece_lost_after_the_count_was_full_can_be_reclaimed():
    position = play(on_cow("rd4 rg1 sa1", "pg2", cow=3, seat=1), "roll", 1, "g2-g1")
    assert "reclaim rock" in texts(play(position, "pass"))


def test_a_piece_lost_by_a_change_of_the_same_turn_can_be_reclaimed():
    position = play(on_cow("rd4 pg1 sa1", "pb1", cow=2), "change a1", 4, "pass")
    assert "reclaim paper" in texts(position)


@pytest.mark.parametrize(
    ("seat", "centre", "kind"), [(0, "d1", "rock"), (1, "d7", "paper"), (1, "d7", "scissors")]
)
def test_a_reclaimed_piece_goes_to_the_centre_start_space(seat, centre, kind):
    sides = ("rd4", "sa1") if seat == 0 else ("sa1", "rd4")
    position = play(on_cow(*sides, seat=seat, cow=2), "pass", f"reclaim {kind}")
    assert f"{kind[0]}{centre}" in pieces(position)[seat]
    assert (position.awaiting, position.turns, position.cow) == (Turn(1 - seat), 11, 0)


def test_a_decline_keeps_the_count_and_he_is_asked_again():
    position = play(on_cow(cow=2), "pass", "decline")
    assert (position.awaiting, position.turns, position.cow) == (Turn(1), 11, 3)
    assert not position.owes
    assert "reclaim rock" in texts(play(position, "pass", "pass"))


@pytest.mark.parametrize(("yellow", "blue"), [("rd4 pd1", "sa7"), ("rd4", "pd1 sa7")])
def test_nothing_is_asked_if_the_centre_start_space_is_taken(yellow, blue):
    position = play(on_cow(yellow, blue, cow=2), "pass")
    assert (position.awaiting, position.cow) == (Turn(1), 3)


@pytest.mark.parametrize(("yellow", "blue"), [("rd4 pe2", "sa7"), ("rd4 ra1", "pc1 sa7")])
def test_no_type_is_offered_next_to_its_like_of_either_side(yellow, blue):
    position = play(on_cow(yellow, blue, cow=2), "pass")
    assert texts(position) == {"reclaim rock", "reclaim scissors", "decline"}


def test_nothing_is_asked_if_no_type_can_be_offered():
    position = play(on_cow("rd4 rc1", "pe1 sd2", cow=2), "pass")
    assert (position.awaiting, position.cow) == (Turn(1), 3)


# The Golden Cow: the debt


def owing(yellow="rd4 pd1 sg1", blue="sa7", **more):
    return on_cow(yellow, blue, owes=True, **more)


def test_after_a_reclaim_the_count_is_0_and_does_not_grow():
    position = play(on_cow("rd4 pg1", cow=2), "pass", "reclaim scissors", "pass")
    assert position.owes
    position = play(thrown(position, 4), "d4-f4")
    assert (position.owes, position.cow) == (False, 0)
    stuck = thrown(owing("sd4", "rc5 rc3 rg7"), 1)
    assert (stuck.owes, stuck.cow) == (True, 0)


def test_a_debtor_may_change_and_roll_but_not_pass():
    position = owing()
    assert texts(position) == {"roll", "change d4", "change d1", "change g1"}
    assert texts(play(position, "change g1", 6)) == {"roll"}
    assert "may not pass" in refused(position, "pass")


def test_his_opponent_may_pass():
    position = play(owing(seat=1), "pass")
    assert (position.awaiting, position.owes) == (Turn(0), True)


def test_changing_the_holder_keeps_the_debt():
    position = play(owing("rd4 sg1"), "change d4", 3)
    assert texts(position) == {"roll"}


def test_a_debtor_moves_the_holder_off_the_cow():
    position = thrown(owing(), 4)
    assert {text[:2] for text in texts(position)} == {"d4"}
    assert "d4-d4" not in texts(position)
    assert position.choices("d1") == ()
    assert [choice.token for choice in position.choices()] == ["d4"]


def test_if_the_holder_cannot_leave_the_other_pieces_may_move():
    position = thrown(owing("sd4 rc3 pg1", "rc5 sa7"), 1)
    assert {text[:2] for text in texts(position)} == {"c3", "g1"}
    assert play(position, "g1-f1").owes


def only_back_to_the_cow():
    """Four scissors bar b6, d6, b2 and d2, so four steps lead the fifth only round b4."""
    return owing("sd4 sa1 sd1", "sa7 sd7")


def test_if_the_holder_can_only_come_back_that_is_one_of_the_other_moves():
    position = thrown(only_back_to_the_cow(), 4)
    assert targets(position, "d4") == {"d4"}
    assert {text[:2] for text in texts(position)} > {"d4"}


def test_coming_back_to_the_cow_does_not_pay_the_debt():
    position = play(thrown(only_back_to_the_cow(), 4), "d4-d4")
    assert (position.owes, position.cow) == (True, 0)
    assert "pass" not in texts(play(position, "pass"))


def test_a_debtor_without_any_move_ends_his_turn_and_still_owes():
    position = thrown(owing("sd4", "rc5 rc3 rg7"), 1)
    assert (position.awaiting, position.owes) == (Turn(1), True)


def test_the_debt_ends_when_the_holder_stands_elsewhere():
    position = play(thrown(owing(), 1), "d4-d3", "pass")
    assert "pass" in texts(position)


def test_the_debt_ends_when_the_holder_is_captured_and_the_captor_owes_nothing():
    position = play(thrown(owing("rd4 sg1", "pd5", seat=1), 1), "d5-d4")
    assert not position.owes
    assert play(position, "pass", "pass").cow == 1


def test_the_debt_ends_when_the_holder_sacrifices_itself():
    assert not play(thrown(owing("rd4 rg1", "sd5 re6"), 1), "d4-d5").owes


def test_if_a_change_removes_the_holder_he_may_pass_at_once():
    position = play(owing("rd4 sg1", "pd3"), "change d4", 3)
    assert texts(position) == {"roll", "pass"}


def test_removing_another_piece_by_a_change_does_not_pay_the_debt():
    position = play(owing("rd4 rd1", "pd2 sa7"), "change d1", 3)
    assert texts(position) == {"roll"}


# The end


def test_after_the_turn_limit_the_game_is_a_draw():
    position = RULESET.start({"turn_limit": 3}).rolled((6, 1))
    position = play(position, "pass", "pass")
    assert position.awaiting == Turn(0)
    assert play(position, "pass").awaiting == DRAW


def test_the_turn_limit_is_200_unless_said_otherwise():
    position = RULESET.start({}).rolled((6, 1))
    for _ in range(199):
        position = play(position, "pass")
    assert position.awaiting == Turn(1)
    assert play(position, "pass").awaiting == DRAW


def test_the_last_turn_is_played_out_with_its_reclaim():
    position = play(on_cow(cow=2, turns=199), "pass")
    assert position.awaiting == Turn(0)
    assert play(position, "decline").awaiting == DRAW
    reclaimed = play(position, "reclaim rock")
    assert reclaimed.awaiting == DRAW
    assert pieces(reclaimed)[0] == "rd1 rd4 pg1"


def test_a_win_in_the_last_turn_stands():
    position = board("pd1", "rd2", turns=199)
    assert play(position, "roll", 1, "d1-d2").awaiting == YELLOW_WINS


@pytest.mark.parametrize("limit", [0, -1, "9", True, 2.0, None])
def test_a_turn_limit_is_a_whole_number_from_1(limit):
    with pytest.raises(InvalidOption):
        RULESET.start({"turn_limit": limit})


def test_there_is_no_other_option():
    with pytest.raises(InvalidOption):
        RULESET.start({"cows": 2})


def test_a_loss_on_time_is_a_loss():
    position = RULESET.start({})
    assert position.forfeited_by(0) == Outcome((0.0, 1.0), "time")
    assert position.forfeited_by(1) == Outcome((1.0, 0.0), "time")


# Reading moves


MIDDLE = thrown(board("rb1 pd1", "pd7"), 3)
OFFER = play(on_cow(cow=2), "pass")


@pytest.mark.parametrize(
    ("position", "text", "canonical"),
    [
        (board("rb1 pd1", "pd7"), "  ROLL\n", "roll"),
        (board("rb1 pd1", "pd7"), "Pass", "pass"),
        (board("rb1 pd1", "pd7"), "Change   B1", "change b1"),
        (board("rb1", "pd7"), "change", "change b1"),
        (MIDDLE, "B1-B2", "b1-b2"),
        (MIDDLE, " b1 – b2 ", "b1-b2"),
        (MIDDLE, "b1—b2", "b1-b2"),
        (MIDDLE, "b1−b2", "b1-b2"),
        (MIDDLE, "b1‐b2", "b1-b2"),
        (MIDDLE, "b1‑b2", "b1-b2"),
        (MIDDLE, "b1 → b2", "b1-b2"),
        (MIDDLE, "b1⟶b2", "b1-b2"),
        (MIDDLE, "b1➔b2", "b1-b2"),
        (MIDDLE, "b1 -> b2", "b1-b2"),
        (MIDDLE, "b1 > b2", "b1-b2"),
        (MIDDLE, "b1 -- b2", "b1-b2"),
        (MIDDLE, "b1 b2", "b1-b2"),
        (MIDDLE, "B1B2", "b1-b2"),
        (MIDDLE, "g1", "d1-g1"),
        (OFFER, "RECLAIM  Rock", "reclaim rock"),
        (OFFER, "Decline", "decline"),
    ],
)
def test_reading_is_lenient_in_form(position, text, canonical):
    assert str(position.parse(text)) == canonical
    assert position.parse(text) in position.legal_moves()


def test_reclaim_alone_will_do_if_one_type_is_offered():
    position = play(on_cow("sd4 pc1", "rd2 pg7", cow=2), "pass")
    assert texts(position) == {"reclaim scissors", "decline"}
    assert str(position.parse("reclaim")) == "reclaim scissors"


@pytest.mark.parametrize(
    "text",
    ["", " ", "\0", "castle", "h1-b2", "b1-b8", "b1-", "b²-b1", "b١-b2", "🐄", "-", "x" * 200],
)
@pytest.mark.parametrize("position", [board("rb1 pd1", "pd7"), MIDDLE, OFFER])
def test_what_is_no_move_is_answered_with_what_is(position, text):
    sentence = refused(position, text, InvalidMove)
    assert all(str(move) in sentence for move in position.legal_moves()[:3])


@pytest.mark.parametrize(
    ("position", "text", "named"),
    [
        (MIDDLE, "d2", {"b1-d2", "d1-d2"}),
        (board("rb1 pd1", "pd7"), "change", {"change b1", "change d1"}),
        (OFFER, "reclaim", {"reclaim rock", "reclaim paper", "reclaim scissors"}),
    ],
)
def test_what_could_be_several_moves_is_answered_with_all_of_them(position, text, named):
    sentence = refused(position, text, AmbiguousMove)
    assert all(text in sentence for text in named)


@pytest.mark.parametrize(
    ("position", "text", "sentence"),
    [
        (RULESET.start({}), "roll", "The dice are to be thrown before anything is decided."),
        (board("rb1", "pd7", phase="rolling"), "b1-b2", "The dice are to be thrown"),
        (board("rb1", "", phase="over"), "🐄", "The game is over."),
        (board("rb1", "pd7"), "b1-b2", "A piece moves after a roll only: say roll first."),
        (board("rb1", "pd7"), "b2", "A piece moves after a roll only: say roll first."),
        (board("rb1", "pd7"), "change d7", "You have no piece on d7."),
        (board("rb1", "pd7", phase="changed"), "change", "a turn has one change."),
        (board("rb1", "pd7"), "decline", "A piece is reclaimed at the end of a turn"),
        (board("rb1", "pd7"), "reclaim", "A piece is reclaimed at the end of a turn"),
        (OFFER, "pass", "now reclaim a piece by the Golden Cow, or decline."),
        (
            play(on_cow("rd4 pe2", cow=2), "pass"),
            "reclaim paper",
            "Like pieces repel: d1 is within one square of paper on e2.",
        ),
        (MIDDLE, "roll", "The die shows 3, and one of your pieces must move by it."),
        (MIDDLE, "g7", "With a roll of 3 none of your pieces may go to g7."),
        (MIDDLE, "c1-c2", "You have no piece on c1."),
        (MIDDLE, "d7-d6", "You have no piece on d7."),
        (
            MIDDLE,
            "d1-d3",
            "With a roll of 3 no paper gets from d1 to d3, on whatever path.",
        ),
        (thrown(board("pa1 rb1", "sg7"), 1), "a1-b1", "Your own rock stands on b1."),
        (thrown(board("pa1", "sb1"), 1), "a1-b1", "Your paper does not beat the scissors on b1."),
        (
            thrown(board("pd1 sa7", "pd4"), 2),
            "d1-d3",
            "Like pieces repel: d3 is within one square of paper on d4.",
        ),
        (
            thrown(board("pa1", "sg7"), 2),
            "a1-a3",
            "Like pieces repel: a3 is within one square of paper on b4.",
        ),
        (thrown(board("rb3", "pd7"), 1), "b3-b4", "The permanent paper on b4 beats rock."),
        (
            thrown(board("pa1 rb1", "sg7"), 2),
            "a1-c1",
            "With a roll of 2 every path from a1 to c1 is barred, on b1: by a piece,",
        ),
        (thrown(board("pa7 rg1", "pc6"), 4), "a7-e7", "is barred, on b7: by a piece, by a like"),
        (thrown(board("ra3", "sc5"), 2), "a3-c5", "from a3 to c5 is barred, on b4: by a piece"),
        (
            thrown(owing(), 4),
            "d1-d1",
            "After its reclaim the piece on the Golden Cow, d4, must first move off it.",
        ),
        (thrown(owing(), 4), "d4-d4", "must first move off it."),
    ],
)
def test_a_refusal_names_the_rule_and_the_place(position, text, sentence):
    assert sentence in refused(position, text)


def test_no_text_whatever_raises_anything_but_a_move_error():
    rng = random.Random(7)
    alphabet = "abdg147 ->rolchngesimprck" + string.punctuation + "\0²٣→–é\n"
    positions = [board("rb1 pd1", "pd7"), MIDDLE, OFFER, RULESET.start({}), thrown(owing(), 4)]
    for _ in range(3000):
        text = "".join(rng.choices(alphabet, k=rng.randint(0, 9)))
        position = rng.choice(positions)
        with suppress(MoveError):
            assert position.parse(text) in position.legal_moves()


# Playing and throwing out of turn


@pytest.mark.parametrize(
    "position",
    [RULESET.start({}), board("rb1", "pd7", phase="rolling"), board("rb1", "", phase="over")],
)
@pytest.mark.parametrize("move", [ROLL, PASS, DECLINE, MOVES["b1-b2"], MOVES["change b1"]])
def test_nothing_is_played_while_no_turn_is_awaited(position, move):
    with pytest.raises(IllegalMove):
        position.play(move)


@pytest.mark.parametrize("text", ["b1-b1", "d7-d6", "pass", "change b1", "decline", "reclaim rock"])
def test_an_illegal_move_is_not_played(text):
    with pytest.raises(IllegalMove):
        MIDDLE.play(MOVES[text])


@pytest.mark.parametrize("dice", [(), (0,), (7,), (1, 2), ("1",)])
def test_a_wrong_throw_is_refused(dice):
    with pytest.raises(ValueError, match="awaited"):
        play(board("rb1", "pd7"), "roll").rolled(dice)


def test_two_dice_are_thrown_for_who_begins():
    with pytest.raises(ValueError, match="awaited"):
        RULESET.start({}).rolled((1,))


@pytest.mark.parametrize("position", [board("rb1", "pd7"), board("rb1", "", phase="over")])
def test_no_throw_is_taken_that_is_not_awaited(position):
    with pytest.raises(ValueError, match="awaited"):
        position.rolled((1,))


# Choices


def test_choices_name_their_spots():
    spots = {choice.token: choice.spots for choice in board("rb1 pd1", "pd7").choices()}
    assert spots == {"roll": (), "pass": (), "change b1": ("b1",), "change d1": ("d1",)}
    assert {c.token: (c.spots, c.whole) for c in MIDDLE.choices()} == {
        "b1": (("b1",), False),
        "d1": (("d1",), False),
    }
    assert ("-g1", ("g1",), True) in {(c.token, c.spots, c.whole) for c in MIDDLE.choices("d1")}
    offers = {choice.token: choice.spots for choice in OFFER.choices()}
    assert offers["reclaim rock"] == ("d1",)
    assert offers["decline"] == ()
    blue = play(on_cow("sa7", "rd4", seat=1, cow=2), "pass")
    assert blue.choices()[0].spots == ("d7",)


@pytest.mark.parametrize("prefix", ["c1", "d7", "d1-", "d1-g1", "nonsense", "h9"])
def test_a_dead_prefix_has_no_choices(prefix):
    assert MIDDLE.choices(prefix) == ()


def test_a_whole_act_is_not_gone_on_with():
    assert board("rb1", "pd7").choices("roll") == ()
    assert OFFER.choices("decline") == ()
