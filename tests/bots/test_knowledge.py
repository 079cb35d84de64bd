import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.bots.levels import knowledge_of
from games.bots.tri_trac import finishes
from games.bots.tritt import CORNERS
from games.bots.tritt_threats import SHORT_SHIFTS, open_shifts, slides_that_win
from games.rules.position import Outcome, Roll, Turn
from games.rules.registry import RULESETS
from games.rules.tri_trac import TriTrac, load
from games.rules.tri_trac_board import BEHIND, LAYS, STARTS, Lay
from games.rules.tritt_board import CANONICAL, DOTS
from tests.bots.set_up import LOST_IF_IGNORED, WON_IN_ONE, winning_moves
from tests.rules.test_every_ruleset import GAMES, NAMES, reached

each_game = pytest.mark.parametrize(("ruleset", "options"), GAMES, ids=NAMES)
repeatable = settings(max_examples=8, deadline=None, derandomize=True, database=None)
seeds = st.integers(0, 2**32)
plies = st.integers(0, 60)
THAT_SEE_WINS = ("tritt-reloaded", "tritt-classic", "tri-trac")


@each_game
@repeatable
@given(seed=seeds, plies=plies)
def test_a_value_is_an_odds_and_candidates_are_the_legal_moves(ruleset, options, seed, plies):
    position = reached(ruleset, options, seed, plies)
    knowledge, chance = knowledge_of(position), random.Random(seed)
    if isinstance(position.awaiting, Outcome):
        return
    assert 0 < knowledge.value(position, chance) < 1
    if isinstance(position.awaiting, Roll):
        throws = knowledge.throws(position.awaiting)
        assert sum(weight for _, weight in throws) == pytest.approx(1)
        for throw, _ in throws:
            position.rolled(throw)
    else:
        candidates = list(knowledge.candidates(position, chance))
        assert len(candidates) == len(set(candidates))
        assert set(candidates) == set(position.legal_moves())


@pytest.mark.parametrize("key", THAT_SEE_WINS)
@settings(repeatable, max_examples=25)
@given(seed=seeds, plies=st.integers(3, 40))
def test_a_win_in_one_is_seen_exactly_where_there_is_one(key, seed, plies):
    position = reached(RULESETS[key], {}, seed, plies)
    if isinstance(position.awaiting, Turn):
        seen = knowledge_of(position).win(position)
        by_line = [
            move
            for move in winning_moves(position)
            if position.play(move).awaiting.reason in ("line", "track")
        ]
        assert (seen is None) == (not by_line)
        assert seen is None or seen in by_line


@pytest.mark.parametrize("key", THAT_SEE_WINS)
def test_the_only_win_in_one_is_named(key):
    position = WON_IN_ONE[key]
    assert [knowledge_of(position).win(position)] == winning_moves(position)


@pytest.mark.parametrize("key", LOST_IF_IGNORED)
def test_a_threat_of_the_opponents_makes_a_position_worse(key):
    position = LOST_IF_IGNORED[key]
    assert isinstance(position.awaiting, Turn)
    value = knowledge_of(position).value(position, random.Random(1))
    assert (1 - value if position.awaiting.seat else value) < 0.47


def test_a_track_that_only_its_owner_can_finish_is_seen_as_his():
    position = LOST_IF_IGNORED["tri-trac"]
    assert isinstance(position, TriTrac)
    assert not list(finishes(position, position.seat, barred=False))
    assert list(finishes(position, 1 - position.seat, barred=False))


def test_a_slide_that_makes_a_line_of_both_colours_is_no_win():
    shifts = open_shifts(SHORT_SHIFTS, (CANONICAL["a1-a3"],), dots("a1 a2 a3"))
    mine, theirs = dots("a2 b3 c3"), dots("a1 a3 b4")
    assert [str(slide) for slide in slides_that_win(mine, theirs, shifts)] == ["a1-a3>a2-a4"]
    assert slides_that_win(mine, theirs | dots("c4"), shifts) == []


def dots(names: str) -> int:
    return sum(DOTS[name] for name in names.split())


def test_a_triangle_that_finishes_a_track_is_not_taken_from_it():
    chance = random.Random(2)
    for _ in range(200):
        position = one_short_of_a_track(chance)
        seen = knowledge_of(position).win(position)
        assert seen is None or seen in winning_moves(position)
        assert seen is not None or not winning_moves(position)


def one_short_of_a_track(chance: random.Random) -> TriTrac:
    """All triangles are laid, most of a track among them."""
    track = some_track(chance)
    gap = chance.choice(track)
    rest = [lay for lay in LAYS if lay.space not in {laid.space for laid in track}]
    laid = [lay for lay in track if lay != gap]
    while len(laid) < 15:
        laid.append(chance.choice(rest))
        rest = [lay for lay in rest if lay.space != laid[-1].space]
    names = [f"{lay.space}{lay.track}" for lay in chance.sample(laid, 15)]
    stored = {"move_limit": 120, "ply": 40, "steps": ""}
    colours = {"orange": names[:7], "yellow": names[7:14], "white": names[14:]}
    return load(stored | {colour: " ".join(some) for colour, some in colours.items()})


def some_track(chance: random.Random) -> list[Lay]:
    """From one arrow to another, over fewer than all triangles."""
    by_bit = {lay.bit: lay for lay in LAYS}
    while True:
        track, door = [], chance.choice(STARTS)
        while door and len(track) < 15 and door[0] not in {lay.space for lay in track}:
            bit, door = chance.choice(BEHIND[door])
            track.append(by_bit[bit])
        if door is None:
            return track


def test_classic_is_opened_in_a_corner_and_a_corner_is_swapped():
    position = RULESETS["tritt-classic"].start({})
    knowledge = knowledge_of(position)
    opening = knowledge.book(position, random.Random(1))
    assert str(opening) in CORNERS
    answered = position.play(opening)
    assert str(knowledge.book(answered, random.Random(1))) == "swap"
    elsewhere = position.play(position.parse("c3-e5"))
    assert knowledge.book(elsewhere, random.Random(1)) is None
    farther = RULESETS["tritt-classic"].start({"slide": "any"})
    assert knowledge.book(farther, random.Random(1)) is None
    swapped = answered.play(answered.parse("swap"))
    assert knowledge.book(swapped, random.Random(1)) is None


def test_more_pieces_and_a_lead_in_fields_are_worth_more():
    for key in ("tritoc", "triotrio"):
        position = WON_IN_ONE[key]
        assert knowledge_of(position).value(position, random.Random(1)) > 0.6


def test_the_cow_is_worth_holding_for_who_has_lost_a_piece():
    stored = WON_IN_ONE["triotrio"].to_json() | {"blue": "sc1 sg7"}
    held = RULESETS["triotrio"].load(stored | {"yellow": "rd4 pg1", "cow": 2})
    fresh = RULESETS["triotrio"].load(stored | {"yellow": "rd4 pg1", "cow": 0})
    owing = RULESETS["triotrio"].load(stored | {"yellow": "rd4 pg1", "owes": True})
    value = knowledge_of(held).value
    chance = random.Random(1)
    assert value(held, chance) > value(fresh, chance) > value(owing, chance)
