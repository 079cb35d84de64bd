"""Trying moves: a state that travels with the page, and what it refuses."""

import pytest
from django.core import signing

from games.diagrams import TRIALS
from games.picker import whole_beginning
from games.rules.position import IllegalMove, InvalidMove, Outcome, Roll, Turn
from games.rules.registry import RULESETS
from games.trial import MOST_MOVES, SALT, Trial, TrialRefused, played, script

TRACKS = TRIALS["tri-trac"]


def test_a_script_is_moves_and_throws_in_turn():
    assert script("5+3, roll, 3, d1-d4") == ("5+3", "roll", "3", "d1-d4")
    assert script("") == ()
    assert played("triotrio", script("5+3, roll, 3, d1-d4")).awaiting == Turn(1)


def test_a_script_can_have_options():
    assert played("tritoc", script("23"), {"dice": "equal"}).total == 10


def test_a_move_is_added_in_its_canonical_text():
    trial = Trial.begun("tri-trac", TRACKS).moved("Move C6→C4  NW")
    assert trial.last_move == "move c6 c4 wn"
    assert isinstance(trial.position.awaiting, Outcome)


def test_a_state_comes_back_as_it_was_signed():
    trial = Trial.begun("tri-trac", TRACKS).moved("place c4 we")
    assert Trial.read(trial.signed(), "tri-trac") == trial


@pytest.mark.parametrize("key", RULESETS)
def test_a_trial_goes_on_for_many_moves_without_awaiting_a_throw(key: str):
    trial = Trial.begun(key, TRIALS[key])
    for _ in range(12):
        if isinstance(trial.position.awaiting, Outcome):
            break
        trial = trial.moved(str(trial.position.legal_moves()[0]))
        assert not isinstance(trial.position.awaiting, Roll)
    assert trial.has_moved
    assert Trial.read(trial.signed(), key).position.to_json() == trial.position.to_json()


def test_dice_are_thrown_after_a_move_that_calls_for_them():
    trial = Trial.begun("triotrio", script("5+3")).moved("roll")
    assert len(trial.throws_since) == 1
    assert trial.throws_since[0] in "123456"


def test_dice_show_every_face_now_and_then():
    trial = Trial.begun("triotrio", script("5+3"))
    assert {trial.moved("roll").throws_since[0] for _ in range(300)} == set("123456")


def test_fruitless_throws_are_thrown_again(monkeypatch: pytest.MonkeyPatch):
    faces = iter((1, 1, 6, 6, 3, 4))
    monkeypatch.setattr("games.trial.secrets.randbelow", lambda _sides: next(faces) - 1)
    trial = Trial.begun("tritoc", script("6+2")).moved("5.8")
    assert trial.throws_since == ["1 + 1", "6 + 6"]
    assert trial.position.awaiting == Turn(1)


def test_a_taken_back_move_takes_its_throws_along():
    begun = Trial.begun("tritoc", TRIALS["tritoc"][:59])
    assert begun.moved("x2.7").taken_back() == begun


def test_what_was_given_is_never_taken_back():
    begun = Trial.begun("tri-trac", TRACKS)
    assert begun.taken_back() == begun
    assert not begun.has_moved


@pytest.mark.parametrize(
    ("text", "error"), [("place d2 wn", IllegalMove), ("hello", InvalidMove), ("", InvalidMove)]
)
def test_a_move_that_the_rules_refuse_is_refused(text: str, error: type[Exception]):
    with pytest.raises(error):
        Trial.begun("tri-trac", TRACKS).moved(text)


def test_a_trial_ends_after_sixty_moves():
    trial = Trial.begun("triotrio", script("5+3"))
    for _ in range(MOST_MOVES):
        trial = trial.moved("pass")
    with pytest.raises(TrialRefused, match="60 moves"):
        trial.moved("pass")


@pytest.mark.parametrize(
    "state",
    [
        "",
        "nonsense",
        signing.dumps(["tri-trac", [], 0], salt="another"),
        signing.dumps(["tri-trac", [], 0], salt=SALT)[:-1],
        signing.dumps(["tri-trac", ["place a1 en"], 1], salt=SALT),
        signing.dumps(["tri-trac", ["3"], 1], salt=SALT),
        signing.dumps(["tri-trac"], salt=SALT),
        signing.dumps(["tritoc", ["1+2"], 0], salt=SALT),
    ],
    ids=["none", "no state", "other salt", "cut", "illegal", "throw", "too short", "other game"],
)
def test_a_state_that_is_not_ours_or_not_this_games_is_refused(state: str):
    with pytest.raises(TrialRefused):
        Trial.read(state, "tri-trac")


def test_the_picker_shows_the_part_that_is_a_move_already():
    position = played("tritt-reloaded", TRIALS["tritt-reloaded"])
    assert whole_beginning(position, "c5-e7 g6-g8>g7-g9") == "c5-e7 g6-g8>g7-g9"
    assert whole_beginning(position, "c5-e7 g6-g8") == "c5-e7"
    assert whole_beginning(position, "c5") == ""
    assert whole_beginning(position, "") == ""
