"""Sections and a final."""

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.formats.playing import (
    LOST,
    RESULTS,
    WON,
    at_random,
    entrants,
    play_out,
    running,
    smaller_number_wins,
    started,
)
from tournaments.formats.format import InvalidSetting, TooFew
from tournaments.formats.history import History
from tournaments.formats.stages import Stages

STAGES = Stages(section_size=4, qualify=2)


def sections_played(format, players):
    history = History(entrants=entrants(players))
    history = started(history, format.next(history, seed="seed"))
    return replace(history, meetings=[smaller_number_wins(game) for game in history.meetings])


def test_the_best_of_each_section_go_on():
    history = sections_played(STAGES, 8)
    assert STAGES.sections(history.entrants) == ((1, 4, 5, 8), (2, 3, 6, 7))
    assert set(STAGES.qualifiers(history, seed="seed")) == {1, 4, 2, 3}
    draw = STAGES.next(history, seed="seed")
    assert {number for game in draw.pairings for number in (game.first, game.second)} == {
        1,
        2,
        3,
        4,
    }
    assert len(draw.pairings) == 6
    assert {game.round for game in draw.pairings} == {4, 5, 6}


def test_the_final_waits_for_every_section():
    history = sections_played(STAGES, 8)
    history = replace(
        history, meetings=[replace(history.meetings[0], scores=()), *history.meetings[1:]]
    )
    assert not STAGES.next(history, seed="seed").pairings


@pytest.mark.parametrize("players", [8, 12, 16, 24])
def test_section_winners_do_not_meet_those_of_their_section_at_once(players):
    format = replace(STAGES, final="knockout")
    history = sections_played(format, players)
    home = {
        number: at for at, them in enumerate(format.sections(history.entrants)) for number in them
    }
    draw = format.next(history, seed="seed")
    assert draw.pairings
    assert all(home[game.first] != home[game.second] for game in draw.pairings)


def test_the_final_as_stored_is_not_changed_by_a_late_ruling():
    history = sections_played(STAGES, 8)
    seeds = {number: seed for seed, number in enumerate(STAGES.qualifiers(history, seed="s"), 1)}
    stored = [replace(each, qualified=seeds.get(each.number, 0)) for each in history.entrants]
    turned = [
        replace(game, scores=LOST if game.scores == WON else WON) for game in history.meetings
    ]
    ruled = replace(history, entrants=stored, meetings=turned)
    assert STAGES.next(ruled, seed="s") == STAGES.next(history, seed="s")
    assert STAGES.next(replace(ruled, entrants=history.entrants), seed="s") != STAGES.next(
        ruled, seed="s"
    )


@settings(max_examples=20)
@given(
    players=st.integers(6, 15),
    final=st.sampled_from(["round-robin", "knockout"]),
    double=st.booleans(),
    at_once=st.sampled_from([0, 2]),
    chance=st.integers(0, 2**32).map(random.Random),
)
def test_every_event_of_two_stages_is_played_to_its_end(players, final, double, at_once, chance):
    format = Stages(
        section_size=4, qualify=2, final=final, double=double, at_once=at_once, games=1 + double
    )
    history = History(entrants=entrants(players))
    end = play_out(format, history, by=at_random(chance, RESULTS), chance=chance)
    assert not running(end)
    last = format.section_rounds(history.entrants)
    in_final = {
        number for game in end.meetings if game.round > last for number in (game.first, game.second)
    }
    sections = format.sections(history.entrants)
    assert all(len(in_final & set(section)) == 2 for section in sections)
    assert in_final == set(format.qualifiers(end, seed="seed"))


def test_the_settings_must_fit_the_number_of_entrants():
    STAGES.check(8)
    with pytest.raises(InvalidSetting, match="4 entrants fit into one section of 4"):
        STAGES.check(4)
    with pytest.raises(
        InvalidSetting, match="a section has 2 players only, too few for 2 to go on"
    ):
        STAGES.check(5)
    with pytest.raises(TooFew):
        STAGES.check(3)
