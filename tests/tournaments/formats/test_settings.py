"""Settings of formats: stored, read again, and refused in words."""

import json
import random
from dataclasses import FrozenInstanceError, replace

import hypothesis
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.formats.playing import LOST, WON, at_random, entrants, play_out
from tournaments.formats.format import InvalidSetting, TooFew, settings
from tournaments.formats.history import Draw, History
from tournaments.formats.registry import FORMATS, from_json, to_json
from tournaments.formats.swiss import Swiss


def values(setting):
    if setting.choices:
        return st.sampled_from(setting.choices)
    if isinstance(setting.default, bool):
        return st.booleans()
    return st.integers(setting.least, setting.most)


@st.composite
def formats(draw):
    of = FORMATS[draw(st.sampled_from(sorted(FORMATS)))]
    return of(**{setting.name: draw(values(setting)) for setting in settings(of)})


@given(formats())
def test_settings_survive_being_stored(format):
    assert from_json(json.loads(json.dumps(to_json(format)))) == format


@pytest.mark.parametrize("key", FORMATS)
def test_what_is_not_said_has_its_default(key):
    format = from_json({"format": key})
    assert format == FORMATS[key]()
    assert format.key == key
    assert from_json(to_json(format)) == format


@pytest.mark.parametrize("key", FORMATS)
def test_defaults_are_settings_that_can_be_stored(key):
    for setting in settings(FORMATS[key]):
        from_json({"format": key, setting.name: setting.default})


@pytest.mark.parametrize("key", FORMATS)
def test_every_format_takes_sixteen_and_refuses_one(key):
    format = FORMATS[key]()
    format.check(16)
    assert isinstance(format.next(History(entrants=entrants(16)), seed="seed"), Draw)
    with pytest.raises(TooFew):
        format.check(1)


@hypothesis.settings(max_examples=25)
@given(formats(), st.integers(8, 12), st.integers(0, 2**32).map(random.Random))
def test_the_last_round_is_known_beforehand(format, players, chance):
    history = History(entrants=entrants(players))
    try:
        format.check(players)
    except InvalidSetting:
        return
    if format.key in ("ladder", "swiss"):
        assert format.last_round(history.entrants) == getattr(format, "rounds", 0)
        return
    end = play_out(format, history, by=at_random(chance, (WON, LOST)), chance=chance)
    last = max(game.round for game in end.meetings)
    known = format.last_round(history.entrants)
    assert last == known or (last == known - 1 and format.key == "knockout" and format.reset)


@pytest.mark.parametrize("key", FORMATS)
def test_a_format_cannot_be_changed_by_the_way(key):
    format = FORMATS[key]()
    with pytest.raises(FrozenInstanceError):
        setattr(format, settings(FORMATS[key])[0].name, 3)


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({"rounds": 12}, '"rounds" is a whole number from 3 to 11, not 12.'),
        ({"rounds": 2}, '"rounds" is a whole number from 3 to 11, not 2.'),
        ({"rounds": "5"}, '"rounds" is a whole number from 3 to 11, not 5.'),
        ({"games": True}, '"games" is a whole number from 1 to 2, not True.'),
        ({"rounds": None}, '"rounds" is a whole number from 3 to 11, not None.'),
        ({"acceleration": "monrad"}, '"acceleration" is one of none, baku, not monrad.'),
        ({"acceleration": ["baku"]}, "\"acceleration\" is one of none, baku, not ['baku']."),
        (
            {"turns": 3},
            'This format has no setting "turns". '
            "It has: rounds, games, acceleration, first_colour.",
        ),
    ],
)
def test_a_wrong_setting_is_refused_with_what_would_be_right(data, sentence):
    with pytest.raises(InvalidSetting) as refused:
        from_json({"format": "swiss", **data})
    assert str(refused.value) == sentence


def test_a_yes_or_no_is_nothing_else():
    with pytest.raises(InvalidSetting, match='"double" is true or false, not 1'):
        from_json({"format": "round-robin", "double": 1})


@pytest.mark.parametrize("key", ["arena", None, 3, []])
def test_an_unknown_format_is_refused_with_those_there_are(key):
    with pytest.raises(InvalidSetting, match='"format" is one of round-robin, league, swiss'):
        from_json({"format": key})


def test_settings_are_told_with_their_bounds():
    rounds, games, acceleration, _ = settings(Swiss)
    assert (rounds.name, rounds.default, rounds.least, rounds.most) == ("rounds", 5, 3, 11)
    assert games.most == 2
    assert acceleration.choices == ("none", "baku")
    assert replace(Swiss(), rounds=7).rounds == 7
