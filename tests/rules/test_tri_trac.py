"""Tri-Trac keeps each sentence of its rules."""

import json
import random
from collections import Counter
from functools import cache
from itertools import combinations

import pytest

from games.rules.position import (
    AmbiguousMove,
    Choice,
    IllegalMove,
    InvalidMove,
    InvalidOption,
    MoveError,
    Outcome,
    Turn,
)
from games.rules.tri_trac import RULESET
from games.rules.tri_trac_board import ARROWS, LAYS, SPACES, TRACKS, neighbour, sides_of

WEST_TO_NORTH = "b1wn c1es c2wn d1es d2wn"


def at(orange="", yellow="", white="c4wn", *, ply=20, steps="", move_limit=120):
    stored = {"orange": orange, "yellow": yellow, "white": white, "ply": ply, "steps": steps}
    return RULESET.load(stored | {"move_limit": move_limit})


def played(position, *moves):
    for text in moves:
        position = position.play(position.parse(text))
    return position


def texts(position):
    return [str(move) for move in position.legal_moves()]


def refusal(position, text):
    with pytest.raises(IllegalMove) as refused:
        position.parse(text)
    return str(refused.value)


# Board


def test_there_are_24_spaces_in_four_rows():
    assert Counter(space[0] for space in SPACES) == {"a": 5, "b": 7, "c": 7, "d": 5}


def test_there_are_54_directions_in_all():
    assert len(LAYS) == 54
    assert len({lay.bit for lay in LAYS}) == 54


@pytest.mark.parametrize("space", ["a3", "b2", "b4", "b6", "c3", "c4", "c6", "d3"])
def test_a_space_without_a_rim_side_has_three_directions(space):
    assert len(TRACKS[space]) == 3


@pytest.mark.parametrize("space", ["b1", "c7"])
def test_a_dark_arrows_space_has_three_directions(space):
    assert len(TRACKS[space]) == 3


@pytest.mark.parametrize(("space", "tracks"), [("d2", ("wn", "en")), ("a4", ("ws", "es"))])
def test_a_light_arrows_space_has_the_two_that_use_the_arrow(space, tracks):
    assert TRACKS[space] == tracks


def test_the_other_eight_rim_spaces_have_the_one_direction_that_avoids_the_rim():
    assert {space: tracks for space, (*tracks,) in TRACKS.items() if len(tracks) == 1} == {
        "a1": ["en"],
        "a2": ["we"],
        "a5": ["wn"],
        "b7": ["wn"],
        "c1": ["es"],
        "d1": ["es"],
        "d4": ["we"],
        "d5": ["ws"],
    }


# Play


def test_seat_0_begins():
    assert RULESET.start({}).awaiting == Turn(0)


def test_the_first_move_places_the_neutral_triangle_into_a_centre_space():
    moves = texts(RULESET.start({}))
    assert len(moves) == 18
    assert {text.split()[1] for text in moves} == {"b3", "b4", "b5", "c3", "c4", "c5"}
    position = played(RULESET.start({}), "place c4 wn")
    assert position.to_json()["white"] == "c4wn"
    assert position.in_hand(0) == position.in_hand(1) == 7


def test_each_first_move_has_51_answers_all_of_them_placings():
    start = RULESET.start({})
    for move in start.legal_moves():
        answers = texts(start.play(move))
        assert len(answers) == 51
        assert all(text.startswith("place ") for text in answers)


def test_the_second_move_places_ones_own():
    position = played(RULESET.start({}), "place c4 wn", "place b4 es")
    assert position.to_json()["yellow"] == "b4es"
    assert position.in_hand(1) == 6


def test_the_third_move_places_ones_own_or_moves_or_rotates_the_neutral_one():
    position = played(RULESET.start({}), "place c4 wn", "place b4 es")
    moves = texts(position)
    assert Counter(text.split()[0] for text in moves) == {"place": 48, "move": 48, "rotate": 2}
    assert {text.split()[1] for text in moves if text.startswith(("move", "rotate"))} == {"c4"}
    assert played(position, "place a3 we").to_json()["orange"] == "a3we"
    assert played(position, "rotate c4 we").to_json()["white"] == "c4we"


def test_a_triangle_is_placed_from_the_hand_into_an_empty_space():
    position = at(orange="b4we", yellow="c3we")
    assert played(position, "place d3 we").to_json()["orange"] == "b4we d3we"
    assert {text.split()[1] for text in texts(position) if text.startswith("place")} == set(
        SPACES
    ) - {"b4", "c3", "c4"}


def test_there_are_seven_of_each_colour():
    seven = "a1en a2we a3we b2we b3we b4we b5we"
    assert not any(text.startswith("place") for text in texts(at(orange=seven)))
    assert any(text.startswith("place") for text in texts(at(yellow=seven)))
    assert refusal(at(orange=seven), "place d3 we") == (
        "All your triangles are on the board; there is none to place."
    )


def test_an_own_triangle_moves_to_another_empty_space_in_any_direction_there():
    position = at(orange="b4we", yellow="c3we")
    targets = {tuple(text.split()[2:]) for text in texts(position) if text.startswith("move b4")}
    assert targets == {(lay.space, lay.track) for lay in LAYS} - {
        (space, track) for space in ("b4", "c3", "c4") for track in TRACKS[space]
    }
    moved = played(position, "move b4 c6 wn").to_json()
    assert moved["orange"] == "c6wn"


def test_the_neutral_triangle_may_be_moved_and_may_leave_the_centre():
    moved = played(at(orange="b4we"), "move c4 a1 en").to_json()
    assert (moved["orange"], moved["yellow"], moved["white"]) == ("b4we", "", "a1en")


def test_a_triangle_is_rotated_to_a_different_legal_direction():
    position = at(orange="b4we d2wn a1en")
    assert {text for text in texts(position) if text.startswith("rotate")} == {
        "rotate b4 ws",
        "rotate b4 es",
        "rotate d2 en",
        "rotate c4 we",
        "rotate c4 en",
    }
    assert played(position, "rotate d2 en").to_json()["orange"] == "a1en b4we d2en"


def test_the_neutral_triangle_is_barred_after_the_opponent_moved_or_rotated_it():
    position = at(orange="b4we", yellow="c3we")
    for touched in ("move c4 c6 we", "rotate c4 we"):
        after = played(position, touched)
        white = after.to_json()["white"][:2]
        assert not any(
            text.startswith((f"move {white}", f"rotate {white}")) for text in texts(after)
        )
        assert refusal(after, f"rotate {white} en") == (
            f"Your opponent has just moved or rotated the white triangle in {white};"
            " you may not touch it on this turn."
        )


def test_who_touched_the_neutral_triangle_may_touch_it_again_on_his_next_turn():
    position = played(at(orange="b4we", yellow="c3we"), "rotate c4 we", "rotate c3 ws")
    assert "rotate c4 wn" in texts(position)


def test_the_neutral_triangle_is_free_again_when_the_opponent_left_it_alone():
    position = at(orange="b4we", yellow="c3we")
    position = played(position, "rotate c4 we", "rotate c3 ws", "rotate b4 es")
    assert "rotate c4 wn" in texts(position)


def test_a_placed_triangle_bars_nothing():
    assert "rotate c4 we" in texts(played(at(), "place b4 we"))


def test_an_opponents_triangle_is_never_touched():
    position = at(orange="b4we", yellow="c3we")
    assert not any(text.split()[1] == "c3" for text in texts(position))
    assert refusal(position, "move c3 d3 we") == "The triangle in c3 is your opponent's."


def test_nobody_passes():
    with pytest.raises(InvalidMove):
        at().parse("pass")


def test_nothing_returns_to_the_hand():
    position = at(orange="b4we", yellow="c3we")
    for move in position.legal_moves():
        after = position.play(move)
        assert after.in_hand(1) == 6
        assert after.in_hand(0) == (5 if str(move).startswith("place") else 6)


def test_there_is_always_a_move_even_with_all_fifteen_triangles_laid():
    position = at(
        orange="a1en a2we a3we a4es a5wn b2we b3we",
        yellow="b7wn c1es c3we c5we c6we d1es d3we",
        white="c4wn",
    )
    after = played(position, "rotate c4 we")
    assert after.barred
    assert "move b7 d5 ws" in texts(after)


# End


@pytest.mark.parametrize(
    ("start", "end", "track"),
    [
        ("b1", "d2", WEST_TO_NORTH),
        ("b1", "a4", "b1we b2ws a1en a2we a3we a4ws"),
        ("b1", "c7", "b1we b2we b3we b4we b5we b6we b7wn c7es"),
        ("d2", "a4", "d2wn d1es c2en c3ws b3en b4ws a3en a4ws"),
        ("d2", "c7", "d2en d3we d4we d5ws c6en c7we"),
        ("a4", "c7", "a4es a5wn b6es b7wn c7es"),
    ],
)
def test_a_track_between_any_two_arrows_wins(start, end, track):
    lays = track.split()
    assert {lays[0][:2], lays[-1][:2]} == {start, end}
    for number, last in enumerate(lays):
        rest = lays[:number] + lays[number + 1 :]
        position = at(orange=" ".join(rest[::2]), yellow=" ".join(rest[1::2]), white="c5we")
        assert position.awaiting == Turn(0)
        after = played(position, f"place {last[:2]} {last[2:]}")
        assert after.awaiting == Outcome((1.0, 0.0), "track", ())


def test_pieces_of_any_colours_make_a_track_and_who_completes_it_wins():
    position = at(orange="b1wn c1es d2wn", yellow="d1es", white="c4wn", ply=21)
    assert played(position, "move c4 c2 wn").awaiting == Outcome((0.0, 1.0), "track")


def test_a_track_may_be_completed_by_rotating():
    position = at(orange="b1we c1es d1es d2wn", yellow="c2wn")
    assert played(position, "rotate b1 wn").awaiting == Outcome((1.0, 0.0), "track")


def test_a_track_must_join_across_shared_sides():
    position = at(orange="b1wn c1es d2wn", yellow="d1es", white="c4wn")
    assert played(position, "move c4 c2 we").awaiting == Turn(1)


def test_a_dark_arrow_can_be_blocked():
    position = at(orange="b1en c1es d1es d2wn", yellow="")
    assert played(position, "place c2 wn").awaiting == Turn(1)


def test_a_circle_is_no_track():
    position = at(orange="b3en b4we b5wn", yellow="c3es c4we", white="d3we")
    assert played(position, "place c5 ws").awaiting == Turn(1)


def test_an_arrow_alone_is_no_track():
    position = at(orange="b1wn c1es c2wn", yellow="d1es")
    assert played(position, "place d3 we").awaiting == Turn(1)


SHUTTLE = ("rotate b4 ws", "rotate c3 ws", "rotate b4 we", "rotate c3 we")


def shuttling(**other):
    return at(orange="b4we", yellow="c3we", **other)


def test_the_same_position_for_the_third_time_is_a_draw():
    position = played(shuttling(), *SHUTTLE)
    position = played(position, *SHUTTLE[:3])
    assert position.awaiting == Turn(1)
    assert played(position, SHUTTLE[3]).awaiting == Outcome((0.5, 0.5), "repetition")


def test_positions_are_counted_from_move_1():
    position = played(RULESET.start({}), "place c4 wn", "place c3 we")
    loop = ("rotate c4 we", "rotate c3 ws", "rotate c4 wn", "rotate c3 we")
    position = played(position, *loop, *loop[:3])
    assert position.awaiting == Turn(1)
    assert played(position, loop[3]).awaiting == Outcome((0.5, 0.5), "repetition")


def test_a_placed_triangle_makes_all_earlier_positions_impossible():
    position = played(shuttling(), *SHUTTLE, "place a3 we")
    assert position.steps == ""
    assert len(position.history) == 1


def test_the_seat_to_move_is_part_of_the_position():
    slow_orange = ("rotate b4 ws", "rotate c3 ws", "rotate b4 es", "rotate c3 we", "rotate b4 we")
    slow_yellow = ("rotate c3 ws", "rotate b4 ws", "rotate c3 es", "rotate b4 we", "rotate c3 we")
    position = played(shuttling(), *slow_orange, *slow_yellow)
    assert position.laid == shuttling().laid
    assert position.awaiting == Turn(0)
    assert played(position, *slow_orange).awaiting == Turn(1)


def test_whether_the_neutral_one_is_barred_is_part_of_the_position():
    by_neutral = ("rotate b4 ws", "rotate c4 we", "rotate b4 we", "rotate c4 wn")
    by_own = ("rotate b4 es", "rotate c3 ws", "rotate b4 we", "rotate c3 we")
    position = played(shuttling(), *by_neutral)
    assert (position.laid, position.barred) == (shuttling().laid, True)
    position = played(position, *by_own)
    assert (position.laid, position.barred) == (shuttling().laid, False)
    position = played(position, *by_neutral)
    assert (position.laid, position.awaiting) == (shuttling().laid, Turn(0))
    assert played(position, *by_own).awaiting == Outcome((0.5, 0.5), "repetition")


def test_colours_are_part_of_the_position():
    base = at(orange="a3we", yellow="d3we c3we")
    swap = ("move a3 a2 we", "move d3 a3 we", "move a2 b2 we", "rotate c3 ws", "move b2 d3 we")
    back = ("move d3 a2 we", "move a3 d3 we", "move a2 b2 we", "rotate c3 ws", "move b2 a3 we")
    position = played(base, *swap, "rotate c3 we")
    assert position.to_json()["orange"] == "d3we"
    position = played(position, *back, "rotate c3 we")
    assert position.laid == base.laid
    position = played(position, *swap, "rotate c3 we")
    assert position.awaiting == Turn(0)
    position = played(position, *back)
    assert played(position, "rotate c3 we").awaiting == Outcome((0.5, 0.5), "repetition")


def test_120_moves_are_a_draw():
    assert played(shuttling(ply=118), "rotate b4 es").awaiting == Turn(1)
    assert played(shuttling(ply=119), "rotate c3 es").awaiting == Outcome((0.5, 0.5), "move-limit")


def test_the_limit_counts_both_players_moves_the_first_included():
    start = RULESET.start({"move_limit": 3})
    position = played(start, "place c4 wn", "place c3 we")
    assert position.awaiting == Turn(0)
    assert played(position, "place b4 we").awaiting == Outcome((0.5, 0.5), "move-limit")
    only = RULESET.start({"move_limit": 1})
    assert played(only, "place c4 wn").awaiting == Outcome((0.5, 0.5), "move-limit")


@pytest.mark.parametrize("limit", [0, -1, "120", 1.5, True, None])
def test_a_limit_is_a_whole_number_from_1(limit):
    with pytest.raises(InvalidOption):
        RULESET.start({"move_limit": limit})


def test_the_last_move_may_still_win():
    position = at(orange="b1wn c1es d2wn", yellow="d1es", ply=119)
    assert played(position, "place c2 wn").awaiting == Outcome((0.0, 1.0), "track")


def test_repetition_comes_before_the_move_limit():
    position = played(shuttling(ply=112), *SHUTTLE, *SHUTTLE)
    assert position.ply == 120
    assert position.awaiting == Outcome((0.5, 0.5), "repetition")


@pytest.mark.parametrize(("seat", "scores"), [(0, (0.0, 1.0)), (1, (1.0, 0.0))])
def test_who_forfeits_loses(seat, scores):
    assert at().forfeited_by(seat) == Outcome(scores, "time", ())


# Text


@pytest.mark.parametrize(
    ("text", "move"),
    [
        ("place d3 we", "place d3 we"),
        ("  PLACE   D3\tWE\n", "place d3 we"),
        ("place d3 ew", "place d3 we"),
        ("Place d3, we", "place d3 we"),
        ("move b4 c6 nw", "move b4 c6 wn"),
        ("move b4 – c6 wn", "move b4 c6 wn"),
        ("move b4→c6: wn", "move b4 c6 wn"),
        ("b4 -> c6 wn", "move b4 c6 wn"),
        ("b4 c6 wn", "move b4 c6 wn"),
        ("moveb4c6wn", "move b4 c6 wn"),
        ("move b4 d1", "move b4 d1 es"),
        ("rotate b4 es", "rotate b4 es"),
        ("b4 es", "rotate b4 es"),
        ("b4.se", "rotate b4 es"),
        ("place d1", "place d1 es"),
        ("rotate d2", "rotate d2 en"),
        ("D2", "rotate d2 en"),
    ],
)
def test_a_move_is_read_leniently(text, move):
    assert str(at(orange="b4we d2wn").parse(text)) == move


def test_a_verb_may_be_left_out_where_one_move_is_possible():
    assert str(RULESET.start({}).parse("c4 wn")) == "place c4 wn"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("d3 we", "That could be any of these: place d3 we, move b4 d3 we, move c4 d3 we."),
        ("place d3", "That could be any of these: place d3 we, place d3 ws, place d3 es."),
        ("rotate b4", "That could be any of these: rotate b4 ws, rotate b4 es."),
        ("b4 d2", "That could be any of these: move b4 d2 wn, move b4 d2 en."),
        (
            "d3",
            "That could be any of these: place d3 we, place d3 ws, place d3 es, move b4 d3 we,"
            " move b4 d3 ws, move b4 d3 es, ….",
        ),
    ],
)
def test_what_could_be_several_moves_is_ambiguous_and_names_them(text, sentence):
    with pytest.raises(AmbiguousMove) as refused:
        at(orange="b4we").parse(text)
    assert str(refused.value) == sentence


NO_MOVES = ("", "c", "c4 xx", "place", "place we", "move c6 wn", "we c4", "b4 c6 xx")
NO_SPACES = ("a0 we", "a6 we", "b8 we", "c8 we", "d7 we", "e1 we", "move b4 b8 we")
TOO_MUCH = ("place b4 c6 wn", "rotate b4 c6 wn", "move b4 c6 d3 we", "place d3 we we", "swap d3 we")
STRANGE = ("c²  we", "c٤ we", "ｃ4 we", "\0", "c4 wn\0", "♟", "{moves}", "c4 wn" * 40)


@pytest.mark.parametrize("text", NO_MOVES + NO_SPACES + TOO_MUCH + STRANGE)
def test_what_is_no_move_is_invalid_and_shown_some(text):
    with pytest.raises(InvalidMove, match="place d3 we, move b4 c6 wn, rotate d2 en"):
        at(orange="b4we").parse(text)


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("place b4 we", "There is a triangle in b4 already."),
        ("place c4 we", "There is a triangle in c4 already."),
        ("move b4 c3 we", "There is a triangle in c3 already."),
        ("move b4 b4 we", "There is a triangle in b4 already."),
        ("b4 b4", "There is a triangle in b4 already."),
        ("place c2 ws", "A track ws does not fit c2; there it can be: we, wn, en."),
        ("place c1 we", "A track we does not fit c1; there it can be: es."),
        ("move b4 d2 we", "A track we does not fit d2; there it can be: wn, en."),
        ("rotate a4 we", "A track we does not fit a4; there it can be: ws, es."),
        ("move d3 d4 we", "There is no triangle in d3."),
        ("rotate d3 we", "There is no triangle in d3."),
        ("rotate c3 ws", "The triangle in c3 is your opponent's."),
        ("c3 ws", "The triangle in c3 is your opponent's."),
        ("c3", "The triangle in c3 is your opponent's."),
        ("c3 d3 we", "The triangle in c3 is your opponent's."),
        ("rotate b4 we", "The triangle in b4 already has that direction."),
        ("b4 we", "The triangle in b4 already has that direction."),
        ("rotate a1 en", "A triangle in a1 has one direction only."),
        ("rotate a1", "A triangle in a1 has one direction only."),
    ],
)
def test_an_illegal_move_is_told_the_rule_and_the_place(text, sentence):
    assert refusal(at(orange="a1en b4we", yellow="c3we"), text) == sentence


@pytest.mark.parametrize("text", ["place d3 we", "rotate c4 wn", "move b4 c4 wn", "d3"])
def test_the_first_move_is_told_where_to_go(text):
    assert refusal(RULESET.start({}), text) == (
        "The first move places the white triangle into one of these spaces: b3, b4, b5, c3, c4, c5."
    )


@pytest.mark.parametrize("text", ["rotate c4 we", "move c4 d3 we", "c4 we"])
def test_the_second_move_is_told_to_place(text):
    position = played(RULESET.start({}), "place c4 wn")
    assert refusal(position, text) == "Your first move places a triangle of your own."


def test_an_illegal_move_is_not_played():
    with pytest.raises(IllegalMove, match="already"):
        at(orange="b4we").play(at(white="c3we").parse("place c4 wn"))
    with pytest.raises(IllegalMove, match="already has that direction"):
        at(orange="b4we").play(at(orange="b4es").parse("rotate b4 we"))


def test_nothing_is_played_after_the_end():
    over = at(orange=WEST_TO_NORTH, ply=21)
    assert over.awaiting == Outcome((1.0, 0.0), "track")
    move = at().legal_moves()[0]
    for act in (lambda: over.parse("place a3 we"), lambda: over.play(move)):
        with pytest.raises(IllegalMove, match="The game is over"):
            act()
    assert over.legal_moves() == []
    assert over.choices() == ()
    assert over.choices("place a3") == ()


def test_no_roll_is_ever_awaited():
    with pytest.raises(ValueError, match="No roll is awaited"):
        at().rolled((3, 4))


# Choices


def whole_moves(position, prefix=""):
    for choice in position.choices(prefix):
        text = prefix + choice.token
        if choice.whole:
            yield text
        else:
            yield from whole_moves(position, text)


def test_choices_lead_to_each_legal_move_once():
    position = RULESET.start({})
    chance = random.Random("choices")
    while isinstance(position.awaiting, Turn):
        assert sorted(whole_moves(position)) == sorted(texts(position))
        position = position.play(chance.choice(position.legal_moves()))


def test_choices_stand_for_spaces_and_tracks():
    position = at(orange="b4we a1en")
    assert Choice("place d3", ("d3",), False) in position.choices()
    assert Choice("move b4", ("b4",), False) in position.choices()
    assert Choice("rotate b4", ("b4",), False) in position.choices()
    assert Choice("rotate a1", ("a1",), False) not in position.choices()
    assert Choice(" c6", ("c6",), False) in position.choices("move b4")
    assert Choice(" c4", ("c4",), False) not in position.choices("move b4")
    assert position.choices("move b4 c6")[1] == Choice(" wn", ("c6.wn",), True)
    assert position.choices("rotate b4") == (
        Choice(" ws", ("b4.ws",), True),
        Choice(" es", ("b4.es",), True),
    )


UNKNOWN = ("p", "place", "place z9", "place d3 we", "move b4 b4", " ", "\0")
DEAD = ("place c4", "place b4", "move d3", "move c3", "move b4 c4", "move d3 c6")
TURNLESS = ("rotate c3", "rotate d3", "rotate a1")


@pytest.mark.parametrize("prefix", UNKNOWN + DEAD + TURNLESS)
def test_a_dead_prefix_has_no_choices(prefix):
    assert at(orange="a1en b4we", yellow="c3we").choices(prefix) == ()


# Storage


def test_a_position_is_stored_with_what_repetition_needs():
    position = played(shuttling(ply=2), *SHUTTLE, *SHUTTLE[:3], "rotate c4 we")
    stored = json.loads(json.dumps(position.to_json()))
    assert stored["orange"] == "b4we"
    assert len(stored["steps"]) == 16
    assert RULESET.load(stored) == position
    before = played(shuttling(ply=2), *SHUTTLE, *SHUTTLE[:3])
    again = RULESET.load(json.loads(json.dumps(before.to_json())))
    assert played(again, SHUTTLE[3]).awaiting == Outcome((0.5, 0.5), "repetition")


def test_a_long_game_is_stored_in_400_bytes():
    chance = random.Random("long")
    longest = 0
    for _ in range(8):
        position = RULESET.start({})
        while isinstance(position.awaiting, Turn):
            position = position.play(chance.choice(position.legal_moves()))
        assert len(json.dumps(position.to_json())) < 400
        longest = max(longest, position.ply)
    assert longest == 120


def test_a_position_is_frozen_and_hashable():
    with pytest.raises(AttributeError):
        at().ply = 1
    assert len({at(), at(), at(ply=22)}) == 2


# The rules once more, slowly: drawn with compasses and played in lock-step with the engine


def corners(space):
    """The sides of a space, each as the set of its two corners; rows are one unit high."""
    row, number = "abcd".index(space[0]), int(space[1])
    middle = number + (1 if space[0] in "ad" else 0)
    up = number % 2 == (0 if space[0] in "ab" else 1)
    base, tip = (row, row + 1) if up else (row + 1, row)
    left, right, peak = (middle - 1, base), (middle + 1, base), (middle, tip)
    return {
        "w": frozenset({left, peak}),
        "e": frozenset({right, peak}),
        "s" if up else "n": frozenset({left, right}),
    }


CORNERS = {space: corners(space) for space in SPACES}
SHARED = Counter(side for sides in CORNERS.values() for side in sides.values())
ARROW_SIDES = {CORNERS["b1"]["w"], CORNERS["c7"]["e"], CORNERS["d2"]["n"], CORNERS["a4"]["s"]}


@cache
def slow_tracks(space):
    sides = CORNERS[space]
    usable = [side for side in sides if SHARED[sides[side]] == 2 or sides[side] in ARROW_SIDES]
    tracks = {first + second for first, second in combinations("wesn", 2)}
    return {
        track
        for track in tracks
        if set(track) <= set(usable) and (space not in ("d2", "a4") or track[1] in "ns")
    }


def test_the_sides_are_those_of_a_drawn_hexagon():
    for space in SPACES:
        assert set(sides_of(space)) == set(CORNERS[space])
        for side, line in CORNERS[space].items():
            across = [s for s in SPACES if s != space and line in CORNERS[s].values()]
            assert [neighbour(space, side)] == (across or [None])
        assert set(TRACKS[space]) == slow_tracks(space)
    assert {CORNERS[space][side] for space, side in ARROWS.items()} == ARROW_SIDES
    assert Counter(SHARED.values()) == {1: 12, 2: 30}


class Slow:
    """The page, sentence by sentence, on a dictionary of spaces."""

    def __init__(self, limit):
        self.limit = limit
        self.board = {}
        self.hands = [7, 7]
        self.moves_made = 0
        self.neutral_touched = False
        self.seen = Counter()
        self.over = None

    @property
    def seat(self):
        return self.moves_made % 2

    def moves(self):
        empty = [space for space in SPACES if space not in self.board]
        if self.moves_made == 0:
            centre = ("b3", "b4", "b5", "c3", "c4", "c5")
            return {f"place {space} {track}" for space in centre for track in slow_tracks(space)}
        found = set()
        if self.hands[self.seat]:
            found |= {f"place {space} {track}" for space in empty for track in slow_tracks(space)}
        if self.moves_made == 1:
            return found
        for space, (owner, lying) in self.board.items():
            if owner == self.seat or (owner == "neutral" and not self.neutral_touched):
                found |= {f"move {space} {to} {t}" for to in empty for t in slow_tracks(to)}
                found |= {f"rotate {space} {t}" for t in slow_tracks(space) if t != lying}
        return found

    def play(self, text):
        verb, *spaces, track = text.split()
        if verb == "place":
            owner = "neutral" if self.moves_made == 0 else self.seat
            if owner != "neutral":
                self.hands[owner] -= 1
        else:
            owner, _ = self.board.pop(spaces[0])
        self.board[spaces[-1]] = owner, track
        self.neutral_touched = verb != "place" and owner == "neutral"
        mover = self.seat
        self.moves_made += 1
        key = (frozenset(self.board.items()), *self.hands, self.seat, self.neutral_touched)
        self.seen[key] += 1
        if self.has_track():
            self.over = ((1.0, 0.0) if mover == 0 else (0.0, 1.0), "track")
        elif self.seen[key] == 3:
            self.over = ((0.5, 0.5), "repetition")
        elif self.moves_made == self.limit:
            self.over = ((0.5, 0.5), "move-limit")

    def has_track(self):
        for arrow in ARROW_SIDES:
            reached = {arrow}
            grown = True
            while grown:
                grown = False
                for space, (_, track) in self.board.items():
                    ends = {CORNERS[space][side] for side in track}
                    if ends & reached and not ends <= reached:
                        reached |= ends
                        grown = True
            if len(reached & ARROW_SIDES) > 1:
                return True
        return False


def assert_alike(position, slow):
    if slow.over:
        assert position.awaiting == Outcome(*slow.over)
        assert position.legal_moves() == []
        return
    assert position.awaiting == Turn(slow.seat)
    moves = texts(position)
    assert len(moves) == len(set(moves))
    assert set(moves) == slow.moves()
    assert [position.in_hand(0), position.in_hand(1)] == slow.hands


def restless(chance, position):
    return chance.choice(position.legal_moves())


def eager(chance, position):
    """Completes a track where it sees how."""
    moves = position.legal_moves()
    seen = chance.sample(moves, len(moves) // 4)
    wins = [move for move in seen if isinstance(position.play(move).awaiting, Outcome)]
    return chance.choice(wins or moves)


def lazy(chance, position):
    """Turns over and over the same few triangles, so that positions come again."""
    rotations = [move for move in position.legal_moves() if str(move).startswith("rotate")]
    if position.ply < 4 or not rotations:
        return restless(chance, position)
    return chance.choice(rotations[:2] + rotations[-2:])


def run_random_game(chance, pick, limit):
    position, slow = RULESET.start({"move_limit": limit}), Slow(limit)
    while not slow.over:
        move = pick(chance, position)
        position = position.play(move)
        slow.play(str(move))
        assert_alike(position, slow)
        assert RULESET.load(json.loads(json.dumps(position.to_json()))) == position
    return slow.over[1]


def test_random_games_go_as_the_rules_say():
    chance = random.Random("restless")
    reasons = Counter(run_random_game(chance, restless, 120) for _ in range(8))
    assert reasons["move-limit"] > 3


def test_eager_games_go_as_the_rules_say():
    chance = random.Random("eager")
    reasons = Counter(run_random_game(chance, eager, 121) for _ in range(8))
    assert reasons["track"] > 5


def test_lazy_games_go_as_the_rules_say():
    chance = random.Random("lazy")
    reasons = Counter(run_random_game(chance, lazy, 40) for _ in range(30))
    assert reasons["repetition"] > 3
    assert reasons["move-limit"] > 3


def test_no_text_breaks_the_reader():
    chance = random.Random("any text")
    position = at(orange="b4we", yellow="c3we")
    read = Counter()
    words = (
        "place",
        "move",
        "rotate",
        "b4",
        "c4",
        "c3",
        "d3",
        "we",
        "nw",
        " ",
        "-",
        "²",
        "\0",
        "x",
    )
    for _ in range(1500):
        text = " ".join(chance.choices(words, k=chance.randint(0, 4)))
        try:
            read[type(position.parse(text))] += 1
        except MoveError as refused:
            read[type(refused)] += len(str(refused))
    assert read.keys() > {InvalidMove, IllegalMove, AmbiguousMove}
